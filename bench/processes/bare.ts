import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';
import { numbered } from '../support/numbered';
import type { Statement } from '../support/statements';

// The same reading of columns as in the service: the same rows, the same work.
pg.types.setTypeParser(20, Number);

const { DATABASE_URL: connectionString, PORT, BARE_STATEMENTS } = process.env;
const statements = JSON.parse(readFileSync(BARE_STATEMENTS ?? '', 'utf8')) as Record<string, Statement>;
/** As many connections as the API has. */
const pool = new pg.Pool({ connectionString, max: 10 });

type Row = Record<string, unknown>;
type Values = Record<string, unknown>;
type Runner = Pick<pg.ClientBase, 'query'> | pg.Pool;

/** Returns a recorded statement with numbered places, ready to be run with some of its values changed. */
function prepare(name: string): (runner: Runner, values?: Values) => Promise<Row[]> {
  const statement = statements[name];
  if (!statement) return () => Promise.reject(new Error(`no statement ${name}`));
  const { text, names } = numbered(statement.sql);
  return async (runner, values = {}) =>
    (
      await runner.query<Row>(
        text,
        names.map((key) => (key in values ? values[key] : statement.bind[key])),
      )
    ).rows;
}

const authenticate = prepare('authenticate');
const limit = prepare('limit');
const count = prepare('count');
const page = prepare('page');
const find = prepare('find');
const lock = prepare('lock');
const update = prepare('update');
const event = prepare('event');
const read = prepare('read');

async function bodyOf(req: IncomingMessage): Promise<Values> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Values;
}

async function list(): Promise<unknown> {
  const [counted] = await count(pool);
  return { count: counted?.['count'], next: null, previous: null, results: await page(pool) };
}

async function patch(handle: string, body: Values): Promise<unknown> {
  const client = await pool.connect();
  let id: unknown;
  try {
    await client.query('START TRANSACTION');
    const [contact] = await find(client, { handle, digits: handle, plain: handle });
    const [conversation] = await lock(client, { value: contact?.['id'] });
    id = conversation?.['id'];
    await update(client, { id, priority: body['priority'] });
    const changes = { priority: { from: conversation?.['priority'], to: body['priority'] } };
    await event(client, {
      events: JSON.stringify([{ subjectType: 'conversation', subjectId: id, kind: 'priority_changed', changes }]),
    });
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
  return (await read(pool, { ids: [id] }))[0];
}

function answer(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) })
    .end(text);
}

async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const key = req.headers.authorization?.slice('Bearer '.length) ?? '';
  const [credential] = await authenticate(pool, { hash: createHash('sha256').update(key).digest() });
  if (!credential) return answer(res, 401, { error: 'Invalid key.' });
  const [bucket] = await limit(pool, { key: `bare:${String(credential['id'])}` });
  if (Number(bucket?.['hits']) > 100_000_000) return answer(res, 429, { error: 'Throttled.' });
  answer(
    res,
    200,
    req.method === 'PATCH' ? await patch(req.url?.split('/')[4] ?? '', await bodyOf(req)) : await list(),
  );
}

createServer((req, res) => {
  serve(req, res).catch((error: unknown) => answer(res, 500, { error: String(error) }));
}).listen(Number(PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
