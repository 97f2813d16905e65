/** Does a shop's work with the types of openapi-typescript and openapi-fetch; prints what it saw as JSON. */
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

const [url = '', token = '', template = '', number = '', member = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });

function ok<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data === undefined) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data;
}

const anna = { phone: '+4931000000011', name: 'Anna', tags: ['ts', 'x'] };
const ben = { phone: '+4931000000012', name: 'Ben' };
const imported = ok(await client.POST('/api/v1/contacts/bulk/', { body: { contacts: [anna, ben] } }));

const change = (body: components['schemas']['ContactsUpdateBody']) =>
  client.PATCH('/api/v1/contacts/{receiver_id}/', { params: { path: { receiver_id: '4931000000012' } }, body });
ok(await change({ conv_status: 'resolved', assigned_member: Number(member) }));
const left = ok(await change({ assigned_member: null }));
const found = ok(
  await client.GET('/api/v1/contacts/', {
    params: { query: { search: '49310000000', conv_status: ['open', 'resolved'] } },
  }),
);

const variables: components['schemas']['TemplateVariables'] = {
  body: { '1': { source: 'field', field: 'name' }, '2': { source: 'static', value: 'today' } },
};
const send = () =>
  client.POST('/api/v1/messages/', {
    params: { header: { 'Idempotency-Key': 'ts-order-1' } },
    body: { to: anna.phone, phone_number_id: number, template_id: template, template_variables: variables },
  });
const sent = ok(await send());
const again = ok(await send());
const listed = ok(
  await client.GET('/api/v1/conversations/{receiver_id}/messages/', {
    params: { path: { receiver_id: '4931000000011' } },
  }),
);

const draft = ok(
  await client.POST('/api/v1/broadcasts/', {
    body: {
      name: 'News',
      template_id: template,
      phone_number_id: number,
      audience: { tags_any: ['ts'] },
      template_variables: variables,
    },
  }),
);
const byId = { params: { path: { id: draft.id } } };
const preview = ok(await client.POST('/api/v1/broadcasts/{id}/preview/', byId));
const confirmed = ok(await client.POST('/api/v1/broadcasts/{id}/confirm/', { ...byId, body: {} }));

for (const type of ['bug', 'other', 'refund'] as const)
  ok(
    await client.POST('/api/v1/tickets/', {
      body: { title: `Broken ${type} by TypeScript`, type, receiver_id: '4931000000011' },
    }),
  );
const tickets = ok(
  await client.GET('/api/v1/tickets/', {
    params: { query: { type: ['bug', 'other'], search: 'by TypeScript' } },
  }),
);

console.log(
  JSON.stringify({
    imported: [imported.created, imported.errors.length],
    unassigned: left.assigned_member,
    found: found.results.map(({ name }) => name).sort(),
    tags: found.results.find(({ name }) => name === 'Anna')?.tags,
    same: again.id === sent.id,
    body: listed.results.map(({ body }) => body.type),
    broadcast: [preview.audience, preview.sendable, confirmed.audience.tags_any],
    tickets: tickets.map(({ title }) => title).sort(),
  }),
);
