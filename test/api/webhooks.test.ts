import { replayParked } from '../../api/services/processes/events/parked';
import { syncAsked } from '../factories/syncs';
import { signBody } from '../../dev/sandbox/wire/payload';
import { createCustomer, inboundText, signedWebhook, status, webhook } from '../factories/customers';
import { createMember, createSession } from '../factories/members';
import { unique, uniquePhone } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { eventually } from '../support/eventually';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;
let desk: TestApi;
let space: TestWorkspace;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  space = desk.workspace;
});
afterAll(() => desk.close());

const path = '/webhooks/msgapp/';
const refused = { status: 401, body: { error: 'Invalid signature.' } };
const texts = async (handle: string, workspace = space): Promise<unknown[]> =>
  (await workspace.api.get(`/api/v1/conversations/${handle}/messages/?page_size=200`)).body.results.map(
    (message) => ((message['body'] as Json)['text'] as Json | undefined)?.['body'],
  );
const post = async (value: Json, workspace = space): Promise<void> => {
  const answer = await signedWebhook(workspace, webhook(workspace, value));
  expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
};
const digits = (phone: string): string => phone.slice(1);

/** Lets an event that failed be tried again at once, until it is parked or done. */
async function exhaust(): Promise<void> {
  await eventually(async () => {
    await desk.runtime.db.rows(
      `UPDATE inbox_events SET available_at = now() - interval '1 second' WHERE state = 'new'`,
    );
    await desk.settled();
  });
}

describe('handshake (C7)', () => {
  const ask = (query: string): ReturnType<typeof desk.anonymous.get> => desk.anonymous.get(`${path}?${query}`);

  it('echoes the challenge as plain text for a token of ours', async () => {
    const {
      status: code,
      body,
      headers,
    } = await ask(`hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${space.account.verifyToken}`);
    expect([code, body]).toEqual([200, '1158201444']);
    expect(headers['content-type']).toMatch(/^text\/plain/);
  });

  it('refuses another token, another mode and half a question', async () => {
    for (const query of [
      'hub.mode=subscribe&hub.challenge=1&hub.verify_token=wrong',
      `hub.mode=other&hub.challenge=1&hub.verify_token=${space.account.verifyToken}`,
      'hub.mode=subscribe&hub.challenge=1',
      '',
      `hub.mode[]=subscribe&hub.challenge[a]=1&hub.verify_token=${space.account.verifyToken}`,
    ]) {
      expect(await ask(query)).toMatchObject({ status: 403, body: { error: 'The verify token is not known.' } });
    }
  });

  it('another method is a 405', async () => {
    expect((await desk.anonymous.request('DELETE', path)).headers.allow).toBe('GET, POST');
  });
});

describe('signature (C7)', () => {
  it('must be there, well formed and of the raw bytes', async () => {
    const payload = JSON.stringify(webhook(space, { messages: [inboundText(uniquePhone(), 'Forged')] }));
    for (const signature of ['', 'sha256=', 'nonsense', `sha1=${'0'.repeat(40)}`, `sha256=${'g'.repeat(64)}`]) {
      expect((await signedWebhook(space, payload, { signature })).status).toBe(401);
    }
    expect(await signedWebhook(space, payload, { signature: `sha256=${'0'.repeat(64)}` })).toMatchObject(refused);
    expect(await signedWebhook(space, payload, { secret: 'another' })).toMatchObject(refused);
    expect(
      await signedWebhook(space, `${payload} `, { signature: signBody(payload, space.account.appSecret) }),
    ).toMatchObject(refused);
    const stored = await desk.runtime.db.rows(`SELECT 1 AS ok FROM inbox_events WHERE payload::text LIKE '%Forged%'`);
    expect(stored).toEqual([]);
  });

  it("another workspace's secret opens nothing", async () => {
    const other = await createWorkspace(desk);
    const phone = uniquePhone();
    expect(await signedWebhook(other, webhook(space, { messages: [inboundText(phone, 'Mine')] }))).toMatchObject(
      refused,
    );
    await desk.settled();
    expect((await desk.api.get(`/api/v1/contacts/${phone}/`)).status).toBe(404);
  });

  it('in a mixed batch the own entries count and the others are parked', async () => {
    const other = await createWorkspace(desk);
    const [mine, theirs] = [uniquePhone(), uniquePhone()];
    const payload = {
      object: 'whatsapp_business_account',
      entry: [
        ...(webhook(space, { messages: [inboundText(mine, 'Mine')] })['entry'] as Json[]),
        ...(webhook(other, { messages: [inboundText(theirs, 'Theirs')] })['entry'] as Json[]),
      ],
    };
    expect((await signedWebhook(space, payload)).status).toBe(200);
    await desk.settled();
    expect(await texts(digits(mine))).toEqual(['Mine']);
    expect((await other.api.get(`/api/v1/contacts/${theirs}/`)).status).toBe(404);
    const parked = await desk.runtime.db.rows('SELECT kind, state FROM inbox_events WHERE workspace_id = $id', {
      id: other.id,
    });
    expect(parked).toEqual([{ kind: 'unverified', state: 'parked' }]);
    // Nothing makes a forged entry count later.
    expect(await replayParked(other.ctx)).toBe(0);
  });

  it.each([
    ['', 401],
    ['{', 401],
    ['[]', 401],
    ['null', 401],
    ['{"entry":7}', 401],
    ['{"entry":[null,{"changes":[null,{"value":null}]}]}', 401],
  ])('the signed body %j is refused without a fault', async (body, code) => {
    expect((await signedWebhook(space, body)).status).toBe(code);
  });
});

describe('processing (C7)', () => {
  it('unknown fields and types are a 200, kept and ignored', async () => {
    expect((await signedWebhook(space, webhook(space, { anything: [1] }, 'new_field'))).status).toBe(200);
    expect((await signedWebhook(space, webhook(space, { messages: 'none' }))).status).toBe(200);
    const phone = uniquePhone();
    await post({
      messages: [
        {
          from: digits(phone),
          id: `wamid.${unique()}`,
          timestamp: 'soon',
          type: 'hologram',
          hologram: { deep: [{}] },
          extra: true,
        },
      ],
    });
    await desk.settled();
    const { body } = await desk.api.get(`/api/v1/conversations/${digits(phone)}/messages/`);
    expect(body.results[0]).toMatchObject({
      direction: 'inbound',
      body: { type: 'hologram', hologram: { deep: [{}] } },
    });
  });

  it.each<[string, (account: string) => unknown]>([
    ['null', (id) => ({ entry: [{ id, changes: [{ field: 'message_template_status_update', value: null }] }] })],
    ['no object', (id) => ({ entry: [{ id, changes: [{ field: 'account_alerts', value: 'text' }] }] })],
  ])('a change whose value is %s is a 200, kept and parked', async (_what, payload) => {
    const other = await createWorkspace(desk);
    expect((await signedWebhook(other, payload(other.account.businessAccountId))).status).toBe(200);
    await desk.settled();
    const rows = await desk.runtime.db.rows('SELECT state, error FROM inbox_events WHERE workspace_id = $id', {
      id: other.id,
    });
    expect(rows).toEqual([{ state: 'parked', error: 'UnusableEvent: the value is not an object' }]);
  });

  it.each<[string, (account: string) => unknown]>([
    ['a field nobody knows without a value', (id) => ({ entry: [{ id, changes: [{ field: 'new_field' }] }] })],
    ['a change that is null', (id) => ({ entry: [{ id, changes: [null] }] })],
    ['changes that are no list', (id) => ({ entry: [{ id, changes: 'text' }] })],
  ])('%s is a 200, kept and ignored', async (_what, payload) => {
    const other = await createWorkspace(desk);
    expect((await signedWebhook(other, payload(other.account.businessAccountId))).status).toBe(200);
    await desk.settled();
    const rows = await desk.runtime.db.rows('SELECT state, error FROM inbox_events WHERE workspace_id = $id', {
      id: other.id,
    });
    expect(rows).toEqual([{ state: 'ignored', error: null }]);
    const field = JSON.stringify(payload('')).includes('new_field') ? 'new_field' : 'unknown';
    // Members who may manage the workspace see it, and so does an operator's Prometheus.
    const owner = await createSession(await createMember(other, { role: 'owner' }));
    const listed = await owner.api.get('/api/v1/platform-events/ignored/');
    expect(listed.body).toEqual([{ field, count: 1, last_received_at: expect.any(String) }]);
    const counted = `msgdesk_platform_events_ignored_total{field="${field}"} `;
    expect(await desk.runtime.counts.registry.metrics()).toContain(counted);
  });

  it('an entry of ours without changes is a 200', async () => {
    const { businessAccountId: id } = space.account;
    for (const entry of [{ id }, { id, changes: null }, { id, changes: [] }])
      expect((await signedWebhook(space, { entry: [entry] })).status).toBe(200);
  });

  it('a message without a usable id is parked with its reason at once, and its neighbours are not', async () => {
    const other = await createWorkspace(desk);
    const phone = uniquePhone();
    await post(
      {
        messages: [
          inboundText(phone, 'Lost', { id: '' }),
          inboundText(phone, 'Long', { id: 'x'.repeat(300) }),
          null,
          'text',
          inboundText(phone, 'Fine'),
        ],
        statuses: [null, 7, status('wamid.unknown', 'sent')],
      },
      other,
    );
    await desk.settled();
    const rows = await desk.runtime.db.rows(
      `SELECT kind, error, attempts FROM inbox_events WHERE workspace_id = $id AND state = 'parked' ORDER BY id`,
      { id: other.id },
    );
    const noId = { kind: 'message', error: 'UnusableEvent: the message has no usable id', attempts: 1 };
    const noObject = (kind: string): Json => ({
      kind,
      error: `UnusableEvent: the ${kind} is not an object`,
      attempts: 1,
    });
    expect(rows).toEqual([
      noId,
      noId,
      noObject('message'),
      noObject('message'),
      noObject('status'),
      noObject('status'),
    ]);
    expect(await texts(digits(phone), other)).toEqual(['Fine']);
  });

  it('a thousand messages of one batch are all there, once', async () => {
    const phones = Array.from({ length: 50 }, () => uniquePhone());
    await post({
      messages: Array.from({ length: 1_000 }, (_unused, index) =>
        inboundText(phones[index % 50] ?? '', `Text ${index}`),
      ),
    });
    await desk.settled();
    for (const [index, phone] of phones.entries()) {
      if (index % 10 !== 0) continue;
      expect((await texts(digits(phone))).sort()).toEqual(
        Array.from({ length: 20 }, (_unused, round) => `Text ${index + round * 50}`).sort(),
      );
    }
    const rows = await desk.runtime.db.row<{ count: number }>(
      `SELECT count(*)::int AS count FROM messages WHERE workspace_id = $id AND body::text LIKE '%"Text %'`,
      { id: space.id },
    );
    expect(rows?.count).toBe(1_000);
  });

  it('two first messages of a new customer at once make one contact', async () => {
    for (let round = 0; round < 5; round += 1) {
      const phone = uniquePhone();
      await Promise.all([
        post({ messages: [inboundText(phone, 'One')], contacts: [{ wa_id: digits(phone), profile: { name: 'New' } }] }),
        post({ messages: [inboundText(phone, 'Two')], contacts: [{ wa_id: digits(phone), profile: { name: 'New' } }] }),
        desk.api.post('/api/v1/contacts/', { phone }),
      ]);
      await desk.settled();
      const { body } = await desk.api.get(`/api/v1/contacts/?search=${digits(phone)}`);
      expect(body.count).toBe(1);
      expect((await texts(digits(phone))).sort()).toEqual(['One', 'Two']);
    }
  });

  it('an older message that comes late stands where it came, and is the first by its own time', async () => {
    const phone = uniquePhone();
    const at = Math.floor(Date.now() / 1000) - 600;
    await post({ messages: [inboundText(phone, 'Newer')] });
    await post({ messages: [inboundText(phone, 'Older', { timestamp: String(at) })] });
    await desk.settled();
    expect(await texts(digits(phone))).toEqual(['Older', 'Newer']);
    const { body } = await desk.api.get(`/api/v1/conversations/${digits(phone)}/`);
    expect((body['last_message'] as Json)['body']).toMatchObject({ text: { body: 'Older' } });
    expect(body['first_message_at']).toBe(new Date(at * 1000).toISOString());
  });

  it.each([
    ['a time in the future', String(Math.floor(Date.now() / 1000) + 86_400)],
    ['no time', undefined],
    ['nonsense', 'x'],
    ['a negative one', '-5'],
  ])('%s counts as now', async (_name, timestamp) => {
    const phone = uniquePhone();
    await post({ messages: [inboundText(phone, 'Hi', { timestamp })] });
    await desk.settled();
    const { body } = await desk.api.get(`/api/v1/conversations/${digits(phone)}/`);
    expect(Math.abs(Date.parse(String(body['first_message_at'])) - Date.now())).toBeLessThan(30_000);
  });

  it('texts that a database cannot hold are kept as far as it can', async () => {
    const phone = uniquePhone();
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const raw = JSON.stringify(
      webhook(space, {
        messages: [inboundText(phone, 'NUL \0 here, half \ud83d, and \\u0000 as words', { nested: 'DEEP' })],
      }),
    ).replace('"DEEP"', deep);
    expect((await signedWebhook(space, raw)).status).toBe(200);
    await desk.settled();
    expect(await texts(digits(phone))).toEqual(['NUL  here, half \ufffd, and \\u0000 as words']);
  });

  it('one that cannot be processed is parked with its error, blocks nobody, and can be replayed', async () => {
    const [good, bad, early] = [uniquePhone(), uniquePhone(), uniquePhone()];
    const [lost, added] = [`99${unique()}`, `99${unique()}`];
    const accounts = (set: string): Promise<Json[]> =>
      desk.runtime.db.rows(
        `UPDATE business_accounts SET ${set} WHERE workspace_id = $id
         RETURNING resync_at - synced_at = '1 minute' AS asked`,
        { id: space.id },
      );
    await accounts('resync_at = NULL, synced_at = now()');
    for (const [to, from, text] of [
      [lost, bad, 'Parked'],
      [added, early, 'Early'],
    ] as const)
      await post({ metadata: { phone_number_id: to }, messages: [inboundText(from, text)] });
    await post({ messages: [inboundText(good, 'Goes on')] });
    await exhaust();
    expect(await texts(digits(good))).toEqual(['Goes on']);
    const parked = await desk.runtime.db.row<{ state: string; error: string; attempts: number }>(
      `SELECT state, error, attempts FROM inbox_events WHERE payload::text LIKE '%Parked%'`,
    );
    expect(parked).toEqual({ state: 'parked', error: expect.stringContaining(lost) as unknown, attempts: 5 });
    // Both together had the account read, a minute after its last read; what waited for what that finds goes on.
    expect(await accounts('name = name')).toMatchObject([{ asked: true }]);
    expect(await syncAsked(space)).toBe(0);
    desk.sandbox.account({ business_account_id: space.account.businessAccountId, phone_numbers: [{ id: added }] });
    await accounts(`resync_at = now() - interval '1 second'`);
    expect(await syncAsked(space)).toBe(1);
    await desk.settled();
    expect(await texts(digits(early))).toEqual(['Early']);
    // A number that a read did not find; a replay finishes what was parked.
    await desk.runtime.db.rows(
      `INSERT INTO phone_numbers (workspace_id, business_account_id, phone_number_id) SELECT workspace_id, id, $lost
        FROM business_accounts WHERE workspace_id = $id`,
      { lost, id: space.id },
    );
    expect(await replayParked(space.ctx)).toBe(1);
    await desk.settled();
    expect(await texts(digits(bad))).toEqual(['Parked']);
  });

  it('statuses: before our row knows its id, of messages that are not ours, without sense', async () => {
    const customer = createCustomer(space);
    await customer.writes('Hi');
    for (const item of [
      status('wamid.unknown', 'delivered'),
      status('wamid.unknown', 'levitated'),
      { id: 7 },
      {},
      status('wamid.x', 'sent', { biz_opaque_callback_data: 'not-a-uuid' }),
      status('x'.repeat(300), 'read'),
    ])
      await post({ statuses: [item] });
    await desk.settled();
    const parked = await desk.runtime.db.rows(
      `SELECT id FROM inbox_events WHERE workspace_id = $id AND state = 'parked' AND kind = 'status'`,
      { id: space.id },
    );
    expect(parked).toEqual([]);
    expect((await desk.api.get(`/api/v1/conversations/${customer.handle}/messages/`)).body.count).toBe(1);
  });

  it('over 4 MiB is a 413, and 4 MiB is not', async () => {
    const body = (size: number): string =>
      JSON.stringify({ ...webhook(space, { messages: [] }), padding: 'x'.repeat(size) });
    expect((await signedWebhook(space, body(4 * 1024 * 1024))).status).toBe(413);
    expect((await signedWebhook(space, body(4 * 1024 * 1024 - 1_000))).status).toBe(200);
  });
});
