import { templateId, twoValues } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createMacro, step } from '../factories/macros';
import { createMember } from '../factories/members';
import { createPipeline, createTicket, pipelinesPath } from '../factories/tickets';
import type { TestWorkspace } from '../factories/workspaces';
import { createInbox } from '../../api/services/resources/inboxes/service';
import { eventually } from '../support/eventually';
import { reached, scenario, type Hands, type Json, type Scenario } from './scenario';

interface Person {
  readonly handle: string;
  readonly phone: string;
}

/** A customer called Anna Arnold, who has written. */
async function anna(workspace: TestWorkspace, text = 'Where is my parcel?'): Promise<Person> {
  const customer = createCustomer(workspace, { name: 'Anna Arnold' });
  await customer.writes(text);
  return customer;
}

const rest = async (workspace: TestWorkspace, path: string): Promise<Json> =>
  (await workspace.api.get(`/api/v1/${path}/`)).body;
const chat = (workspace: TestWorkspace, { handle }: Person): Promise<Json> =>
  rest(workspace, `conversations/${handle}`);
const contact = (workspace: TestWorkspace, { handle }: Person): Promise<Json> => rest(workspace, `contacts/${handle}`);
const tickets = async (workspace: TestWorkspace): Promise<Json[]> => (await workspace.api.get('/api/v1/tickets/')).body;

/** Waits for what workers do. */
const until = (isDone: () => Promise<boolean>): Promise<void> =>
  eventually(async () => {
    if (!(await isDone())) throw new Error('not done yet');
  });

/** Waits for what must reach the platform; gives the texts, and whether each went to this person. */
async function delivered(workspace: TestWorkspace, { phone }: Person, count = 1): Promise<unknown> {
  await until(() => Promise.resolve(reached(workspace).length >= count));
  return reached(workspace).map(({ to, body }) => {
    const inside = JSON.parse(body) as { text?: { body?: string } };
    return [to.replace(/\D/g, '') === phone.replace(/\D/g, ''), inside.text?.body ?? body.includes('ticket_update')];
  });
}

/** Finds the one person of a name, as an agent does that is told no more. */
async function findOne(hands: Hands, search: string): Promise<Json> {
  const found = await hands.list('search_contacts', { search });
  if (found.length !== 1) throw new Error(`${found.length} are called ${search}`);
  return found[0] as Json;
}

async function receiverOf(hands: Hands, search = 'Anna'): Promise<string> {
  return String((await findOne(hands, search))['receiver_id']);
}

/** The message that came last, whatever the order of the list. */
function latest(messages: readonly Json[]): Json {
  const [last] = [...messages].sort((a, b) => Number(b['id']) - Number(a['id']));
  if (!last) throw new Error('there is no message');
  return last;
}

/** A board with a stage that tells the customer, and a ticket of Anna's. */
async function board(workspace: TestWorkspace): Promise<Person & { ticket: number }> {
  const person = await anna(workspace);
  const { id } = await createPipeline(workspace, ['New', 'In progress'], { name: 'Parcels' });
  const stage = {
    name: 'On its way',
    notify_template_id: templateId(workspace, 'ticket_update'),
    notify_template_variables: twoValues,
  };
  await workspace.api.post(`${pipelinesPath}${id}/stages/`, stage);
  const receiver = (await contact(workspace, person))['id'];
  const ticket = await createTicket(workspace, { pipeline: id, receiver, title: 'Parcel is late' });
  return { ...person, ticket: ticket.id };
}

/** Sends a template to somebody who never wrote: of several numbers, the refusal says which there are. */
async function sendFirst(hands: Hands, args: Json): Promise<void> {
  const refused = await hands.attempt('send_template', args);
  const number = /phone_number_id (\d+)/.exec(refused.text)?.[1];
  await hands.use('send_template', { ...args, phone_number_id: number });
}

/** What people ask assistants for in a day. */
export const tasks: readonly Scenario<never>[] = [
  scenario({
    name: 'tell the email of a customer of whom a part of the name is known',
    world: (workspace) => createContact(workspace, { name: 'Berta Böhm', email: 'berta@example.com' }),
    play: async (hands) => (await findOne(hands, 'böhm'))['email'],
    end: (_workspace, _world, said) => Promise.resolve(said),
    expected: 'berta@example.com',
  }),
  scenario({
    name: 'tell what a customer wrote last',
    world: async (workspace) => {
      const customer = createCustomer(workspace, { name: 'Anna Arnold' });
      for (const text of ['Hello', 'Is anybody there?', 'It was order 4711']) await customer.writes(text);
    },
    play: async (hands) => {
      const messages = await hands.list('read_messages', { receiver_id: await receiverOf(hands) });
      return latest(messages)['text'];
    },
    end: (_workspace, _world, said) => Promise.resolve(said),
    expected: 'It was order 4711',
  }),
  scenario({
    name: 'answer while the window is open',
    world: (workspace) => anna(workspace),
    play: async (hands) => {
      const { phone } = await findOne(hands, 'Anna');
      await hands.use('send_message', { to: phone, text: 'It comes tomorrow.' });
    },
    end: delivered,
    expected: [[true, 'It comes tomorrow.']],
  }),
  scenario({
    name: 'look first with dry_run, then answer',
    world: (workspace) => anna(workspace),
    play: async (hands) => {
      const { phone } = await findOne(hands, 'Anna');
      const send = { to: phone, text: 'It comes tomorrow.' };
      const dry = await hands.use('send_message', { ...send, dry_run: true });
      if (dry['status'] === 'would_send' && dry['text'] === send.text) await hands.use('send_message', send);
    },
    end: delivered,
    expected: [[true, 'It comes tomorrow.']],
  }),
  scenario({
    name: 'below autonomous, leave the answer to a member',
    level: 'approval',
    world: (workspace) => anna(workspace),
    play: async (hands) => {
      const { phone } = await findOne(hands, 'Anna');
      return (await hands.use('send_message', { to: phone, text: 'It comes tomorrow.' }))['status'];
    },
    end: async (workspace, _person, said) => {
      const rows = await workspace.server.runtime.db.rows<{ tool: string; status: string }>(
        'SELECT tool, status FROM approvals WHERE workspace_id = $id',
        { id: workspace.id },
      );
      return [said, rows, reached(workspace)];
    },
    expected: ['queued_for_approval', [{ tool: 'send_message', status: 'pending' }], []],
  }),
  scenario({
    name: 'write to somebody whose window is closed: refused, so by template, with its placeholders filled',
    world: async (workspace) => {
      const { receiver_id: handle, body } = await createContact(workspace, { name: 'Carla Caspar' });
      return { handle, phone: String(body['phone']) };
    },
    play: async (hands) => {
      const { phone } = await findOne(hands, 'Carla');
      const refused = await hands.attempt('send_message', { to: phone, text: 'Your parcel is here.' });
      if (!/send_template|template/.test(refused.text)) throw new Error(`it is not told what to do: ${refused.text}`);
      const template = (await hands.list('get_templates', { status: 'APPROVED' })).find(
        ({ name }) => name === 'ticket_update',
      );
      await sendFirst(hands, { to: phone, template_id: template?.['template_id'], template_variables: twoValues });
    },
    end: delivered,
    expected: [[true, true]],
  }),
  scenario({
    name: 'send a template by its name',
    world: (workspace) => anna(workspace),
    play: async (hands) => {
      const { phone } = await findOne(hands, 'Anna');
      await hands.use('send_template', { to: phone, template_id: 'ticket_update', template_variables: twoValues });
    },
    end: delivered,
    expected: [[true, true]],
  }),
  scenario({
    name: 'quote the message that is answered',
    world: (workspace) => anna(workspace),
    play: async (hands) => {
      const { phone, receiver_id } = await findOne(hands, 'Anna');
      const { wamid } = latest(await hands.list('read_messages', { receiver_id, response_format: 'detailed' }));
      await hands.use('send_message', { to: phone, text: 'This one.', reply_to_wamid: wamid });
    },
    end: async (workspace, person) => {
      await delivered(workspace, person);
      const { body } = await workspace.api.get(`/api/v1/conversations/${person.handle}/messages/`);
      const [question, answer] = ['inbound', 'outbound'].map((direction) =>
        body.results.find((message) => message['direction'] === direction),
      );
      return answer?.['reply_to_wamid'] === question?.['message_id'];
    },
    expected: true,
  }),
  scenario({
    name: 'write to a number that is no contact yet',
    world: () => Promise.resolve({ handle: '4915199900001', phone: '+4915199900001' }),
    play: (hands, { phone }) =>
      sendFirst(hands, { to: phone, template_id: 'ticket_update', template_variables: twoValues }),
    end: delivered,
    expected: [[true, true]],
  }),
  scenario({
    name: 'make a ticket of a thread, in the words of the customer',
    world: (workspace) => anna(workspace),
    play: async (hands) => {
      const receiver_id = await receiverOf(hands);
      const { text } = latest(await hands.list('read_messages', { receiver_id }));
      await hands.use('create_ticket', { title: text, receiver_id, type: 'complaint', priority: 'high' });
    },
    end: async (workspace) =>
      (await tickets(workspace)).map(({ title, type, priority, receiver_name }) => [
        title,
        type,
        priority,
        receiver_name,
      ]),
    expected: [['Where is my parcel?', 'complaint', 'high', 'Anna Arnold']],
  }),
  scenario({
    name: 'move a ticket on by the name of the stage, without a word to the customer',
    world: board,
    play: async (hands) => {
      const [ticket] = await hands.list('list_tickets', { receiver_id: await receiverOf(hands) });
      await hands.use('update_ticket', { id: ticket?.['id'], stage: 'In progress' });
    },
    end: async (workspace) => [(await tickets(workspace))[0]?.['stage_name'], reached(workspace)],
    expected: ['In progress', []],
  }),
  scenario({
    name: 'move a ticket into a stage that tells the customer',
    world: board,
    play: async (hands) => {
      const [ticket] = await hands.list('list_tickets', { search: 'Parcel' });
      await hands.use('update_ticket', { id: ticket?.['id'], stage: 'On its way' });
    },
    end: async (workspace, person) => [
      await delivered(workspace, person),
      (await tickets(workspace))[0]?.['stage_name'],
    ],
    expected: [[[true, true]], 'On its way'],
  }),
  scenario({
    name: 'close a ticket with an outcome and a note',
    world: board,
    play: async (hands) => {
      const [ticket] = await hands.list('list_tickets', { open: true });
      const id = ticket?.['id'];
      await hands.use('comment_on_ticket', { ticket_id: id, body: 'Parcel was found at the neighbours.' });
      await hands.use('update_ticket', { id, outcome: 'resolved', severity: 'sev4' });
    },
    end: async (workspace, { ticket }) => {
      const { outcome, severity, comment_count } = await rest(workspace, `tickets/${ticket}`);
      return [outcome, severity, comment_count];
    },
    expected: ['resolved', 'sev4', '1'],
  }),
  scenario({
    name: 'run a macro by its name on a conversation',
    world: async (workspace) => {
      await createMacro(
        workspace,
        [step('set_priority', { priority: 'urgent' }), step('add_tags', { tags: ['vip'] })],
        'VIP',
      );
      return anna(workspace);
    },
    play: async (hands) => {
      if (!hands.instructions.includes('"VIP"')) throw new Error('the instructions name no macro');
      return (await hands.use('run_macro', { macro_id: 'VIP', receiver_id: await receiverOf(hands) }))['ran'];
    },
    end: async (workspace, person, said) => {
      const { priority, tags } = await chat(workspace, person);
      return [(said as Json[]).map(({ type }) => type), priority, tags];
    },
    expected: [['set_priority', 'add_tags'], 'urgent', ['vip']],
  }),
  scenario({
    name: 'escalate a ticket by a macro',
    world: async (workspace) => {
      const { id } = await createMember(workspace, { name: 'Bea Berg' });
      await createMacro(workspace, [step('escalate', { member: id })], 'Escalate');
      return board(workspace);
    },
    play: async (hands) => {
      const [ticket] = await hands.list('list_tickets', { search: 'Parcel' });
      await hands.use('run_macro', { macro_id: 'Escalate', ticket_id: ticket?.['id'] });
    },
    end: async (workspace) => (await tickets(workspace)).map((ticket) => ticket['escalated_to_name']),
    expected: ['Bea Berg'],
  }),
  scenario({
    name: 'set custom fields of a customer and keep those that nobody spoke of',
    world: async (workspace) => {
      for (const name of ['plan', 'country'])
        await workspace.api.post('/api/v1/custom-fields/', { name, field_type: 'text', applies_to: ['contacts'] });
      const person = await anna(workspace);
      await workspace.api.patch(`/api/v1/contacts/${person.handle}/`, { custom_fields: { country: 'Norway' } });
      return person;
    },
    play: async (hands) => {
      if (!/Custom fields: .*plan/.test(hands.instructions)) throw new Error('the instructions name no field');
      await hands.use('update_contact', { receiver_id: await receiverOf(hands), custom_fields: { plan: 'pro' } });
    },
    end: async (workspace, person) => (await contact(workspace, person))['custom_fields'],
    expected: { country: 'Norway', plan: 'pro' },
  }),
  scenario({
    name: 'find customers by a custom field, whose name is one that results leave out of people',
    world: async (workspace) => {
      await workspace.api.post('/api/v1/custom-fields/', {
        name: 'country',
        field_type: 'text',
        applies_to: ['contacts'],
      });
      for (const [name, country] of [
        ['Nora', 'Norway'],
        ['Finn', 'Finland'],
      ])
        await createContact(workspace, { name, custom_fields: { country } });
    },
    play: async (hands) =>
      (await hands.list('search_contacts', { custom_field: { country: 'Norway' } })).map(({ name, custom_fields }) => [
        name,
        custom_fields,
      ]),
    end: (_workspace, _world, said) => Promise.resolve(said),
    expected: [['Nora', { country: 'Norway' }]],
  }),
  scenario({
    name: 'hand a conversation to a person',
    world: async (workspace) => {
      await createMember(workspace, { name: 'Bea Berg', email: `bea.${workspace.id}@desk.test` });
      return anna(workspace);
    },
    play: async (hands) =>
      hands.use('update_conversation', { receiver_id: await receiverOf(hands), assigned_member: 'bea berg' }),
    end: async (workspace, person) => {
      const row = await workspace.server.runtime.db.row<{ name: string }>('SELECT name FROM members WHERE id = $id', {
        id: (await chat(workspace, person))['assigned_member'],
      });
      return row?.name;
    },
    expected: 'Bea Berg',
  }),
  scenario({
    name: 'hand a conversation to one of two people of the same name, by the email that the refusal lists',
    world: async (workspace) => {
      for (const place of ['north', 'south'])
        await createMember(workspace, { name: 'Sam Stone', email: `sam.${place}.${workspace.id}@desk.test` });
      return anna(workspace);
    },
    play: async (hands) => {
      const receiver_id = await receiverOf(hands);
      const refused = await hands.attempt('update_conversation', { receiver_id, assigned_member: 'Sam Stone' });
      const email = /sam\.south\.\d+@desk\.test/.exec(refused.text)?.[0];
      await hands.use('update_conversation', { receiver_id, assigned_member: email });
    },
    end: async (workspace, person) => {
      const row = await workspace.server.runtime.db.row<{ email: string }>('SELECT email FROM members WHERE id = $id', {
        id: (await chat(workspace, person))['assigned_member'],
      });
      return row?.email.startsWith('sam.south.');
    },
    expected: true,
  }),
  scenario({
    name: 'hand a conversation to a team inbox',
    world: async (workspace) => {
      const { id } = await createInbox(workspace.ctx, { name: 'Billing' });
      return { ...(await anna(workspace)), inbox: id };
    },
    play: async (hands) =>
      hands.use('update_conversation', { receiver_id: await receiverOf(hands), assigned_team_inbox: 'Billing' }),
    end: async (workspace, world) => (await chat(workspace, world))['assigned_team_inbox'] === world.inbox,
    expected: true,
  }),
  scenario({
    name: 'of several customers of one name, take the one of the company that was said',
    world: async (workspace) => {
      const made = [];
      for (const company of ['Oak Ltd', 'Elm Ltd', 'Ash Ltd'])
        made.push(await createContact(workspace, { name: 'Kim Lee', company }));
      return { handle: String(made[1]?.receiver_id), phone: '' };
    },
    play: async (hands) => {
      const named = await hands.list('search_contacts', { search: 'Kim Lee' });
      const meant = named.filter(({ company }) => company === 'Elm Ltd');
      await hands.use('update_contact', { receiver_id: meant[0]?.['receiver_id'], notes: 'Called back.' });
    },
    end: async (workspace, person) => {
      const { body } = await workspace.api.get('/api/v1/contacts/?search=Kim');
      return [(await contact(workspace, person))['notes'], body.results.filter(({ notes }) => notes !== '').length];
    },
    expected: ['Called back.', 1],
  }),
  scenario({
    name: 'read a long thread back to its first message',
    world: async (workspace) => {
      const customer = createCustomer(workspace, { name: 'Anna Arnold' });
      for (let index = 1; index <= 13; index += 1) await customer.writes(`Message ${index}`);
      return customer;
    },
    play: async (hands) => {
      const receiver_id = await receiverOf(hands);
      const all: Json[] = [];
      let cursor: unknown;
      do {
        const page = await hands.use('read_messages', { receiver_id, limit: 5, ...(cursor ? { cursor } : {}) });
        all.push(...(page['results'] as Json[]));
        cursor = page['next_cursor'];
      } while (cursor);
      const [first] = all.sort((a, b) => Number(a['id']) - Number(b['id']));
      return [all.length, first?.['text']];
    },
    end: (_workspace, _world, said) => Promise.resolve(said),
    expected: [13, 'Message 1'],
  }),
  scenario({
    name: 'answer in the language and script of the customer',
    world: (workspace) => anna(workspace, 'أين طردي؟ 荷物はどこですか'),
    play: async (hands) => {
      const { phone, receiver_id } = await findOne(hands, 'Anna');
      const { text } = latest(await hands.list('read_messages', { receiver_id }));
      await hands.use('send_message', { to: phone, text: `${String(text)} 👍🏽` });
    },
    end: delivered,
    expected: [[true, 'أين طردي؟ 荷物はどこですか 👍🏽']],
  }),
  scenario({
    name: 'add a tag and keep the others',
    world: async (workspace) => {
      const person = await anna(workspace);
      await workspace.api.patch(`/api/v1/contacts/${person.handle}/`, { tags: ['newsletter', 'vip'] });
      return person;
    },
    play: async (hands) => {
      const { receiver_id, tags } = await findOne(hands, 'Anna');
      await hands.use('update_contact', { receiver_id, tags: [...(tags as string[]), 'late parcel'] });
    },
    end: async (workspace, person) => (await contact(workspace, person))['tags'],
    expected: ['newsletter', 'vip', 'late parcel'],
  }),
  scenario({
    name: 'snooze until a time that was said, opt out of marketing, as the customer asked',
    world: (workspace) => anna(workspace, 'Write to me in spring, and no more offers, please.'),
    play: async (hands) => {
      const receiver_id = await receiverOf(hands);
      await hands.use('update_contact', { receiver_id, marketing_opt_out: true });
      await hands.use('update_conversation', {
        receiver_id,
        conv_status: 'snoozed',
        snoozed_until: '2031-03-21T09:00:00Z',
      });
    },
    end: async (workspace, person) => {
      const { conv_status, snoozed_until } = await chat(workspace, person);
      return [conv_status, snoozed_until, (await contact(workspace, person))['marketing_opt_out']];
    },
    expected: ['snoozed', '2031-03-21T09:00:00.000Z', true],
  }),
  scenario({
    name: 'say who wrote about an order of a number',
    world: async (workspace) => {
      await createCustomer(workspace, { name: 'Bea Berg' }).writes('Order 4712 is here, thanks');
      return anna(workspace, 'Where is order 4711?');
    },
    play: async (hands) =>
      (await hands.list('read_conversations', { search_messages: '4711' })).map(({ name }) => name),
    end: (_workspace, _world, said) => Promise.resolve(said),
    expected: ['Anna Arnold'],
  }),
  scenario({
    name: 'leave a note for a colleague, of which the customer hears nothing',
    world: (workspace) => anna(workspace),
    play: async (hands) => {
      await hands.use('update_conversation', {
        receiver_id: await receiverOf(hands),
        note: 'Parcel is with the neighbours.',
      });
    },
    end: async (workspace) => [
      await workspace.server.runtime.db.rows('SELECT body FROM conversation_notes WHERE workspace_id = $id', {
        id: workspace.id,
      }),
      reached(workspace),
    ],
    expected: [[{ body: 'Parcel is with the neighbours.' }], []],
  }),
  scenario({
    name: 'look at the picture that a customer sent, and say what is written under it',
    world: async (workspace) => {
      const customer = createCustomer(workspace, { name: 'Anna Arnold' });
      await customer.writes({ type: 'image', image: { caption: 'It is broken, see' } });
      await until(async () => {
        const { results } = await rest(workspace, `conversations/${customer.handle}/messages`);
        return ((results as Json[])[0]?.['media'] as Json)['status'] === 'stored';
      });
      return customer;
    },
    play: async (hands) => {
      const seen = await hands.attempt('read_messages', { receiver_id: await receiverOf(hands), with_images: true });
      return [seen.images.length, (seen.json['results'] as Json[])[0]?.['text']];
    },
    end: (_workspace, _world, said) => Promise.resolve(said),
    expected: [1, 'It is broken, see'],
  }),
  scenario({
    name: 'see by dry_run that moving a ticket quietly tells nobody, and what it changes',
    world: board,
    play: async (hands) => {
      const [ticket] = await hands.list('list_tickets', { search: 'Parcel' });
      const dry = await hands.use('update_ticket', { id: ticket?.['id'], stage: 'In progress', dry_run: true });
      return [dry['status'], Object.keys(dry['changes'] as Json), dry['sends']];
    },
    end: async (workspace, _world, said) => [said, (await tickets(workspace))[0]?.['stage_name'], reached(workspace)],
    expected: [['would_change', ['stage', 'stage_name'], undefined], 'New', []],
  }),
];
