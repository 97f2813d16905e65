import { claimEvents } from '../../api/services/processes/inbound/claim';
import { drainInbox } from '../../api/services/processes/inbound/service';
import { uniquePhone } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { startApi, type TestApi } from '../support/api';

let desk: TestApi;
let workspace: TestWorkspace;
beforeAll(async () => {
  desk = await startApi();
});
afterAll(() => desk.close());
beforeEach(async () => {
  workspace = await createWorkspace(desk, {});
  await desk.runtime.db.rows('DELETE FROM inbox_events');
});

/** Stores a first message of each of so many new customers, as the webhook's door does; returns their phones. */
async function write(count: number): Promise<string[]> {
  const phones = Array.from({ length: count }, () => uniquePhone());
  await desk.runtime.db.rows(
    `INSERT INTO inbox_events (workspace_id, business_account_id, kind, order_key, payload)
     SELECT $workspaceId, a.id, 'message', p.phone, jsonb_build_object(
       'metadata', jsonb_build_object('phone_number_id', n.phone_number_id),
       'contacts', jsonb_build_array(jsonb_build_object('wa_id', p.phone)),
       'message', jsonb_build_object('id', 'wamid.' || p.phone, 'from', p.phone, 'type', 'text',
         'timestamp', extract(epoch FROM now())::bigint::text, 'text', jsonb_build_object('body', 'Hi')))
     FROM (SELECT * FROM phone_numbers WHERE workspace_id = $workspaceId ORDER BY id LIMIT 1) n
     JOIN business_accounts a ON a.id = n.business_account_id
     CROSS JOIN unnest($phones::text[]) AS p(phone)`,
    { workspaceId: workspace.id, phones },
  );
  return phones;
}

const stored = () =>
  desk.runtime.db.rows<{ wamid: string; transaction: string }>(
    `SELECT wamid, xmin::text AS transaction FROM messages WHERE workspace_id = $id ORDER BY wamid`,
    { id: workspace.id },
  );
const states = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    (
      await desk.runtime.db.rows<{ state: string; count: number }>(
        'SELECT state, count(*)::int AS count FROM inbox_events WHERE workspace_id = $id GROUP BY state',
        { id: workspace.id },
      )
    ).map(({ state, count }) => [state, count]),
  );

describe("customers' messages of a backlog (contract 7)", () => {
  it('share transactions, and each is stored once, whoever takes it as well', async () => {
    const phones = await write(60);
    await Promise.all([drainInbox(desk.runtime, 30), drainInbox(desk.runtime, 30)]);
    const rows = await stored();
    expect(rows.map(({ wamid }) => wamid)).toEqual(phones.map((phone) => `wamid.${phone}`).sort());
    expect(new Set(rows.map(({ transaction }) => transaction)).size).toBeLessThan(40);
    expect(await states()).toEqual({ done: 60 });
    expect(await workspace.api.get('/api/v1/contacts/?limit=1')).toMatchObject({ body: { count: 60 } });
  });

  it('do not share a failure: the one that cannot be used is parked, the others are there', async () => {
    const phones = await write(40);
    await desk.runtime.db.rows(
      `UPDATE inbox_events SET payload = payload #- '{message,id}' WHERE workspace_id = $id AND order_key = $phone`,
      { id: workspace.id, phone: phones[7] },
    );
    await drainInbox(desk.runtime, 100);
    expect(await states()).toEqual({ done: 39, parked: 1 });
    expect(await stored()).toHaveLength(39);
  });

  it('have a transaction each while few wait', async () => {
    await write(6);
    await drainInbox(desk.runtime, 100);
    expect(new Set((await stored()).map(({ transaction }) => transaction)).size).toBe(6);
  });
});

describe('statuses of a backlog', () => {
  const add = (kind: string, count: number) =>
    desk.runtime.db.rows(
      `INSERT INTO inbox_events (workspace_id, business_account_id, kind, payload)
       SELECT workspace_id, id, $kind, '{}' FROM business_accounts, generate_series(1, $count::int)
       WHERE workspace_id = $id`,
      { id: workspace.id, kind, count },
    );

  it('are taken many at a time where nothing else waits, and else only as far as the others leave room', async () => {
    await add('status', 60);
    expect(await claimEvents(desk.runtime, 10, 50)).toHaveLength(50);
    await add('unknown', 3);
    const kinds = (await claimEvents(desk.runtime, 10, 50)).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual([...Array<string>(7).fill('status'), ...Array<string>(3).fill('unknown')]);
  });
});
