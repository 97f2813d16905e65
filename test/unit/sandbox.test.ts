import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_BUSINESS_ACCOUNT_ID as WABA, DEMO_PHONE_NUMBER_ID as PN, DEMO_SECOND_PHONE_NUMBER_ID as PN2, demoAccount } from '../../dev/sandbox/demo';
import { createSandbox, type Sandbox } from '../../dev/sandbox/server';

/** Parsed JSON, navigated freely by the tests. */
type Json = Record<string, ReturnType<typeof JSON.parse>>;

const SECRET = 'app-secret-1';
const HOUR = 3_600_000;

interface Received {
  body: string;
  json: Json;
  signature: string;
}

let sandbox: Sandbox;
let url = '';
let now = 0;
let receiver: Server;
let received: Received[] = [];
let answer: (count: number) => number = () => 200;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const target = new URL(request.url ?? '/', 'http://receiver');
    if (request.method === 'GET') {
      const good = target.searchParams.get('hub.verify_token') === 'verify-1';
      response.writeHead(good ? 200 : 403).end(good ? target.searchParams.get('hub.challenge') : 'no');
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      received.push({ body, json: JSON.parse(body) as Json, signature: String(request.headers['x-hub-signature-256']) });
      response.writeHead(answer(received.length)).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});

afterAll(() => new Promise((resolve) => receiver.close(resolve)));

beforeEach(async () => {
  now = Date.UTC(2026, 10, 2, 9, 0, 0);
  received = [];
  answer = () => 200;
  sandbox = createSandbox({ clock: () => now, seed: 7 });
  ({ url } = await sandbox.listen());
  const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks/msgapp/`;
  sandbox.account(demoAccount({ accessToken: 'token-1', appSecret: SECRET, verifyToken: 'verify-1', webhookUrl }));
});

afterEach(() => sandbox.close());

async function call(method: string, path: string, body?: unknown, token: string | null = 'token-1'): Promise<{ status: number; body: Json; headers: Headers }> {
  const response = await fetch(url + path, {
    method,
    headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text.startsWith('{') || text.startsWith('[') ? (JSON.parse(text) as Json) : { text } };
}

const control = (method: string, path: string, body?: unknown): ReturnType<typeof call> => call(method, `/_control${path}`, body, null);
const send = (body: Json, pn = PN): ReturnType<typeof call> => call('POST', `/v23.0/${pn}/messages`, { messaging_product: 'whatsapp', ...body });
const text = (to: string, more: Json = {}): Json => ({ to, type: 'text', text: { body: 'Hello' }, ...more });
const write = (phone: string, more: Json = {}): string => sandbox.inbound({ phone_number_id: PN, from: { phone }, text: 'hi', ...more }).wamid;
const changes = (): Json[] => received.flatMap((item) => item.json['entry'].flatMap((entry: Json) => entry['changes']) as Json[]);
const statuses = (): Json[] => changes().flatMap((change) => (change['value']['statuses'] ?? []) as Json[]);
const inbound = (): Json[] => changes().flatMap((change) => (change['value']['messages'] ?? []) as Json[]);
const code = (result: { body: Json }): number => result.body['error']?.['code'] as number;

function template(name: string, components: Json[], to: Json = { to: '+15551230001' }): Json {
  return { ...to, type: 'template', template: { name, language: { code: 'en_US' }, components } };
}
const bodyTexts = (...values: string[]): Json => ({ type: 'body', parameters: values.map((value) => ({ type: 'text', text: value })) });
const otpButton = { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '123456' }] };
const sale = (to: string): Json =>
  template('spring_sale', [{ type: 'body', parameters: [{ type: 'text', parameter_name: 'discount', text: '20%' }, { type: 'text', parameter_name: 'first_name', text: 'Anna' }] }], { to });

describe('authentication and errors', () => {
  test('a missing, wrong and foreign token', async () => {
    expect(await call('GET', `/${WABA}`, undefined, null)).toMatchObject({ status: 401, body: { error: { code: 104 } } });
    expect(await call('GET', `/${WABA}`, undefined, 'wrong')).toMatchObject({ status: 401, body: { error: { code: 190, type: 'OAuthException', fbtrace_id: expect.any(String) } } });
    sandbox.account({ business_account_id: '2', access_token: 'token-2', phone_numbers: [{ id: '22' }] });
    expect(await call('GET', '/22')).toMatchObject({ status: 400, body: { error: { code: 100, error_subcode: 33 } } });
  });

  test('works with and without a version prefix', async () => {
    expect((await call('GET', `/v25.0/${PN}`)).body['id']).toBe(PN);
    expect((await call('GET', `/${PN}`)).body['id']).toBe(PN);
  });

  test('unknown ids and fields', async () => {
    expect(await call('GET', '/999')).toMatchObject({ status: 400, body: { error: { code: 100, error_subcode: 33 } } });
    expect(await call('GET', '/nobody')).toMatchObject({ status: 404, body: { error: { code: 803 } } });
    expect(await call('GET', `/${PN}?fields=id,colour`)).toMatchObject({ status: 400, body: { error: { code: 100 } } });
  });
});

describe('sending', () => {
  test('inside the window: 200, then sent, delivered and read with the opaque id and a valid signature', async () => {
    write('15551230001');
    const result = await send(text('+1 (555) 123-0001', { biz_opaque_callback_data: 'outbox/1 – ü' }));
    expect(result).toMatchObject({ status: 200, body: { contacts: [{ input: '+1 (555) 123-0001', wa_id: '15551230001' }], messages: [{ id: expect.stringMatching(/^wamid\./) }] } });
    expect(result.body['contacts'][0].user_id).toBeUndefined();
    await sandbox.settle();
    expect(statuses().map((item) => item['status'])).toEqual(['sent', 'delivered', 'read']);
    expect(statuses()[0]).toMatchObject({ id: result.body['messages'][0].id, recipient_id: '15551230001', recipient_user_id: expect.stringMatching(/^US\./), biz_opaque_callback_data: 'outbox/1 – ü', pricing: { category: 'service', billable: false } });
    expect(statuses()[1]).toHaveProperty('pricing');
    expect(statuses()[2]).not.toHaveProperty('pricing');
    for (const item of received) {
      expect(item.signature).toBe(`sha256=${createHmac('sha256', SECRET).update(item.body).digest('hex')}`);
      expect(item.body).not.toMatch(/[^\x20-\x7e]/);
      expect(item.body).not.toMatch(/[^\\]\//);
    }
    expect(received.map((item) => item.body).join()).toContain('outbox\\/1 \\u2013 \\u00fc');
  });

  test('outside the window: 200, then failed with 131047; templates go through', async () => {
    expect((await send(text('+15551230001'))).status).toBe(200);
    expect((await send(template('ticket_update', [bodyTexts('T-19', 'Resolved')]))).body['messages'][0].message_status).toBe('accepted');
    await sandbox.settle();
    expect(statuses()[0]).toMatchObject({ status: 'failed', errors: [{ code: 131047, title: 'Re-engagement message', error_data: { details: expect.any(String) } }] });
    expect(statuses().slice(1).map((item) => item['status'])).toEqual(['sent', 'delivered', 'read']);
    expect(statuses()[1]?.['pricing']).toMatchObject({ category: 'utility', billable: true });
  });

  test('the window is per number and lasts 24 hours', async () => {
    write('15551230001');
    now += 24 * HOUR - 1;
    await send(text('+15551230001'));
    await send(text('+15551230001'), PN2);
    now += 1;
    await send(text('+15551230001'));
    await sandbox.settle();
    expect(sandbox.state.sent.map((record) => record.statuses[0]?.status)).toEqual(['sent', 'failed', 'failed']);
  });

  test.each<[string, Json, number]>([
    ['no recipient', { type: 'text', text: { body: 'x' } }, 131008],
    ['a bsuid in to', text('US.123456'), 131009],
    ['a bad bsuid', { recipient: 'us.1', type: 'text', text: { body: 'x' } }, 131009],
    ['the sender itself', text('+15550100100'), 131021],
    ['an unknown type', { to: '+15551230001', type: 'poll', poll: {} }, 131051],
    ['no type object', { to: '+15551230001', type: 'text' }, 131008],
    ['an empty text', { to: '+15551230001', type: 'text', text: { body: '' } }, 131008],
    ['a long text', { to: '+15551230001', type: 'text', text: { body: 'x'.repeat(4097) } }, 100],
    ['media without id and link', { to: '+15551230001', type: 'image', image: {} }, 131008],
    ['media with both', { to: '+15551230001', type: 'image', image: { id: '1', link: 'https://x.test/a.png' } }, 131009],
    ['unknown media', { to: '+15551230001', type: 'image', image: { id: '1' } }, 131009],
    ['an audio caption', { to: '+15551230001', type: 'audio', audio: { link: 'https://x.test/a.ogg', caption: 'x' } }, 131009],
    ['a bad latitude', { to: '+15551230001', type: 'location', location: { latitude: 91, longitude: 0 } }, 131009],
    ['contacts without a name', { to: '+15551230001', type: 'contacts', contacts: [{}] }, 131008],
    ['a reaction that replies', { to: '+15551230001', type: 'reaction', reaction: { message_id: 'wamid.X', emoji: '👍' }, context: { message_id: 'wamid.X' } }, 131009],
    ['four buttons', { to: '+15551230001', type: 'interactive', interactive: { type: 'button', body: { text: 'x' }, action: { buttons: [1, 2, 3, 4].map((n) => ({ type: 'reply', reply: { id: `${n}`, title: `${n}` } })) } } }, 131009],
    ['a long button title', { to: '+15551230001', type: 'interactive', interactive: { type: 'button', body: { text: 'x' }, action: { buttons: [{ type: 'reply', reply: { id: '1', title: 'x'.repeat(21) } }] } } }, 100],
    ['eleven rows', { to: '+15551230001', type: 'interactive', interactive: { type: 'list', body: { text: 'x' }, action: { button: 'Go', sections: [{ rows: Array.from({ length: 11 }, (_, n) => ({ id: `${n}`, title: `${n}` })) }] } } }, 131009],
    ['a draft flow', { to: '+15551230001', type: 'interactive', interactive: { type: 'flow', body: { text: 'x' }, action: { name: 'flow', parameters: { flow_message_version: '3', flow_id: '998877665544332', flow_cta: 'Open' } } } }, 131009],
    ['an unknown template', template('nothing', []), 132001],
    ['a pending template', template('feedback_request', [bodyTexts('1')]), 132001],
    ['too few parameters', template('ticket_update', [bodyTexts('1')]), 132000],
    ['too many parameters', template('ticket_update', [bodyTexts('1', '2', '3')]), 132000],
    ['a newline in a parameter', template('ticket_update', [bodyTexts('1', 'a\nb')]), 132018],
    ['an empty parameter', template('ticket_update', [bodyTexts('1', '')]), 131008],
    ['a parameter of another kind', template('ticket_update', [{ type: 'body', parameters: [{ type: 'text', text: 'a' }, { type: 'image', image: {} }] }]), 132012],
    ['a too long result', template('ticket_update', [bodyTexts('1', 'x'.repeat(1020))]), 132005],
    ['no header parameter', template('delivery_scheduled', [bodyTexts('1', '2')]), 132000],
    ['an unknown parameter name', template('spring_sale', [{ type: 'body', parameters: [{ type: 'text', parameter_name: 'x', text: 'a' }, { type: 'text', parameter_name: 'discount', text: 'a' }] }]), 132018],
    ['no button parameter', template('login_code', [bodyTexts('123456')]), 131008],
    ['a long code', template('login_code', [bodyTexts('1234567890123456'), otpButton]), 132018],
    ['an authentication template to a bsuid', template('login_code', [bodyTexts('123456'), otpButton], { recipient: 'US.123456789' }), 131062],
  ])('refuses %s', async (_name, body, expected) => {
    const result = await send(body);
    expect(code(result)).toBe(expected);
    expect(result.status).toBe(expected === 132001 ? 404 : 400);
    expect(sandbox.state.sent).toHaveLength(0);
  });

  test('an envelope without messaging_product, and a body that is not JSON', async () => {
    expect(code(await call('POST', `/${PN}/messages`, text('+15551230001')))).toBe(100);
    const response = await fetch(`${url}/${PN}/messages`, { method: 'POST', headers: { authorization: 'Bearer token-1' }, body: '{' });
    expect(response.status).toBe(400);
  });

  test('accepts every sendable type', async () => {
    write('15551230001');
    const bodies: Json[] = [
      { text: { body: 'no type means text' } },
      { type: 'document', document: { link: 'https://x.test/a.pdf', filename: 'a.pdf' } },
      { type: 'location', location: { latitude: 1, longitude: 2 } },
      { type: 'contacts', contacts: [{ name: { formatted_name: 'A B', first_name: 'A' }, phones: [{ phone: '+1' }] }] },
      { type: 'reaction', reaction: { message_id: 'wamid.X', emoji: '👍' } },
      { type: 'interactive', interactive: { type: 'cta_url', body: { text: 'x' }, action: { name: 'cta_url', parameters: { display_text: 'Go', url: 'https://x.test' } } } },
      { type: 'interactive', interactive: { type: 'flow', body: { text: 'x' }, action: { name: 'flow', parameters: { flow_message_version: '3', flow_id: '998877665544331', flow_cta: 'Open', flow_action: 'navigate' } } } },
      { type: 'interactive', interactive: { type: 'product', action: { catalog_id: '194836987003835', product_retailer_id: 'GG-POT' } } },
    ];
    for (const body of bodies) expect((await send({ to: '+15551230001', ...body })).status).toBe(200);
    expect((await send(sale('+15551230001'))).status).toBe(200);
    expect((await send(template('login_code', [bodyTexts('123456'), otpButton]))).status).toBe(200);
  });

  test('a bsuid recipient: no wa_id; both given: the phone wins', async () => {
    const { user } = sandbox.inbound({ phone_number_id: PN, from: { username: 'anna', name: 'Anna', hidden: true }, text: 'hi' });
    const one = await send({ recipient: user.user_id, type: 'text', text: { body: 'x' } });
    expect(one.body['contacts']).toEqual([{ input: user.user_id, user_id: user.user_id }]);
    const two = await send({ ...text('+15551230009'), recipient: user.user_id });
    expect(two.body['contacts'][0]).toEqual({ input: '+15551230009', wa_id: '15551230009', user_id: user.user_id });
  });

  test("another business's bsuid is undeliverable", async () => {
    sandbox.account({ business_account_id: '2', access_token: 'token-2', phone_numbers: [{ id: '22' }] });
    const { user } = sandbox.inbound({ phone_number_id: '22', from: { phone: '15551230001' }, text: 'hi' });
    await send(template('ticket_update', [bodyTexts('1', '2')], { recipient: user.user_id }));
    await sandbox.settle();
    expect(statuses()[0]).toMatchObject({ status: 'failed', errors: [{ code: 131026 }] });
  });

  test('opted-out customers get no marketing', async () => {
    await sandbox.event({ kind: 'user_preferences', phone_number_id: PN, user: { phone: '15551230001' }, value: 'stop' });
    await send(sale('+15551230001'));
    await send(template('ticket_update', [bodyTexts('1', '2')]));
    await sandbox.settle();
    expect(sandbox.state.sent.map((record) => record.statuses[0])).toMatchObject([{ status: 'failed', code: 131050 }, { status: 'sent' }]);
  });

  test('marks the customer\'s message as read', async () => {
    const wamid = write('15551230001');
    expect((await send({ status: 'read', message_id: wamid, typing_indicator: { type: 'text' } })).body).toEqual({ success: true });
    expect(sandbox.state.messages.get(wamid)).toHaveProperty('read_at', now);
    expect(code(await send({ status: 'read', message_id: 'wamid.none' }))).toBe(131009);
  });
});

describe('limits', () => {
  test('45 messages at once to one customer, then one per 6 s', async () => {
    for (let i = 0; i < 45; i += 1) expect((await send(text('+15551230001'))).status).toBe(200);
    expect(await send(text('+15551230001'))).toMatchObject({ status: 400, body: { error: { code: 131056 } } });
    expect((await send(text('+15551230002'))).status).toBe(200);
    now += 6000;
    expect((await send(text('+15551230001'))).status).toBe(200);
    expect(code(await send(text('+15551230001')))).toBe(131056);
    await control('POST', '/settings', { pair_rate: false });
    expect((await send(text('+15551230001'))).status).toBe(200);
  });

  test("a number's throughput", async () => {
    sandbox.account({ business_account_id: WABA, phone_numbers: [{ id: PN, throughput_mps: 3 }] });
    const codes: Array<number | undefined> = [];
    for (let i = 0; i < 4; i += 1) codes.push(code(await send(text(`+1555123000${i}`))));
    expect(codes).toEqual([undefined, undefined, undefined, 130429]);
    now += 1000;
    expect((await send(text('+15551230001'))).status).toBe(200);
    await control('POST', '/settings', { throughput: false });
    for (let i = 0; i < 4; i += 1) expect((await send(text(`+1555123000${i}`))).status).toBe(200);
  });

  test('template statuses', async () => {
    for (const [event, expected] of [['PAUSED', 132015], ['DISABLED', 132016], ['REINSTATED', undefined], ['FLAGGED', undefined], ['REJECTED', 132001]] as const) {
      await sandbox.event({ kind: 'template_status', name: 'ticket_update', event });
      expect(code(await send(template('ticket_update', [bodyTexts('1', '2')])))).toBe(expected);
    }
    await sandbox.settle();
    expect(changes().find((change) => change['field'] === 'message_template_status_update')?.['value']).toMatchObject({ event: 'PAUSED', message_template_id: 564750795574598, message_template_language: 'en_US' });
  });
});

describe('faults', () => {
  const attempt = (to: string): Promise<string> => send(text(to)).then((result) => String(result.status), () => 'broken');

  test('reset before and after acceptance, HTML, no id, a Graph error with Retry-After', async () => {
    write('15551230001');
    for (const [kind, expected, accepted] of [['reset', 'broken', 0], ['reset_after_accept', 'broken', 1], ['html', '502', 1], ['html_after_accept', '502', 2]] as const) {
      await control('POST', '/faults', { kind, to: '+15551230001', times: 1 });
      expect(await attempt('+15551230001')).toBe(expected);
      expect(sandbox.state.sent).toHaveLength(accepted);
    }
    await control('POST', '/faults', { kind: 'no_id', times: 1 });
    expect((await send(text('+15551230001'))).body['messages']).toBeUndefined();
    await control('POST', '/faults', { kind: 'error', code: 2, retry_after: 3, times: 1 });
    const refused = await send(text('+15551230001'));
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('3');
    expect((await send(text('+15551230001'))).status).toBe(200);
    await sandbox.settle();
    expect(sandbox.state.sent.every((record) => record.statuses.length === 3)).toBe(true);
  });

  test('a hang is never answered and not accepted', async () => {
    await control('POST', '/faults', { kind: 'hang', phone_number_id: PN });
    const abort = new AbortController();
    const pending = fetch(`${url}/${PN}/messages`, { method: 'POST', signal: abort.signal, headers: { authorization: 'Bearer token-1' }, body: JSON.stringify({ messaging_product: 'whatsapp', ...text('+15551230001') }) });
    const outcome = pending.then(() => 'answered', () => 'aborted');
    while (((await control('GET', '/calls')).body as unknown as Json[]).length === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    expect(await outcome).toBe('aborted');
    expect(sandbox.state.sent).toHaveLength(0);
  });

  test('a ratio is seeded', async () => {
    await control('POST', '/faults', { kind: 'error', code: 131000, ratio: 0.5 });
    await control('POST', '/settings', { pair_rate: false, throughput: false });
    const outcomes: number[] = [];
    for (let i = 0; i < 40; i += 1) outcomes.push((await send(text('+15551230001'))).status);
    const failed = outcomes.filter((status) => status === 500).length;
    expect(failed).toBeGreaterThan(8);
    expect(failed).toBeLessThan(32);
  });

  test('magic recipients', async () => {
    expect(code(await send(text('+15000131048')))).toBe(131048);
    expect((await send(template('ticket_update', [bodyTexts('1', '2')], { to: '+15000131026' }))).status).toBe(200);
    expect((await send(template('ticket_update', [bodyTexts('1', '2')], { to: '+15000131049' }))).status).toBe(200);
    expect(await attempt('+15011234503')).toBe('broken');
    expect(await attempt('+15011234508')).toBe('500');
    expect(await attempt('+15011234508')).toBe('200');
    const held = await send(template('ticket_update', [bodyTexts('1', '2')], { to: '+15011234513' }));
    expect(held.body['messages'][0].message_status).toBe('held_for_quality_assessment');
    await sandbox.settle();
    expect(statuses().filter((item) => item['errors']).map((item) => item['errors'][0].code)).toEqual(expect.arrayContaining([131026, 131049, 132015]));
  });

  test('faults of other endpoints match by path', async () => {
    await control('POST', '/faults', { kind: 'error', code: 4, path: '/flows', times: 1 });
    expect((await call('GET', `/${WABA}/flows`)).status).toBe(429);
    expect((await call('GET', `/${WABA}/flows`)).status).toBe(200);
  });
});

describe('webhooks', () => {
  test('the handshake is reported', async () => {
    expect((await control('POST', '/accounts', { business_account_id: WABA, verify: true })).body['verification']).toMatchObject({ verified: true });
    expect((await control('POST', '/accounts', { business_account_id: WABA, verify: true, verify_token: 'other' })).body['verification']).toMatchObject({ verified: false, status: 403 });
  });

  test('retried until answered with 200, with the same bytes', async () => {
    await control('POST', '/settings', { retry_schedule_ms: [1, 1, 1] });
    answer = (count) => (count < 3 ? 500 : 200);
    write('15551230001');
    await sandbox.settle();
    expect(received).toHaveLength(3);
    expect(new Set(received.map((item) => item.body)).size).toBe(1);
  });

  test('given up after the schedule', async () => {
    await control('POST', '/settings', { retry_schedule_ms: [1] });
    answer = () => 500;
    write('15551230001');
    await sandbox.settle();
    expect(received).toHaveLength(2);
    expect((await control('GET', '/webhooks')).body['deliveries'][0]).toMatchObject({ attempt: 2, gave_up: true, status: 500 });
  });

  test('batches up to the setting; every update arrives', async () => {
    await control('POST', '/settings', { throughput: false, batch: 50 });
    await control('POST', '/pause_webhooks');
    for (let i = 0; i < 40; i += 1) await send(template('ticket_update', [bodyTexts('1', '2')], { to: `+155512300${10 + i}` }));
    void sandbox.settle();
    await control('POST', '/resume_webhooks');
    await sandbox.settle();
    expect(received).toHaveLength(3);
    expect(statuses()).toHaveLength(120);
    expect(new Set(statuses().map((item) => `${item['id']}${item['status']}`)).size).toBe(120);
  });

  test('duplicate, drop and reorder', async () => {
    write('15551230001');
    await control('POST', '/settings', { duplicate: true });
    await send(text('+15551230001'));
    await sandbox.settle();
    expect(statuses()).toHaveLength(6);
    received = [];
    await control('POST', '/settings', { duplicate: 0, drop: 1 });
    await send(text('+15551230001'));
    await sandbox.settle();
    expect(statuses()).toHaveLength(0);
    await control('POST', '/settings', { drop: 0, reorder: true });
    for (let i = 0; i < 10; i += 1) await send(text('+15551230001'));
    await sandbox.settle();
    expect(statuses()).toHaveLength(30);
    const firsts = new Map<string, string>();
    for (const item of statuses()) if (!firsts.has(item['id'])) firsts.set(item['id'], item['status']);
    expect([...firsts.values()].some((status) => status !== 'sent')).toBe(true);
  });

  test('a status can come before the response', async () => {
    await control('POST', '/settings', { status_before_response: true, statuses: ['sent'] });
    write('15551230001');
    await sandbox.settle();
    received = [];
    await send(text('+15551230001'));
    expect(statuses()).toHaveLength(1);
  });
});

describe('inbound and identities', () => {
  test('every type of message', async () => {
    const types = ['image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'button', 'interactive', 'order', 'unsupported'];
    for (const type of types) sandbox.inbound({ phone_number_id: PN, from: { phone: '+15551230001' }, message: { type } });
    sandbox.inbound({ phone_number_id: PN, from: { phone: '+15551230001' }, message: { type: 'reaction', reaction: { message_id: 'wamid.X', emoji: '👍' } } });
    await sandbox.settle();
    expect(inbound().map((item) => item['type'])).toEqual([...types, 'reaction']);
    for (const item of inbound()) expect(item[item['type']]).toBeDefined();
    expect(inbound()[0]).toMatchObject({ from: '15551230001', from_user_id: expect.stringMatching(/^US\.\d+$/), image: { id: expect.any(String), mime_type: 'image/png', sha256: expect.any(String) } });
    expect(inbound().find((item) => item['type'] === 'unsupported')?.['errors'][0].code).toBe(131051);
  });

  test('media needs the bearer token and a fresh link', async () => {
    const { wamid } = sandbox.inbound({ phone_number_id: PN, from: { phone: '15551230001' }, message: { type: 'image', image: { data: Buffer.from('bytes').toString('base64'), mime_type: 'image/jpeg' } } });
    const record = sandbox.state.messages.get(wamid);
    const image = (record as unknown as Json)['message'].image as Json;
    const info = await call('GET', `/${image['id']}?phone_number_id=${PN}`);
    expect(info.body).toMatchObject({ mime_type: 'image/jpeg', file_size: 5 });
    const link = String(info.body['url']).replace(url, '');
    expect((await call('GET', link)).body['text']).toBe('bytes');
    expect((await call('GET', link, undefined, null)).status).toBe(401);
    now += 301_000;
    expect((await call('GET', link)).status).toBe(404);
  });

  test('upload, then send by id', async () => {
    const form = new FormData();
    form.set('messaging_product', 'whatsapp');
    form.set('file', new Blob(['%PDF-1.4'], { type: 'application/pdf' }), 'a.pdf');
    const uploaded = (await (await fetch(`${url}/${PN}/media`, { method: 'POST', headers: { authorization: 'Bearer token-1' }, body: form })).json()) as Json;
    write('15551230001');
    expect((await send({ to: '+15551230001', type: 'document', document: { id: uploaded['id'] } })).status).toBe(200);
    expect(code(await send({ to: '+15551230001', type: 'video', video: { id: uploaded['id'] } }))).toBe(131009);
  });

  test('a hidden phone is absent, not empty', async () => {
    sandbox.inbound({ phone_number_id: PN, from: { phone: '15551230001', username: '@anna', name: 'Anna', hidden: true }, text: 'hi' });
    await sandbox.settle();
    const value = changes()[0]?.['value'] as Json;
    expect(value['contacts']).toEqual([{ profile: { name: 'Anna', username: '@anna' }, user_id: expect.any(String) }]);
    expect(value['messages'][0]).not.toHaveProperty('from');
  });

  test('number change keeps the person and gives a new bsuid', async () => {
    const { user } = sandbox.inbound({ phone_number_id: PN, from: { phone: '15551230001' }, text: 'hi' });
    const before = user.user_id;
    await sandbox.event({ kind: 'system', phone_number_id: PN, user: { phone: '15551230001' }, type: 'user_changed_number', phone: '+4915112345678' });
    await sandbox.settle();
    const value = changes().at(-1)?.['value'] as Json;
    expect(value).not.toHaveProperty('contacts');
    expect(value['messages'][0]).toMatchObject({ from: '15551230001', type: 'system', system: { type: 'user_changed_number', wa_id: '4915112345678', previous_user_id: before, user_id: expect.stringMatching(/^DE\./) } });
    expect(sandbox.inbound({ phone_number_id: PN, from: { phone: '4915112345678' }, text: 'me' }).user.key).toBe(user.key);
  });

  test('a recycled number belongs to the new person', () => {
    const first = sandbox.inbound({ phone_number_id: PN, from: { phone: '15551230001' }, text: 'hi' }).user;
    const second = sandbox.inbound({ phone_number_id: PN, from: { phone: '15551230001', user_id: 'US.777' }, text: 'hi' }).user;
    expect(second.key).not.toBe(first.key);
    expect(first.phone).toBeUndefined();
  });

  test.each<[string, Json, string]>([
    ['template category', { kind: 'template_category', name: 'ticket_update', new_category: 'MARKETING' }, 'template_category_update'],
    ['template components', { kind: 'template_components', name: 'ticket_update', components: [{ type: 'BODY', text: 'New' }] }, 'message_template_components_update'],
    ['template quality', { kind: 'template_quality', name: 'ticket_update', new_quality_score: 'RED' }, 'message_template_quality_update'],
    ['business user name', { kind: 'business_username', phone_number_id: PN2, username: 'green.berlin', status: 'reserved' }, 'business_username_update'],
    ['flow status', { kind: 'flow_status', flow_id: '998877665544331', new_status: 'THROTTLED' }, 'flows'],
    ['account update', { kind: 'account_update', event: 'ACCOUNT_RESTRICTION' }, 'account_update'],
    ['number quality', { kind: 'phone_number_quality', phone_number_id: PN, current_limit: 'TIER_2K' }, 'phone_number_quality_update'],
    ['raw', { kind: 'raw', field: 'something_new', value: { a: 1 } }, 'something_new'],
  ])('event %s', async (_name, event, field) => {
    expect((await control('POST', '/events', event)).status).toBe(200);
    await sandbox.settle();
    expect(received[0]?.json).toMatchObject({ object: 'whatsapp_business_account', entry: [{ id: WABA, time: now / 1000, changes: [{ field }] }] });
  });
});

describe('management reads', () => {
  test('templates page by cursors and filter', async () => {
    const seen: string[] = [];
    let next: string | undefined = `/${WABA}/message_templates?limit=4&fields=name,status`;
    while (next) {
      const result: { body: Json } = await call('GET', next);
      seen.push(...result.body['data'].map((item: Json) => item['name'] as string));
      next = result.body['paging']?.next?.replace(url, '') as string | undefined;
    }
    expect(seen).toHaveLength(6);
    expect(new Set(seen).size).toBe(6);
    const approved = await call('GET', `/${WABA}/message_templates?status=APPROVED&category=MARKETING`);
    expect(approved.body['data']).toMatchObject([{ name: 'spring_sale', parameter_format: 'NAMED' }]);
    expect(approved.body['paging']).toBeUndefined();
  });

  test('template create, review, edit, delete', async () => {
    const made = await call('POST', `/${WABA}/message_templates`, { name: 'new_one', language: 'de', category: 'utility', components: [{ type: 'body', text: 'Guten Tag {{1}}, hier sind wir.' }] });
    expect(made.body).toMatchObject({ id: expect.stringMatching(/^\d+$/), status: 'PENDING', category: 'UTILITY' });
    await sandbox.event({ kind: 'template_status', template_id: made.body['id'], event: 'APPROVED' });
    expect((await call('GET', `/${made.body['id']}`)).body).toMatchObject({ status: 'APPROVED', components: [{ type: 'BODY' }] });
    expect((await call('POST', `/${made.body['id']}`, { components: [{ type: 'BODY', text: 'Neu' }] })).body).toEqual({ success: true });
    expect((await call('DELETE', `/${WABA}/message_templates?name=new_one`)).body).toEqual({ success: true });
    expect((await call('GET', `/${made.body['id']}`)).status).toBe(400);
    expect(code(await call('POST', `/${WABA}/message_templates`, { name: 'bad', language: 'en_US', category: 'UTILITY', components: [{ type: 'BODY', text: 'Hello {{2}} there' }] }))).toBe(100);
  });

  test('numbers, user names, flows, assets, metrics, catalog', async () => {
    expect((await call('GET', `/${WABA}/phone_numbers?fields=id,display_phone_number,throughput,whatsapp_business_manager_messaging_limit`)).body['data']).toMatchObject([{ id: PN, throughput: { level: 'STANDARD' } }, { id: PN2 }]);
    expect((await call('GET', `/${PN}/username`)).body).toEqual({ username: 'greengarden', status: 'approved' });
    expect((await call('GET', `/${WABA}/flows`)).body['data']).toHaveLength(2);
    expect((await call('GET', '/998877665544331?fields=id,preview.invalidate(false),endpoint_uri,data_api_version')).body).toMatchObject({ preview: { preview_url: expect.any(String) }, data_api_version: '3.0' });
    const assets = await call('GET', '/998877665544331/assets');
    const link = String(assets.body['data'][0].download_url).replace(url, '');
    expect((await call('GET', link, undefined, null)).body).toHaveProperty('screens');
    const metric = await call('GET', '/998877665544331?fields=metric.name(ENDPOINT_REQUEST_COUNT).granularity(DAY).since(2026-10-01).until(2026-10-04)');
    expect(metric.body['metric']['data_points']).toHaveLength(3);
    expect((await call('GET', `/${WABA}/product_catalogs`)).body['data']).toMatchObject([{ id: '194836987003835' }]);
    expect((await call('GET', '/194836987003835/products?fields=retailer_id,price&summary=true')).body).toMatchObject({ data: expect.any(Array), summary: { total_count: 4 } });
  });

  test('subscribed apps', async () => {
    expect((await call('DELETE', `/${WABA}/subscribed_apps`)).body).toEqual({ success: true });
    write('15551230001');
    await sandbox.settle();
    expect(received).toHaveLength(0);
    const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/other`;
    expect(code(await call('POST', `/${WABA}/subscribed_apps`, { override_callback_uri: webhookUrl, verify_token: 'no' }))).toBe(2200);
    expect((await call('POST', `/${WABA}/subscribed_apps`, { override_callback_uri: webhookUrl, verify_token: 'verify-1' })).body).toEqual({ success: true });
  });
});

describe('control', () => {
  test('sent, count, duplicates', async () => {
    for (const opaque of ['a', 'b', 'a']) await send(template('ticket_update', [bodyTexts('1', '2')], { to: `+1555123000${opaque === 'a' ? 1 : 2}`, biz_opaque_callback_data: opaque }));
    const all = (await control('GET', '/sent')).body as unknown as Json[];
    expect(all.map((item) => item['opaque'])).toEqual(['a', 'b', 'a']);
    expect(all[0]).toMatchObject({ phone_number_id: PN, to: '15551230001', type: 'template', body: { messaging_product: 'whatsapp' }, accepted_at: now, statuses: [] });
    expect((await control('GET', `/sent?after=${all[0]?.['seq']}&to=%2B15551230001`)).body).toHaveLength(1);
    expect((await control('GET', '/sent/count')).body).toMatchObject({ count: 3 });
    expect((await control('GET', '/sent/duplicates')).body).toMatchObject({ count: 1, opaque: [{ opaque: 'a', count: 2 }], opaque_and_recipient: [{ opaque: 'a' }] });
    await control('POST', '/reset');
    expect((await control('GET', '/sent/count')).body).toMatchObject({ count: 0 });
  });

  test('refuses unknown settings, kinds and foreign origins', async () => {
    expect((await control('POST', '/settings', { colour: 1 })).status).toBe(400);
    expect((await control('POST', '/faults', { kind: 'nothing' })).status).toBe(400);
    expect((await control('POST', '/events', { kind: 'nothing' })).status).toBe(400);
    const foreign = await fetch(`${url}/_control/reset`, { method: 'POST', headers: { origin: 'https://evil.test' } });
    expect(foreign.status).toBe(403);
  });

  test('a restart keeps accounts, chats, windows and what was not delivered', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
    const stateFile = join(folder, 'state.json');
    const first = createSandbox({ clock: () => now, stateFile });
    first.account(demoAccount({ accessToken: 'token-9', appSecret: SECRET, verifyToken: 'v', webhookUrl: 'http://127.0.0.1:9/' }));
    first.webhooks.paused = true;
    const { wamid, user } = first.inbound({ phone_number_id: PN, from: { phone: '15551230001', name: 'Anna' }, text: 'hi' });
    await first.close();
    const second = createSandbox({ clock: () => now, stateFile });
    second.webhooks.paused = true;
    expect(second.state.accounts.get(WABA)?.access_token).toBe('token-9');
    expect(second.state.userByPhone(WABA, '15551230001')).toMatchObject({ key: user.key, user_id: user.user_id, windows: { [PN]: now } });
    expect(second.state.chat(PN, user.key)).toMatchObject([{ wamid }]);
    expect(second.webhooks.pending).toBe(1);
    await second.close();
    rmSync(folder, { recursive: true });
  });

  test('the control token guards the control API', async () => {
    const guarded = createSandbox({ controlToken: 'secret' });
    const { url: base } = await guarded.listen();
    expect((await fetch(`${base}/_control/accounts`)).status).toBe(401);
    expect((await fetch(`${base}/_control/accounts`, { headers: { 'x-control-token': 'secret' } })).status).toBe(200);
    await guarded.close();
  });

  test('the page, its script and the chat as the customer sees it', async () => {
    expect((await fetch(url)).headers.get('content-security-policy')).toContain("default-src 'none'");
    const script = await (await fetch(`${url}/_page/app.js`)).text();
    expect(() => new Function(script)).not.toThrow();
    write('15551230001');
    await send(template('delivery_scheduled', [{ type: 'header', parameters: [{ type: 'text', text: 'Anna' }] }, bodyTexts('#1', 'Monday'), { type: 'button', sub_type: 'url', index: 2, parameters: [{ type: 'text', text: '1' }] }]));
    const people = (await control('GET', `/chats?phone_number_id=${PN}`)).body as unknown as Json[];
    const chat = (await control('GET', `/chats/${people[0]?.['key']}?phone_number_id=${PN}`)).body;
    expect(chat['messages'][1]).toMatchObject({ mine: false, header: 'Delivery for Anna', text: 'Your order #1 arrives on Monday. Is somebody at home?', buttons: [{ title: 'Yes', send: { type: 'button' } }, {}, { url: 'https://example.com/track/1' }] });
  });
});
