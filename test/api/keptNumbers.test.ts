import { createContact } from '../factories/contacts';
import { uniquePhone } from '../factories/unique';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiAnswer } from '../support/client';

let desk: TestApi;
let contact: { readonly id: number; readonly receiver_id: string };
beforeAll(async () => {
  desk = await sharedDesk('plain');
  contact = (await createContact(desk.workspace)) as typeof contact;
  for (const [name, field_type] of [
    ['num', 'number'],
    ['note', 'text'],
  ])
    await desk.api.post('/api/v1/custom-fields/', { name, field_type });
});
afterAll(() => desk.close());

const send = (method: string, path: string, json: string): Promise<ApiAnswer> =>
  desk.api.request(method, path, json, { 'content-type': 'application/json' });
const patch = (json: string): Promise<ApiAnswer> => send('PATCH', `/api/v1/contacts/${contact.receiver_id}/`, json);
const sendAsText = 'Send it as text.';

describe('a number that cannot be kept as it is written (C3)', () => {
  it.each([
    ['{"tags":12345678901234567890}', { tags: [sendAsText] }],
    ['{"tags":[1,{"a":1E400}]}', { tags: [`1.a: ${sendAsText}`] }],
    ['{"custom_fields":{"num":9007199254740993}}', { custom_fields: [`num: ${sendAsText}`] }],
    ['{"custom_fields":{"num":-1e-400}}', { custom_fields: [`num: ${sendAsText}`] }],
    ['{"name":"\\"{[","notes":9007199254740993.0}', { notes: [sendAsText] }],
    ['{"custom_fields":{"num":"9007199254740993"}}', { custom_fields: ['num: A valid number is required.'] }],
  ])('is refused where it stands: %s', async (json, errors) => {
    const before = (await desk.api.get(`/api/v1/contacts/${contact.receiver_id}/`)).body;
    expect(await patch(json)).toMatchObject({ status: 400, body: errors });
    expect((await desk.api.get(`/api/v1/contacts/${contact.receiver_id}/`)).body).toEqual(before);
  });

  it.each(['9007199254740992', '100000000000000000000', '1e300', '-0.30000000000000004', '0e5'])(
    'one that can be kept is kept, and what is shown can be sent back: %s',
    async (json) => {
      expect((await patch(`{"tags":[${json}]}`)).body['tags']).toEqual([Number(json)]);
      const { tags } = (await desk.api.get(`/api/v1/contacts/${contact.receiver_id}/`)).body;
      expect((await desk.api.patch(`/api/v1/contacts/${contact.receiver_id}/`, { tags })).status).toBe(200);
    },
  );

  it('stays the text that it is in JSON texts and in forms', async () => {
    expect((await patch('{"tags":"12345678901234567890"}')).body['tags']).toBe('12345678901234567890');
    const form = new URLSearchParams({ tags: '12345678901234567890' });
    expect((await desk.api.patch(`/api/v1/contacts/${contact.receiver_id}/`, form)).body['tags']).toBe(
      '12345678901234567890',
    );
    const list = new URLSearchParams({ tags: '[12345678901234567890]' });
    expect(await desk.api.patch(`/api/v1/contacts/${contact.receiver_id}/`, list)).toMatchObject({
      status: 400,
      body: { tags: [`0: ${sendAsText}`] },
    });
  });

  it('is dropped from the row of an import and reported, with and without an Idempotency-Key', async () => {
    const digits = uniquePhone().slice(1);
    const rows = `[{"phone":"+${digits}","order_id":12345678901234567890,"note":9007199254740993,"name":"Al",
      "attributes":{"deep":[1E400],"size":43}},{"phone":${'1'.repeat(17)}}]`;
    for (const headers of [{}, { 'idempotency-key': 'kept' }] as Record<string, string>[])
      expect(
        await desk.api.request('POST', '/api/v1/contacts/bulk/', rows, {
          'content-type': 'application/json',
          ...headers,
        }),
      ).toMatchObject({
        status: 200,
        body: {
          failed: 1,
          errors: [
            { row: 2, field: 'phone', value: '1'.repeat(17), message: sendAsText, dropped: false },
            { row: 1, field: 'order_id', value: '12345678901234567890', message: sendAsText, dropped: true },
            { row: 1, field: 'note', value: '9007199254740993', dropped: true },
            { row: 1, field: 'deep', dropped: true },
          ],
        },
      });
    expect((await desk.api.get(`/api/v1/contacts/${digits}/`)).body).toMatchObject({
      name: 'Al',
      attributes: { size: 43 },
    });
  });

  it('is told to an agent at its argument', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"update_contact","arguments":
      {"receiver_id":"${contact.receiver_id}","custom_fields":{"num":12345678901234567890}}}}`;
    const answer = await send('POST', '/mcp', body);
    expect(JSON.stringify(answer.body)).toContain(`num: ${sendAsText}`);
  });
});

it('a phone number that is a JSON number is a whole one', async () => {
  const digits = uniquePhone().slice(1);
  expect((await send('POST', '/api/v1/contacts/', `{"phone":${digits}.5}`)).body).toHaveProperty('phone');
  expect((await send('POST', '/api/v1/messages/', `{"to":${digits}.5,"body":"Hi"}`)).body).toEqual({
    to: [`Enter a phone number in E.164 format or a business-scoped user id. "${digits}.5" has decimals.`],
  });
  expect((await send('POST', '/api/v1/contacts/bulk/', `[{"phone":${digits}.5}]`)).body).toMatchObject({ failed: 1 });
  expect(await send('POST', '/api/v1/contacts/', `{"phone":${digits}}`)).toMatchObject({
    status: 201,
    body: { phone: `+${digits}` },
  });
});

it('an empty value of a list in a form is an empty list', async () => {
  const { body } = await desk.api.post('/api/v1/tickets/', { title: 'x', affected_contact_ids: [contact.id] });
  const form = new URLSearchParams({ affected_contact_ids: '' });
  expect(await desk.api.patch(`/api/v1/tickets/${String(body['id'])}/`, form)).toMatchObject({
    status: 200,
    body: { affected_contacts: [] },
  });
});
