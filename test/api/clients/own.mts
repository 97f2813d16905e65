/** Does a shop's work with our own client; prints what it saw as JSON. */
import { createClient, isRefusal, MsgdeskError, type TemplateVariables } from '@msgdesk/client';

const [url = '', token = '', template = '', number = '', member = '', shaky = ''] = process.argv.slice(2);
const desk = createClient({ baseUrl: url, apiKey: token });

const [anna, ben] = ['4933000000011', '4933000000012'];
const rows = [
  { phone: `+${anna}`, name: 'Anna', tags: ['own', 'x'] },
  { phone: `+${ben}`, name: 'Ben' },
  { phone: '+4933000000013', name: 'Cleo', tags: ['own'] },
];
const imported = await desk.contacts.import({ contacts: rows });
await desk.contacts.update(ben, { conv_status: 'resolved', assigned_member: Number(member) });
const left = await desk.contacts.update(ben, { assigned_member: null });
const found: string[] = [];
for await (const contact of desk.contacts.list({
  search: '49330000000',
  conv_status: ['open', 'resolved'],
  page_size: 1,
}))
  found.push(contact.name);
const page = await desk.contacts.list({ tag: 'own', page_size: 1 });

const variables: TemplateVariables = {
  body: { '1': { source: 'field', field: 'name' }, '2': { source: 'static', value: 'today' } },
};
const message = { to: `+${anna}`, phone_number_id: number, template_id: template, template_variables: variables };
const sent = await desk.messages.create(message, { idempotencyKey: 'own-order-1' });
const again = await desk.messages.create(message, { idempotencyKey: 'own-order-1' });

const draft = await desk.broadcasts.create({
  name: 'News',
  template_id: template,
  phone_number_id: number,
  audience: { tags_all: ['own', 'x'] },
  template_variables: variables,
});
const preview = await desk.broadcasts.preview(draft.id);
const confirmed = await desk.broadcasts.confirm(draft.id);

for (const type of ['bug', 'other', 'refund'] as const)
  await desk.tickets.create({ title: `Broken ${type}`, type, receiver_id: anna });
const tickets: string[] = [];
for await (const { title } of desk.tickets.list({ type: ['bug', 'other'], receiver_id: anna, limit: 1 }))
  tickets.push(title);
const { count } = await desk.tickets.list({ receiver_id: anna, limit: 1 });

const refused = await desk.contacts.create({ phone: 'nonsense' }).catch((error: unknown) => error as MsgdeskError);
const stranger = await createClient({ baseUrl: url, apiKey: 'hd_live_1_no' })
  .contacts.get(anna)
  .catch((error: unknown) => isRefusal(error, 'authentication_failed'));

// From here on by a line that loses answers.
const far = createClient({ baseUrl: shaky, apiKey: token });
const lost = await far.tickets.create({ title: 'Made once', receiver_id: ben });
const busy = await far.contacts.get(ben);
await far.tickets.delete(lost.id);
const hook = { url: 'https://example.com/hook', events: ['message.received' as const] };
const unsure = await far.webhooks.create(hook).catch((error: unknown) => error instanceof MsgdeskError);
const tired = await far.contacts.get(ben, { retries: 0 }).catch((error: unknown) => isRefusal(error, 'unavailable'));

console.log(
  JSON.stringify({
    imported: [imported.created, imported.errors.length],
    unassigned: left.assigned_member,
    found: found.sort(),
    page: [page.results.length, page.count],
    same: again.id === sent.id,
    broadcast: [preview.audience, preview.sendable, confirmed.id === draft.id],
    tickets: [tickets.sort(), count],
    refused: refused instanceof MsgdeskError && [refused.status, refused.code, Object.keys(refused.fields)],
    stranger,
    busy: busy.name,
    unsure,
    tired,
  }),
);
