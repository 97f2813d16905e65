import { setDomain } from '../../api/services/identity/sso/service';
import { updateWorkspace } from '../../api/services/identity/workspaces/service';
import { connect, registerClient } from '../oauth/support';
import { createAgent } from '../support/agent';
import type { TestServer } from '../support/api';
import { eventually } from '../support/eventually';
import { createBroadcast } from './broadcasts';
import { createContact } from './contacts';
import { createCustomer, inboundText, signedWebhook, webhook } from './customers';
import { createMacro, macrosPath, ownerSession, step } from './macros';
import { saveRule, storeRun } from './rules';
import { createMember, createSession } from './members';
import { createPipeline, createTicket } from './tickets';
import { unique } from './unique';
import { createWorkspace, type TestWorkspace } from './workspaces';

type Json = Record<string, unknown>;

/** Makes what a person writes out of a plain text; at most so long. */
type Write = (text: string, max?: number) => string;

/** A workspace in which something is on every page of the dashboard, and the ids by which it is found. */
export interface Showcase {
  readonly workspace: TestWorkspace;
  /** The handle of a customer whose thread has every kind of message. */
  readonly receiver: string;
  /** The handle of a contact that was merged from two. */
  readonly merged: string;
  readonly ticket: number;
  readonly pipeline: number;
  readonly stage: number;
  readonly macro: number;
  readonly rule: number;
  readonly draft: number;
  readonly scheduled: number;
  readonly completed: number;
  readonly approval: number;
  readonly webhook: number;
  readonly disabledWebhook: number;
  readonly flow: string;
  readonly template: string;
  readonly field: number;
  readonly policy: number;
  readonly calendar: number;
  readonly inbox: number;
  readonly member: number;
  readonly reply: number;
  readonly apiKey: number;
}

/** Makes one; every text that a person writes goes through `write`. The server needs a worker. */
export async function createShowcase(server: TestServer, write: Write): Promise<Showcase> {
  const workspace = await createWorkspace(server, { account: { templates: templates(write), flows: flows(write) } });
  await updateWorkspace(workspace.ctx, {
    name: write('Green Garden'),
    timezone: 'Europe/Berlin',
    optOutWords: ['STOP', write('No more', 64)],
  });
  await setDomain(workspace.ctx, `${unique()}.example`);
  const make = creator(workspace);
  const session = creator(workspace, (await ownerSession(workspace)).api);
  const people = await makePeople(workspace, write);
  const inbox = Number(
    (await session('team-inboxes', { name: write('Orders'), description: write('Late parcels'), member_ids: people }))
      .id,
  );
  const away = write('Dear {{name}}').replace('{{7*7}}', '');
  const periods = [{ weekday: 'monday', opens: '09:00', closes: '17:00' }];
  const holidays = [{ date: '2031-12-25', name: write('Christmas') }];
  const calendar = Number(
    (await session('calendars', { name: write('Hours'), periods, holidays, is_default: false, away_text: away })).id,
  );
  const policy = Number(
    (
      await session('sla-policies', {
        name: write('Gold'),
        first_response_minutes: 60,
        resolution_minutes: 1_440,
        is_default: true,
        applies_to: ['tickets', 'conversations'],
      })
    ).id,
  );
  // Other curly brackets than those of a placeholder are refused.
  const thanks = { shortcut: 'thanks', body: write('Thank you, {{name}}').replace('{{7*7}}', ''), is_shared: true };
  const reply = Number((await session('canned-replies', thanks)).id);
  const field = await makeFields(make, write);
  const talk = await makeConversations(workspace, write, people[0] ?? 0, inbox);
  const desk = await makeTickets(workspace, write, talk.contact, people[0] ?? 0);
  const macro = await makeMacros(workspace, write, talk.chat);
  const broadcasts = await makeBroadcasts(workspace, write);
  const approval = await makeAgents(workspace, write, talk.phone);
  const hooks = await makeWebhooks(workspace, write);
  await workspace.key(['chat.view']);
  const apiKey = await session('api-keys', {
    name: write('Shop system'),
    scopes: ['contact.view'],
    expires_at: '2031-01-01T00:00:00Z',
  });
  await createSession(workspace.owner);
  return {
    workspace,
    receiver: talk.receiver,
    merged: talk.merged,
    ...desk,
    macro,
    rule: await makeRule(workspace, write, macro, talk.contact),
    ...broadcasts,
    approval,
    ...hooks,
    flow: await firstFlow(workspace),
    template: await orderTemplate(workspace),
    field,
    policy,
    calendar,
    inbox,
    member: people[0] ?? 0,
    reply,
    apiKey: Number(apiKey['id']),
  };
}

type Create = (path: string, body: Json) => Promise<Json>;

function creator(workspace: TestWorkspace, api = workspace.api): Create {
  return async (path, body) => {
    const answer = await api.post(`/api/v1/${path}/`, body);
    if (answer.status >= 300) throw new Error(`${path} was refused: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
}

function templates(write: Write): Json[] {
  const status = 'APPROVED';
  return [
    {
      id: `56${unique()}`,
      name: 'order_update',
      language: 'en_US',
      category: 'UTILITY',
      status,
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}', example: { header_text: ['4711'] } },
        {
          type: 'BODY',
          text: `Hello {{1}}, your order is {{2}}. ${write('Bye')}`,
          example: { body_text: [['Anna', 'on its way']] },
        },
        { type: 'FOOTER', text: write('Green Garden', 60) },
        { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: write('Thanks', 25) }] },
      ],
    },
    {
      id: `56${unique()}`,
      name: 'moved',
      language: 'en_US',
      category: 'UTILITY',
      status,
      components: [{ type: 'BODY', text: 'Your ticket {{1}} is {{2}}.', example: { body_text: [['7', 'done']] } }],
    },
  ];
}

function flows(write: Write): Json[] {
  return [{ id: `57${unique()}`, name: write('Book an appointment'), status: 'PUBLISHED', categories: ['SURVEY'] }];
}

async function firstFlow(workspace: TestWorkspace): Promise<string> {
  const { body } = await workspace.api.get('/api/v1/flows/');
  return body.results[0]?.flow_id ?? '';
}

async function orderTemplate(workspace: TestWorkspace): Promise<string> {
  const { body } = await workspace.api.get('/api/v1/templates/');
  return body.results.find(({ name }) => name === 'order_update')?.template_id ?? '';
}

async function makePeople(workspace: TestWorkspace, write: Write): Promise<number[]> {
  const names = ['Kim Keeper', 'Lou Listener', 'Max Former'];
  const members = await Promise.all(
    names.map((name) => createMember(workspace, { name: write(name), permissions: ['chat.view', 'ticket.view'] })),
  );
  await members[2]?.update({ isActive: false });
  return members.slice(0, 2).map(({ id }) => id);
}

async function makeFields(make: Create, write: Write): Promise<number> {
  const all = ['contacts', 'conversations', 'tickets'];
  await make('custom-fields', { name: 'size', label: write('Shoe size'), field_type: 'number', applies_to: all });
  await make('custom-fields', {
    name: 'member',
    label: write('Club'),
    field_type: 'boolean',
    applies_to: ['contacts'],
  });
  await make('custom-fields', { name: 'since', label: write('Since'), field_type: 'date', applies_to: ['contacts'] });
  await make('custom-fields', { name: 'note', label: write('Remark'), field_type: 'text', applies_to: all });
  const options = [write('gold'), write('silver')];
  await make('custom-fields', {
    name: 'kinds',
    label: write('Kinds'),
    field_type: 'multi_select',
    options,
    applies_to: all,
  });
  return Number(
    (
      await make('custom-fields', {
        name: 'level',
        label: write('Level'),
        field_type: 'select',
        options,
        applies_to: all,
      })
    )['id'],
  );
}

interface Talk {
  readonly receiver: string;
  readonly phone: string;
  readonly contact: number;
  readonly chat: number;
  readonly merged: string;
}

/** Returns a thread with every kind of message, and a few conversations in other states around it. */
async function makeConversations(workspace: TestWorkspace, write: Write, member: number, inbox: number): Promise<Talk> {
  const { api } = workspace;
  const anna = createCustomer(workspace, { name: write('Anna Albers'), username: `anna.${unique()}` });
  const first = await anna.writes(write('Hello, where is my parcel?'));
  for (const type of ['image', 'audio', 'document', 'video', 'sticker', 'contacts', 'order', 'unsupported'])
    await anna.writes({ type });
  const place = { latitude: 52.52, longitude: 13.4, name: write('Home'), address: write('Elm Street 1') };
  await anna.writes({ type: 'location', location: place });
  const tapped = { type: 'button_reply', button_reply: { id: 'y', title: write('Yes') } };
  await anna.writes({ type: 'interactive', interactive: tapped });
  const response = JSON.stringify({ name: write('Anna'), day: '2026-11-23' });
  const form = { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: response } };
  await anna.writes({ type: 'interactive', interactive: form });
  await anna.writes({ type: 'reaction', reaction: { message_id: first, emoji: '👍' } });
  const send = (body: Json) => api.post('/api/v1/messages/', { to: anna.phone, ...body });
  await send({ body: write('It is on its way. See https://shop.example/track'), reply_to_wamid: first });
  const failed = await send({ body: write('This one fails') });
  await workspace.server.runtime.db.rows(
    `UPDATE messages SET message_status = 'failed', delivery_state = 'settled', error_code = 131049,
       error_title = $text::text, error_message = $text::text WHERE id = $id`,
    { id: failed.body.id, text: write('Not delivered') },
  );
  const custom = {
    size: 42,
    member: true,
    since: '2020-02-03',
    note: write('Likes roses'),
    level: write('gold'),
    kinds: [write('silver')],
  };
  await api.patch(`/api/v1/contacts/${anna.handle}/`, {
    company: write('Albers & Co'),
    notes: write('Calls in the evening'),
    email: 'anna@albers.test',
    tags: [write('vip'), 'b2b'],
    custom_fields: custom,
  });
  const far = '2031-05-04T10:00:00Z';
  for (const [name, state] of [
    ['Ben Becker', { priority: 'urgent', assigned_member: member }],
    ['Cleo Carstens', { conv_status: 'snoozed', snoozed_until: far, assigned_team_inbox: inbox }],
    ['Dora Dorn', { conv_status: 'resolved', priority: 'high' }],
    ['Emil Ernst', { conv_status: 'pending' }],
  ] as const) {
    const customer = createCustomer(workspace, { name: write(name) });
    await customer.writes(write('Good morning'));
    await api.patch(`/api/v1/conversations/${customer.handle}/`, state);
  }
  await api.patch(`/api/v1/conversations/${anna.handle}/`, { priority: 'high', assigned_team_inbox: inbox });
  const merged = await merge(workspace, write);
  const rows = [{ phone: '+4915158000001', name: write('Imported Ida'), source: write('Fair') }];
  await api.post('/api/v1/contacts/bulk/', { contacts: rows });
  const { body } = await api.get(`/api/v1/conversations/${anna.handle}/`);
  const contact = Number(body['contact_id']);
  await workspace.server.runtime.db.rows(
    `INSERT INTO flow_submissions (workspace_id, contact_id, flow_id, wamid, response, submitted_at)
     VALUES ($workspaceId, $contact, $flow, $wamid, $response, now())`,
    { workspaceId: workspace.id, contact, flow: await firstFlow(workspace), wamid: `wamid.${unique()}`, response },
  );
  return { receiver: anna.handle, phone: anna.phone, contact, chat: body.id, merged };
}

/** Lets a contact turn out to be somebody who wrote under a user id before; gives their handle. */
async function merge(workspace: TestWorkspace, write: Write): Promise<string> {
  const { receiver_id: handle } = await createContact(workspace, { name: write('Gerd Merged') });
  const bsuid = `US.${unique()}7`;
  const message = (who: Json, contact: Json): Json => ({
    contacts: [{ profile: {}, ...contact }],
    messages: [{ ...inboundText(handle, 'Me again'), ...who }],
  });
  const values = [
    message({ from: undefined, from_user_id: bsuid }, { user_id: bsuid }),
    message({ from: handle, from_user_id: bsuid }, { wa_id: handle, user_id: bsuid }),
  ];
  for (const value of values) {
    await signedWebhook(workspace, webhook(workspace, value));
    await workspace.server.settled();
  }
  return handle;
}

async function makeTickets(
  workspace: TestWorkspace,
  write: Write,
  contact: number,
  member: number,
): Promise<Pick<Showcase, 'ticket' | 'pipeline' | 'stage'>> {
  const { api } = workspace;
  const { body } = await api.get('/api/v1/templates/');
  const moved = body.results.find(({ name }) => name === 'moved');
  const pipeline = await createPipeline(
    workspace,
    [
      { name: write('New'), color: '#3B82F6' },
      {
        name: write('Waiting'),
        color: '#F59E0B',
        pauses_sla: true,
        notify_template_id: moved?.template_id,
        notify_template_variables: {
          body: { 1: { source: 'ticket', field: 'id' }, 2: { source: 'static', value: write('waiting') } },
        },
      },
      { name: write('Done'), color: '#22C55E', is_terminal: true },
    ],
    { name: write('Parcels'), description: write('Everything that is late') },
  );
  const [fresh, waiting, done] = pipeline.stages;
  const ben = await createContact(workspace, { name: write('Fred Affected') });
  const { id } = await createTicket(workspace, {
    title: write('Parcel is late'),
    description: write('Since Monday\nno news'),
    pipeline: pipeline.id,
    stage: fresh?.id,
    receiver: contact,
    affected_contact_ids: [ben.id],
    assigned_to: member,
    priority: 'urgent',
    severity: 'sev1',
    type: 'complaint',
    tags: [write('late')],
    due_at: '2027-01-04T09:30:00Z',
    custom_fields: { note: write('Fragile'), level: write('gold') },
  });
  await createTicket(workspace, { title: write('Ask the courier'), pipeline: pipeline.id, parent_ticket: id });
  await createTicket(workspace, {
    title: write('Late parcel'),
    pipeline: pipeline.id,
    stage: done?.id,
    duplicate_of: id,
  });
  await api.post(`/api/v1/tickets/${id}/comments/`, { body: write('Called them'), is_internal: true });
  await api.post(`/api/v1/tickets/${id}/escalate/`, { escalated_to: member, reason: write('Wants a manager') });
  return { ticket: id, pipeline: pipeline.id, stage: waiting?.id ?? 0 };
}

async function makeMacros(workspace: TestWorkspace, write: Write, chat: number): Promise<number> {
  const steps = [
    step('add_tags', { tags: [write('thanked')] }),
    step('send_message', { body: write('Thank you!') }),
    step('create_ticket', { title: write('Follow up') }),
    step('set_status', { conv_status: 'resolved' }),
  ];
  const id = await createMacro(workspace, steps, write('Thank and close'));
  await workspace.api.post(`${macrosPath}${id}/run/`, { chat_id: chat });
  return id;
}

async function makeRule(workspace: TestWorkspace, write: Write, macro: number, contact: number): Promise<number> {
  const { id } = await saveRule(workspace, {
    name: write('Nobody answered'),
    macro_id: macro,
    state: 'on',
    on: [{ event: 'message.received' }, { event: 'conversation.updated', changed: 'priority', to: 'urgent' }],
    conditions: {
      all: [{ field: 'waiting', op: 'is', value: true }],
      any: [{ field: 'tags', op: 'has_any', value: [write('vip', 64)] }],
    },
  });
  await storeRun(workspace, id, contact, { state: 'skipped', reason: 'conditions' });
  return id;
}

async function makeBroadcasts(
  workspace: TestWorkspace,
  write: Write,
): Promise<Pick<Showcase, 'draft' | 'scheduled' | 'completed'>> {
  const { api } = workspace;
  const { body } = await api.get('/api/v1/templates/');
  const fields = {
    template_id: body.results.find(({ name }) => name === 'order_update')?.template_id,
    template_variables: {
      header: { 1: { source: 'static', value: '4711' } },
      body: { 1: { source: 'field', field: 'name' }, 2: { source: 'static', value: write('on its way') } },
    },
  };
  const audience = { tags_any: [write('vip')] };
  const draft = await createBroadcast(workspace, { ...fields, name: write('Spring draft'), audience });
  const scheduled = await createBroadcast(workspace, { ...fields, name: write('Autumn') });
  await api.post(`/api/v1/broadcasts/${scheduled}/confirm/`, { scheduled_at: '2031-05-04T10:00:00Z' });
  const completed = await createBroadcast(workspace, { ...fields, name: write('Summer') });
  await api.post(`/api/v1/broadcasts/${completed}/confirm/`, {});
  await eventually(async () => {
    const { status } = (await api.get(`/api/v1/broadcasts/${completed}/`)).body;
    if (status !== 'completed') throw new Error(`the broadcast is ${String(status)}`);
  });
  return { draft, scheduled, completed };
}

/** Returns an agent by a key and one by OAuth; calls that wait, were decided, failed. */
async function makeAgents(workspace: TestWorkspace, write: Write, phone: string): Promise<number> {
  const owner = await ownerSession(workspace);
  await connect(workspace.server, await registerClient(workspace, { name: write('Helper') }), owner);
  const agent = createAgent((await workspace.key(['all'], { autonomy: 'approval' })).api);
  const park = async (text: string) =>
    Number((await agent.call('send_message', { to: phone, text: write(text) })).json['approval_id']);
  const rejected = await park('We do not know.');
  await owner.api.post(`/api/v1/approvals/${rejected}/reject/`, {});
  const id = await park('It arrives tomorrow.');
  await park('Is there anything else?');
  await agent.call('search_contacts', { search: write('Anna') });
  await agent.call('send_message', { to: 'nobody', text: write('Lost') });
  return id;
}

async function makeWebhooks(
  workspace: TestWorkspace,
  write: Write,
): Promise<Pick<Showcase, 'webhook' | 'disabledWebhook'>> {
  const { api } = workspace;
  const { db } = workspace.server.runtime;
  const made: number[] = [];
  for (const [index, what] of ['Warehouse', 'Old shop'].entries()) {
    const url = `https://example.com/hooks/${index}?q=${encodeURIComponent(write('a'))}`;
    const { body } = await api.post('/api/v1/webhooks/', {
      url,
      events: ['ticket.created', 'flow.submitted'],
      description: write(what),
    });
    made.push(body.id);
  }
  const [webhook = 0, disabledWebhook = 0] = made;
  await db.rows(
    `UPDATE webhook_subscriptions SET is_active = false, disabled_at = now(), disabled_reason = $reason WHERE id = $id`,
    { id: disabledWebhook, reason: write('The endpoint answered 410.') },
  );
  await db.rows(`UPDATE webhook_subscriptions SET failing_since = now() - interval '1 day' WHERE id = $id`, {
    id: webhook,
  });
  for (const state of ['delivered', 'failed', 'pending', 'cancelled'])
    await db.rows(
      `WITH event AS (
         INSERT INTO webhook_events (workspace_id, type, subject_type, subject_id, sequence, payload, fanned_out_at)
         VALUES ($workspaceId, 'ticket.created', 'ticket', 1, 0, '{}', now()) RETURNING id
       )
       INSERT INTO webhook_deliveries (workspace_id, subscription_id, event_id, turn, state, attempts, last_status_code,
         last_error,
         next_attempt_at, actions)
       SELECT $workspaceId, $webhook, event.id, 1, $state::text, 3, 500, $error::text,
         CASE WHEN $state::text = 'pending' THEN now() + interval '1 day' END, jsonb_build_array($error::text)
           FROM event`,
      { workspaceId: workspace.id, webhook, state, error: write('Answered 500') },
    );
  return { webhook, disabledWebhook };
}
