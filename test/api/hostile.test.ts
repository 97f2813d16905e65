import { fc, runs } from '../support/properties';
import { allScopes } from '../../api/core/http/access';
import { AppError } from '../../api/core/http/errors';
import { describeObject } from '../../api/core/http/fields';
import type { Operation } from '../../api/core/http/operations';
import { operations } from '../../api/operations';
import { rehearseMacro } from '../../api/services/processes/macroRuns/service';
import { createCustomer } from '../factories/customers';
import { ownerSession } from '../factories/macros';
import { unique, uniquePhone } from '../factories/unique';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiAnswer } from '../support/client';
import { places, put, targetOf, writes, type Place, type WriteTarget } from '../support/writes';

type Json = Record<string, unknown>;

let desk: TestApi;
let handle: string;
let chatId: number;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  const anna = createCustomer(desk.workspace);
  await anna.writes('Hi');
  handle = anna.handle;
  chatId = Number((await desk.api.get(`/api/v1/conversations/${handle}/`)).body['id']);
  for (const [name, type, more] of [
    ['plan', 'text', {}],
    ['seats', 'number', {}],
    ['level', 'select', { options: ['3', 'b'], applies_to: ['tickets'] }],
  ] as const)
    await desk.api.post('/api/v1/custom-fields/', { name, label: name, field_type: type, ...more });
});
afterAll(() => desk.close());

const reads = operations.filter((operation) => operation.method === 'GET' && operation.query !== undefined);

/** An object whose own keys stand where JavaScript looks for methods. */
const impostor = Object.fromEntries([
  ['toString', 1],
  ['valueOf', null],
  ['length', -1],
  ['__proto__', { admin: true }],
  ['constructor', { prototype: null }],
  ['toJSON', 'x'],
  ['then', 1],
]);
const hostile = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -1,
  0.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  2_147_483_648,
  '',
  ' ',
  'x',
  'toString',
  '2026-02-31T25:00:00Z',
  '99999999999999999999',
  '\u0000',
  '\ud800',
  'x'.repeat(70_000),
  [],
  [null],
  [[]],
  Array.from({ length: 3_000 }, (_item, index) => index),
  {},
  impostor,
  [impostor],
  Array.from({ length: 40 }).reduce<unknown>((inner) => ({ a: inner }), 1),
);

/** Sends the body; what is accepted must also work when it is used. */
async function send({ operation, path, client }: WriteTarget, body: unknown): Promise<ApiAnswer> {
  const answer = await client.request(operation.method, path, body);
  if (answer.status >= 500) throw new Error(`${answer.status} for ${JSON.stringify(body).slice(0, 500)}`);
  if (answer.status >= 300) return answer;
  // An answer of 204 has no body.
  const id = Number((answer.body as Json | undefined)?.['id']);
  if (operation.id === 'macros.create' || operation.id === 'macros.update') await rehearse(id, body);
  if (operation.id.startsWith('broadcasts.') && operation.id !== 'broadcasts.confirm') {
    const preview = await desk.api.post(`/api/v1/broadcasts/${id}/preview/`, {});
    if (preview.status >= 500) throw new Error(`the preview failed for ${JSON.stringify(body).slice(0, 500)}`);
  }
  return answer;
}

/** Runs the macro and undoes it: it may be refused, but not break. */
async function rehearse(id: number, body: unknown): Promise<void> {
  const ctx = { ...desk.workspace.ctx, scopes: new Set(allScopes) };
  await rehearseMacro(ctx, id, { chat_id: chatId }).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.status >= 500)
      throw new Error(`the macro broke: ${String(error)} for ${JSON.stringify(body).slice(0, 500)}`);
  });
}

/** The body with values that no other row has, so that it is not refused before it is looked at. */
function fresh(operation: Operation, body: Json, at: Place): Json {
  const renewed = { ...body };
  if ('phone' in body && at[0] !== 'phone') renewed['phone'] = uniquePhone();
  if (operation.id === 'customFields.create' && at[0] !== 'name') renewed['name'] = `f${unique()}`;
  return renewed;
}

describe('whatever stands at whatever place of a valid body, no write answers with a fault of ours', () => {
  it.each(writes.map((operation) => [operation.id, operation] as const))('%s', async (_id, operation) => {
    const target = await targetOf(desk, handle, operation);
    for (const body of target.bodies) {
      for (const at of places(body)) {
        await send(target, put(fresh(operation, body, at), at, null));
        await send(target, put(fresh(operation, body, at), at, impostor));
      }
    }
    const spots = target.bodies.flatMap((body) => places(body).map((at) => ({ body, at })));
    if (spots.length === 0) return;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...spots), hostile, async ({ body, at }, value) => {
        await send(target, put(fresh(operation, body, at), at, value));
      }),
      { numRuns: runs(10), endOnFailure: true },
    );
  });
});

const words = fc.constantFrom(
  '',
  ' ',
  'x',
  'null',
  'none',
  '-1',
  '0',
  '1e999',
  '2147483648',
  '99999999999999999999',
  'toString',
  '__proto__',
  '[object Object]',
  '{"a":1}',
  ',,,',
  '1,x',
  '2026-02-31',
  '0000-01-01T00:00:00Z',
  '275760-09-13T00:00:00Z',
  '%00',
  '\u0000',
  'İ',
  '%',
  '_',
  "';--",
  'x'.repeat(3_000),
  Buffer.from('{"o":"-created_at","v":"2026-02-31T00:00:00.000Z","i":1}').toString('base64url'),
  Buffer.from('{"o":"-last_message_at","v":"0000-01-01T00:00:00.000Z","i":1}').toString('base64url'),
  Buffer.from('{"o":{"toString":1},"v":[],"i":1e400}').toString('base64url'),
);

describe('whatever a query parameter says, no read answers with a fault of ours', () => {
  it.each(reads.map((operation) => [operation.id, operation] as const))('%s', async (_id, operation) => {
    const client = operation.audience === 'session' ? (await ownerSession(desk.workspace)).api : desk.api;
    const path = operation.path.replace(/\{receiver_id\}/g, handle).replace(/\{\w+\}/g, '1');
    const keys = Object.keys(describeObject(operation.query ?? reads[0]!.query!)['properties'] as object);
    const prefixed = Object.keys(operation.queryPrefixes ?? {}).map((prefix) => `${prefix}plan`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.constantFrom(...keys, ...prefixed, 'toString', '__proto__', 'constructor', 'a.b', 'a[0]', '$where', ''),
            words,
          ),
          {
            minLength: 1,
            maxLength: 3,
          },
        ),
        async (entries) => {
          const query = entries
            .map(([key, word]) => `${encodeURIComponent(key)}=${encodeURIComponent(word)}`)
            .join('&');
          const answer = await client.get(`${path}?${query}`);
          expect(answer.status).toBeLessThan(500);
        },
      ),
      { numRuns: runs(15), endOnFailure: true },
    );
  });
});

it('a macro whose template cannot be sent is refused when it is saved', async () => {
  const { api } = await ownerSession(desk.workspace);
  const save = (params: Json): Promise<ApiAnswer> =>
    api.post('/api/v1/macros/', { name: 'Hello', actions: [{ type: 'send_template', params }] });
  const template = (components: unknown): Json => ({ template: { name: 'x', language: 'en', components } });
  expect((await save(template([{ type: 'body', parameters: 'x' }]))).body).toEqual({
    actions: ['1: send_template: template: components.0.parameters: Expected a list of items but got type "str".'],
  });
  expect((await save(template([{ type: 'fax' }]))).status).toBe(400);
  expect((await save({ template_id: '1', template: { name: 'x', language: 'en' } })).status).toBe(400);
  expect((await save(template([{ type: 'body', parameters: null }]))).status).toBe(201);
});

it('a handle of any text is found or not, nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(
      // Clients take `.` and `..` out of a path before it is sent.
      fc
        .oneof(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.string({ unit: 'binary', maxLength: 10 }), words)
        .filter((given) => !['', '.', '..'].includes(given)),
      async (given) => {
        const answer = await desk.api.get(`/api/v1/contacts/${encodeURIComponent(given.toWellFormed())}/`);
        expect([200, 404]).toContain(answer.status);
      },
    ),
    { numRuns: runs(30) },
  );
});
