import { templateId } from './broadcasts';
import { step } from './macros';
import { unique, uniquePhone } from './unique';
import type { TestWorkspace } from './workspaces';

type Json = Record<string, unknown>;

const mapping = {
  header: { '1': { source: 'static', value: 'Hi' } },
  body: { '1': { source: 'field', field: 'name' }, '2': { source: 'ticket', field: 'id' } },
};
const template = {
  name: 'ticket_update',
  language: { code: 'en', policy: 'deterministic' },
  components: [
    { type: 'header', parameters: [{ type: 'image', image: { link: 'https://a.example/x.png' } }] },
    {
      type: 'body',
      parameters: [
        { type: 'text', text: 'T-1', parameter_name: 'first' },
        { type: 'currency', currency: { fallback_value: '1 €', code: 'EUR', amount_1000: 1000 } },
      ],
    },
    { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'abc' }] },
    { type: 'carousel', cards: [{ card_index: 0, components: [{ type: 'body', parameters: [] }] }] },
  ],
};
const rows = [{ id: 'a', title: 'A', description: 'First' }];
const contents: readonly Json[] = [
  { text: { body: 'Hi', preview_url: true }, reply_to_wamid: 'wamid.x' },
  { image: { link: 'https://a.example/x.png', caption: 'Hi' } },
  { document: { id: '17', filename: 'x.pdf' } },
  { location: { latitude: 1, longitude: 2, name: 'Here' } },
  {
    contacts: [
      {
        name: { formatted_name: 'Ada', first_name: 'Ada' },
        phones: [{ phone: '+491', type: 'HOME' }],
        org: { company: 'Acme' },
        birthday: '1990-01-01',
      },
    ],
  },
  { reaction: { message_id: 'wamid.x', emoji: '👍' } },
  {
    interactive: {
      type: 'button',
      header: { type: 'text', text: 'Hi' },
      body: { text: 'Choose' },
      footer: { text: 'Bye' },
      action: { buttons: [{ type: 'reply', reply: { id: 'a', title: 'A' } }] },
    },
  },
  {
    interactive: {
      type: 'list',
      body: { text: 'Choose' },
      action: { button: 'Open', sections: [{ title: 'One', rows }] },
    },
  },
  { template },
];

/** Every action of a macro, with its parameters down to the last level. */
const actions: readonly Json[] = [
  step('set_status', { status: 'snoozed', snooze_minutes: 5 }),
  step('set_priority', { priority: 'high' }),
  step('assign_member', { assigned_member: null }),
  step('assign_inbox', { assigned_team_inbox: null }),
  step('add_tags', { tags: ['vip'] }),
  step('remove_tags', { tags: ['vip'] }),
  step('set_custom_fields', { custom_fields: { plan: 'x' } }),
  step('update_contact', { name: 'Ada', tags: ['a', { b: 1 }] }),
  step('create_ticket', { title: 'Late', tags: ['x'], custom_fields: {} }),
  step('move_stage', { stage: 1 }),
  step('set_outcome', { outcome: 'resolved' }),
  step('add_comment', { body: 'Called' }),
  step('escalate', { escalated_to: 1, reason: 'Angry' }),
  step('send_message', { body: 'Hi {{1}}', template_variables: { body: mapping.body } }),
  step('send_template', { template }),
  step('send_template', { template_id: '1', template_variables: mapping }),
];

/**
 * Bodies that go as deep as the operation's input does, beside those of `writeSamples`, by the operation's id. Whether
 * they succeed is not the point: every place of them can be put to the test.
 */
export const deepBodies: Readonly<Record<string, (workspace: TestWorkspace, to: string) => readonly Json[]>> = {
  'messages.create': (workspace, to) => [
    ...contents.map((content) => ({ to, phone_number_id: workspace.account.phoneNumberId, ...content })),
    { to, template_id: templateId(workspace, 'ticket_update'), template_variables: mapping },
  ],
  'macros.create': () => actions.map((action) => ({ name: `Macro ${unique()}`, actions: [action] })),
  'contacts.create': () => [{ phone: uniquePhone(), tags: [{ a: [1] }], custom_fields: { plan: 'x', seats: 3 } }],
  'contacts.update': () => [{ tags: [{ a: [1] }], custom_fields: { plan: 'x', seats: 3 } }],
  'contacts.import': () => [
    { contacts: [{ phone: uniquePhone(), tags: ['a'], plan: 'x', custom_fields: { seats: 3 }, extra: { a: [1] } }] },
  ],
  'conversations.update': () => [{ tags: ['x'], custom_fields: { plan: 'x', seats: 3 } }],
  'tickets.create': () => [{ title: 'Late', tags: { a: ['x'] }, custom_fields: { level: 3 } }],
  'broadcasts.create': (workspace) => [
    {
      name: 'News',
      template_id: templateId(workspace, 'ticket_update'),
      phone_number_id: workspace.account.phoneNumberId,
      audience: {
        receiver_ids: ['4915100000001'],
        tags_any: ['a'],
        tags_all: ['b'],
        tags_none: ['c'],
        conv_status: ['open'],
        assigned_team_inbox: 'none',
        created_after: '2020-01-01T00:00:00Z',
        last_inbound_before: '2030-01-01T00:00:00Z',
        custom_fields: { plan: 'x' },
      },
      template_variables: { body: { '1': mapping.body['1'], '2': mapping.header['1'] } },
    },
  ],
  'ticketPipelines.create': (workspace) => [
    {
      name: 'Refunds',
      stages: [
        {
          name: 'New',
          position: 0,
          color: '#00AA11',
          notify_template_id: templateId(workspace, 'ticket_update'),
          notify_template_variables: mapping,
        },
      ],
    },
  ],
  'ticketStages.create': (workspace) => [
    {
      name: 'Done',
      notify_template_id: templateId(workspace, 'ticket_update'),
      notify_template_variables: mapping,
    },
  ],
};
