import { readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { readSource } from '../../dev/tests/files';

/*
 * The files of a lane share a database, a process and a stand-in of the platform. How many rows a sweep of the whole
 * installation takes depends on what other files have left, and on how long they took: a claim of theirs that expires
 * in a slow run is counted as well. So a test looks at its own rows (`test/support/ownRows.ts`).
 */

/** Where workers call what they do for all workspaces. */
const callers = ['activities/sweeps.ts', 'worker/loops.ts', 'worker/events.ts'];
/** What picks a test's own out of a list. */
const pickers = ['filter', 'find', 'findLast', 'some'];

const parse = (file: string, text: string): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);

function nodesOf(node: ts.Node): ts.Node[] {
  const found = [node];
  node.forEachChild((child) => void found.push(...nodesOf(child)));
  return found;
}

/** The names that a file imports of services, each with the file that it comes from. */
function importsOf(source: ts.SourceFile): Map<string, string> {
  const found = new Map<string, string>();
  for (const node of source.statements) {
    if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) continue;
    const from = path.posix.join(path.posix.dirname(source.fileName), node.moduleSpecifier.text);
    const names = node.importClause?.namedBindings;
    if (!from.startsWith('api/services/') || !names || !ts.isNamedImports(names)) continue;
    for (const { name } of names.elements) found.set(name.text, `${from}.ts`);
  }
  return found;
}

/** The names that are called with the runtime first, which is how what concerns no workspace is called. */
function calledWithRuntime(node: ts.Node): string[] {
  return nodesOf(node)
    .filter(ts.isCallExpression)
    .filter(({ arguments: [first] }) => first && ts.isIdentifier(first) && first.text === 'runtime')
    .flatMap(({ expression }) => (ts.isIdentifier(expression) ? [expression.text] : []));
}

/** What workers do for all workspaces, and the parts of it that have a name in services. */
function sweepsOf(files: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const file of files) {
    const source = parse(file, readSource(file));
    const imports = importsOf(source);
    for (const name of calledWithRuntime(source)) {
      const from = imports.get(name);
      if (!from || found.has(name)) continue;
      found.add(name);
      const declared = parse(from, readSource(from)).statements.filter(ts.isFunctionDeclaration);
      const itself = declared.find((one) => one.name?.text === name);
      for (const part of itself ? calledWithRuntime(itself) : []) found.add(part);
    }
  }
  return found;
}

const sweeps = sweepsOf(callers);
/** By their names functions say that they look at all workspaces; figures are compared with what they were before. */
const isSweep = (name: string): boolean =>
  sweeps.has(name) || (/Any(where|Workspace)$/.test(name) && !/^count/.test(name));

/** Whether nothing is made of an answer, or only of the test's own in it. What goes through a function is not seen. */
function isIgnored(answer: ts.Node): boolean {
  const { parent } = answer;
  if (ts.isAwaitExpression(parent) || ts.isParenthesizedExpression(parent) || ts.isBinaryExpression(parent))
    return isIgnored(parent);
  if (ts.isPropertyAccessExpression(parent))
    return pickers.includes(parent.name.text) || (parent.name.text === 'taken' && isIgnored(parent));
  return (
    ts.isExpressionStatement(parent) ||
    ts.isArrowFunction(parent) ||
    (ts.isWhileStatement(parent) && parent.expression === answer)
  );
}

/** Names a place in a file. */
const placeOf = (source: ts.SourceFile, node: ts.Node): string =>
  `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;

/** Says what a test file makes of something that other files of its lane have a part in. */
function countedOf(file: string, text: string): string[] {
  const source = parse(file, text);
  const imports = importsOf(source);
  const isAlone = (name: string): boolean =>
    !text.includes("sharedDesk('worker'") && new RegExp(`leaveNothingTo\\(\\w+, '${name}'\\)`).test(text);
  return nodesOf(source).flatMap((node) => {
    const said = (what: string): string[] => [`${placeOf(source, node)}: ${what}`];
    if (
      ts.isPropertyAccessExpression(node) &&
      node.name.text === 'sent' &&
      /\bstate$/.test(node.expression.getText())
    ) {
      const { parent } = node;
      return ts.isPropertyAccessExpression(parent) && pickers.includes(parent.name.text) ? [] : said('sent');
    }
    if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return [];
    const { text: name } = node.expression;
    const isOwn = node.arguments.some((one) => one.getText().includes('onlyIn'));
    return imports.has(name) && isSweep(name) && !isOwn && !isAlone(name) && !isIgnored(node) ? said(name) : [];
  });
}

/** Whether a file has statements that pass over the rows which others hold just then. */
const passesOver = (file: string): boolean => /SKIP LOCKED|\binTurnsSql\(/.test(readSource(file));

/** Says where a file whose desk has a worker does once what passes over the rows that the worker holds just then. */
function sweptOnceIn(file: string, text: string): string[] {
  if (!/\bsharedDesk\('worker'|\bworker: true\b/.test(text)) return [];
  const source = parse(file, text);
  const imports = importsOf(source);
  const isRepeated = (node: ts.Node): boolean =>
    (ts.isCallExpression(node) && node.expression.getText() === 'eventually') ||
    (node.parent && isRepeated(node.parent));
  return nodesOf(source)
    .filter(ts.isCallExpression)
    .filter(({ expression }) => isSweep(expression.getText()) && passesOver(imports.get(expression.getText()) ?? ''))
    .filter((call) => !isRepeated(call))
    .map((call) => placeOf(source, call));
}

/** The files of tests, but for those of this folder, which hold samples of what is refused. */
const testFiles = readdirSync(path.join(__dirname, '..'), { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.test.ts') && !name.startsWith('test/unit/'));

describe('work on the whole installation, on a shared desk', () => {
  it('is known by the loops and sweeps of the workers', () => {
    const known = ['settleStaleClaims', 'restartAssignments', 'removeFilesAnywhere', 'drainInbox', 'claimEvents'];
    const parts = ['takeWaiting', 'wakeOverdue', 'sendOverdue', 'fanOutEvents', 'sendMail', 'sendPushes'];
    expect([...known, ...parts].filter((name) => !sweeps.has(name))).toEqual([]);
  });

  it.each([
    ['expect(await sendMail(desk.runtime)).toBe(true);', ['sendMail']],
    ['expect([await sendMail(runtime), 1]).toEqual([0, 1]);', ['sendMail']],
    ['expect((await sendMail(runtime)).taken).toBe(1);', ['sendMail']],
    ['const { taken } = await sendMail(runtime);', ['sendMail']],
    ['const f = async () => { return sendMail(runtime); };', ['sendMail']],
    ["leaveNothingTo(desk, 'sendPushes'); expect(await sendMail(runtime)).toBe(1);", ['sendMail']],
    ["sharedDesk('worker'); leaveNothingTo(desk, 'sendMail'); expect(await sendMail(runtime)).toBe(1);", ['sendMail']],
    ["leaveNothingTo(desk, 'sendMail'); expect(await sendMail(runtime)).toBe(1);", []],
    ['expect(await sendMail(runtime, { onlyIn: 1 })).toBe(1);', []],
    ['await sendMail(runtime); while ((await sendMail(runtime)) > 0);', []],
    ['const own = (await sendMail(runtime)).filter(isOwn);', []],
    ["expect(await changedRows(workspace, 'messages', sendMail)).toEqual([1]);", []],
    ['expect(desk.sandbox.state.sent.at(-1)).toEqual(1);', ['sent']],
    ['expect(desk.sandbox.state.sent).toEqual([]);', ['sent']],
    ['expect(desk.sandbox.state.sent.filter(isOwn)).toEqual([]);', []],
  ])('is not counted: %s', (line, names) => {
    const text = `import { sendMail } from '../../api/services/identity/members/mailing';\n${line}`;
    expect(countedOf('test/api/x.test.ts', text)).toEqual(names.map((name) => `test/api/x.test.ts:2: ${name}`));
  });

  it('is counted by no file', () => {
    const files = testFiles.filter((name) => /\bsharedDesk\('/.test(readSource(name)));
    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap((file) => countedOf(file, readSource(file)))).toEqual([]);
  });

  it.each([
    ["sharedDesk('worker'); await breachOverdue(runtime);", ['test/api/x.test.ts:2']],
    ['startApi({ worker: true }); const f = async () => { await breachOverdue(runtime); };', ['test/api/x.test.ts:2']],
    ["sharedDesk('worker'); await eventually(async () => { await breachOverdue(runtime); });", []],
    ["sharedDesk('worker'); await sweepUntil(desk, breachOverdue, check);", []],
    ["sharedDesk('plain'); await breachOverdue(runtime);", []],
  ])('is repeated beside a worker, until it did what the test waits for: %s', (line, said) => {
    const text = `import { breachOverdue } from '../../api/services/resources/sla/breaches';\n${line}`;
    expect(sweptOnceIn('test/api/x.test.ts', text)).toEqual(said);
  });

  it('is done once beside a worker by no file', () => {
    expect(testFiles.flatMap((file) => sweptOnceIn(file, readSource(file)))).toEqual([]);
  });
});
