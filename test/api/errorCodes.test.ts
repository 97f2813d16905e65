import type { AnySchema } from 'yup';
import { buildOpenApi } from '../../api/core/http/openapi';
import { errorCodes } from '../../api/core/http/errors';
import { operations } from '../../api/operations';
import { StepFailure } from '../../api/services/processes/macroRuns/steps';
import { createContact } from '../factories/contacts';
import { templateId } from '../factories/broadcasts';
import { unique, uniquePhone } from '../factories/unique';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiAnswer } from '../support/client';

const contacts = '/api/v1/contacts/';
const codeOf = ({ status, headers }: ApiAnswer<unknown>): [number, unknown] => [status, headers['x-error-code']];

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

describe('programs can tell errors apart', () => {
  const cases: readonly (readonly [code: string, status: number, ask: () => Promise<ApiAnswer<unknown>>])[] = [
    ['invalid', 400, () => desk.api.post(contacts, {})],
    ['parse_error', 400, () => desk.api.post(contacts, '{', { 'content-type': 'application/json' })],
    ['authentication_failed', 401, () => desk.anonymous.get(contacts)],
    ['authentication_failed', 401, () => desk.anonymous.post('/mcp', {})],
    ['missing_scope', 403, async () => (await desk.workspace.key(['contact.view'])).api.post(contacts, {})],
    [
      'address_not_allowed',
      403,
      async () =>
        (await desk.workspace.key(['contact.view'], { allowedAddresses: ['192.0.2.0/24'] })).api.get(contacts),
    ],
    [
      'needs_approval',
      403,
      async () =>
        (await desk.workspace.key(['all'], { autonomy: 'approval' })).api.post('/api/v1/messages/', {
          to: (await createContact(desk.workspace)).receiver_id,
          body: 'Hi',
        }),
    ],
    ['permission_denied', 403, () => desk.api.get('/api/v1/audit-log/')],
    [
      'trial_expired',
      403,
      async () =>
        (await createWorkspace(desk, { plan: null, trialEndsAt: new Date(Date.now() - 1_000) })).api.get(contacts),
    ],
    ['not_found', 404, () => desk.api.get(`${contacts}4900000000/`)],
    ['not_found', 404, () => desk.api.get('/nowhere/')],
    ['method_not_allowed', 405, () => desk.api.request('PUT', contacts)],
    ['method_not_allowed', 405, () => desk.api.get('/mcp')],
    ['payload_too_large', 413, () => desk.api.post(contacts, { name: 'x'.repeat(1024 * 1024) })],
    ['unsupported_media_type', 415, () => desk.api.post(contacts, 'x', { 'content-type': 'text/plain' })],
    [
      'window_closed',
      400,
      async () =>
        desk.api.post('/api/v1/messages/', {
          to: (await createContact(desk.workspace)).receiver_id,
          body: 'Hi',
          phone_number_id: desk.workspace.account.phoneNumberId,
        }),
    ],
    [
      'opted_out',
      400,
      async () => {
        const contact = await createContact(desk.workspace);
        await desk.runtime.db.rows('UPDATE contacts SET marketing_opt_out = true WHERE id = $id', { id: contact.id });
        return desk.api.post('/api/v1/messages/', {
          to: contact.receiver_id,
          type: 'template',
          template: {
            name: 'spring_sale',
            language: 'en_US',
            components: [
              {
                type: 'body',
                parameters: [
                  { type: 'text', parameter_name: 'first_name', text: 'Anna' },
                  { type: 'text', parameter_name: 'discount', text: '20%' },
                ],
              },
            ],
          },
          phone_number_id: desk.workspace.account.phoneNumberId,
        });
      },
    ],
    [
      'template_not_approved',
      400,
      async () => {
        const other = await createWorkspace(desk);
        await desk.runtime.db.rows(`UPDATE templates SET status = 'PAUSED' WHERE workspace_id = $id`, { id: other.id });
        return other.api.post('/api/v1/broadcasts/', {
          name: 'News',
          template_id: templateId(other, 'ticket_update'),
          audience: { all: true },
          phone_number_id: other.account.phoneNumberId,
        });
      },
    ],
    [
      'idempotency_key_reused',
      409,
      async () => {
        const key = { 'idempotency-key': `key${unique()}` };
        await desk.api.post(contacts, { phone: uniquePhone() }, key);
        return desk.api.post(contacts, { phone: uniquePhone() }, key);
      },
    ],
  ];

  it.each(cases)('%s (%i)', async (code, status, ask) => {
    expect(codeOf(await ask())).toEqual([status, code]);
  });

  it('also where the limit is reached, and where the fault is ours', async () => {
    const narrow = await sharedDesk('plain', { env: { RATE_LIMIT_PER_MINUTE: '1' } });
    await narrow.api.get(contacts);
    expect(codeOf(await narrow.api.get(contacts))).toEqual([429, 'throttled']);
    await narrow.close();
    await desk.runtime.db.rows('ALTER TABLE contacts RENAME COLUMN company TO firm');
    const broken = await desk.api.get(contacts);
    await desk.runtime.db.rows('ALTER TABLE contacts RENAME COLUMN firm TO company');
    expect(codeOf(broken)).toEqual([500, 'internal_error']);
  });

  it('also a step of a macro that was refused', () => {
    expect(new StepFailure({ index: 1, type: 'send_message', why: 'No.' }).publicCode).toBe('macro_step_failed');
  });

  it('by words that the OpenAPI document lists', () => {
    const document = buildOpenApi(operations, 'https://desk.test') as {
      components: { headers: Record<string, { schema: { enum: string[] } }> };
    };
    expect(document.components.headers['X-Error-Code']?.schema.enum).toEqual(Object.keys(errorCodes));
  });
});

describe('what was passed over is told', () => {
  it('of the query and of the body, whatever the answer is', async () => {
    const listed = await desk.api.get(`${contacts}?foo=1&tag=x&custom_field.plan=&%C3%A4=2&page_size=1`);
    expect(listed.headers['x-ignored-parameters']).toBe('foo, %C3%A4');
    const created = await desk.api.post(contacts, { phone: uniquePhone(), snooze: 1, id: 7 });
    expect([created.status, created.headers['x-ignored-fields']]).toEqual([201, 'snooze, id']);
    const refused = await desk.api.post(contacts, { fone: '1' });
    expect([refused.status, refused.headers['x-ignored-fields']]).toEqual([400, 'fone']);
    const known = await desk.api.get(`${contacts}?page_size=1`);
    expect(known.headers).not.toHaveProperty('x-ignored-parameters');
  });

  it('or refused: a parameter that is repeated and no list, in every list of the API', async () => {
    const told: string[] = [];
    for (const { id, path, method, audience, query, queryPrefixes = {} } of operations) {
      if (method !== 'GET' || path.includes('{') || audience === 'session') continue;
      for (const [name, field] of Object.entries(query?.fields ?? {})) {
        const prefix = Object.entries(queryPrefixes).find(([, key]) => key === name)?.[0];
        const sent = prefix === undefined ? name : `${prefix}x`;
        const { body } = await desk.api.get(`${path}?${sent}=1&${sent}=1`);
        const isRefused = JSON.stringify(body[sent] ?? '').includes('Give this parameter once.');
        expect([id, sent, isRefused]).toEqual([id, sent, (field as AnySchema).spec.meta?.items === undefined]);
        told.push(sent);
      }
    }
    expect(told.length).toBeGreaterThan(60);
    const { headers } = await desk.api.get(`${contacts}?foo=1&foo=2&custom_field=1&custom_field=1`);
    expect(headers['x-ignored-parameters']).toBe('foo, custom_field');
  });

  it('in a header that is bounded', async () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_none, index) => [`${'x'.repeat(300)}${index}`, 1]));
    const { headers } = await desk.api.post(contacts, { phone: uniquePhone(), ...many });
    expect(String(headers['x-ignored-fields']).length).toBeLessThan(2_100);
  });

  it('an empty parameter was not given', async () => {
    const plain = await desk.api.get(`${contacts}?page_size=1`);
    const empty = await desk.api.get(
      `${contacts}?tag=&conv_status=&assigned_member=&opted_out=&created_after=&ordering=&page=&cursor=&page_size=1`,
    );
    expect([empty.status, empty.body.count]).toEqual([200, plain.body.count]);
    expect(empty.body.next).toBe(plain.body.next);
  });
});

describe('the commonest mistakes are named', () => {
  it('JSON that was sent as a form', async () => {
    const { status, body } = await desk.api.post(contacts, JSON.stringify({ phone: uniquePhone() }), {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([status, body]).toEqual([400, { non_field_errors: ['Send Content-Type: application/json.'] }]);
  });

  it.each([
    ['{', /^JSON parse error - Expected property name or '}' at position 1( \(line 1 column 2\))?\.$/],
    ['{"a": secret}', /^JSON parse error - Unexpected token (')?s(')?\.$|at position 6/],
    ['', null],
    ['nonsense', /^JSON parse error - .*\.$/],
    ['{"a":1', /^JSON parse error - .*\.$/],
  ])('%j as JSON', async (text, message) => {
    const { status, body } = await desk.api.post(contacts, text, { 'content-type': 'application/json' });
    expect(status).toBe(400);
    if (message) expect(body).toEqual({ non_field_errors: [expect.stringMatching(message)] });
  });

  it('an OAuth token where API keys work, and a 401 that says how to get in', async () => {
    const token = desk.anonymous.with({ authorization: 'Bearer mcp_at_abcdefghijklmnop' });
    const { status, body, headers } = await token.get(contacts);
    expect([status, body]).toEqual([401, { error: 'OAuth access tokens work on /mcp only. Use an API key here.' }]);
    expect(headers['www-authenticate']).toBe('Bearer realm="api"');
    expect((await desk.anonymous.get(contacts)).headers['www-authenticate']).toBe('Bearer realm="api"');
  });

  it('a status that contradicts the other name of it', async () => {
    const list = '/api/v1/conversations/';
    expect((await desk.api.get(`${list}?status=open,pending&conv_status=pending,open`)).status).toBe(200);
    expect((await desk.api.get(`${list}?status=open&conv_status=pending`)).body).toHaveProperty('conv_status');
  });
});

it('finds what was typed as it was written, in any script', async () => {
  await createContact(desk.workspace, { name: 'İbrahim ΓΙΩΡΓΟΣ' });
  for (const term of ['İbrahim', 'ΓΙΩΡΓΟΣ', 'ibrahim'.toUpperCase().replace('I', 'İ')]) {
    const found = await desk.api.get(`${contacts}?search=${encodeURIComponent(term)}`);
    expect([term, found.body.count]).toEqual([term, 1]);
  }
});
