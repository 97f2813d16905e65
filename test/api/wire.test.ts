import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { createContact, createConversation } from '../factories/contacts';
import { uniquePhone } from '../factories/unique';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiAnswer } from '../support/client';

let desk: TestApi;
let path: string;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  path = `/api/v1/contacts/${(await createContact(desk.workspace)).receiver_id}/`;
});
afterAll(() => desk.close());

const json = { 'content-type': 'application/json' };
const create = (body: unknown, headers?: Record<string, string>): Promise<ApiAnswer> =>
  desk.api.post('/api/v1/contacts/', body, headers);
const patch = (body: unknown): Promise<ApiAnswer> => desk.api.patch(path, body);
const datetimeFault =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].';

describe('error texts are those of DRF (C3)', () => {
  const faults: [string, Record<string, unknown>, Record<string, string[]>][] = [
    ['null', { assigned_team_inbox: null, custom_fields: null }, { custom_fields: ['This field may not be null.'] }],
    [
      'text of a wrong type',
      { company: { a: 1 }, notes: ['x'], name: true },
      { company: ['Not a valid string.'], notes: ['Not a valid string.'], name: ['Not a valid string.'] },
    ],
    [
      'too long',
      { email: `${'x'.repeat(250)}@b.test`, company: 'x'.repeat(256) },
      {
        email: ['Ensure this field has no more than 254 characters.'],
        company: ['Ensure this field has no more than 255 characters.'],
      },
    ],
    ['email', { email: 'nobody' }, { email: ['Enter a valid email address.'] }],
    ['boolean', { calling_permission: 'perhaps' }, { calling_permission: ['Must be a valid boolean.'] }],
    [
      'choice',
      { priority: 'x', conv_status: 7 },
      { priority: ['"x" is not a valid choice.'], conv_status: ['"7" is not a valid choice.'] },
    ],
    [
      'pk of a wrong type',
      { assigned_member: 'me', assigned_team_inbox: 1.5 },
      {
        assigned_member: ['Incorrect type. Expected pk value, received str.'],
        assigned_team_inbox: ['Incorrect type. Expected pk value, received float.'],
      },
    ],
    [
      'pk that is not there',
      { assigned_member: 2_000_000_000 },
      { assigned_member: ['Invalid pk "2000000000" - object does not exist.'] },
    ],
    [
      'pk out of range',
      { assigned_member: 99_999_999_999 },
      { assigned_member: ['Invalid pk "99999999999" - object does not exist.'] },
    ],
    [
      'a day that does not exist',
      { conv_status: 'snoozed', snoozed_until: '2026-02-31T10:00:00Z' },
      { snoozed_until: [datetimeFault] },
    ],
    [
      'an hour that does not exist',
      { conv_status: 'snoozed', snoozed_until: '2030-01-01T25:00:00Z' },
      { snoozed_until: [datetimeFault] },
    ],
    [
      'a number for a datetime',
      { conv_status: 'snoozed', snoozed_until: 1_900_000_000 },
      { snoozed_until: [datetimeFault] },
    ],
    ['dictionary', { custom_fields: [] }, { custom_fields: ['Expected a dictionary of items but got type "list".'] }],
    ['NUL', { notes: 'a\0b' }, { notes: ['Null characters are not allowed.'] }],
    ['half a character', { notes: 'a\ud800b' }, { notes: ['Surrogate characters are not allowed.'] }],
    ['NUL deep inside', { tags: [{ a: ['b\0'] }] }, { tags: ['Null characters are not allowed.'] }],
  ];
  it.each(faults)('%s', async (_name, body, expected) => {
    const answer = await patch(body);
    expect([answer.status, answer.body]).toEqual([400, expected]);
  });

  it('a missing and a blank required field', async () => {
    expect((await create({})).body).toEqual({ phone: ['This field is required.'] });
    expect((await create({ phone: ' ' })).body).toEqual({ phone: ['This field may not be blank.'] });
    expect((await desk.api.post('/api/v1/messages/', {})).body).toEqual({ to: ['This field is required.'] });
    expect((await desk.api.post('/api/v1/messages/', { to: null })).body).toEqual({
      to: ['This field may not be null.'],
    });
    expect((await desk.api.post('/api/v1/messages/', { to: '' })).body).toEqual({
      to: ['This field may not be blank.'],
    });
  });

  it('all wrong fields are named at once, and nothing is written', async () => {
    const before = (await desk.api.get(path)).body;
    const answer = await patch({ email: 'x', priority: 'y', company: 'Fine' });
    expect(Object.keys(answer.body).sort()).toEqual(['email', 'priority']);
    expect((await desk.api.get(path)).body).toEqual(before);
  });

  it('a limit counts characters, not code units', async () => {
    expect((await patch({ company: '😀'.repeat(255) })).status).toBe(200);
    expect((await patch({ company: '😀'.repeat(256) })).status).toBe(400);
  });
});

describe('bodies (C3)', () => {
  it('unknown and read-only keys are ignored', async () => {
    const { status, body } = await create({
      phone: uniquePhone(),
      nonsense: { deep: [1] },
      id: 7,
      receiver_id: 'mine',
      created_at: 'never',
      first_message_at: '2020-01-01',
    });
    expect(status).toBe(201);
    expect(body['id']).not.toBe(7);
    expect(body['first_message_at']).toBeNull();
  });

  it('of a duplicate key the last counts', async () => {
    const { status, body } = await create(`{"phone":"${uniquePhone()}","name":"First","name":"Last"}`, json);
    expect([status, body['name']]).toEqual([201, 'Last']);
  });

  it.each([['{'], ['{"a":'], ['nope'], ["{'a': 1}"], ['{"a": 1,}'], ['\ufeff{}x']])(
    'malformed JSON %j',
    async (text) => {
      const { status, body } = await create(text, json);
      expect([status, body]).toEqual([
        400,
        { non_field_errors: [expect.stringMatching(/^JSON parse error - \S/) as unknown] },
      ]);
    },
  );

  it('a parse error does not repeat the body', async () => {
    const { body } = await create('{"note": secret-words}', json);
    expect(JSON.stringify(body)).not.toContain('secret-words');
  });

  it.each([
    ['[]', 'list'],
    ['"text"', 'str'],
    ['7', 'number'],
    ['null', 'null'],
    ['true', 'boolean'],
  ])('%s is no object', async (text, name) => {
    const { status, body } = await create(text, json);
    expect([status, body]).toEqual([
      400,
      { non_field_errors: [`Invalid data. Expected a dictionary, but got ${name}.`] },
    ]);
  });

  it('bytes that are no UTF-8 are a 400', async () => {
    expect((await create(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), json)).status).toBe(400);
  });

  it.each([['text/plain'], ['application/xml'], ['application/octet-stream'], ['']])(
    'content type %j is a 415',
    async (type) => {
      const { status, body } = await create('{}', { 'content-type': type });
      expect([status, body]).toEqual([415, { error: `Unsupported media type "${type}" in request.` }]);
    },
  );

  it('over 1 MiB is a 413, also when it is compressed', async () => {
    const big = JSON.stringify({ notes: 'x'.repeat(1_100_000) });
    expect(await create(big, json)).toMatchObject({ status: 413, body: { error: 'Request body is too large.' } });
    expect((await create(gzipSync(big), { ...json, 'content-encoding': 'gzip' })).status).toBe(413);
    expect(
      (await create(gzipSync(Buffer.alloc(200 * 1024 * 1024)), { ...json, 'content-encoding': 'gzip' })).status,
    ).toBe(413);
  });

  it('a compressed body within the limit is read; a broken or unknown compression is refused', async () => {
    const body = gzipSync(JSON.stringify({ phone: uniquePhone() }));
    expect((await create(body, { ...json, 'content-encoding': 'gzip' })).status).toBe(201);
    expect((await create(Buffer.from('no gzip'), { ...json, 'content-encoding': 'gzip' })).status).toBe(400);
    expect((await create('{}', { ...json, 'content-encoding': 'lzma' })).status).toBe(415);
  });

  it('nesting ends at 32 levels, whatever the key, with and without an Idempotency-Key', async () => {
    const nested = (levels: number, within = ''): string => `${'['.repeat(levels)}${within}${']'.repeat(levels)}`;
    expect((await desk.api.patch(path, `{"tags":${nested(31)}}`, json)).status).toBe(200);
    for (const levels of [32, 1_000, 200_000]) {
      for (const key of ['tags', 'unknown', '__proto__']) {
        const answer = await desk.api.patch(path, `{"${key}":${nested(levels)}}`, json);
        expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['non_field_errors']]);
      }
      expect(
        (await create(`{"tags":${nested(levels)}}`, { ...json, 'idempotency-key': `deep-${levels}` })).status,
      ).toBe(400);
    }
    // A walk from the top to each of these numbers would take minutes.
    const numbers = Array.from({ length: 85_000 }, () => '1e999').join(',');
    expect((await create(`{"tags":${nested(250_000, numbers)}}`, json)).status).toBe(400);
  });

  it('form bodies say the same as JSON', async () => {
    const phone = uniquePhone();
    const created = await create(
      new URLSearchParams([
        ['phone', phone],
        ['name', 'Form'],
        ['tags', '["a","b"]'],
        ['marketing_opt_out', 'on'],
      ]),
    );
    expect(created).toMatchObject({ status: 201, body: { name: 'Form', tags: ['a', 'b'], marketing_opt_out: true } });
    const changed = await desk.api.patch(
      `/api/v1/contacts/${phone}/`,
      new URLSearchParams([
        ['assigned_member', ''],
        ['calling_permission', 'yes'],
        ['custom_fields', '{}'],
      ]),
    );
    expect(changed).toMatchObject({ status: 200, body: { assigned_member: null, calling_permission: true } });
    const boundary = 'b0undary';
    const part = (name: string, value: string): string =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const multipart = await desk.api.patch(
      `/api/v1/contacts/${phone}/`,
      `${part('notes', 'über')}${part('priority', 'high')}--${boundary}--\r\n`,
      { 'content-type': `multipart/form-data; boundary=${boundary}` },
    );
    expect(multipart).toMatchObject({ status: 200, body: { notes: 'über', priority: 'high' } });
  });

  it.each([
    ['no boundary', 'multipart/form-data', 'x'],
    ['no end', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx'],
    ['nothing', 'multipart/form-data; boundary=b', ''],
  ])('multipart with %s is a 400', async (_name, type, body) => {
    const answer = await create(body, { 'content-type': type });
    expect(answer.status).toBe(400);
  });

  it('a form with too many fields is a 413', async () => {
    expect(
      (
        await create(
          new URLSearchParams(Array.from({ length: 501 }, (_unused, index): [string, string] => [`k${index}`, '1'])),
        )
      ).status,
    ).toBe(413);
  });
});

describe('paths and methods (C3)', () => {
  it('serves paths with and without the trailing slash', async () => {
    for (const target of ['/api/v1/contacts', '/api/v1/contacts/', path, path.slice(0, -1)])
      expect((await desk.api.get(target)).status).toBe(200);
  });

  it('another method is a 405 that lists the allowed ones; unknown paths are a 404', async () => {
    const put = await desk.api.request('PUT', '/api/v1/contacts/', {});
    expect([put.status, put.body, put.headers.allow]).toEqual([
      405,
      { error: 'Method "PUT" not allowed.' },
      'GET, POST, HEAD, OPTIONS',
    ]);
    expect((await desk.api.delete('/api/v1/contacts/')).status).toBe(405);
    for (const unknown of [
      '/api/v1/nothing/',
      '/api/v1/',
      '/nothing',
      '/api/v2/contacts/',
      '/api/v1/contacts/1/2/3/',
    ]) {
      expect(await desk.api.get(unknown)).toMatchObject({ status: 404, body: { error: 'Not found.' } });
    }
  });

  it('an unknown path of the API is a 401 without a credential, elsewhere a 404 at once', async () => {
    const { headers, status } = await desk.anonymous.get('/api/v1/nothing/');
    expect([status, headers['x-error-code']]).toEqual([401, 'authentication_failed']);
    expect((await desk.anonymous.get('/api/v1/contacts/%ff/')).status).toBe(401);
    expect((await desk.anonymous.get('/nothing/')).status).toBe(404);
  });

  it.each([
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400, 'parse_error', { non_field_errors: [expect.any(String)] }],
    ['no HTTP', 'NONSENSE\r\n\r\n', 400, 'parse_error', { non_field_errors: [expect.any(String)] }],
    [
      'too large a head',
      `GET /?cursor=${'x'.repeat(17_000)} HTTP/1.1\r\n\r\n`,
      431,
      'headers_too_large',
      { error: expect.any(String) as unknown },
    ],
  ])('%s gets the envelope of all errors', async (_name, bytes, status, code, body) => {
    const socket = connect(Number(new URL(desk.url).port), '127.0.0.1');
    socket.end(bytes);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    const [head = '', text = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*X-Request-Id: \\S+[^]*X-Error-Code: ${code}\r\n`));
    expect(JSON.parse(text)).toEqual(body);
  });

  it('HEAD answers like GET without a body, OPTIONS with Allow', async () => {
    const head = await desk.api.request('HEAD', '/api/v1/contacts/');
    expect([head.status, head.body]).toEqual([200, undefined]);
    const options = await desk.api.request('OPTIONS', path);
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, PATCH, DELETE, HEAD, OPTIONS']);
  });

  it.each([
    ['%ff'],
    ['%00'],
    ['%F0%9F%98%80'],
    ['..%2f..'],
    ['x'.repeat(300)],
    ['9'.repeat(60)],
    ['__proto__'],
    ['constructor'],
    ["'; DROP TABLE contacts; --"],
  ])('handle %j is a 404', async (handle) => {
    expect(
      (await desk.api.get(`/api/v1/contacts/${handle.includes("'") ? encodeURIComponent(handle) : handle}/`)).status,
    ).toBe(404);
  });

  it('a request id is taken when it is sane and made when it is not', async () => {
    expect((await desk.api.get(path, { 'x-request-id': 'trace-7.A:b' })).headers['x-request-id']).toBe('trace-7.A:b');
    for (const bad of ['has space', 'x'.repeat(129), 'ü', '<script>']) {
      const { headers } = await desk.api.get(path, { 'x-request-id': Buffer.from(bad).toString('latin1') });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('refuses query values that cannot be, and ignores odd names', async () => {
    expect((await desk.api.get('/api/v1/contacts/?search=%00')).status).toBe(400);
    expect((await desk.api.get('/api/v1/contacts/?created_after=2026-02-31')).body).toEqual({
      created_after: [datetimeFault],
    });
    expect((await desk.api.get('/api/v1/contacts/?conv_status=open,gone')).body).toEqual({
      conv_status: ['"gone" is not a valid choice.'],
    });
    const odd = '__proto__=1&constructor=2&toString=3&toString=4';
    expect((await desk.api.get(`/api/v1/contacts/?assigned_member=none&${odd}`)).status).toBe(200);
  });

  it('headers beyond what a server takes do not bring it down', async () => {
    const answer = await request(`${desk.url}/api/v1/contacts/`, { headers: { 'x-large': 'x'.repeat(40_000) } });
    await answer.body.dump();
    expect(answer.statusCode).toBe(431);
    expect((await desk.api.get(path)).status).toBe(200);
  });

  it('datetimes go out in UTC with milliseconds, and come in with any offset or none', async () => {
    const { receiver_id: handle } = await createConversation(desk.workspace);
    for (const [given, stored] of [
      ['2040-05-01T12:00:00+02:00', '2040-05-01T10:00:00.000Z'],
      ['2040-05-01T12:00:00.1234567', '2040-05-01T12:00:00.123Z'],
      ['2040-05-01 12:00Z', '2040-05-01T12:00:00.000Z'],
    ]) {
      expect(
        (await desk.api.patch(`/api/v1/conversations/${handle}/`, { status: 'snoozed', snoozed_until: given })).body[
          'snoozed_until'
        ],
      ).toBe(stored);
    }
  });
});
