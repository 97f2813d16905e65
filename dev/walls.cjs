'use strict';

/**
 * `npm run mutate -- --walls [TESTS]`: takes each condition on the workspace out of each statement that the tests make,
 * and says which of them nobody would miss (test/support/walls.ts); and which places of the product that name the
 * workspace these tests never reach. What one process has seen no other tries again, nor does a later run: the number
 * of all tests comes of parts of them, one after the other. `--fresh` begins anew, as is needed where code has changed.
 */
const { spawnSync } = require('node:child_process');
const { mkdirSync, readdirSync, readFileSync, rmSync } = require('node:fs');
const path = require('node:path');
const ts = require('typescript');
const { walk } = require('./statements.cjs');

const root = path.join(__dirname, '..');
const found = path.join(root, '.data', 'walls');
const folders = ['api', 'worker', 'admin', 'activities'];

const plain = (text) => text.replace(/\\`/g, '`').replace(/\s+/g, ' ').trim();

/** Returns the places of a file that name the workspace: parts of statements, and calls of models that are limited. */
function placesOf(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const lineOf = (at) => source.getLineAndCharacterOfPosition(at).line + 1;
  const places = [];
  walk(source, (node) => {
    const isText =
      ts.isNoSubstitutionTemplateLiteral(node) || ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node);
    if (isText && /workspace_id = \$[A-Za-z]/.test(node.text))
      places.push({ place: `${file}:${lineOf(node.getStart())}`, sql: plain(node.text) });
    if (!ts.isCallExpression(node) || !['of', 'recordsOf'].includes(node.expression.getText())) return;
    // A model that is kept in a variable or function is used elsewhere: in this file.
    let outer = node;
    while (outer.parent && !ts.isStatement(outer) && !ts.isArrowFunction(outer)) outer = outer.parent;
    const isKept = /^(const|let)\b/.test(outer.getText()) || ts.isArrowFunction(outer);
    const lines = isKept ? [1, Infinity] : [lineOf(outer.getStart()), lineOf(outer.end)];
    places.push({ place: `${file}:${lineOf(node.getStart())}`, lines, file });
  });
  return places;
}

/** Returns whether a statement that was made comes from a place. */
function isFrom({ sql, lines, file }, made) {
  if (sql !== undefined) {
    const escaped = sql.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\\\$[A-Za-z]\w*/g, '\\$\\d+');
    const pattern = new RegExp(escaped);
    return made.some(({ text }) => pattern.test(text));
  }
  return made.some(({ frames }) =>
    frames.some((frame) => {
      const [of, line] = frame.split(':');
      return of === file && Number(line) >= lines[0] && Number(line) <= lines[1];
    }),
  );
}

/** Returns what several processes saw as one. */
function merged(reports) {
  const all = new Map();
  for (const statement of reports.flat()) {
    const known = all.get(statement.text);
    if (!known) all.set(statement.text, { ...statement, text: plain(statement.text) });
    else {
      known.seen = known.seen.map((seen, index) => (seen === 'alone' ? seen : (statement.seen[index] ?? seen)));
      known.frames = [...new Set([...known.frames, ...statement.frames])];
    }
  }
  return [...all.values()];
}

/** Runs tests with everything watched; returns what was seen by them, and by those of earlier runs. */
function watch(tests) {
  mkdirSync(found, { recursive: true });
  const script = path.join(__dirname, 'test.cjs');
  const env = { ...process.env, TEST_WALLS: found };
  spawnSync(process.execPath, [script, ...tests], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env });
  const reports = readdirSync(found).filter((name) => name.endsWith('.json'));
  return merged(reports.map((name) => JSON.parse(readFileSync(path.join(found, name), 'utf8'))));
}

function main(given) {
  const tests = given.filter((one) => one !== '--fresh');
  if (tests.length < given.length) rmSync(found, { recursive: true, force: true });
  const made = watch(tests);
  const conditions = made.flatMap(({ seen, from, text }) => seen.map((how) => ({ how, from, text })));
  const open = conditions.filter(({ how }) => how === null);
  const files = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  const places = files.flatMap(placesOf);
  const unreached = places.filter((place) => !isFrom(place, made));
  for (const { from, text } of open) process.stdout.write(`not noticed: ${from} ${text.slice(0, 200)}\n`);
  for (const { place } of unreached) process.stdout.write(`not reached: ${place}\n`);
  process.stdout.write(
    `${conditions.length - open.length} of ${conditions.length} conditions noticed ` +
      `(${conditions.filter(({ how }) => how !== null && how !== 'alone').length} beside others), ` +
      `in ${made.length} statements; ` +
      `${places.length - unreached.length} of ${places.length} places reached\n`,
  );
}

module.exports = { main };
