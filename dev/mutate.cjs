'use strict';

/**
 * `npm run mutate`: changes the code that decides sends, scopes and states in one place at a time, and says which
 * changes no test of it notices. It works on a copy, writes down what it has found, and goes on there when it runs
 * again. `-- --minutes N` ends it (20), `-- --fresh` begins anew, `-- --only TEXT` takes files whose path contains it.
 * `-- --walls [TESTS]` takes the conditions on the workspace out of statements instead (dev/walls.cjs).
 * `-- --check` changes nothing: it says whether all that is to be changed is there, and its tests can be run.
 *
 * A file is compiled once with all of its changes in it, each behind a number, and the tests are run once per number in
 * the same process: starting jest for each would take ten times as long.
 */
const { spawnSync } = require('node:child_process');
const { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const ts = require('typescript');
const { projects } = require('../jest.config.cjs');

const root = path.join(__dirname, '..');
const found = path.join(root, '.data', 'mutation.json');
/** So many changes are tried by one process of jest. */
const atOnce = 25;
const testLimitMs = 10_000;
/** Where nothing but code in memory is tested: a change that lets a test wait for ever is noticed sooner. */
const inMemoryLimitMs = 2_000;

/** What is changed, where only some functions of a file decide: which, and the tests that are to notice. */
const targets = [
  {
    file: 'api/core/http/access.ts',
    functions: ['isScope', 'memberScopes', 'requireScope', 'keyScopes', 'dashboardOnly', 'consentableScopes'],
    tests: ['permissions', 'autonomy'],
  },
  { file: 'api/core/autonomy.ts', functions: ['isBound', 'requireMaySend', 'announceSend'], tests: ['autonomy'] },
  {
    file: 'api/services/identity/apiKeys/service.ts',
    functions: ['grantableScopes', 'ineffectiveScopes'],
    tests: ['permissions'],
  },
  { file: 'api/services/identity/members/service.ts', functions: ['checkPermissions'], tests: ['permissions'] },
  { file: 'api/services/delivery/decisions.ts', tests: ['sendDecisions'] },
  {
    file: 'api/services/resources/messages/rows/status.ts',
    functions: ['statusRank', 'statusRankSql'],
    tests: ['states'],
  },
  { file: 'api/core/conversationStates.ts', tests: ['states'] },
  {
    file: 'api/core/platform/answers.ts',
    tests: ['sendDecisions', 'upstreamSends', 'upstreamAnswers', 'broadcastAnswers'],
  },
  { file: 'api/core/platform/upstream.ts', functions: ['isUnknownObject'], tests: ['sendDecisions'] },
  {
    file: 'api/core/db/workspaceTurns.ts',
    functions: ['toldInTime', 'WorkspaceTurns'],
    tests: ['waiting'],
    limitMs: inMemoryLimitMs,
  },
  {
    file: 'api/core/db/connectionTurns.ts',
    functions: ['Turns'],
    tests: ['turns'],
    limitMs: inMemoryLimitMs,
  },
  { file: 'api/core/platform/permits.ts', functions: ['Permits'], tests: ['permits'], limitMs: inMemoryLimitMs },
  { file: 'api/core/http/faults.ts', functions: ['serverClasses', 'reasonOf'], tests: ['faults'] },
  { file: 'workflows/failures.ts', functions: ['refusalOf'], tests: ['workflowDecisions'] },
  { file: 'workflows/time.ts', tests: ['workflowDecisions'] },
];

/** Which operators stand for which. */
const others = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '**': ['*'],
};

/** Returns what may stand in place of a node, as texts. */
function changesOf(node, text) {
  const own = (part) => text.slice(part.getStart(), part.end);
  if (ts.isBinaryExpression(node)) {
    const sign = node.operatorToken.getText();
    return (others[sign] ?? []).map((other) => `(${own(node.left)} ${other} ${own(node.right)})`);
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) return [own(node.operand)];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return ['false'];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return ['true'];
  if (ts.isNumericLiteral(node)) return [`(${node.text} + 1)`];
  // A text of several words is read by people; what one says is no decision.
  if (ts.isStringLiteral(node)) return node.text.includes(' ') ? [] : [node.text === '' ? "'changed'" : "''"];
  if (isCondition(node)) return ['true', 'false'];
  return [];
}

function isCondition(node) {
  const { parent } = node;
  return (
    (ts.isIfStatement(parent) && parent.expression === node) ||
    (ts.isConditionalExpression(parent) && parent.condition === node)
  );
}

/** Returns whether nothing below a node runs, or it is a name and no value. */
function isNoValue(node) {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return true;
  return ts.isStringLiteral(node) && ts.isPropertyAssignment(node.parent) && node.parent.name === node;
}

/** Returns the text of a file with every change in it, and the list of them. */
function instrument({ file, functions }, first) {
  const text = readFileSync(path.join(root, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const mutants = [];

  function rewritten(node, start, end) {
    // The children's texts, in their places.
    const parts = [];
    let at = start;
    node.forEachChild((child) => {
      parts.push(
        text.slice(at, child.getStart()),
        isNoValue(child) ? text.slice(child.getStart(), child.end) : visit(child),
      );
      at = child.end;
    });
    return parts.join('') + text.slice(at, end);
  }

  function note(node, change) {
    const number = first + mutants.length;
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    const was = text.slice(node.getStart(), node.end).replace(/\s+/g, ' ').slice(0, 90);
    mutants.push({ number, file, line: line + 1, was, becomes: change.replace(/\s+/g, ' ').slice(0, 90) });
    return number;
  }

  function visit(node) {
    // A statement that does something without giving a value, or refuses, may be missing.
    if (ts.isThrowStatement(node) || ts.isExpressionStatement(node)) {
      const number = note(node, '(nothing)');
      return `{ if (globalThis.MUTANT !== ${number}) { ${rewritten(node, node.getStart(), node.end)} } }`;
    }
    const changes = changesOf(node, text);
    const numbered = changes.map((change) => [note(node, change), change]);
    const inner = withLimit(node, rewritten(node, node.getStart(), node.end));
    if (numbered.length === 0) return inner;
    return `(${numbered.map(([number, change]) => `globalThis.MUTANT === ${number} ? ${change} : `).join('')}${inner})`;
  }

  // A loop that a change leaves without an end would hold up all changes that are tried with it.
  function withLimit(node, inner) {
    if (!ts.isBlock(node) || !ts.isIterationStatement(node.parent, false)) return inner;
    return `{ if ((globalThis.ROUNDS = (globalThis.ROUNDS ?? 0) + 1) > 1e6) throw new Error('no end'); ${inner} }`;
  }

  const namesOf = (statement) =>
    ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map(({ name }) => name.getText())
      : [statement.name?.getText()];
  const wanted = (statement) =>
    functions
      ? namesOf(statement).some((name) => functions.includes(name))
      : ts.isFunctionDeclaration(statement) || ts.isVariableStatement(statement);
  const gone = (functions ?? []).filter((name) => !source.statements.flatMap(namesOf).includes(name));
  if (gone.length > 0) throw new Error(`${file} declares no ${gone.join(', ')} any more`);
  const parts = [];
  let at = 0;
  for (const statement of source.statements) {
    parts.push(text.slice(at, statement.getStart()), wanted(statement) ? visit(statement) : statement.getText());
    at = statement.end;
  }
  return { code: parts.join('') + text.slice(at), mutants };
}

/** Makes a copy in which tests can be run with any of the changes. */
function prepareCopy() {
  const copy = path.join(os.tmpdir(), `msgdesk-mutation-${process.pid}`);
  mkdirSync(copy, { recursive: true });
  for (const folder of ['api', 'models', 'workflows', 'activities', 'worker', 'dev', 'test'])
    cpSync(path.join(root, folder), path.join(copy, folder), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json']) cpSync(path.join(root, file), path.join(copy, file));
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'), 'dir');
  const { transform, transformIgnorePatterns } = projects.find(({ displayName }) => displayName === 'unit');
  // Every test file loads the product anew here: what a change does at load time counts as well.
  const config = {
    rootDir: copy,
    testEnvironment: 'node',
    transform,
    transformIgnorePatterns,
    testMatch: ['<rootDir>/test/unit/mutants/*.test.ts'],
  };
  writeFileSync(path.join(copy, 'jest.config.json'), JSON.stringify(config));
  return copy;
}

/** Tries some changes; returns the numbers of those that a test noticed, or null where the run broke off. */
function tryThem(copy, { tests, limitMs = testLimitMs }, numbers) {
  const folder = path.join(copy, 'test', 'unit', 'mutants');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const number of numbers) {
    const loads = tests.map((test) => `require('../${test}.test');`).join('\n');
    writeFileSync(path.join(folder, `m${number}.test.ts`), `globalThis.MUTANT = ${number};\n${loads}\n`);
  }
  const output = path.join(copy, 'result.json');
  rmSync(output, { force: true });
  const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  spawnSync(
    process.execPath,
    [
      jest,
      '-c',
      path.join(copy, 'jest.config.json'),
      '-w',
      '1',
      '--forceExit',
      '--silent',
      '--json',
      '--outputFile',
      output,
    ],
    {
      cwd: copy,
      stdio: process.env['MUTATE_DEBUG'] ? 'inherit' : 'ignore',
      timeout: 60_000 + numbers.length * 3 * limitMs,
    },
  );
  if (!existsSync(output)) return null;
  const { testResults } = JSON.parse(readFileSync(output, 'utf8'));
  const failed = testResults.filter(({ status }) => status === 'failed');
  return new Set(failed.map(({ name }) => Number(/m(\d+)\.test\.ts$/.exec(name)?.[1])));
}

/** Returns what became of each of some changes. One that brings the tests to no end was noticed. */
function statesOf(copy, target, mutants) {
  const noticed = tryThem(
    copy,
    target,
    mutants.map(({ number }) => number),
  );
  if (noticed === null && mutants.length > 1) return mutants.flatMap((mutant) => statesOf(copy, target, [mutant]));
  return mutants.map((mutant) => [mutant, noticed?.has(mutant.number) === false ? 'survived' : 'killed']);
}

function option(name, fallback) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : process.argv[at + 1];
}

function main() {
  const until = Date.now() + Number(option('minutes', 20)) * 60_000;
  const only = option('only', '');
  const isCheck = process.argv.includes('--check');
  if (process.argv.includes('--fresh')) rmSync(found, { force: true });
  const known = existsSync(found) ? JSON.parse(readFileSync(found, 'utf8')) : {};
  const copy = prepareCopy();
  let next = 1;
  try {
    for (const target of targets.filter(({ file }) => file.includes(only))) {
      const { code, mutants } = instrument(target, next);
      next += mutants.length;
      writeFileSync(path.join(copy, target.file), code);
      if (tryThem(copy, target, [0])?.size !== 0) throw new Error(`the tests of ${target.file} fail as it is`);
      if (isCheck) {
        cpSync(path.join(root, target.file), path.join(copy, target.file));
        continue;
      }
      const name = ({ file, line, was, becomes }) => `${file}:${line} ${was} → ${becomes}`;
      // What survived is tried again: there may be better tests by now.
      const open = mutants.filter((mutant) => known[name(mutant)] !== 'killed');
      while (open.length > 0 && Date.now() < until) {
        const some = open.splice(0, atOnce);
        for (const [mutant, state] of statesOf(copy, target, some)) known[name(mutant)] = state;
        mkdirSync(path.dirname(found), { recursive: true });
        writeFileSync(found, `${JSON.stringify(known, null, 2)}\n`);
      }
      const states = mutants.map((mutant) => known[name(mutant)]);
      const killed = states.filter((state) => state === 'killed').length;
      const tried = states.filter((state) => state !== undefined).length;
      const left = tried < mutants.length ? `, ${mutants.length - tried} not tried` : '';
      process.stdout.write(`${target.file}: ${killed} of ${tried} noticed${left}\n`);
      for (const mutant of mutants) if (known[name(mutant)] === 'survived') process.stdout.write(`  ${name(mutant)}\n`);
      cpSync(path.join(root, target.file), path.join(copy, target.file));
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const walls = process.argv.indexOf('--walls');
if (walls > 0) require('./walls.cjs').main(process.argv.slice(walls + 1));
else main();
