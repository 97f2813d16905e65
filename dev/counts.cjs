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

/** Returns the TypeScript sources below a folder, as paths from the repository's root. */
function sourcesBelow(folder) {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.ts'));
}

const services = sourcesBelow('api/services').map((file) => {
  const text = readFileSync(path.join(root, file), 'utf8');
  return { file, source: ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true) };
});

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
 * Returns whether a call is one of a model: on `of(…)`, on a member of `models`, or on a name that begins like a class;
 * or one of `recordsOf`.
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

/** Returns how many lines of TypeScript stand below some folders. */
function linesOf(...folders) {
  const sources = folders.flatMap(sourcesBelow);
  return sources.reduce((sum, file) => sum + readFileSync(path.join(root, file), 'utf8').split('\n').length - 1, 0);
}

const simulation = linesOf('test/simulation');
const sandboxTests = linesOf('dev/sandbox/test');
const sandbox = linesOf('dev/sandbox') - sandboxTests;
const areas = {
  'lines of the product': linesOf(...productFolders),
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
