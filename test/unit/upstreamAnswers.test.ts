import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { codes, isKnownCode, type SendOutcome } from '../../api/core/platform/answers';
import { createUpstream, isUnknownObject, UpstreamError, type Upstream } from '../../api/core/platform/upstream';

/** What an answer of the platform to a send means: only what was certainly not processed may be tried again. */
let server: Server;
let upstream: Upstream;
let answer: { status: number; body: string; headers?: Record<string, string> };
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(answer.status, answer.headers).end(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  upstream = createUpstream({ upstream: { url, version: 'v1' }, platformCalls: 10 });
});
afterAll(async () => {
  await upstream.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function outcomeOf(status: number, body: unknown, headers: Record<string, string> = {}): Promise<SendOutcome> {
  answer = { status, body: typeof body === 'string' ? body : JSON.stringify(body), headers };
  return upstream.sendMessage('token', '1', {});
}
const fault = (code: unknown, more: object = {}): object => ({ error: { code, message: 'No', ...more } });

describe('an answer that accepts', () => {
  it('names the message, and the recipient where it knows them', async () => {
    const messages = [{ id: 'wamid.1' }];
    expect(await outcomeOf(200, { messages })).toEqual({ kind: 'accepted', wamid: 'wamid.1' });
    expect(await outcomeOf(299, { messages, contacts: [{ wa_id: '49', user_id: 'DE.1' }] })).toEqual({
      kind: 'accepted',
      wamid: 'wamid.1',
      waId: '49',
      userId: 'DE.1',
    });
    expect(await outcomeOf(200, { messages, contacts: [{ wa_id: 49, user_id: null }] })).toEqual({
      kind: 'accepted',
      wamid: 'wamid.1',
    });
  });

  it('says where the platform holds the message back', async () => {
    const held = async (message_status: string): Promise<SendOutcome> =>
      outcomeOf(200, { messages: [{ id: 'wamid.1', message_status }] });
    expect(await held('held_for_quality_assessment')).toEqual({ kind: 'accepted', wamid: 'wamid.1', held: true });
    expect(await held('paused')).toEqual({ kind: 'accepted', wamid: 'wamid.1', held: true });
    expect(await held('accepted')).toEqual({ kind: 'accepted', wamid: 'wamid.1' });
  });

  it.each([
    [{}],
    [{ messages: [] }],
    [{ messages: [{ id: '' }] }],
    [{ messages: [{ id: 7 }] }],
    ['nonsense'],
    ['null'],
    ['[]'],
  ])('without a message id is unknown: %j', async (body) => {
    expect(await outcomeOf(200, body)).toMatchObject({ kind: 'unknown' });
  });
});

describe('an answer that refuses', () => {
  it('is decided by its code, not by its status', async () => {
    expect(await outcomeOf(500, fault(131056))).toMatchObject({
      class: 'retry',
      status: 500,
      code: 131056,
      title: 'No',
    });
    expect(await outcomeOf(400, fault(190))).toMatchObject({ class: 'stop', code: 190 });
    expect(await outcomeOf(429, fault(100))).toMatchObject({ class: 'permanent', code: 100 });
    expect(await outcomeOf(300, fault(100))).toMatchObject({ kind: 'rejected', status: 300 });
  });

  it('tells its details, as text or in an object', async () => {
    expect(await outcomeOf(400, fault(100, { error_data: 'Because' }))).toMatchObject({ message: 'Because' });
    expect(await outcomeOf(400, fault(100, { error_data: { details: 'Because' } }))).toMatchObject({
      message: 'Because',
    });
    for (const error_data of ['', null, { details: '' }, { details: 7 }, 7])
      expect(await outcomeOf(400, fault(100, { error_data }))).toMatchObject({ message: 'No' });
    expect(await outcomeOf(400, { error: { code: 100 } })).toMatchObject({ title: 'Error', message: 'Error' });
    const long = { error: { code: 100, message: 'x'.repeat(300) } };
    expect(await outcomeOf(400, long)).toMatchObject({ title: 'x'.repeat(255), message: 'x'.repeat(300) });
  });

  it('may say when to come back, in whole seconds', async () => {
    expect(await outcomeOf(400, fault(4), { 'retry-after': '7' })).toMatchObject({ retryAfterMs: 7_000 });
    expect(await outcomeOf(400, fault(4), { 'retry-after': '120' })).toMatchObject({ retryAfterMs: 120_000 });
    for (const value of ['soon', '-1', '1.5', '1234567'])
      expect(await outcomeOf(400, fault(4), { 'retry-after': value })).not.toHaveProperty('retryAfterMs');
    expect(await outcomeOf(400, fault(4), { 'retry-after': '0' })).not.toHaveProperty('retryAfterMs');
  });

  it.each(['{}', 'nonsense', 'null', '[]', '{"error": "text"}', '{"error": null}', '{"error": {"code": "1"}}'])(
    'and cannot be read was not processed below 500, and nobody knows from there on: %s',
    async (body) => {
      expect(await outcomeOf(499, body)).toMatchObject({
        kind: 'rejected',
        class: 'permanent',
        status: 499,
        code: 499,
        title: 'HTTP 499',
      });
      expect(await outcomeOf(429, body, { 'retry-after': '3' })).toMatchObject({ class: 'retry', retryAfterMs: 3_000 });
      expect(await outcomeOf(429, body)).not.toHaveProperty('retryAfterMs');
      expect(await outcomeOf(500, body)).toMatchObject({ kind: 'unknown' });
    },
  );
});

it('every code of a send is known by its number, others count together', () => {
  // upstream 1.6, and the codes that refuse for good.
  const known = [
    ...[0, 1, 2, 3, 4, 10, 17, 33, 100, 104, 190, 200, 299, 368, 613, 80007, 80008, 130429, 130472, 130497, 131000],
    ...[131005, 131008, 131009, 131016, 131021, 131026, 131030, 131031, 131037, 131042, 131045, 131047, 131048, 131049],
    ...[131050, 131051, 131052, 131053, 131056, 131057, 131062, 131063, 131064, 132000, 132001, 132005, 132007, 132008],
    ...[132012, 132015, 132016, 132018, 132068, 132069, 133004, 133010, 135000, 137000],
  ];
  expect([...known, -2, 34, 300, 999_999].filter((code) => !isKnownCode(code))).toEqual([-2, 34, 300, 999_999]);
});

it('codes that the service answers by more than their class are known ones, each another', () => {
  const { notReached: _ours, ...theirs } = codes;
  const numbers = Object.values(theirs);
  expect([numbers.filter((code) => !isKnownCode(code)), new Set(numbers).size]).toEqual([[], numbers.length]);
});

describe('a read', () => {
  const read = (status: number, body: unknown): Promise<unknown> => {
    answer = { status, body: JSON.stringify(body) };
    return upstream.get('token', '1').catch((refusal: unknown) => refusal);
  };

  it('tells the subcode by which an object that is not there is known', async () => {
    expect(isUnknownObject(await read(400, { error: { code: 100, error_subcode: 33 } }))).toBe(true);
    for (const error_subcode of [34, '33', undefined])
      expect(isUnknownObject(await read(400, { error: { code: 100, error_subcode } }))).toBe(false);
  });

  it('gives an object, and refuses an answer that is none', async () => {
    expect(await read(200, { id: '1' })).toEqual({ id: '1' });
    for (const body of [null, [], 7, 'text', true]) expect(await read(200, body)).toBeInstanceOf(UpstreamError);
  });

  it('of a list refuses what is only a part of it', async () => {
    for (const body of [{}, { data: {} }, { data: [{}], paging: { next: 'https://next' } }]) {
      answer = { status: 200, body: JSON.stringify(body) };
      await expect(upstream.list('token', '1')).rejects.toBeInstanceOf(UpstreamError);
    }
  });
});
