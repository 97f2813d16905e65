import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { createSandbox } from '../server';
import { control, useWorld, world, type Json } from './world';

useWorld();

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const other = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;

interface Sent {
  id?: string;
  type?: string;
  sequence?: number;
  data?: Json;
}

/** Sends an event as Msgdesk does, signed unless the headers say otherwise. */
async function deliver(
  { id = 'evt_1', type = 'message.received', sequence = 1, data = {} }: Sent = {},
  options: { secret?: string; headers?: Record<string, string>; url?: string; path?: string } = {},
): Promise<{ status: number; body: string; headers: Headers }> {
  const body = JSON.stringify({ id, type, created_at: new Date().toISOString(), workspace_id: 1, sequence, data });
  const now = new Date();
  const response = await fetch(`${options.url ?? world.url}${options.path ?? '/receiver'}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(options.secret ?? secret).sign(id, now, body),
      ...options.headers,
    },
    body,
  });
  return { status: response.status, body: await response.text(), headers: response.headers };
}

const change = (input: Json): ReturnType<typeof control> => control('POST', '/receiver', input);
const received = async (): Promise<Json[]> => (await control('GET', '/receiver')).body['received'] as Json[];

describe('the receiver of outgoing webhooks', () => {
  beforeEach(() => change({ secret }));

  it('shows what arrives: type, subject, sequence, verified, attempt', async () => {
    const data = { receiver: { name: 'Anna', receiver_id: '4915112345678' } };
    expect(await deliver({ data, sequence: 4 })).toMatchObject({ status: 200, body: '{}' });
    await deliver({ data, sequence: 4 });
    await deliver({ id: 'evt_2', type: 'ticket.stage_changed', data: { id: 7, title: 'Parcel is late' } });
    expect(await received()).toMatchObject([
      { type: 'ticket.stage_changed', subject: 'Parcel is late (7)', attempt: 1 },
      { type: 'message.received', subject: 'Anna (4915112345678)', sequence: 4, attempt: 2, verified: true },
      { id: 'evt_1', attempt: 1, verified: true, problem: '', status: 200, actions: [], event: { workspace_id: 1 } },
    ]);
    await control('DELETE', '/receiver/received');
    expect(await received()).toEqual([]);
  });

  it.each<[string, Parameters<typeof deliver>[1], RegExp]>([
    ['another secret', { secret: other }, /signature/],
    ['no signature', { headers: { 'webhook-signature': '' } }, /headers/],
    ['a signature that is none', { headers: { 'webhook-signature': 'v1,é v2,x nonsense' } }, /signature/],
    ['an old timestamp', { headers: { 'webhook-timestamp': '1000000000' } }, /old/],
  ])('refuses %s, shows why, and asks for no action', async (_name, options, problem) => {
    await change({ rules: [{ when: {}, answer: { actions: [{ type: 'set_status' }] } }] });
    expect((await deliver({}, options)).status).toBe(401);
    const [entry] = await received();
    expect(entry).toMatchObject({ verified: false, status: 401, actions: [] });
    expect(entry?.['problem']).toMatch(problem);
  });

  it('refuses everything as long as it knows no secret, and knows several at once', async () => {
    const fresh = createSandbox();
    const { url } = await fresh.listen();
    expect((await deliver({}, { url })).status).toBe(401);
    await fresh.close();

    await change({ secret: other });
    // The same event of two subscriptions is no second attempt.
    expect((await deliver({}, { secret: other })).status).toBe(200);
    expect((await deliver({}, { secret })).status).toBe(200);
    expect((await received()).map(({ attempt }) => attempt as number)).toEqual([1, 1]);
    expect((await control('GET', '/receiver')).body['secrets']).toBe(2);

    // However many come later, a secret that is in use is not forgotten.
    for (let count = 0; count < 30; count += 1) {
      await change({ secret: `whsec_${Buffer.alloc(24, 30 + count).toString('base64')}` });
      expect((await deliver({ id: `evt_${count}` })).status).toBe(200);
    }
  });

  it('answers with the first rule that fits, by type and by text, and fills in values of the event', async () => {
    const data = {
      receiver: { name: 'Anna' },
      phone_number: { phone_number_id: '106' },
      body: { type: 'text', text: { body: 'What are your OPENING hours?' } },
    };
    const { body } = await deliver({ data });
    expect(JSON.parse(body)).toEqual({
      actions: [
        {
          type: 'send_message',
          params: { phone_number_id: '106', body: 'We are open Monday to Friday from 9 to 18, Anna.' },
        },
      ],
    });
    expect((await received())[0]).toMatchObject({ actions: ['send_message'] });
    expect((await deliver({ type: 'contact.created', data })).body).toBe('{}');

    await change({
      rules: [
        { when: { type: 'ticket.created' }, answer: { actions: [{ type: 'escalate' }] } },
        { when: {}, answer: { note: '{{data.id}} {{data.missing.key}}|{{ other }}' } },
      ],
    });
    expect(JSON.parse((await deliver({ type: 'ticket.created' })).body)).toEqual({ actions: [{ type: 'escalate' }] });
    expect(JSON.parse((await deliver({ data: { id: 5 } })).body)).toEqual({ note: '5 |{{ other }}' });
  });

  it.each<[string, Json, number, string | RegExp]>([
    ['unavailable', {}, 503, /maintenance/],
    ['garbage', {}, 200, '<html>{"actions": ['],
    ['gone', {}, 410, /Gone/],
    ['throttled', { retry_after: 7 }, 429, /Too many/],
  ])('can be told to be %s', async (mode, more, status, body) => {
    await change({ mode, ...more });
    const answer = await deliver();
    expect(answer).toMatchObject({ status, body: typeof body === 'string' ? body : expect.stringMatching(body) });
    if (mode === 'throttled') expect(answer.headers.get('retry-after')).toBe('7');
    if (mode === 'garbage') expect(() => JSON.parse(answer.body) as unknown).toThrow();
    expect((await received())[0]).toMatchObject({ status, verified: true, actions: [] });
  });

  it('can be told to close connections and to be slow, and behaves well after a reset', async () => {
    await change({ mode: 'closed' });
    await expect(deliver()).rejects.toThrow('fetch failed');
    expect((await received())[0]).toMatchObject({ status: null, verified: true });

    await change({ mode: 'slow', slow_ms: 300 });
    const started = performance.now();
    expect((await deliver()).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(295);

    await control('POST', '/reset', {});
    expect((await control('GET', '/receiver')).body).toMatchObject({ mode: 'ok', secrets: 1, received: [] });
  });

  it.each<[string, Json]>([
    ['mode', { mode: 'asleep' }],
    ['slow_ms', { slow_ms: -1 }],
    ['retry_after', { retry_after: '5' }],
    ['secret', { secret: 'whsec_' }],
    ['rules', { rules: {} }],
    ['rules[0]', { rules: [{ when: 'always', answer: {} }] }],
    ['rules[0].when', { rules: [{ when: { kind: 'x' }, answer: {} }] }],
    ['nonsense', { nonsense: 1 }],
  ])('refuses settings that are wrong: %s', async (name, input) => {
    const answer = await change(input);
    expect(answer.status).toBe(400);
    expect(answer.body['error']).toContain(name);
    expect((await deliver()).status).toBe(200);
  });

  it('takes what is no event without harm', async () => {
    const plain = await fetch(`${world.url}/receiver/any/path`, { method: 'POST', body: 'not JSON' });
    expect(plain.status).toBe(401);
    const large = await fetch(`${world.url}/receiver`, { method: 'POST', body: 'x'.repeat(1_048_577) });
    expect(large.status).toBe(413);
    expect(await received()).toMatchObject([{ path: '/receiver/any/path', type: '', verified: false, event: {} }]);
  });

  it('shows no secret, and keeps secrets and rules over a restart', async () => {
    expect(JSON.stringify((await control('GET', '/receiver')).body)).not.toContain(secret.slice(6));
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
    const stateFile = join(folder, 'state.json');
    const first = createSandbox({ stateFile });
    first.receiver.change({ secret, rules: [{ when: {}, answer: { kept: true } }] });
    await first.close();

    const second = createSandbox({ stateFile });
    const { url } = await second.listen();
    expect((await deliver({}, { url })).body).toBe('{"kept":true}');
    await second.close();
    rmSync(folder, { recursive: true });
  });
});
