'use strict';

/**
 * `npm run counts`: how far the code keeps its own plan, in figures that no test holds.
 */
const { readdirSync, readFileSync } = require('node:fs');
const path = require('node:path');
const ts = require('typescript');
const { statementsOf, walk } = require('./statements.cjs');

const root = path.join(__dirname, '..');
const productFolders = ['api', 'workflows', 'activities', 'models', 'worker', 'admin'];

/** Returns the files below a folder whose names end so, as paths from the repository's root. */
function filesBelow(folder, end) {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => end.test(name));
}

const sources = productFolders.flatMap((folder) => filesBelow(folder, /\.tsx?$/));
const files = sources.map((file) => {
  const text = readFileSync(path.join(root, file), 'utf8');
  return {
    file,
    lines: text.split('\n').length - 1,
    source: ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true),
  };
});
const services = files.filter(({ file }) => file.startsWith('api/services/'));

const modelMethods = new Set([
  'findOne',
  'findAll',
  'findByPk',
  'findOrCreate',
  'findAndCountAll',
  'create',
  'bulkCreate',
  'update',
  'destroy',
  'count',
  'max',
  'sum',
  'increment',
]);

/**
 * Returns whether a call is one of a model: on `of(…)`, on a member of `models`, or on a name that begins like a
 * class; or one of `recordsOf`.
 */
function isModelCall(node) {
  if (!ts.isCallExpression(node)) return false;
  if (node.expression.getText() === 'recordsOf') return true;
  if (!ts.isPropertyAccessExpression(node.expression)) return false;
  if (!modelMethods.has(node.expression.name.text)) return false;
  const target = node.expression.expression.getText();
  return /^of\(|\bmodels\b|^[A-Z]\w+$|^[a-z]\w+\((?:ctx|system)\)$/.test(target) || isScopedName(target, node);
}

/** Returns whether a plain name was declared as a model in the same source. */
function isScopedName(name, node) {
  return /^\w+$/.test(name) && new RegExp(`const ${name} = of\\(`).test(node.getSourceFile().text);
}

const modelCalls = [];
for (const { file, source } of services)
  walk(source, (node) => {
    if (isModelCall(node)) modelCalls.push(file);
  });
const statements = services.flatMap(({ file, source }) => statementsOf(file, source));
const byReason = new Map();
for (const { reason } of statements) byReason.set(reason, (byReason.get(reason) ?? 0) + 1);

/** Returns how many lines of code stand below some folders: pages, style sheets and scripts of browsers, too. */
function linesOf(...folders) {
  const sources = folders.flatMap((folder) => filesBelow(folder, /\.(ts|js|cjs|mjs|css)$/));
  return sources.reduce((sum, file) => sum + readFileSync(path.join(root, file), 'utf8').split('\n').length - 1, 0);
}

/**
 * What sends, wakes, takes turns and tells subscribers, with its workflows, activities and worker loops: the part of
 * the house in which mechanisms gathered once.
 */
const wing = [
  /^api\/services\/(delivery|processes\/webhookDelivery|resources\/(tickets\/stageMoves|broadcasts\/runs))\//,
  /^api\/services\/processes\/(macroRuns\/service|maintenance\/resume)\.ts/,
  /^api\/services\/resources\/(conversations\/snooze|accounts\/fence)\.ts/,
  /^api\/services\/resources\/(broadcasts\/sendingTurns|contacts\/import\/importTurns)\.ts/,
  /^api\/core\/(queue\/(outbox\w*|persist|grouped|parallel|retry|sweep)|db\/turns(Sql)?|platform\/permits)\.ts/,
  /^(workflows|activities|worker)\//,
];
const ofWing = files.filter(({ file }) => wing.some((pattern) => pattern.test(file)));

/** Returns whether an expression is a number, or calculated from numbers. */
function isNumber(node) {
  if (ts.isNumericLiteral(node)) return true;
  if (ts.isPrefixUnaryExpression(node)) return isNumber(node.operand);
  if (ts.isParenthesizedExpression(node)) return isNumber(node.expression);
  return ts.isBinaryExpression(node) && isNumber(node.left) && isNumber(node.right);
}

/** Returns whether an expression is a time as text: of Temporal ("10 seconds") or of SQL ("interval '10 seconds'"). */
function isTime(node) {
  return ts.isStringLiteralLike(node) && /^(interval ')?\d+ (millisecond|second|minute|hour|day)s?'?$/.test(node.text);
}

/** Returns the numbers and times within what is assigned to a name, by their names. */
function numbersIn(name, node) {
  if (isNumber(node) || isTime(node)) return [name];
  if (ts.isCallExpression(node) && node.expression.getText() === 'Object.freeze')
    return node.arguments.flatMap((argument) => numbersIn(name, argument));
  if (!ts.isObjectLiteralExpression(node)) return [];
  const parts = node.properties.filter(ts.isPropertyAssignment);
  return parts.flatMap((part) => numbersIn(`${name}.${part.name.getText()}`, part.initializer));
}

/** Returns the numbers and times with a name at the level of a module: most of them were found by trying. */
function namedNumbers({ file, source }) {
  const declared = source.statements.filter(ts.isVariableStatement).flatMap((one) => one.declarationList.declarations);
  return declared.flatMap(({ name, initializer }) =>
    initializer ? numbersIn(`${file}: ${name.getText()}`, initializer) : [],
  );
}
const numbers = ofWing.flatMap(namedNumbers);

const simulation = linesOf('test/simulation');
const sandboxTests = linesOf('dev/sandbox/test');
const sandbox = linesOf('dev/sandbox') - sandboxTests;
const areas = {
  'lines of the product': linesOf(...productFolders),
  'lines of the wing that sends': ofWing.reduce((sum, { lines }) => sum + lines, 0),
  'lines of tools': linesOf('dev', 'bench') - sandbox - sandboxTests,
  'lines of the sandbox': sandbox,
  'lines of the simulation': simulation,
  'lines of other test code, without what was recorded': linesOf('test') - simulation + sandboxTests,
};
for (const [what, lines] of Object.entries(areas)) console.log(`${String(lines).padStart(6)}  ${what}`);
console.log(`${String(modelCalls.length).padStart(5)}  model calls in services`);
console.log(`${String(statements.length).padStart(5)}  raw statements in services, by reason`);
for (const [reason, count] of [...byReason].sort((left, right) => right[1] - left[1])) {
  console.log(`${String(count).padStart(9)}  ${reason}`);
  if (!process.argv.includes('--list')) continue;
  for (const { file, line } of statements.filter((one) => one.reason === reason))
    console.log(`           ${file}:${line}`);
}
// A test holds that this file lists every one of them.
const settings = readFileSync(path.join(root, '.env.example'), 'utf8').match(/^#?[A-Z][A-Z0-9_]+=/gm) ?? [];
console.log(`${String(settings.length).padStart(5)}  settings`);
const [recipe = ''] =
  /^## Add a field[\s\S]*?(?=^## )/m.exec(readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8')) ?? [];
console.log(`${String(recipe.match(/^\d\. /gm)?.length).padStart(5)}  steps of a change of a ticket field`);
const inTables = numbers.filter((number) => /^workflows\/(activities|queues)\.ts/.test(number));
console.log(`${String(numbers.length).padStart(5)}  numbers and times with a name in the wing that sends`);
console.log(`${String(inTables.length).padStart(9)}  in its tables of retry policies and of queues`);
if (process.argv.includes('--list')) for (const number of numbers) console.log(`         ${number}`);
