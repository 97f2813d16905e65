import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createBodyBudget } from '../../api/doors/events/budget';
import { createWebhookAddresses } from '../../api/doors/events/addresses';
import { removeExpired } from '../../api/services/processes/maintenance/service';
import { signBody } from '../../dev/sandbox/wire/payload';
import { inboundText, signedWebhook, status, webhook } from '../factories/customers';
import { unique, uniquePhone } from '../factories/unique';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

const path = '/webhooks/msgapp/';
const limit = 10;
const forged = `sha256=${'0'.repeat(64)}`;
let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain', { env: { RATE_LIMIT_ANONYMOUS_PER_MINUTE: String(limit) } });
});
afterAll(() => desk.close());

/** Each test speaks from an address of its own. */
let lastAddress = 0;
let address = '';
beforeEach(() => {
  lastAddress += 1;
  address = `198.51.100.${lastAddress}`;
});

function send(
  body: string | Buffer,
  headers: Record<string, string> = {},
): ReturnType<typeof desk.anonymous.request<Json>> {
  return desk.anonymous.request('POST', path, body, {
    'content-type': 'application/json',
    'x-forwarded-for': address,
    ...headers,
  });
}
const signed = (payload: Json): ReturnType<typeof send> => {
  const body = JSON.stringify(payload);
  return send(body, { 'x-hub-signature-256': signBody(body, desk.workspace.account.appSecret) });
};

/** How many statements a piece of work sends that name a table. */
async function statementsOn(table: string, work: () => Promise<unknown>): Promise<number> {
  const rows = jest.spyOn(desk.runtime.db, 'rows');
  const row = jest.spyOn(desk.runtime.db, 'row');
  try {
    await work();
    return [...rows.mock.calls, ...row.mock.calls].filter(([sql]) => sql.includes(table)).length;
  } finally {
    rows.mockRestore();
    row.mockRestore();
  }
}

describe('before anything is known of the sender', () => {
  it('a header of the wrong form is refused without waiting for the body', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(desk.url);
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `POST ${path} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${address}\r\ncontent-length: 4000000\r\n` +
            `x-hub-signature-256: sha256=short\r\n\r\n`,
        ),
      );
      socket.once('data', (data) => {
        resolve(data.toString());
        socket.destroy();
      });
      socket.once('error', reject);
    });
    expect(answer).toContain('401 Unauthorized');
  });

  it('a compressed body is a 415, and is not inflated', async () => {
    const body = gzipSync(JSON.stringify(webhook(desk.workspace, { messages: [] })));
    expect(await send(body, { 'content-encoding': 'gzip', 'x-hub-signature-256': forged })).toMatchObject({
      status: 415,
      body: { error: 'Webhooks must not be compressed.' },
    });
  });

  it.each<[string, () => Json]>([
    [
      'more changes than any upstream sends',
      () => ({ entry: [{ id: '1', changes: Array.from({ length: 5_001 }, () => ({ field: 'x', value: {} })) }] }),
    ],
    [
      'more messages than any upstream sends',
      () => webhook(desk.workspace, { messages: Array.from({ length: 5_001 }, () => ({})) }),
    ],
    [
      '51 accounts',
      () => ({ entry: Array.from({ length: 51 }, (_unused, id) => ({ id: String(id), changes: [{}] })) }),
    ],
    [
      '51 numbers',
      () => ({
        entry: [
          {
            id: '1',
            changes: Array.from({ length: 51 }, (_unused, id) => ({
              field: 'messages',
              value: { metadata: { phone_number_id: String(id) } },
            })),
          },
        ],
      }),
    ],
  ])('%s: a 413 before the database is asked', async (_what, payload) => {
    let answer: Awaited<ReturnType<typeof send>> | undefined;
    expect(
      await statementsOn('business_accounts', async () => {
        answer = await send(JSON.stringify(payload()), { 'x-hub-signature-256': forged });
      }),
    ).toBe(0);
    expect(answer?.status).toBe(413);
  });

  it('a verified webhook with as many items as fit is stored whole', async () => {
    const marker = unique();
    const statuses = Array.from({ length: 5_000 }, (_unused, index) => status(`wamid.${marker}.${index}`, 'sent'));
    expect((await signed(webhook(desk.workspace, { statuses }))).status).toBe(200);
    const row = await desk.runtime.db.row<{ count: number }>(
      `SELECT count(*)::int AS count FROM inbox_events WHERE order_key LIKE $prefix`,
      { prefix: `wamid.${marker}.%` },
    );
    expect(row?.count).toBe(5_000);
  });

  it('as many accounts as may be named cost one lookup, which reads their secrets', async () => {
    const entry = Array.from({ length: 50 }, (_unused, id) => ({ id: String(id), changes: [{}] }));
    const own = { id: desk.workspace.account.businessAccountId, changes: [] };
    expect(
      await statementsOn('business_accounts', () =>
        send(JSON.stringify({ entry: [...entry.slice(1), own] }), { 'x-hub-signature-256': forged }),
      ),
    ).toBe(1);
  });
});

describe('refused webhooks', () => {
  it('count against their address, which is then refused before anything is read or asked', async () => {
    const body = JSON.stringify(webhook(desk.workspace, { messages: [] }));
    for (let round = 0; round < limit; round += 1)
      expect((await send(body, { 'x-hub-signature-256': forged })).status).toBe(401);
    expect((await send(body, { 'x-hub-signature-256': forged })).status).toBe(429);
    let last: Awaited<ReturnType<typeof send>> | undefined;
    expect(
      await statementsOn('', async () => {
        last = await send(body, { 'x-hub-signature-256': forged });
      }),
    ).toBe(0);
    expect(last?.status).toBe(429);
    expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0);
    // Nobody else pays.
    address = '203.0.113.1';
    expect((await signed(webhook(desk.workspace, { messages: [] }))).status).toBe(200);
  });

  it('never cost an address that sends valid ones, too', async () => {
    const good = (): ReturnType<typeof send> =>
      signed(webhook(desk.workspace, { messages: [inboundText(uniquePhone(), 'Hi')] }));
    for (let round = 0; round < limit * 2; round += 1) expect((await good()).status).toBe(200);
    for (let round = 0; round < limit * 2; round += 1)
      expect((await send('{"entry":[]}', { 'x-hub-signature-256': forged })).status).toBe(401);
    expect((await good()).status).toBe(200);
  });

  it('a wrong verify token counts, too', async () => {
    const ask = (token: string): ReturnType<typeof desk.anonymous.get> =>
      desk.anonymous.get(`${path}?hub.mode=subscribe&hub.challenge=1&hub.verify_token=${token}`, {
        'x-forwarded-for': address,
      });
    for (let round = 0; round < limit; round += 1) expect((await ask('wrong')).status).toBe(403);
    expect((await ask('wrong')).status).toBe(429);
    expect((await ask(desk.workspace.account.verifyToken)).status).toBe(429);
  });

  it('are forgotten after their time', () => {
    let now = 0;
    const addresses = createWebhookAddresses(() => now);
    addresses.refuse('a', 30);
    expect(addresses.refusedFor('a')).toBe(30);
    now = 30_000;
    expect(addresses.refusedFor('a')).toBe(0);
    addresses.welcome('a');
    addresses.refuse('a', 30);
    expect(addresses.refusedFor('a')).toBe(0);
  });
});

describe('bodies in memory', () => {
  const mebibyte = 1024 * 1024;
  it('of one unknown address take 8 MiB, of all 32 MiB; small ones and those of the upstream always fit', () => {
    const budget = createBodyBudget();
    const first = budget.reserve('a', 4 * mebibyte, false);
    budget.reserve('a', 4 * mebibyte, false);
    expect(() => budget.reserve('a', mebibyte, false)).toThrow('The service is busy. Try again shortly.');
    first();
    for (const other of ['a', 'b', 'b', 'c', 'c', 'd', 'd']) budget.reserve(other, 4 * mebibyte, false);
    expect(() => budget.reserve('e', mebibyte, false)).toThrow('busy');
    expect(() => budget.reserve('a', 64 * 1024, false)).not.toThrow();
    for (let round = 0; round < 16; round += 1) budget.reserve('upstream', 4 * mebibyte, true);
    expect(() => budget.reserve('upstream', 4 * mebibyte, true)).toThrow('busy');
  });

  it('an unknown address that uploads slowly meets its share, and others do not', async () => {
    const { hostname, port } = new URL(desk.url);
    const open = [0, 1].map(() => connect(Number(port), hostname));
    for (const socket of open) {
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${address}\r\ncontent-length: 4000000\r\nexpect: ` +
          `100-continue\r\nx-hub-signature-256: ${forged}\r\n\r\n`,
      );
      // The server says so when it begins to wait for the body.
      await once(socket, 'data');
    }
    const large = JSON.stringify({ entry: [], padding: 'x'.repeat(mebibyte) });
    expect(await send(large, { 'x-hub-signature-256': forged })).toMatchObject({
      status: 503,
      body: { error: 'The service is busy. Try again shortly.' },
    });
    expect((await send('{"entry":[]}', { 'x-hub-signature-256': forged })).status).not.toBe(503);
    address = '203.0.113.2';
    expect((await send(large, { 'x-hub-signature-256': forged })).status).toBe(401);
    for (const socket of open) socket.destroy();
  });
});

describe("entries under another workspace's name", () => {
  it('leave a short note, a hundred a day at most, which goes after a week', async () => {
    const victim = await createWorkspace(desk);
    const secret = `private ${unique()}`;
    const theirs = (count: number): Json[] =>
      Array.from({ length: count }, () => ({
        ...(webhook(victim, { messages: [inboundText(uniquePhone(), secret)] })['entry'] as Json[])[0],
      }));
    for (let round = 0; round < 3; round += 1) {
      const mine = webhook(desk.workspace, { messages: [inboundText(uniquePhone(), 'Mine')] })['entry'] as Json[];
      expect((await signed({ entry: [...mine, ...theirs(60)] })).status).toBe(200);
    }
    const notes = await desk.runtime.db.rows<{ kind: string; state: string; payload: Json }>(
      'SELECT kind, state, payload FROM inbox_events WHERE workspace_id = $id',
      { id: victim.id },
    );
    expect(notes).toHaveLength(100);
    expect(notes[0]).toEqual({
      kind: 'unverified',
      state: 'parked',
      payload: {
        field: 'messages',
        account_id: victim.account.businessAccountId,
        phone_number_id: victim.account.phoneNumberId,
        webhook: { bytes: expect.any(Number) as number, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
      },
    });
    expect(JSON.stringify(notes)).not.toContain(secret);
    await desk.runtime.db.rows(
      `UPDATE inbox_events SET received_at = now() - interval '8 days' WHERE workspace_id = $id`,
      { id: victim.id },
    );
    await removeExpired(desk.runtime);
    expect(
      await desk.runtime.db.rows('SELECT 1 FROM inbox_events WHERE workspace_id = $id', { id: victim.id }),
    ).toEqual([]);
  });
});

it('a burst of webhooks sends few notifications, and none in their transactions', async () => {
  const body = JSON.stringify(webhook(desk.workspace, { anything: 1 }, 'new_field'));
  const started = Date.now();
  const rows = jest.spyOn(desk.runtime.db, 'rows');
  await Promise.all(Array.from({ length: 40 }, () => signedWebhook(desk.workspace, body)));
  const windows = Math.ceil((Date.now() - started) / 20) + 1;
  const statements = rows.mock.calls.map(([sql]) => sql);
  rows.mockRestore();
  const notifying = statements.filter((sql) => sql.includes('pg_notify'));
  expect(notifying.length).toBeGreaterThan(0);
  expect(notifying.length).toBeLessThanOrEqual(windows);
  expect(notifying.filter((sql) => sql.includes('INSERT'))).toEqual([]);
});
