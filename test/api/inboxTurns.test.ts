import pg from 'pg';
import { announceEvents, inboxChannel } from '../../api/services/processes/events/announce';
import { claimEvents, whileLeased } from '../../api/services/processes/events/claim';
import { drainInbox } from '../../api/services/processes/events/service';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { leaveNothingTo } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { eventually } from '../support/eventually';

let desk: TestApi;
const spaces: TestWorkspace[] = [];
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  for (let index = 0; index < 4; index += 1) spaces.push(await createWorkspace(desk, { connected: false }));
});
afterAll(() => desk.close());
beforeEach(async () => {
  await leaveNothingTo(desk, 'claimEvents');
  await leaveNothingTo(desk, 'drainInbox');
});

/** Stores events that nothing comes of. */
async function store(workspace: TestWorkspace | undefined, kind: string, count: number): Promise<void> {
  await desk.runtime.db.rows(
    `INSERT INTO inbox_events (workspace_id, business_account_id, kind, payload, available_at)
     SELECT $id, 1, $kind::text, '{}', now() - interval '1 second' FROM generate_series(1, $count::int)`,
    { id: workspace?.id, kind, count },
  );
}
/** What one claim takes, as workspace and kind with their number. */
async function claimed(limit: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { workspace_id: id, kind } of await claimEvents(desk.runtime, limit)) {
    const name = `${spaces.findIndex((space) => space.id === id)} ${kind}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

it('whatever customers say goes before statuses of all workspaces, and not together with them', async () => {
  await store(spaces[0], 'status', 500);
  await store(spaces[0], 'unknown', 3);
  await store(spaces[1], 'unknown', 2);
  expect(await claimed(10)).toEqual({ '0 unknown': 3, '1 unknown': 2 });
  await store(spaces[1], 'unknown', 2);
  expect(await claimed(10)).toEqual({ '1 unknown': 2 });
  expect(await claimed(10)).toEqual({ '0 status': 10 });
});

it('each workspace gets its share, whoever came first and with however much', async () => {
  await store(spaces[0], 'unknown', 500);
  await store(spaces[1], 'unknown', 500);
  await store(spaces[2], 'unknown', 1);
  await store(spaces[3], 'unknown', 20);
  expect(await claimed(40)).toEqual({ '0 unknown': 10, '1 unknown': 10, '2 unknown': 1, '3 unknown': 10 });
  await store(spaces[2], 'status', 1);
  await desk.runtime.db.rows(`DELETE FROM inbox_events WHERE kind = 'unknown'`);
  await store(spaces[0], 'status', 500);
  expect(await claimed(40)).toEqual({ '0 status': 20, '2 status': 1 });
});

it('workspaces beyond what one claim can serve have their turn in others', async () => {
  for (const space of spaces) await store(space, 'unknown', 5);
  const first = await claimed(2);
  expect(Object.values(first)).toEqual([1, 1]);
  const all: Record<string, number> = { ...first };
  for (let taken = await claimed(2); Object.keys(taken).length > 0; taken = await claimed(2))
    for (const [name, count] of Object.entries(taken)) all[name] = (all[name] ?? 0) + count;
  expect(all).toEqual({ '0 unknown': 5, '1 unknown': 5, '2 unknown': 5, '3 unknown': 5 });
});

it('a workspace keeps its order, what is leased stays with its holder, and drainers share the rest', async () => {
  await store(spaces[0], 'unknown', 30);
  const [first, second] = await Promise.all([claimEvents(desk.runtime, 10), claimEvents(desk.runtime, 10)]);
  const ids = [...first, ...second].map(({ id }) => id);
  expect(new Set(ids).size).toBe(20);
  for (const batch of [first, second]) {
    const own = batch.map(({ id }) => id);
    expect(own).toEqual([...own].sort((left, right) => left - right));
  }
  const rest = (await claimEvents(desk.runtime, 100)).map(({ id }) => id);
  expect(rest).toHaveLength(10);
  expect(Math.min(...rest)).toBeGreaterThan(Math.max(...ids));
  expect(await claimEvents(desk.runtime, 100)).toEqual([]);
});

describe("a customer's events", () => {
  /** Stores events of customers in this order; returns their ids. */
  const storeOf = async (...customers: string[]): Promise<number[]> =>
    (
      await desk.runtime.db.rows<{ id: number }>(
        `INSERT INTO inbox_events (workspace_id, business_account_id, kind, order_key, payload, available_at)
         SELECT $id, 1, 'unknown', customer, '{}', now() - interval '1 second'
         FROM unnest($customers::text[]) WITH ORDINALITY AS c(customer, nth) ORDER BY nth RETURNING id`,
        { id: spaces[0]?.id, customers },
      )
    ).map(({ id }) => id);
  const taken = async (limit = 100): Promise<number[]> => (await claimEvents(desk.runtime, limit)).map(({ id }) => id);
  const set = (change: string, id: number | undefined): Promise<object[]> =>
    desk.runtime.db.rows(`UPDATE inbox_events SET ${change} WHERE id = $id`, { id });

  it('have one taker at a time, who gets a few of them, and others are taken beside them', async () => {
    const [anna, ben] = [Array.from({ length: 25 }, () => 'anna'), Array.from({ length: 2 }, () => 'ben')];
    const ids = await storeOf(...anna, ...ben);
    const claims = await Promise.all([taken(), taken(), taken()]);
    expect(claims.flat().sort((left, right) => left - right)).toEqual([...ids.slice(0, 10), ...ids.slice(25)]);
    expect(await taken()).toEqual([]);
    await desk.runtime.db.rows('DELETE FROM inbox_events WHERE id = ANY($ids::bigint[])', { ids: ids.slice(0, 10) });
    expect(await taken()).toEqual(ids.slice(10, 20));
  });

  it('wait for one that is tried again, for ten seconds at most', async () => {
    const [first, second] = await storeOf('anna', 'anna');
    await set(`attempts = 1, error = 'refused', available_at = now() + interval '1 hour'`, first);
    expect(await taken()).toEqual([]);
    await set(`holds_until = clock_timestamp() + interval '10 seconds'`, first);
    expect(await taken()).toEqual([]);
    await set(`holds_until = clock_timestamp() - interval '1 millisecond'`, first);
    expect(await taken()).toEqual([second]);
    // It has no place any more, and waits for nobody.
    await set(`available_at = now() - interval '1 second'`, first);
    expect(await taken()).toEqual([first]);
  });

  it('that come back before others are taken first, and none behind one that is in other hands', async () => {
    const [first, second, third] = await storeOf('anna', 'anna', 'anna');
    await set(`state = 'parked'`, first);
    await set(`available_at = now() + interval '1 hour', attempts = 1`, second);
    await set(`state = 'new'`, first);
    expect(await taken()).toEqual([first]);
    await desk.runtime.db.rows('DELETE FROM inbox_events WHERE id = $id', { id: first });
    expect(await taken()).toEqual([]);
    await set(`available_at = now() - interval '1 second'`, second);
    expect(await taken()).toEqual([second, third]);
  });

  it('stay in the order in which they came where one of them fails, and those behind it have had no try', async () => {
    await storeOf('anna', 'ben', 'anna');
    // Their number is not known yet.
    await desk.runtime.db.rows(
      `UPDATE inbox_events SET kind = 'echo', payload = '{"message": {"id": "w", "to": "4915112345678"}}'`,
    );
    expect(await drainInbox(desk.runtime, 20)).toMatchObject({ taken: 3 });
    const rows = await desk.runtime.db.rows(
      `SELECT order_key, attempts, error IS NOT NULL AS failed, holds_until > now() AS holds
       FROM inbox_events ORDER BY id`,
    );
    const failed = { attempts: 1, failed: true, holds: true };
    expect(rows).toEqual([
      { order_key: 'anna', ...failed },
      { order_key: 'ben', ...failed },
      { order_key: 'anna', attempts: 0, failed: false, holds: null },
    ]);
  });

  it('stay with whoever works at them, however long that takes', async () => {
    await storeOf('anna');
    const events = await claimEvents(desk.runtime, 20);
    await whileLeased(desk.runtime, events, async () => {
      await set(`available_at = clock_timestamp() + interval '1 millisecond'`, events[0]?.id);
      await eventually(async () => {
        const row = await desk.runtime.db.row('SELECT 1 FROM inbox_events WHERE available_at > now() + $s::interval', {
          s: '5 seconds',
        });
        expect(row).not.toBeNull();
      });
    });
  });
});

it('finds its events by the indexes of what waits, whatever the planner believes of the table', async () => {
  const rows = jest.spyOn(desk.runtime.db, 'rows');
  await claimEvents(desk.runtime, 100);
  const statements = rows.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('inbox_events'));
  rows.mockRestore();
  expect(statements).toHaveLength(2);
  await desk.runtime.db.rows('ALTER TABLE inbox_events SET (autovacuum_enabled = false)');
  await store(spaces[0], 'unknown', 5_000);
  await desk.runtime.db.rows(`UPDATE inbox_events SET state = 'ignored'`);
  for (const sql of statements) {
    const names = [...new Set([...sql.matchAll(/\$([a-z]\w*)/gi)].map(([name]) => name))];
    const text = names.reduce((known, name, index) => known.replaceAll(name, `$${index + 1}`), sql);
    const plan = await desk.runtime.db.transaction(async () => {
      await desk.runtime.db.rows('SET LOCAL plan_cache_mode = force_generic_plan');
      await desk.runtime.db.rows(`PREPARE candidate AS ${text}`);
      // Good for numbers and for booleans.
      const values = names.map(() => `'1'`).join(', ');
      const lines = await desk.runtime.db.rows<Record<string, string>>(`EXPLAIN EXECUTE candidate (${values})`);
      await desk.runtime.db.rows('DEALLOCATE candidate');
      return lines.map((line) => line['QUERY PLAN']).join('\n');
    });
    expect(plan).not.toContain('Seq Scan on inbox_events');
    expect(plan).toContain('inbox_events_new');
    expect(plan).toContain('inbox_events_pkey');
  }
});

it('a backlog wakes the next drainer, although one share of the claim was not used up', async () => {
  await store(spaces[0], 'unknown', 100);
  await store(spaces[1], 'unknown', 1);
  let woken = 0;
  const { taken, more } = await drainInbox(desk.runtime, 20, { onFull: () => (woken += 1) });
  expect([taken, more, woken]).toEqual([11, true, 1]);
});

it('a drainer for what customers say leaves the statuses to the others', async () => {
  await store(spaces[0], 'status', 5);
  expect(await drainInbox(desk.runtime, 20, { statuses: 0 })).toEqual({ taken: 0, more: false });
  await store(spaces[1], 'unknown', 1);
  expect(await drainInbox(desk.runtime, 20, { statuses: 0 })).toEqual({ taken: 1, more: true });
  expect(await claimed(10)).toEqual({ '0 status': 5 });
});

it('a drainer looks again only where something may be left', async () => {
  // Fewer than its workspace's share: whatever comes meanwhile is announced by itself.
  await store(spaces[0], 'status', 5);
  expect(await drainInbox(desk.runtime, 20)).toEqual({ taken: 5, more: false });
  // Statuses wait for what customers say.
  await store(spaces[0], 'unknown', 1);
  await store(spaces[0], 'status', 1);
  expect(await drainInbox(desk.runtime, 20)).toEqual({ taken: 1, more: true });
  expect(await drainInbox(desk.runtime, 20)).toEqual({ taken: 1, more: false });
  // One of two workspaces has just its share.
  await store(spaces[0], 'status', 10);
  await store(spaces[1], 'status', 1);
  expect(await drainInbox(desk.runtime, 20)).toEqual({ taken: 11, more: true });
});

it('workers hear of new events, and whether they are only statuses', async () => {
  const heard: (string | undefined)[] = [];
  const listener = new pg.Client({ connectionString: desk.runtime.config.databaseUrl });
  await listener.connect();
  listener.on('notification', ({ payload }) => heard.push(payload));
  await listener.query(`LISTEN ${inboxChannel}`);
  announceEvents(desk.runtime, ['status', 'status']);
  await eventually(() => expect(heard).toEqual(['statuses']));
  // One notification for all that came within some milliseconds; what customers say does not wait for statuses.
  announceEvents(desk.runtime, ['status']);
  announceEvents(desk.runtime, ['status', 'message']);
  announceEvents(desk.runtime, ['status']);
  announceEvents(desk.runtime, ['message']);
  await eventually(() => expect([...heard].sort()).toEqual(['others', 'statuses', 'statuses']));
  await listener.end();
});
