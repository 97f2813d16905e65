import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { createDb, isDatabaseAway, isDatabaseBusy, isUniqueViolation } from '../../api/core/db/database';
import type { TestRuntime } from '../support/runtime';
import { sharedDesk } from '../support/sharedDesk';

/** Opens a way to the database that is cut at the client's next message after so many. */
async function cutAfter(databaseUrl: string, messages: number): Promise<{ url: string; close(): Promise<void> }> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const onward = connect(Number(target.port), target.hostname);
    let seen = 0;
    for (const one of [client, onward]) {
      open.add(one);
      one.on('error', () => undefined);
    }
    client.on('data', (bytes) => {
      seen += 1;
      if (seen > messages) {
        client.destroy();
        onward.destroy();
      } else onward.write(bytes);
    });
    onward.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    async close() {
      for (const one of open) one.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('statements', () => {
  let test: TestRuntime;
  beforeAll(async () => {
    ({ test } = await sharedDesk('no sandbox'));
    await test.runtime.db.rows('CREATE TABLE notes (id integer PRIMARY KEY, text text NOT NULL)');
    test.onClose(async () => void (await test.runtime.db.rows('DROP TABLE IF EXISTS notes, growing')));
  });
  afterAll(() => test.close());

  it('bind a name wherever it stands, and arrays and JSON as they are', async () => {
    const row = await test.runtime.db.row(
      `SELECT $a::int + $a::int AS twice, $b::text AS text, $list::int[] AS list, $json::jsonb AS json,
        5::bigint AS counter`,
      {
        a: 2,
        b: 'x $a',
        list: [1, 2],
        json: JSON.stringify({ deep: [1] }),
      },
    );
    expect(row).toEqual({ twice: 4, text: 'x $a', list: [1, 2], json: { deep: [1] }, counter: 5 });
  });

  it('refuse a value that is missing, and keep a NUL as two characters', async () => {
    await expect(test.runtime.db.rows('SELECT $missing::int', { other: 1 })).rejects.toThrow(
      "the statement's value $missing is missing",
    );
    expect(await test.runtime.db.row('SELECT $text::text AS text', { text: 'a\0b' })).toEqual({ text: 'a\\0b' });
  });

  it('run in the surrounding transaction, which a failure undoes', async () => {
    const { db } = test.runtime;
    await expect(
      db.transaction(async () => {
        await db.rows('INSERT INTO notes VALUES (1, $text)', { text: 'gone' });
        expect(await db.row('SELECT text FROM notes WHERE id = 1')).toEqual({ text: 'gone' });
        throw new Error('undo');
      }),
    ).rejects.toThrow('undo');
    expect(await db.rows('SELECT * FROM notes')).toEqual([]);
  });

  it('undo a savepoint alone and run what waits for the commit after it', async () => {
    const { db } = test.runtime;
    const seen: number[] = [];
    await db.transaction(async () => {
      await db.rows(`INSERT INTO notes VALUES (2, 'kept')`);
      const failure = await db
        .savepoint(() => db.rows(`INSERT INTO notes VALUES (2, 'twice')`))
        .catch((error: unknown) => error);
      expect(isUniqueViolation(failure, 'notes_pkey')).toBe(true);
      db.afterCommit(() => seen.push(1));
      expect(seen).toEqual([]);
    });
    expect(seen).toEqual([1]);
    expect(await db.rows('SELECT text FROM notes')).toEqual([{ text: 'kept' }]);
  });

  it('read committed whatever the database defaults to', async () => {
    const { db } = test.runtime;
    expect(await db.transaction(() => db.row(`SELECT current_setting('transaction_isolation') AS level`))).toEqual({
      level: 'read committed',
    });
  });

  it('have limits for their run, their wait for a lock, an idle transaction and a silent peer', async () => {
    const { db } = test.runtime;
    const setting = async (name: string): Promise<string | undefined> =>
      (await db.row<{ value: string }>('SELECT current_setting($name) AS value', { name }))?.value;
    expect({
      statement: await setting('statement_timeout'),
      lock: await setting('lock_timeout'),
      idle: await setting('idle_in_transaction_session_timeout'),
    }).toEqual({ statement: '5s', lock: '4s', idle: '20s' });
    expect(await db.row('SELECT inet_client_addr() IS NOT NULL AS tcp')).toEqual({ tcp: true });
    expect(await setting('tcp_keepalives_idle')).toBe('60');
  });

  it('lose a transaction that does nothing, with its locks, and go on with another connection', async () => {
    const { db } = test.runtime;
    await db.rows(`INSERT INTO notes VALUES (30, 'free')`);
    // Sequelize says that it cannot roll back what is gone.
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const failure = await db
      .transaction(async () => {
        await db.rows(`UPDATE notes SET text = 'held' WHERE id = 30`);
        await db.rows(`SET LOCAL idle_in_transaction_session_timeout = '50ms'`);
        await setTimeout(400);
        await db.rows('SELECT 1 AS ok');
      })
      .catch((error: unknown) => error);
    warn.mockRestore();
    expect(isDatabaseAway(failure)).toBe(true);
    expect(await db.rows(`UPDATE notes SET text = 'taken' WHERE id = 30 RETURNING text`)).toEqual([{ text: 'taken' }]);
  });

  it('give up a wait for a lock, and say that the database was busy', async () => {
    const { db } = test.runtime;
    await db.rows(`INSERT INTO notes VALUES (31, 'mine')`);
    const holder = new pg.Client({ connectionString: test.env['DATABASE_URL'] });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT id FROM notes WHERE id = 31 FOR UPDATE');
    const failure = await db
      .transaction(async () => {
        await db.rows(`SET LOCAL lock_timeout = '50ms'`);
        await db.rows('SELECT id FROM notes WHERE id = 31 FOR UPDATE');
      })
      .catch((error: unknown) => error);
    await holder.end();
    expect(isDatabaseBusy(failure)).toBe(true);
  });

  it('through a model, too: no connection in time is the 503 that says when to try again', async () => {
    const narrow = createDb(test.env['DATABASE_URL'] ?? '', { pool: 1, name: 'test' });
    let release: () => void = () => undefined;
    const held = narrow.transaction(() => new Promise<void>((resolve) => (release = resolve)));
    while (narrow.poolState().using === 0) await setTimeout(5);

    const busy = { code: 'unavailable', details: { retryAfter: 1 } };
    await Promise.all([
      expect(narrow.models.Workspace.count()).rejects.toMatchObject(busy),
      expect(narrow.rows('SELECT 1 AS ok')).rejects.toMatchObject(busy),
      expect(narrow.transaction(() => Promise.resolve())).rejects.toMatchObject(busy),
    ]);
    release();
    await held;
    expect(await narrow.models.Workspace.count()).toBeGreaterThanOrEqual(0);
    await narrow.close();
  });

  it('survive a connection that the server ended', async () => {
    const { db } = test.runtime;
    const failure = await db.rows('SELECT pg_terminate_backend(pg_backend_pid())').catch((error: unknown) => error);
    expect(isDatabaseAway(failure)).toBe(true);
    expect(await db.row('SELECT 1 AS ok')).toEqual({ ok: 1 });
  });

  it('name a connection that is cut as such, whatever it was about to be told', async () => {
    // After each of the client's messages: start, password, settings, types, the service's settings, the statement.
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    const outcomes: string[] = [];
    for (let messages = 1; !outcomes.includes('answered'); messages += 1) {
      const cut = await cutAfter(String(test.env['DATABASE_URL']), messages);
      const db = createDb(cut.url, { pool: 1, name: 'cut' });
      const said = await db.transaction(() => db.rows('SELECT 1 AS ok')).catch((error: unknown) => error);
      outcomes.push(Array.isArray(said) ? 'answered' : isDatabaseAway(said) ? 'away' : String(said));
      await db.close().catch(() => undefined);
      await cut.close();
    }
    warn.mockRestore();
    expect(new Set(outcomes)).toEqual(new Set(['away', 'answered']));
    expect(outcomes.length).toBeGreaterThan(5);
  });

  it('keep the plan of what comes again, and not of what is planned anew', async () => {
    const { db } = test.runtime;
    const kept = async (sql: string, how?: { planned: 'anew' }): Promise<boolean> =>
      db.transaction(async () => {
        for (let use = 0; use < 6; use += 1) await db.rows(sql, { text: 'kept' }, how);
        return (
          (
            await db.rows('SELECT 1 AS ok FROM pg_prepared_statements WHERE statement = $sql', {
              sql: sql.replace('$text', '$1'),
            })
          ).length > 0
        );
      });
    expect(await kept('SELECT text AS again FROM notes WHERE text = $text')).toBe(true);
    expect(await kept('SELECT text AS varied FROM notes WHERE text = $text', { planned: 'anew' })).toBe(false);
  });

  it('survive a migration that changes the columns of a kept plan', async () => {
    const { db } = test.runtime;
    await db.rows('CREATE TABLE growing (id int)');
    await db.rows('INSERT INTO growing VALUES (1)');
    const read = (): Promise<object[]> => db.rows('SELECT * FROM growing WHERE id = $id', { id: 1 });
    for (let use = 0; use < 6; use += 1) expect(await read()).toEqual([{ id: 1 }]);
    await db.rows('ALTER TABLE growing ADD COLUMN more int');
    expect(await read()).toEqual([{ id: 1, more: null }]);
    await db.transaction(async () => {
      for (let use = 0; use < 6; use += 1) await read();
    });
    await db.rows('ALTER TABLE growing ADD COLUMN most int');
    // A transaction cannot begin again by itself; the next one has a connection that knows better.
    await db.transaction(read).catch(() => undefined);
    expect(await db.transaction(read)).toEqual([{ id: 1, more: null, most: null }]);
  });

  it('tell a database that is away from a statement that is wrong', async () => {
    const away = createDb('postgres://nobody@127.0.0.1:1/none', { pool: 1, name: 'test' });
    expect(isDatabaseAway(await away.rows('SELECT 1').catch((error: unknown) => error))).toBe(true);
    await away.close();
    expect(isDatabaseAway(await test.runtime.db.rows('SELECT nonsense').catch((error: unknown) => error))).toBe(false);
  });
});
