import { setDomain } from '../../api/services/identity/sso/service';
import { connect, registerClient } from '../oauth/support';
import { createAgent, type Agent } from '../support/agent';
import { broadcastBody, createBroadcast } from './broadcasts';
import { createContact } from './contacts';
import { createCustomer } from './customers';
import { createTeamInbox } from './inboxes';
import { createMacro, ownerSession, step } from './macros';
import { createMember } from './members';
import { ruleBody, saveRule, sendingMacro, storeRun } from './rules';
import { createPipeline, createTicket, defaultPipeline } from './tickets';
import { unique } from './unique';
import type { TestWorkspace } from './workspaces';

type Json = Record<string, unknown>;

/** A write that succeeds: what its path names and what its body holds. */
export interface WriteSample {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly body: Json;
}

/**
 * Makes what the write needs; `tag` and `phone` are new with each call, and the same in all workspaces that are
 * compared.
 */
type MakeSample = (workspace: TestWorkspace, tag: string, phone: string) => Promise<WriteSample>;

async function createWebhook(workspace: TestWorkspace, tag: string): Promise<number> {
  const { body } = await workspace.api.post('/api/v1/webhooks/', {
    url: `https://example.com/${tag}`,
    events: ['ticket.created'],
  });
  return body.id;
}

/** Returns one of a kind for each workspace. */
function once<T>(make: (workspace: TestWorkspace) => Promise<T>): (workspace: TestWorkspace) => Promise<T> {
  const made = new WeakMap<TestWorkspace, Promise<T>>();
  return (workspace) => {
    const known = made.get(workspace) ?? make(workspace);
    made.set(workspace, known);
    return known;
  };
}

const inbox = once((workspace) => createTeamInbox(workspace, [workspace.owner.id]));
const parkingAgent = once<Agent>(async (workspace) =>
  createAgent((await workspace.key(['all'], { autonomy: 'approval' })).api),
);
const connectedAgent = once<number>(async (workspace) => {
  const session = await ownerSession(workspace);
  await connect(workspace.server, await registerClient(workspace), session);
  const { body } = await session.api.get('/api/v1/connected-agents/');
  return body[0]?.id ?? 0;
});

const openConversation = async (workspace: TestWorkspace, phone: string): Promise<void> =>
  void (await createCustomer(workspace, { phone, name: 'Anna' }).writes('Hi'));

async function scheduledMessage(workspace: TestWorkspace, phone: string): Promise<number> {
  await openConversation(workspace, phone);
  const { body } = await workspace.api.post('/api/v1/messages/', {
    to: phone,
    phone_number_id: workspace.account.phoneNumberId,
    body: 'Later',
    send_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  return body.id;
}

async function parkedCall(workspace: TestWorkspace, phone: string): Promise<WriteSample> {
  await openConversation(workspace, phone);
  const answer = await (await parkingAgent(workspace)).call('send_message', { to: phone, text: 'Hi' });
  return { params: { id: Number(answer.json['approval_id']) }, body: {} };
}

async function customField(workspace: TestWorkspace, tag: string): Promise<number> {
  const { body } = await workspace.api.post('/api/v1/custom-fields/', {
    name: `f${tag}`,
    field_type: 'select',
    options: ['a', 'b'],
    applies_to: ['contacts'],
  });
  return body.id;
}

async function cannedReply(workspace: TestWorkspace, tag: string): Promise<number> {
  const { api } = await ownerSession(workspace);
  const { body } = await api.post('/api/v1/canned-replies/', { shortcut: `r${tag}`, body: 'Hi', is_shared: true });
  return body.id;
}

async function calendar(workspace: TestWorkspace, tag: string): Promise<number> {
  const { api } = await ownerSession(workspace);
  const periods = [{ weekday: 'monday', opens: '09:00', closes: '17:00' }];
  return Number((await api.post('/api/v1/calendars/', { name: `Hours ${tag}`, periods })).body['id']);
}

async function slaPolicy(workspace: TestWorkspace, tag: string): Promise<number> {
  const { body } = await (
    await ownerSession(workspace)
  ).api.post('/api/v1/sla-policies/', { name: `Policy ${tag}`, resolution_minutes: 60 });
  return body.id;
}

async function ticketBody(workspace: TestWorkspace, tag: string, phone: string): Promise<Json> {
  const contact = await createContact(workspace, { phone, name: 'Anna' });
  const pipeline = await defaultPipeline(workspace);
  return {
    title: `Ticket ${tag}`,
    description: 'Late\nagain',
    pipeline: pipeline.id,
    stage: pipeline.stages[0]?.id,
    receiver: contact.id,
    affected_contact_ids: [contact.id],
    assigned_to: workspace.owner.id,
    assigned_inbox: await inbox(workspace),
    watcher_ids: [workspace.owner.id],
    due_at: '2031-05-04T10:00:00Z',
    type: 'refund',
    severity: 'sev2',
    priority: 'high',
    tags: ['vip', 'b2b'],
  };
}

const stage = { color: '#00AA11', is_terminal: false, pauses_sla: true };
const state = async (workspace: TestWorkspace): Promise<Json> => ({
  conv_status: 'snoozed',
  snoozed_until: '2031-05-04T10:00:00Z',
  priority: 'high',
  assigned_member: workspace.owner.id,
  assigned_team_inbox: await inbox(workspace),
  calling_permission: true,
  tags: ['vip', '7'],
});

/**
 * A write that succeeds for every operation with a body, by the operation's id: what tests generate they put in place
 * of single fields of it. A new write operation needs one entry here.
 */
export const writeSamples: Readonly<Record<string, MakeSample>> = {
  'contacts.create': (_workspace, _tag, phone) =>
    Promise.resolve({
      body: {
        phone,
        name: 'Anna',
        email: 'anna@desk.test',
        company: 'Acme',
        notes: 'N',
        tags: ['vip'],
        marketing_opt_out: true,
      },
    }),
  'contacts.update': async (workspace, _tag, phone) => ({
    params: { receiver_id: (await createContact(workspace, { phone, name: 'Anna' })).receiver_id },
    body: { name: 'Berta', email: 'b@desk.test', company: 'Acme', notes: null, ...(await state(workspace)) },
  }),
  'contacts.import': (_workspace, _tag, phone) =>
    Promise.resolve({ body: { contacts: [{ phone, name: 'Anna', source: 'fair' }, { phone: 'none' }] } }),
  'contacts.merge': async (workspace, _tag, phone) => ({
    params: { receiver_id: (await createContact(workspace)).receiver_id },
    body: { into: (await createContact(workspace, { phone, name: 'Anna' })).receiver_id },
  }),
  'conversations.update': async (workspace, _tag, phone) => ({
    params: { receiver_id: (await createContact(workspace, { phone, name: 'Anna' })).receiver_id },
    body: { ...(await state(workspace)), note: 'Called back' },
  }),
  'conversations.threadControl': async (workspace, _tag, phone) => ({
    params: { receiver_id: (await createContact(workspace, { phone, name: 'Anna' })).receiver_id },
    body: { action: 'take', phone_number_id: workspace.account.phoneNumberId },
  }),
  'notes.create': async (workspace, tag, phone) => ({
    params: { receiver_id: (await createContact(workspace, { phone, name: 'Anna' })).receiver_id },
    body: { body: `Note ${tag}` },
  }),
  'presence.set': async (workspace, _tag, phone) => ({
    params: { receiver_id: (await createContact(workspace, { phone, name: 'Anna' })).receiver_id },
    body: { state: 'writing' },
  }),
  'cannedReplies.create': (_workspace, tag) =>
    Promise.resolve({ body: { shortcut: `s${tag}`, body: 'Thank you, {{name}}!', is_shared: true } }),
  'cannedReplies.update': async (workspace, tag) => ({
    params: { id: await cannedReply(workspace, tag) },
    body: { shortcut: `t${tag}`, body: 'Many thanks' },
  }),
  'calendars.create': (_workspace, tag) =>
    Promise.resolve({
      body: {
        name: `Calendar ${tag}`,
        is_default: true,
        periods: [
          { weekday: 'friday', opens: '09:00', closes: '12:00' },
          { weekday: 'friday', opens: '13:00', closes: '24:00' },
        ],
        holidays: [{ date: '2026-12-25', name: 'Christmas Day' }],
        team_inbox_ids: [],
        away_text: 'Back on Friday, {{name}}',
        away_template_id: null,
        away_template_variables: {},
      },
    }),
  'calendars.update': async (workspace, tag) => ({
    params: { id: await calendar(workspace, tag) },
    body: {
      name: `Renamed ${tag}`,
      is_default: false,
      periods: [{ weekday: 'sunday', opens: '00:00', closes: '00:01' }],
      holidays: [],
      team_inbox_ids: [],
      away_text: null,
      away_template_id: null,
      away_template_variables: {},
    },
  }),
  'ownSettings.update': () =>
    Promise.resolve({
      body: { undo_send: true, opens_next: true, takes_answered: true, is_away: true, language: 'de' },
    }),
  'notificationSettings.update': () =>
    Promise.resolve({
      body: {
        notify_assigned: 'page',
        notify_message: 'push',
        notify_unassigned: 'off',
        notify_mention: 'page',
        notify_held: 'page',
        notify_sound: false,
        quiet_from: '22:00',
        quiet_until: '07:00',
      },
    }),
  'concerns.read': () => Promise.resolve({ body: { ids: [1] } }),
  'pushSubscriptions.create': (_workspace, tag) => Promise.resolve({ body: pushSubscription(tag) }),
  'handovers.create': async (workspace, tag, phone) => ({
    params: { receiver_id: (await createContact(workspace, { phone, name: 'Anna' })).receiver_id },
    body: {
      assigned_member: workspace.owner.id,
      assigned_team_inbox: await createTeamInbox(workspace),
      note: `Note ${tag}`,
    },
  }),
  'views.create': (_workspace, tag) =>
    Promise.resolve({ body: { name: `View ${tag}`, filters: { view: 'mine', tag: 'vip', assigned_member: 'me' } } }),
  'bulkChanges.create': async (workspace, _tag, phone) => ({
    body: {
      receiver_ids: [(await createContact(workspace, { phone, name: 'Anna' })).receiver_id],
      change: { priority: 'high', add_tags: ['vip'] },
    },
  }),
  'bulkChanges.tickets': async (workspace, tag) => ({
    body: {
      ticket_ids: [(await createTicket(workspace, { title: `Ticket ${tag}` })).id],
      change: { priority: 'high', add_tags: ['vip'] },
    },
  }),
  'bulkChanges.previewTickets': async (workspace, tag) => ({
    body: {
      ticket_ids: [(await createTicket(workspace, { title: `Ticket ${tag}` })).id],
      change: { priority: 'high' },
    },
  }),
  'bulkChanges.contacts': async (workspace, tag, phone) => ({
    body: {
      receiver_ids: [(await createContact(workspace, { phone, name: 'Anna' })).receiver_id],
      change: { add_tags: [`Tag ${tag}`], marketing_opt_out: true },
    },
  }),
  'unreadMarks.create': async (workspace, _tag, phone) => ({
    body: { receiver_ids: [(await createContact(workspace, { phone, name: 'Anna' })).receiver_id] },
  }),
  'customFields.create': (_workspace, tag) =>
    Promise.resolve({
      body: {
        name: `f${tag}`,
        label: 'Plan',
        field_type: 'multi_select',
        applies_to: ['contacts', 'tickets'],
        options: ['a', 'b'],
      },
    }),
  'customFields.update': async (workspace, tag) => ({
    params: { id: await customField(workspace, tag) },
    body: { label: 'Tier', field_type: 'select', applies_to: ['contacts', 'conversations'], options: ['a', 'b', 'c'] },
  }),
  'messages.create': async (workspace, _tag, phone) => {
    await openConversation(workspace, phone);
    return { body: { to: phone, phone_number_id: workspace.account.phoneNumberId, body: 'Hello' } };
  },
  'messages.update': async (workspace, tag, phone) => ({
    params: { id: await scheduledMessage(workspace, phone) },
    body: { body: `Later ${tag}`, if_customer_writes: 'cancel' },
  }),
  'broadcasts.create': (workspace, tag) =>
    Promise.resolve({ body: broadcastBody(workspace, { name: `News ${tag}`, audience: { tags_any: ['vip'] } }) }),
  'broadcasts.update': async (workspace, tag) => ({
    params: { id: await createBroadcast(workspace, { name: `News ${tag}`, audience: { tags_any: ['none'] } }) },
    body: broadcastBody(workspace, {
      name: `Later news ${tag}`,
      audience: { tags_any: ['none'], conv_status: ['open'] },
    }),
  }),
  'broadcasts.confirm': async (workspace, tag) => ({
    params: { id: await createBroadcast(workspace, { name: `News ${tag}`, audience: { tags_any: ['nobody'] } }) },
    body: { scheduled_at: '2031-05-04T10:00:00Z' },
  }),
  'approvals.approve': (workspace, _tag, phone) => parkedCall(workspace, phone),
  'approvals.reject': async (workspace, tag, phone) => ({
    ...(await parkedCall(workspace, phone)),
    body: { note: `Not like this ${tag}` },
  }),
  'approvals.answer': async (workspace, tag, phone) => ({
    ...(await parkedCall(workspace, phone)),
    body: { text: `Rather this ${tag}` },
  }),
  'connectedAgents.update': async (workspace) => ({
    params: { id: await connectedAgent(workspace) },
    body: { autonomy: 'draft' },
  }),
  'oauthClients.create': (_workspace, tag) =>
    Promise.resolve({
      body: {
        name: `Agent ${tag}`,
        redirect_uris: ['https://agent.example/callback', 'https://agent.example/other'],
        client_type: 'confidential',
      },
    }),
  'oauthClients.disable': async (workspace) => ({ params: { id: (await registerClient(workspace)).pk }, body: {} }),
  'apiKeys.create': (_workspace, tag) =>
    Promise.resolve({
      body: {
        name: `Key ${tag}`,
        scopes: ['contact.view', 'billing'],
        autonomy: 'draft',
        expires_at: '2031-05-04T10:00:00Z',
        allowed_addresses: ['203.0.113.0/24', '2001:db8::1'],
      },
    }),
  'teamMembers.update': async (workspace) => ({
    params: { id: (await createMember(workspace)).id },
    body: { name: 'Sam', role: 'agent', permissions: ['contact.view', 'chat.view'], is_active: true },
  }),
  'teamInboxes.create': (workspace, tag) =>
    Promise.resolve({ body: { name: `Inbox ${tag}`, description: 'D', member_ids: [workspace.owner.id] } }),
  'teamInboxes.update': async (workspace, tag) => ({
    params: { id: await createTeamInbox(workspace) },
    body: { name: `Inbox ${tag}`, description: 'D', member_ids: [workspace.owner.id] },
  }),
  'teamInboxes.changeAssignment': async (workspace) => ({
    params: { id: await createTeamInbox(workspace, [workspace.owner.id]) },
    body: { mode: 'balanced', capacities: [{ member_id: workspace.owner.id, capacity: 5 }] },
  }),
  'workspace.update': (_workspace, tag) =>
    Promise.resolve({
      body: {
        name: `Desk ${tag}`,
        timezone: 'Europe/Berlin',
        country: 'DE',
        opt_out_words: ['stop', 'HALT'],
        opt_in_words: ['start', 'LOS'],
        show_read: true,
        show_typing: true,
        ask_satisfaction: true,
        satisfaction_question: `Satisfied, ${tag}?`,
        satisfaction_labels: ['Yes', 'Partly', 'No'],
      },
    }),
  'sso.update': async (workspace, tag) => {
    await setDomain(workspace.ctx, `w${unique()}.example`);
    return {
      body: {
        issuer: `https://${tag}.example/`,
        client_id: tag,
        client_secret: 'secret',
        new_member_role: 'agent',
        new_member_permissions: ['chat.view'],
        require_sso: false,
        require_factor_for_sso: false,
      },
    };
  },
  'workspace.choosePlan': () => Promise.resolve({ body: { plan: 'pro' } }),
  'tickets.create': async (workspace, tag, phone) => ({ body: await ticketBody(workspace, tag, phone) }),
  'tickets.update': async (workspace, tag, phone) => ({
    params: { id: (await createTicket(workspace, { title: `Before ${tag}` })).id },
    body: await ticketBody(workspace, tag, phone),
  }),
  'tickets.escalate': async (workspace, tag) => ({
    params: { ticket_id: (await createTicket(workspace, { title: `Ticket ${tag}` })).id },
    body: { escalated_to: workspace.owner.id, reason: 'Angry' },
  }),
  'ticketComments.create': async (workspace, tag) => ({
    params: { ticket_id: (await createTicket(workspace, { title: `Ticket ${tag}` })).id },
    body: { body: 'Called', is_internal: false },
  }),
  'ticketPipelines.create': (_workspace, tag) =>
    Promise.resolve({
      body: {
        name: `Pipeline ${tag}`,
        description: 'D',
        is_default: false,
        stages: [
          { name: 'New', ...stage },
          { name: 'Done', is_terminal: true },
        ],
      },
    }),
  'ticketPipelines.update': async (workspace, tag) => ({
    params: { id: (await createPipeline(workspace, ['New'], { name: `Pipeline ${tag}` })).id },
    body: { name: `Renamed ${tag}`, description: 'D', position: 1 },
  }),
  'ticketStages.create': async (workspace, tag) => ({
    params: { pipeline_id: (await createPipeline(workspace, ['New'], { name: `Pipeline ${tag}` })).id },
    body: { name: 'Middle', position: 0, ...stage },
  }),
  'ticketStages.update': async (workspace, tag) => {
    const pipeline = await createPipeline(workspace, ['New', 'Done'], { name: `Pipeline ${tag}` });
    return {
      params: { pipeline_id: pipeline.id, stage_id: pipeline.stages[0]?.id ?? 0 },
      body: { name: 'Renamed', position: 1, ...stage },
    };
  },
  'usage.importRates': () =>
    Promise.resolve({
      body: { csv: 'country,category,rate,currency\nDE,marketing,0.11,EUR\n', valid_from: '2026-10-01', replace: true },
    }),
  'slaPolicies.create': (_workspace, tag) =>
    Promise.resolve({
      body: {
        name: `Policy ${tag}`,
        first_response_minutes: 30,
        resolution_minutes: 600,
        calendar_id: null,
        applies_to: ['tickets', 'conversations'],
        is_default: true,
      },
    }),
  'slaPolicies.update': async (workspace, tag) => ({
    params: { id: await slaPolicy(workspace, tag) },
    body: {
      name: `Renamed ${tag}`,
      first_response_minutes: null,
      resolution_minutes: 5,
      applies_to: ['tickets'],
      is_default: false,
    },
  }),
  'macros.create': (_workspace, tag) =>
    Promise.resolve({
      body: {
        name: `Macro ${tag}`,
        description: 'D',
        actions: [step('set_priority', { priority: 'high' }), step('add_tags', { tags: ['vip'] })],
      },
    }),
  'macros.update': async (workspace, tag) => ({
    params: { id: await createMacro(workspace, [step('set_priority', { priority: 'low' })], `Macro ${tag}`) },
    body: { name: `Renamed ${tag}`, description: 'D', actions: [step('set_status', { status: 'resolved' })] },
  }),
  'rules.create': async (workspace, tag) => ({
    body: {
      name: `Rule ${tag}`,
      description: 'D',
      state: 'off',
      on: [{ event: 'message.received' }, { event: 'conversation.updated', changed: 'tags', to: 'vip' }],
      conditions: {
        all: [
          { field: 'waiting', op: 'is', value: true },
          { field: 'assigned_member', op: 'any_of', value: [workspace.owner.id] },
        ],
        any: [
          { field: 'text', op: 'words', value: 'help' },
          { field: 'tags', op: 'has_any', value: ['vip'] },
        ],
      },
      wait: { minutes: 10, by: 'hours' },
      unless: [{ event: 'conversation.answered' }, { event: 'conversation.updated', changed: 'priority' }],
      repeat: 'once',
      after_rules: true,
      macro_id: await sendingMacro(workspace),
      autonomy: 'autonomous',
    },
  }),
  'rules.update': async (workspace, tag) => ({
    params: { id: (await saveRule(workspace, { macro_id: await sendingMacro(workspace) })).id },
    body: {
      name: `Renamed ${tag}`,
      description: 'D',
      state: 'off',
      on: [{ event: 'call.missed' }],
      conditions: { all: [{ field: 'priority', op: 'is_not', value: 'low' }], any: [] },
      wait: { until: 'opening', plus_minutes: 5 },
      unless: [],
      repeat: 'each',
      after_rules: false,
      autonomy: 'autonomous',
    },
  }),
  'rules.rehearse': async (workspace) => ({
    body: { days: 1, rule: ruleBody(await sendingMacro(workspace), { name: 'R' }) },
  }),
  'rules.moveRun': async (workspace) => {
    const { id } = await saveRule(workspace);
    const run_id = await storeRun(workspace, id, (await createContact(workspace)).id);
    return { params: { id, run_id }, body: { moment: '2035-01-04T09:00:00Z' } };
  },
  'rules.brake': (_workspace, tag) => Promise.resolve({ body: { on: false, reason: `Why ${tag}` } }),
  'macros.run': async (workspace, tag, phone) => {
    const { receiver_id: handle } = await createContact(workspace, { phone, name: 'Anna' });
    const { body } = await workspace.api.get(`/api/v1/conversations/${handle}/`);
    return {
      params: {
        id: await createMacro(
          workspace,
          [step('set_priority', { priority: 'high' }), step('add_tags', { tags: ['vip'] })],
          `Macro ${tag}`,
        ),
      },
      body: { chat_id: body['id'] },
    };
  },
  'webhooks.create': (_workspace, tag) =>
    Promise.resolve({
      body: {
        url: `https://example.com/${tag}`,
        events: ['ticket.created', 'message.received'],
        description: 'D',
        scopes: ['chat.assign'],
        is_active: false,
      },
    }),
  'webhooks.update': async (workspace, tag) => ({
    params: { id: await createWebhook(workspace, tag) },
    body: {
      url: `https://example.org/${tag}`,
      events: ['*'],
      description: 'D',
      scopes: ['chat.assign'],
      is_active: false,
    },
  }),
  'webhooks.replay': async (workspace, tag) => ({
    params: { id: await createWebhook(workspace, tag) },
    body: { from: '2026-01-04T10:00:00Z', to: '2026-01-05T10:00:00Z' },
  }),
};

/** A browser that takes push; the keys are those of the example of RFC 8291. */
export const pushSubscription = (tag: string | number): Record<string, unknown> => ({
  endpoint: `https://push.example.com/send/${encodeURIComponent(tag)}`,
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
});
