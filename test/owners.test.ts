import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.join(__dirname, '..');

/** One write of a table: a statement, or a call of a model. */
interface Write {
  readonly table: string;
  readonly file: string;
}

const models = tablesByModel();
const tables = new Set(models.values());

/** Sequelize's methods that write, of a model or of one of its rows. */
const writers = new Set([
  'create',
  'bulkCreate',
  'findOrCreate',
  'upsert',
  'update',
  'destroy',
  'increment',
  'decrement',
  'truncate',
  'save',
]);

function filesBelow(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(name);
    return /\.tsx?$/.test(name) ? [name] : [];
  });
}

/** The tables by the names of their models, as `defineTable` has them. */
function tablesByModel(): Map<string, string> {
  const found = filesBelow('models').flatMap((file) => [
    ...readFileSync(path.join(root, file), 'utf8').matchAll(/defineTable(?:<[^>]*>)?\(\s*'(\w+)',\s*'(\w+)'/g),
  ]);
  return new Map(found.map(([, model = '', table = '']) => [model, table]));
}

/** Every write of the product's code. A statement whose table is put in at run time is a write of `(any)`. */
function writesOf(file: string, text = readFileSync(path.join(root, file), 'utf8')): Write[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const written = new Set<string>();

  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      for (const table of tablesIn(node.getText(source))) written.add(table);
    }
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression: receiver, name } = node.expression;
      const table = writers.has(name.text) ? models.get(modelOf(source, receiver) ?? '') : undefined;
      if (table !== undefined) written.add(table);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...written].map((table) => ({ table, file }));
}

/** The tables that a statement, or a part of one, writes. */
function tablesIn(sql: string): string[] {
  const verbs = /\b(INSERT\s+INTO|DELETE\s+FROM|(?<!\b(?:FOR|KEY|DO)\s)UPDATE)\s+(?:ONLY\s+)?(\$\{|[a-z_]+)/g;
  return [...sql.matchAll(verbs)].map(([, , name = '']) => (name === '${' ? '(any)' : name));
}

/** The model behind an expression: named in it, or where its name is declared in the same file. */
function modelOf(source: ts.SourceFile, expression: ts.Node, seen: ReadonlySet<ts.Node> = new Set()): string | null {
  if (seen.has(expression)) return null;
  const next = new Set([...seen, expression]);
  const text = expression.getText(source);
  const named = /\bmodels(?:\(\w*\))?\s*\.([A-Z]\w*)/.exec(text)?.[1];
  if (named !== undefined) return named;

  if (
    ts.isAwaitExpression(expression) ||
    ts.isParenthesizedExpression(expression) ||
    ts.isNonNullExpression(expression)
  )
    return modelOf(source, expression.expression, next);
  if (ts.isPropertyAccessExpression(expression)) return modelOf(source, expression.expression, next);
  if (ts.isCallExpression(expression)) return modelOf(source, expression.expression, next);
  if (!ts.isIdentifier(expression)) return null;
  if (models.has(expression.text)) return expression.text;
  for (const declaration of declarationsOf(source, expression.text)) {
    const type = declaration.type?.getText(source) ?? '';
    const typed = [...models.keys()].find((model) => new RegExp(`\\b${model}(Model|Row)?\\b`).test(type));
    if (typed !== undefined && /Model\b/.test(type)) return typed;
    const body = ts.isFunctionDeclaration(declaration) ? declaration.body : declaration.initializer;
    const found = body && modelOf(source, body, next);
    if (found) return found;
  }
  return null;
}

type Declaration = ts.VariableDeclaration | ts.ParameterDeclaration | ts.FunctionDeclaration;

function declarationsOf(source: ts.SourceFile, name: string): Declaration[] {
  const found: Declaration[] = [];
  const visit = (node: ts.Node): void => {
    const declares = ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isFunctionDeclaration(node);
    if (declares && node.name && ts.isIdentifier(node.name) && node.name.text === name) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Rows of a table of docs/owners.md, below a heading. */
function rowsBelow(heading: string): string[][] {
  const document = readFileSync(path.join(root, 'docs', 'owners.md'), 'utf8');
  const section = document.split(/^#+ /m).find((part) => part.startsWith(heading)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|') && line.includes('`'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** What a cell names in backticks. */
function namesIn(cell = ''): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

const placeOf = (name: string): string => (name.startsWith('core') ? `api/${name}` : `api/services/${name}`);
const within = (file: string, place: string): boolean =>
  file === place || file === `${place}.ts` || file.startsWith(`${place}/`);

const owners = rowsBelow('Owners').flatMap(([tablesCell, folder]) =>
  namesIn(tablesCell).map((table) => ({ table, place: placeOf(namesIn(folder)[0] ?? '') })),
);
const exceptions = rowsBelow('Writers beside the owner').flatMap(([place, tablesCell]) =>
  namesIn(tablesCell).map((table) => ({ table, place: placeOf(namesIn(place)[0] ?? '') })),
);
const writes = ['api', 'activities', 'worker', 'admin'].flatMap(filesBelow).flatMap((file) => writesOf(file));

describe('who writes a table', () => {
  it('is found in statements and in calls of models', () => {
    const found = (text: string): string[] => writesOf('x.ts', text).map(({ table }) => table);
    expect(found('db.rows(`WITH a AS (DELETE FROM outbox) INSERT INTO events (id) SELECT 1`)')).toEqual([
      'outbox',
      'events',
    ]);
    expect(found("db.rows('UPDATE members SET x = 1'); db.rows('SELECT 1 FROM tickets FOR UPDATE OF x')")).toEqual([
      'members',
    ]);
    expect(found('db.rows(`INSERT INTO a (x) VALUES (1) ON CONFLICT DO UPDATE SET x = 1`)')).toEqual(['a']);
    expect(found('db.rows(`UPDATE ${table} SET x = 1`)')).toEqual(['(any)']);
    expect(found('await of(ctx, ctx.runtime.db.models.Ticket).update({ x: 1 }, {})')).toEqual(['tickets']);
    expect(found('const row = await of(ctx, models(ctx).Macro).findOne({}); await row.destroy();')).toEqual(['macros']);
    expect(
      found(
        'async function lock(ctx) { return of(ctx, models(ctx).Macro).findOne({}); } ' +
          'const row = await lock(1); row.save();',
      ),
    ).toEqual(['macros']);
    expect(found('const { Ticket } = ctx.runtime.db.models; await Ticket.bulkCreate([]);')).toEqual(['tickets']);
    expect(found('async function change(row: TicketModel) { await row.increment("x"); }')).toEqual(['tickets']);
    expect(found('await of(ctx, models(ctx).Ticket).findAll(); hash.update("x"); socket.destroy();')).toEqual([]);
  });

  it('is said for every table, once', () => {
    const named = owners.map(({ table }) => table).sort();
    expect(named).toEqual([...tables].sort());
  });

  it('is its owner, or an exception that has a reason', () => {
    const wrong = writes
      .filter(
        ({ table, file }) =>
          !file.startsWith('models/') &&
          ![...owners, ...exceptions].some((one) => one.table === table && within(file, one.place)),
      )
      .map(({ table, file }) => `${file} writes ${table}`);
    expect(wrong).toEqual([]);
  });

  it('has no exception that nothing needs', () => {
    const idle = exceptions
      .filter(({ table, place }) => !writes.some((one) => one.table === table && within(one.file, place)))
      .map(({ table, place }) => `${place}: ${table}`);
    expect(idle).toEqual([]);
  });

  it('has a reason for each exception', () => {
    expect(rowsBelow('Writers beside the owner').filter(([, , reason]) => (reason ?? '').length < 10)).toEqual([]);
  });
});
