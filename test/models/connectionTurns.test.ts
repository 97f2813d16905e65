import { translated } from '../../activities/boundary';
import { aheadOfTurns, createDb, inTurnOf, type Db } from '../../api/core/db/database';
import { createWorkspace } from '../factories/workspaces';
import { eventually } from '../support/eventually';
import type { TestRuntime } from '../support/runtime';
import { sharedDesk } from '../support/sharedDesk';

/** Connections of a process are given to those who wait in the turns of their workspaces. */
describe('a pool with a single connection', () => {
  let test: TestRuntime;
  let db: Db;
  beforeAll(async () => {
    ({ test } = await sharedDesk('no sandbox'));
  });
  afterAll(() => test.close());
  beforeEach(() => {
    db = createDb(test.env['DATABASE_URL'] ?? '', { pool: 1, name: 'turns', waitMs: 20_000 });
  });
  afterEach(() => db.close());

  /** Holds the connection while `work` lets statements wait; gives the order in which they ended. */
  async function orderOf(work: (ended: (name: string) => () => void) => Promise<unknown>[]): Promise<string[]> {
    const order: string[] = [];
    let waiting: Promise<unknown>[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let begun = (): void => undefined;
    const holds = new Promise<void>((resolve) => (begun = resolve));
    const holder = db.transaction(async () => {
      begun();
      await held;
    });
    await holds;
    waiting = work((name) => () => void order.push(name));
    await eventually(() => expect(db.poolState().waiting).toBe(waiting.length));
    release();
    await Promise.all([holder, ...waiting]);
    return order;
  }
  const times = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_unused, index) => make(index));

  it('tells whose turn it is before what the database answers is read', async () => {
    const told: (number | null)[] = [];
    const telling = createDb(test.env['DATABASE_URL'] ?? '', {
      pool: 1,
      name: 'turns',
      begins: (workspaceId) => told.push(workspaceId),
    });
    const readBy = async (work: () => Promise<unknown>): Promise<(number | null)[]> => {
      told.length = 0;
      await work();
      // With the connection, and with each piece of an answer.
      expect(told.length).toBeGreaterThan(1);
      return [...new Set(told)];
    };
    expect(await readBy(() => inTurnOf(7, () => telling.ping()))).toEqual([7]);
    expect(await readBy(() => telling.ping())).toEqual([null]);
    expect(await readBy(() => inTurnOf(8, () => telling.transaction(() => telling.ping())))).toEqual([8]);
    await telling.close();
  });

  it('gives a workspace with one statement its turn after one of the many of another', async () => {
    const order = await orderOf((ended) => [
      ...times(5, () => inTurnOf(1, () => db.ping()).then(ended('1'))),
      inTurnOf(2, () => db.ping()).then(ended('2')),
    ]);
    expect(order).toEqual(['1', '2', '1', '1', '1', '1']);
  });

  it('does so for transactions, too, and serves first what belongs to no workspace', async () => {
    const order = await orderOf((ended) => [
      ...times(3, () => inTurnOf(1, () => db.transaction(() => db.ping())).then(ended('1'))),
      inTurnOf(2, () => db.transaction(() => db.ping())).then(ended('2')),
      db.ping().then(ended('nobody')),
    ]);
    expect(order).toEqual(['nobody', '1', '2', '1', '1']);
  });

  it('records what has happened outside before everybody', async () => {
    const order = await orderOf((ended) => [
      ...times(2, () => inTurnOf(1, () => db.ping()).then(ended('others'))),
      inTurnOf(1, () => aheadOfTurns(() => db.transaction(() => db.ping()))).then(ended('record')),
    ]);
    expect(order).toEqual(['record', 'others', 'others']);
  });

  it('knows for which workspace an activity works', async () => {
    const { look } = translated({ look: (_input: { workspaceId: number }) => db.ping() });
    const order = await orderOf((ended) => [
      ...times(4, () => look({ workspaceId: 1 }).then(ended('1'))),
      look({ workspaceId: 2 }).then(ended('2')),
    ]);
    expect(order.indexOf('2')).toBe(1);
  });

  it('takes nobody a turn who has given up, and none is lost', async () => {
    const pool = db.sequelize.connectionManager as unknown as { pool: { acquireTimeoutMillis: number } };
    const order = await orderOf((ended) => {
      pool.pool.acquireTimeoutMillis = 1;
      const gaveUp = times(3, () => inTurnOf(1, () => db.ping()).catch(ended('gave up')));
      pool.pool.acquireTimeoutMillis = 20_000;
      return [...gaveUp, inTurnOf(2, () => db.ping()).then(ended('2'))].slice(3);
    });
    expect(order).toEqual(['gave up', 'gave up', 'gave up', '2']);
    await db.ping();
    expect(db.poolState()).toMatchObject({ using: 0, waiting: 0 });
  });

  it('a lost connection is a place that others get', async () => {
    await expect(db.rows('SELECT pg_terminate_backend(pg_backend_pid())')).rejects.toThrow();
    await Promise.all(times(3, () => db.ping()));
    expect(db.poolState()).toMatchObject({ using: 0, waiting: 0 });
  });
});

it('requests of the API take the turns of their workspaces', async () => {
  const desk = await sharedDesk('no sandbox', { env: { DATABASE_POOL: '1' } });
  try {
    const other = await createWorkspace(desk, { connected: false });
    const order: string[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const holder = desk.runtime.db.transaction(() => held);
    const many = Array.from({ length: 30 }, () => desk.api.get('/api/v1/contacts/').then(() => order.push('many')));
    await eventually(() => expect(desk.runtime.db.poolState().waiting).toBe(30));
    const one = other.api.get('/api/v1/contacts/').then(() => order.push('one'));
    await eventually(() => expect(desk.runtime.db.poolState().waiting).toBe(31));
    release();
    await Promise.all([holder, one, ...many]);
    expect(order.indexOf('one')).toBeLessThan(15);
  } finally {
    await desk.close();
  }
});
