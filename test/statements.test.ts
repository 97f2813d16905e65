import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

interface Statement {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

// JavaScript, because `npm run counts` loads the same file without a build.
const { statementsOf, unnamedOf } = jest.requireActual<{
  statementsOf(file: string, source: ts.SourceFile): readonly Statement[];
  unnamedOf(file: string, source: ts.SourceFile): readonly Omit<Statement, 'reason'>[];
}>('../dev/statements.cjs');

const root = path.join(__dirname, '..');

function statementsIn(file: string, text: string): readonly Statement[] {
  return statementsOf(file, ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true));
}

describe('SQL in services', () => {
  it.each([
    ['plain', "db.rows('SELECT name FROM tickets WHERE workspace_id = $workspaceId AND id = $id')"],
    ['plain', "db.rows('UPDATE tickets SET name = $name, updated_at = now() WHERE id = $id')"],
    ['plain', "db.rows('DELETE FROM tickets WHERE id = $id')"],
    ['plain', "db.rows('INSERT INTO tickets (name) VALUES ($name)')"],
    ['said in a comment', "// SQL: hot.\ndb.rows('DELETE FROM tickets WHERE id = $id')"],
    [
      'said in a comment',
      "/** Drops it (SQL: hot). */\nfunction drop() { db.rows('DELETE FROM tickets WHERE id = $id'); }",
    ],
    ['plain', "/** SQL: hot. */\nconst a = 1;\nfunction drop() { db.rows('DELETE FROM tickets WHERE id = $id'); }"],
    ['set-based', "db.rows('INSERT INTO a (b) SELECT c FROM d')"],
    ['set-based', "db.rows('UPDATE a SET b = c FROM d WHERE d.id = a.id')"],
    ['guarded updates', "db.rows('UPDATE a SET b = 1 WHERE state = $old RETURNING id')"],
    ['claims of a batch', "db.rows('SELECT id FROM a LIMIT 9 FOR UPDATE SKIP LOCKED')"],
    ['plain', "db.rows('SELECT a.id, b.name AS owner FROM a JOIN b ON b.id = a.id')"],
    ['several tables or computed columns', "db.rows('SELECT a.id, b.c IS NULL AS d FROM a JOIN b ON b.id = a.id')"],
    ["the database's clock decides", "db.rows('SELECT id FROM a WHERE due_at < now()')"],
    ['locks, settings, sequences', "db.rows('SELECT pg_advisory_xact_lock($key)')"],
    ['many keys at once', "db.rows('SELECT id FROM a WHERE id = ANY($ids::bigint[])')"],
    ['put together of parts', 'db.rows(statement)'],
  ])('counts as %s: %s', (reason, text) => {
    expect(statementsIn('api/services/x.ts', text).map((one) => one.reason)).toEqual([reason]);
  });

  it('is nowhere what a model does as well, unless a comment says why', () => {
    const files = readdirSync(path.join(root, 'api/services'), { recursive: true, encoding: 'utf8' })
      .map((name) => `api/services/${name.replaceAll('\\', '/')}`)
      .filter((name) => name.endsWith('.ts'));
    const plain = files
      .flatMap((file) => statementsIn(file, readFileSync(path.join(root, file), 'utf8')))
      .filter(({ reason }) => reason === 'plain')
      .map(({ file, line }) => `${file}:${line}`);
    expect(plain).toEqual([]);
  });
});

describe('statements and models that do not say whose rows they are of', () => {
  const sourceOf = (text: string): ts.SourceFile => ts.createSourceFile('x.ts', text, ts.ScriptTarget.ES2022, true);

  it.each([
    [1, "db.rows('SELECT name FROM tickets WHERE id = $id')"],
    [0, "db.rows('SELECT name FROM tickets WHERE workspace_id = $workspaceId AND id = $id')"],
    [1, 'db.models.Ticket.findOne({ where: { id } })'],
    [1, 'Ticket.update({ name }, { where: { id } })'],
    [0, 'of(ctx, db.models.Ticket).findOne({ where: { id } })'],
    [0, 'Ticket.create({ workspace_id: ctx.workspaceId, name })'],
  ])('%s: %s', (count, text) => expect(unnamedOf('x.ts', sourceOf(text))).toHaveLength(count));

  it('stand with their number and reason in test/unnamed.json', () => {
    const known = JSON.parse(readFileSync(path.join(__dirname, 'unnamed.json'), 'utf8')) as Record<
      string,
      Record<string, number>
    >;
    const allowed: Record<string, number> = {};
    for (const files of Object.values(known))
      for (const [file, count] of Object.entries(files)) allowed[file] = (allowed[file] ?? 0) + count;
    const found: Record<string, number> = {};
    for (const folder of ['api', 'worker', 'admin', 'activities'])
      for (const name of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
        const file = `${folder}/${name.replaceAll('\\', '/')}`;
        if (!/\.tsx?$/.test(file)) continue;
        const { length } = unnamedOf(file, sourceOf(readFileSync(path.join(root, file), 'utf8')));
        if (length > 0) found[file] = length;
      }
    expect(found).toEqual(allowed);
  });
});
