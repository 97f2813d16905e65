import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCli } from '../../admin/cli';
import { limitOfTier } from '../../api/services/resources/broadcasts/audienceReach';
import { countryOf } from '../../api/services/resources/usage/countries';
import { billOf } from '../../dev/sandbox/wire/prices';
import { createBroadcast, insertContacts, templateId } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { ownerSession } from '../factories/macros';
import { unique } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiClient } from '../support/client';
import { startReceiver } from '../support/receiver';
import { eventually } from '../support/eventually';

type Json = Record<string, unknown>;

let desk: TestApi;
let workspace: TestWorkspace;
let api: ApiClient;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
beforeEach(async () => {
  desk.sandbox.faults.clear();
  Object.assign(desk.sandbox.state.settings, { unpaid: false, free_service_messages: 1_000 });
  workspace = await createWorkspace(desk, { timezone: 'America/New_York' });
  ({ api } = await ownerSession(workspace));
});
afterAll(() => desk.close());

const usage = async (query: string): Promise<unknown> => (await api.get(`/api/v1/usage/?${query}`)).body;
const header = 'country,category,rate,currency\n';
const october = 'from=2026-10-01&to=2026-10-31';
const store = async (lines: string, more: Json = {}) =>
  api.post('/api/v1/usage/rates/', { csv: header + lines, valid_from: '2026-10-01', ...more });

/** Notes messages as if they had arrived: time, category, country, whether they are charged, and of what. */
async function arrived(rows: readonly (readonly [string, string, string, boolean, Json?])[]): Promise<void> {
  for (const [at, category, country, billable, more = {}] of rows)
    await desk.runtime.db.rows(
      `INSERT INTO message_usage (message_id, workspace_id, arrived_at, category, country, billable, phone_number_id,
         broadcast_id, member_id)
       VALUES (nextval(pg_get_serial_sequence('messages', 'id')), $id, $at, $category, $country, $billable,
         (SELECT id FROM phone_numbers WHERE phone_number_id = $number), $broadcast, $member)`,
      {
        id: workspace.id,
        at,
        category,
        country,
        billable,
        number: workspace.account.phoneNumberId,
        broadcast: null,
        member: null,
        ...more,
      },
    );
}

describe('what arrived and what it cost', () => {
  it('is summed up by each property, for days in the zone of the workspace', async () => {
    await store('DE,marketing,0.10,EUR\n*,marketing,0.05,EUR\n*,service,0.01,EUR\n');
    await store('DE,marketing,0.20,EUR\n', { valid_from: '2026-10-20' });
    const { owner, account } = workspace;
    await arrived([
      // Still September in New York, and no more October.
      ['2026-10-01T03:59:59Z', 'marketing', 'DE', true],
      ['2026-11-01T04:00:00Z', 'marketing', 'DE', true],
      ['2026-10-01T04:00:00Z', 'marketing', 'DE', true, { broadcast: 7 }],
      ['2026-10-20T03:59:00Z', 'marketing', 'DE', true, { broadcast: 7 }],
      ['2026-10-20T04:00:00Z', 'marketing', 'DE', true],
      ['2026-11-01T03:59:59Z', 'marketing', 'FR', true],
      ['2026-10-05T12:00:00Z', 'service', '', false, { member: owner.id, number: 'none' }],
    ]);
    const row = (key: string | null, messages: number, billable: number, cost: number) => ({
      key,
      messages,
      billable,
      cost,
      currency: 'EUR',
    });
    expect(await usage(`${october}&group_by=category`)).toEqual([
      row('marketing', 4, 4, 0.45),
      row('service', 1, 0, 0),
    ]);
    expect(await usage(`${october}&group_by=day`)).toEqual([
      row('2026-10-01', 1, 1, 0.1),
      row('2026-10-05', 1, 0, 0),
      row('2026-10-19', 1, 1, 0.1),
      row('2026-10-20', 1, 1, 0.2),
      row('2026-10-31', 1, 1, 0.05),
    ]);
    expect(await usage(`${october}&group_by=country`)).toEqual([
      row('DE', 3, 3, 0.4),
      row('FR', 1, 1, 0.05),
      row(null, 1, 0, 0),
    ]);
    expect(await usage(`${october}&group_by=broadcast`)).toEqual([row('7', 2, 2, 0.2), row(null, 3, 2, 0.25)]);
    expect(await usage(`${october}&group_by=number`)).toEqual([
      row(account.phoneNumberId, 4, 4, 0.45),
      row(null, 1, 0, 0),
    ]);
    expect(await usage(`${october}&group_by=member`)).toEqual([row(String(owner.id), 1, 0, 0), row(null, 4, 4, 0.45)]);
  });

  it('has no cost where one charged message has no rate', async () => {
    await arrived([
      ['2026-10-05T12:00:00Z', 'marketing', 'DE', true],
      ['2026-10-05T12:00:00Z', 'utility', 'DE', true],
    ]);
    const bare = { key: '2026-10-05', messages: 2, billable: 2, cost: null };
    expect(await usage(`${october}&group_by=day`)).toEqual([{ ...bare, currency: null }]);
    await store('DE,marketing,0.10,EUR\n');
    expect(await usage(`${october}&group_by=day`)).toEqual([{ ...bare, currency: 'EUR' }]);
    await store('DE,utility,0.10,EUR\n', { valid_from: '2026-10-06' });
    expect(await usage(`${october}&group_by=day`)).toEqual([{ ...bare, currency: 'EUR' }]);
  });

  it('is of the workspace alone, and of a year at most', async () => {
    await arrived([['2026-10-05T12:00:00Z', 'marketing', 'DE', true]]);
    const other = await ownerSession(await createWorkspace(desk));
    expect((await other.api.get(`/api/v1/usage/?${october}`)).body).toEqual([]);
    const refused = async (query: string): Promise<unknown> => [
      (await api.get(`/api/v1/usage/?${query}`)).status,
      await usage(query),
    ];
    expect(await refused('from=2026-10-02&to=2026-10-01')).toEqual([400, { from: [expect.any(String)] }]);
    expect(await refused('from=2025-10-01&to=2026-10-02')).toEqual([400, { from: [expect.any(String)] }]);
    expect(await refused('from=2025-10-05&to=2026-10-05')).toEqual([200, [expect.anything()]]);
  });

  it("comes from statuses, equals the platform's bill, and stays when the customer is erased", async () => {
    desk.sandbox.state.settings.free_service_messages = 1;
    const customer = createCustomer(workspace, { phone: '+4915112300077' });
    await customer.writes('Hi');
    for (const body of ['Free', 'Charged', 'Charged']) {
      const { status } = await workspace.api.post('/api/v1/messages/', { to: customer.phone, body });
      expect(status).toBe(201);
    }
    const counted = async () =>
      ((await usage('group_by=category')) as Json[]).map(({ key, messages, billable }) => [key, messages, billable]);
    await desk.work();
    expect(await counted()).toEqual([['service', 3, 2]]);
    expect(billOf(desk.sandbox.state, workspace.account.phoneNumberId)).toEqual({
      messages: 3,
      billable: 2,
      by_category: { service: 2 },
    });
    expect(((await usage('group_by=country')) as Json[])[0]).toMatchObject({ key: 'DE' });
    expect(((await usage('group_by=member')) as Json[])[0]).toMatchObject({ key: String(workspace.owner.id) });
    expect((await workspace.api.delete(`/api/v1/contacts/${customer.handle}/`)).status).toBe(204);
    expect(await counted()).toEqual([['service', 3, 2]]);
  });
});

describe('rates', () => {
  it('are stored as a whole, listed, and replaced by the same day', async () => {
    expect(await store('de,Marketing,0.1131,eur\n*,utility,0.045,EUR\n')).toMatchObject({
      status: 200,
      body: { rates: 2, currency: 'EUR', valid_from: '2026-10-01' },
    });
    await store('DE,marketing,0.12,EUR\n');
    expect((await api.get('/api/v1/usage/rates/')).body).toEqual([
      { country: '', category: 'utility', amount: '0.045000', currency: 'EUR', valid_from: '2026-10-01' },
      { country: 'DE', category: 'marketing', amount: '0.120000', currency: 'EUR', valid_from: '2026-10-01' },
    ]);
  });

  it.each([
    ['DE,marketing,0.1,EURO\n', 'Line 2: "EURO" is not a currency (three letters, as in EUR).'],
    ['DE,marketing,0.1,XQX\n', 'Line 2: "XQX" is not a currency (three letters, as in EUR).'],
    ['DE,marketing,0.1,EUR\nFR,marketing,0.1,USD\n', 'Line 3: all rates of a file have one currency.'],
    ['Germany,marketing,0.1,EUR\n', 'Line 2: "GERMANY" is not a country (two letters, or *).'],
    ['DE,marketing,-1,EUR\n', 'Line 2: "-1" is not a rate, for example 0.0625.'],
    ['DE,marketing,1e9,EUR\n', 'Line 2: "1e9" is not a rate, for example 0.0625.'],
    ['DE,,1,EUR\n', 'Line 2: "" is not a category, for example marketing.'],
    ['DE,marketing,1,EUR\nde,marketing,2,EUR\n', 'Line 3: this country and category stand there already.'],
    ['', 'The file has no rates. Its columns are country, category, rate, currency.'],
  ])('refuse %j', async (lines, words) => {
    expect(await store(lines)).toMatchObject({ status: 400, body: { csv: [words] } });
    expect((await api.get('/api/v1/usage/rates/')).body).toEqual([]);
  });

  it('refuse another currency than those that are there, unless these are replaced', async () => {
    await store('DE,marketing,0.1,EUR\n');
    expect(await store('FR,marketing,0.1,USD\n')).toMatchObject({
      status: 400,
      body: { csv: [expect.stringContaining('are in EUR, and these are in USD') as string] },
    });
    expect((await store('FR,marketing,0.1,USD\n', { replace: true })).status).toBe(200);
    expect((await api.get('/api/v1/usage/rates/')).body).toMatchObject([{ country: 'FR', currency: 'USD' }]);
  });

  it('are imported by the command line, too', async () => {
    const file = path.join(tmpdir(), `${unique()}-rates.csv`);
    await writeFile(file, `\ufeff${header.replaceAll(',', ';')}DE;marketing;0.1;EUR\n`);
    const run = async (...argv: string[]): Promise<[number, string]> => {
      let shown = '';
      const show = (text: string): void => void (shown += text);
      const code = await runCli(['rates', ...argv, '--workspace', String(workspace.id)], {
        env: { ...desk.test.env },
        stdout: show,
        stderr: show,
      });
      return [code, shown];
    };
    expect(await run('import', file, '--from', '2026-10-01', '--json')).toEqual([
      0,
      '{"rates":1,"currency":"EUR","valid_from":"2026-10-01"}\n',
    ]);
    expect((await run('list'))[1]).toContain('marketing');
    expect(await run('import', file, '--from', 'October')).toEqual([1, expect.stringContaining('Give a date')]);
    expect(await readFile(file, 'utf8')).not.toBe('');
  });
});

describe('the preview of a broadcast', () => {
  const preview = async (fields: Json = {}): Promise<Json> => {
    const id = await createBroadcast(workspace, {
      template_id: templateId(workspace, 'spring_sale'),
      template_variables: {
        body: { '1': { source: 'static', value: 'You' }, '2': { source: 'static', value: '20%' } },
      },
      ...fields,
    });
    return (await workspace.api.post(`/api/v1/broadcasts/${id}/preview/`)).body;
  };

  it('says what is charged and what that costs', async () => {
    await insertContacts(workspace, 3, 4_915_177_000_000);
    await insertContacts(workspace, 2, 33_600_000_000);
    expect((await preview())['estimate']).toEqual({ billable: 5, cost: null, currency: null });
    await store('DE,marketing,0.10,EUR\n*,marketing,0.05,EUR\n', { valid_from: '2020-01-01' });
    expect((await preview())['estimate']).toEqual({ billable: 5, cost: 0.4, currency: 'EUR' });
    const clicked = createCustomer(workspace, { phone: '+33611111199' });
    await clicked.writes('Hi', { referral: true });
    expect((await preview())['estimate']).toMatchObject({ billable: 5, cost: 0.4 });
  });

  it('says how many the messaging limit leaves out, of those who would count for it', async () => {
    const tier = (word: string) =>
      desk.runtime.db.rows('UPDATE phone_numbers SET messaging_limit_tier = $word WHERE workspace_id = $id', {
        id: workspace.id,
        word,
      });
    const writer = createCustomer(workspace);
    await writer.writes('Hi');
    const told = await createContact(workspace);
    await insertContacts(workspace, 260, 4_915_178_000_000);
    await tier('TIER_250');
    const limit = { limit: 250, used_24h: 0, left: 250, over_by: 11, estimated: true };
    expect((await preview())['messaging_limit']).toEqual(limit);
    // Who wrote may be written to freely, and who got a template counts once.
    await desk.runtime.db.rows(
      `INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status, opaque)
       SELECT $id, c.id, 'outbound', 'template', '{}', s.status, gen_random_uuid()
       FROM contacts c, unnest($statuses::text[]) AS s(status)
       WHERE c.workspace_id = $id AND c.receiver_id = ANY($handles)`,
      { id: workspace.id, handles: [writer.handle, told.receiver_id], statuses: ['delivered', 'read'] },
    );
    expect((await preview())['messaging_limit']).toEqual({ ...limit, used_24h: 1, left: 249, over_by: 11 });
    const ofNobody = { audience: { tags_any: ['nobody'] } };
    expect(await preview(ofNobody)).toMatchObject({
      audience: 0,
      messaging_limit: { used_24h: 1, left: 249, over_by: 0 },
    });
    await tier('TIER_UNLIMITED');
    expect((await preview())['messaging_limit']).toEqual({
      ...limit,
      limit: null,
      used_24h: 1,
      left: null,
      over_by: 0,
    });
  });

  it('reads the names of limits and the countries of people', () => {
    expect(['TIER_50', 'TIER_2K', 'TIER_100K', 'TIER_UNLIMITED', ''].map(limitOfTier)).toEqual([
      50,
      2e3,
      1e5,
      null,
      null,
    ]);
    const of = (phone: string): string => countryOf({ phone, bsuid: null });
    expect(
      ['4915112345678', '15551230001', '16045550100', '18765550100', '77012345678', '79012345678', '999'].map(of),
    ).toEqual(['DE', 'US', 'CA', 'JM', 'KZ', 'RU', '']);
    expect(countryOf({ phone: null, bsuid: 'BR.77' })).toBe('BR');
  });
});

it('a refusal for payment is told once, loudly', async () => {
  desk.sandbox.state.settings.unpaid = true;
  desk.sandbox.state.settings.free_service_messages = 0;
  const receiver = await startReceiver();
  const types = ['account.payment_refused'];
  expect((await workspace.api.post('/api/v1/webhooks/', { url: receiver.url, events: types })).status).toBe(403);
  expect((await api.post('/api/v1/webhooks/', { url: receiver.url, events: types })).status).toBe(201);
  const customer = createCustomer(workspace);
  await customer.writes('Hi');
  for (const body of ['One', 'Two', 'Three'])
    await workspace.api.post('/api/v1/messages/', { to: customer.phone, body });
  const refused = () =>
    desk.runtime.db.rows(`SELECT 1 AS ok FROM messages WHERE workspace_id = $id AND error_code = 131042`, {
      id: workspace.id,
    });
  await desk.work();
  expect(await refused()).toHaveLength(3);
  expect(await receiver.awaits('account.payment_refused')).toMatchObject({
    data: { msgapp_business_account_id: workspace.account.businessAccountId, code: 131042 },
  });
  const told = `SELECT 1 AS ok FROM events WHERE workspace_id = $id AND kind = 'payment_refused'`;
  expect(await desk.runtime.db.rows(told, { id: workspace.id })).toHaveLength(1);
  await eventually(async () =>
    expect((await desk.anonymous.get<string>('/metrics')).body).toMatch(/msgdesk_payment_refused_accounts [1-9]/),
  );
  await receiver.close();
});
