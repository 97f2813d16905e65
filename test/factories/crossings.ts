/*
 * What happens in a workspace where several rows meet: handles that were somebody's once, merges and erasures of those
 * who hang on broadcasts, rules and later messages, what counts, waits, is told or held. The walk along the walls
 * between workspaces (test/faults/walls.test.ts) calls each: a statement shows whose rows it takes where it finds some.
 */
import { sampleFile } from '../../dev/sandbox/play/samples';
import { setDomain } from '../../api/services/identity/sso/service';
import { passLeftHistories } from '../../api/services/resources/contacts/histories';
import { createAgent } from '../support/agent';
import type { TestApi } from '../support/api';
import type { ApiAnswer, ApiClient } from '../support/client';
import { createBroadcast, templateId, twoValues, updateMessage } from './broadcasts';
import { createContact } from './contacts';
import type { Crowd } from './crowd';
import { createCustomer, inboundText, signedWebhook, webhook, type TestCustomer } from './customers';
import { uploadFile } from './files';
import { createTeamInbox } from './inboxes';
import { createMacro, ownerSession, step } from './macros';
import { createMember, createSession } from './members';
import { quietMacro, ruleBody, saveRule, storeRun } from './rules';
import { createPipeline, createTicket } from './tickets';
import { unique, uniquePhone } from './unique';

/** What a crossing has to hand. */
export interface Crossing {
  readonly desk: TestApi;
  /** Speak as a key with all scopes, and as the owner; what is refused throws. */
  readonly api: ApiClient;
  readonly owner: ApiClient;
  readonly crowd: Crowd;
  readonly customer: TestCustomer;
  /** The contact of the customer, which is its conversation's id, too. */
  readonly contact: number;
  /** Makes a statement over the rows of the workspace ($w), the customer ($c) and the owner ($m). */
  sql(text: string): Promise<void>;
}

/** Prepares crossings in a workspace with a crowd and a customer who has written. */
export async function prepareCrossings(desk: TestApi, crowd: Crowd, customer: TestCustomer): Promise<Crossing> {
  const { db } = desk.runtime;
  const api = surely(desk.api);
  const contact = Number((await api.get(`/api/v1/contacts/${customer.handle}/`)).body['id']);
  const given = { w: desk.workspace.id, c: contact, m: desk.workspace.owner.id };
  return {
    desk,
    api,
    owner: surely((await ownerSession(desk.workspace)).api),
    crowd,
    customer,
    contact,
    sql: async (text) => void (await db.rows(text.replace(/\$([wcm])\b/g, (_all, name: 'w') => String(given[name])))),
  };
}

/** Returns a client whose requests have to be taken: one that is refused would cross nothing. */
const surely = (api: ApiClient): ApiClient =>
  new Proxy(api, {
    get:
      (_target, name: 'request') =>
      async (...given: Parameters<ApiClient['request']>): Promise<ApiAnswer> => {
        const answer = await api[name](...given);
        if (answer.status < 400) return answer;
        throw new Error(`${name} ${given.join(' ')}: ${answer.status} ${JSON.stringify(answer.body)}`);
      },
  });

const later = (): string => new Date(Date.now() + 3_600_000).toISOString();
const earlier = (): string => new Date(Date.now() - 3_600_000).toISOString();
/** Former handles of the customer, each found in another way: the last two by the other spelling of the line. */
const former = ['5215500000101', 'US.former', '+5215500000102', '+525500000103', '+525500000104'];

/** What has to be there from the first message on. */
export async function begin(crossing: Crossing): Promise<void> {
  const { desk, api, crowd, customer, sql } = crossing;
  const { workspace } = desk;
  // Who has another number now, and is named by the old one until its next holder writes.
  const left = createCustomer(workspace);
  await left.writes('Soon elsewhere');
  const number = uniquePhone().replace(/\D/g, '');
  await sql(`UPDATE contacts SET phone = '${number}', bsuid = NULL WHERE receiver_id = '${left.handle}'`);
  await left.writes('My new number');
  await writesLate(workspace);
  await sql(`UPDATE calendars SET periods = '[{"weekday": "monday", "opens": "09:00", "closes": "17:00"}]'
    WHERE workspace_id = $w`);
  // Rules watch all that happens, and look at what they can.
  const conditions = { all: [{ field: 'inbound_count', op: 'above', value: 1_000 }], any: [] };
  for (const wait of [
    { minutes: 10, by: 'clock' },
    { minutes: 10, by: 'hours' },
  ])
    await saveRule(workspace, { state: 'on', conditions, wait });
  for (const state of ['on', 'on']) await saveRule(workspace, { state });
  const template = { template_id: templateId(workspace, 'ticket_update'), template_variables: twoValues };
  await saveRule(workspace, { state: 'on', macro_id: await createMacro(workspace, [step('send_template', template)]) });
  await sql(
    `UPDATE rules SET state = 'on', active_since = now(), starts = '[{"event": "call.missed"}]'
      WHERE id = ${crowd.rule}`,
  );
  await workspace.api.post('/api/v1/custom-fields/', {
    name: 'level',
    label: 'Level',
    field_type: 'number',
    applies_to: ['tickets'],
  });
  // Values of a field that does not apply to them, and is hidden.
  await sql(`UPDATE tickets SET custom_fields = '{"plan": "old"}' WHERE workspace_id = $w`);
  await api.get(`/api/v1/tickets/${crowd.ticket}/`);
  const file = await uploadFile(workspace, sampleFile('image').data);
  await sql(`UPDATE broadcasts SET header_media_id = '${file}' WHERE workspace_id = $w`);
  await api.get(`/api/v1/broadcasts/${crowd.broadcast}/`);
  await api.post('/api/v1/messages/', {
    to: customer.phone,
    phone_number_id: workspace.account.phoneNumberId,
    image: { id: file },
  });
  await createTicket(workspace, { title: 'Waits', receiver_id: customer.handle });
  await sql(`INSERT INTO contact_aliases (workspace_id, kind, value, contact_id) VALUES
    ($w, 'receiver_id', '5215500000101', $c), ($w, 'bsuid', 'US.former', $c), ($w, 'phone', '5215500000102', $c),
    ($w, 'receiver_id', '5215500000103', $c), ($w, 'phone', '5215500000104', $c), ($w, 'id', '900000001', $c),
    ($w, 'conversation_id', '900000001', $c)`);
  // Who opted out stays known when they come again.
  const phone = uniquePhone();
  const { receiver_id: handle } = await createContact(workspace, { phone, marketing_opt_out: true });
  await api.delete(`/api/v1/contacts/${handle}/`);
  await api.post('/api/v1/contacts/bulk/', { contacts: [{ phone, name: 'Again' }] });
  await api.delete(`/api/v1/contacts/${handle}/`);
  await createCustomer(workspace, { phone }).writes('Again');
  await api.patch(`/api/v1/contacts/${handle}/`, { marketing_opt_out: false });
  await api.delete(`/api/v1/contacts/${handle}/`);
  await formerHandles(crossing);
}

/** By handles that a contact had once, it is found, changed, chosen and imported. */
async function formerHandles({ desk, api, owner, customer }: Crossing): Promise<void> {
  const { workspace } = desk;
  for (const handle of former.map(encodeURIComponent)) {
    await api.get(`/api/v1/contacts/${handle}/`);
    await api.patch(`/api/v1/contacts/${handle}/`, { company: 'Acme', tags: ['vip'] });
    await api.get(`/api/v1/conversations/${handle}/`);
  }
  await owner.post('/api/v1/bulk-changes/', { receiver_ids: former, change: { add_tags: ['vip'] } });
  for (const handle of [...former, customer.handle, `+${customer.handle}`]) {
    const id = await createBroadcast(workspace, { audience: { receiver_ids: [handle] } });
    await owner.post(`/api/v1/broadcasts/${id}/preview/`, {});
  }
  await createTicket(workspace, { receiver: 900_000_001 });
  const { body: own } = await createContact(workspace, { bsuid: 'US.own' });
  for (const row of [{ phone: customer.phone }, { bsuid: 'US.own' }, { bsuid: 'US.former' }, { phone: former[2] }])
    await api.post('/api/v1/contacts/bulk/', { contacts: [{ ...row, company: 'Acme', plan: 'gold' }] });
  await api.post('/api/v1/contacts/bulk/', { contacts: [{ bsuid: own['receiver_id'] }] });
}

/** Strangers write who have a phone or user id that was another one's, and one who is known by an old one. */
async function formerSenders({ desk, api, sql }: Crossing): Promise<void> {
  const { workspace } = desk;
  // Somebody of their own: they may end with another number than they began with.
  const person = createCustomer(workspace);
  await person.writes('Hello');
  const { id } = (await api.get(`/api/v1/contacts/${person.handle}/`)).body;
  await sql(`INSERT INTO contact_aliases (workspace_id, kind, value, contact_id)
    VALUES ($w, 'phone', '${person.handle}', ${id}),
      ($w, 'phone', '4930777001', ${id}), ($w, 'bsuid', 'DE.7001', ${id})`);
  await person.writes('Do you know me?');
  // By their other user id they are called, too, whose number is somebody else's by now.
  await createContact(workspace, { phone: '+4930777005' });
  await sql(`INSERT INTO contact_aliases (workspace_id, kind, value, bsuid, contact_id)
    VALUES ($w, 'bsuid', 'DE.7005', NULL, ${id}), ($w, 'phone', '4930777005', 'DE.7005', ${id})`);
  // What comes in the same second is no news.
  await sql(`UPDATE contacts SET identity_at = identity_at - interval '1 hour' WHERE id = ${id}`);
  const { from: _from, ...unnumbered } = inboundText('', 'By my user id', { from_user_id: 'DE.7005' });
  const named = [{ profile: { name: 'Eve' }, user_id: 'DE.7005' }];
  await signedWebhook(workspace, webhook(workspace, { contacts: named, messages: [unnumbered] }));
  await workspace.server.settled();
  await sql(`UPDATE contacts SET identity_at = identity_at - interval '1 hour' WHERE id = ${id}`);
  await sql(`INSERT INTO identity_moves (workspace_id, old_phone, old_bsuid, moved_at)
    VALUES ($w, '4930777002', NULL, now() + interval '1 minute'), ($w, NULL, 'DE.7002', now() + interval '1 minute')`);
  for (const [phone, bsuid] of [['4930777001'], ['4930777002'], ['4930777003', 'DE.7001'], ['4930777004', 'DE.7002']]) {
    const contacts = [{ profile: { name: 'Eve' }, wa_id: phone, ...(bsuid ? { user_id: bsuid } : {}) }];
    const message = inboundText(phone ?? '', 'Me again', bsuid ? { from_user_id: bsuid } : {});
    await signedWebhook(workspace, webhook(workspace, { contacts, messages: [message] }));
    await workspace.server.settled();
  }
  await writesLate(desk.workspace);
}

/** Somebody writes what comes an hour late: its place is behind what came before. */
async function writesLate(workspace: Crossing['desk']['workspace']): Promise<void> {
  const customer = createCustomer(workspace);
  await customer.writes('In time');
  const late = inboundText(customer.handle, 'Late', { timestamp: String(Math.floor(Date.now() / 1000) - 3_600) });
  const contacts = [{ profile: { name: customer.name }, wa_id: customer.handle }];
  await signedWebhook(workspace, webhook(workspace, { contacts, messages: [late] }));
  await workspace.server.settled();
}

/** What is to happen to a conversation: a message for later, a retry, a broadcast, a call that asks, a hold. */
async function upcoming({ desk, api, owner, customer, sql }: Crossing): Promise<void> {
  const { workspace } = desk;
  const message = { to: customer.phone, body: 'Soon', send_at: later() };
  for (let count = 0; count < 2; count += 1) await api.post('/api/v1/messages/', message);
  const { body: waiting } = await api.get<{ id: number }[]>(`/api/v1/conversations/${customer.handle}/scheduled/`);
  for (const { id } of waiting) await api.get(`/api/v1/messages/${id}/`);
  await customer.writes('Wait!');
  const broadcast = await createBroadcast(workspace, { audience: { tags_any: ['vip'] } });
  await api.patch(`/api/v1/contacts/${customer.handle}/`, { tags: ['vip'] });
  await owner.post(`/api/v1/broadcasts/${broadcast}/confirm/`, { scheduled_at: later() });
  const agent = createAgent((await workspace.key(['all'], { autonomy: 'approval' })).api);
  for (const text of ['One', 'Two']) await agent.call('send_message', { to: customer.phone, text });
  await api.post('/api/v1/messages/', {
    to: customer.phone,
    phone_number_id: workspace.account.phoneNumberId,
    template: updateMessage,
  });
  await sql(`UPDATE messages SET delivery_state = 'queued', attempts = 1, next_attempt_at = now() + interval '1 hour',
      send_seq = 1000000
    WHERE id = (SELECT max(id) FROM messages WHERE conversation_id = $c AND direction = 'outbound')`);
  await sql(`INSERT INTO delivery_holds (workspace_id) VALUES ($w)`);
  await owner.get(`/api/v1/conversations/${customer.handle}/upcoming/`);
  await sql('DELETE FROM delivery_holds WHERE workspace_id = $w');
}

/** A member and a key go whose webhooks, broadcasts and rules go on or stop with them. */
async function owners({ desk, owner, crowd, sql }: Crossing): Promise<void> {
  const { workspace } = desk;
  const key = await workspace.key(['all']);
  const member = await createMember(workspace, { role: 'admin' });
  const { api: theirs } = await createSession(member);
  for (const api of [key.api, theirs]) {
    await api.post('/api/v1/webhooks/', { url: 'http://127.0.0.1:9/x', events: ['ticket.created'], is_active: true });
    const { body } = await api.post('/api/v1/broadcasts/', {
      name: 'Theirs',
      template_id: (await workspace.api.get('/api/v1/templates/?name=ticket_update')).body.results[0]?.template_id,
      phone_number_id: workspace.account.phoneNumberId,
      audience: { tags_any: ['none'] },
    });
    await api.post(`/api/v1/broadcasts/${String(body['id'])}/confirm/`, { scheduled_at: later() });
  }
  await theirs.post('/api/v1/rules/', ruleBody(await quietMacro(workspace), { state: 'on' }));
  await sql(`UPDATE broadcasts SET created_by_member_id = ${member.id}, status = 'scheduled', scheduled_at = now() +
      interval '1 hour' WHERE id = (SELECT max(id) FROM broadcasts WHERE workspace_id = $w AND name LIKE 'News%')`);
  await sql(`UPDATE broadcasts SET api_key_id = ${key.id}, status = 'scheduled',
      scheduled_at = now() + interval '1 hour'
    WHERE id = (SELECT min(id) FROM broadcasts WHERE workspace_id = $w AND status = 'draft')`);
  await owner.get(`/api/v1/api-keys/${key.id}/made/`);
  await owner.delete(`/api/v1/api-keys/${key.id}/`);
  await owner.patch(`/api/v1/team-members/${member.id}/`, { is_active: false });
  // What a thief may have used: sessions, links, webhooks and rules that have done something.
  await sql(`INSERT INTO sessions (member_id, token_hash, csrf_secret, expires_at)
    VALUES ($m, sha256(('walls.' || $m)::bytea), 'x', now() + interval '1 day')`);
  await sql(`INSERT INTO member_links (token_hash, member_id, expires_at)
    VALUES (sha256(('link.' || $m)::bytea), $m, now() + interval '1 day')`);
  await sql(`UPDATE webhook_subscriptions SET created_by_id = $m, created_at = now() WHERE id = ${crowd.webhook}`);
  await owner.get('/api/v1/rescue/');
}

/** What concerns a member, and what their browser is told: of notes, comments, messages for later, rules, tickets. */
async function told({ desk, owner, crowd, sql }: Crossing): Promise<void> {
  const last = (table: string): string => `(SELECT max(id) FROM ${table} WHERE workspace_id = $w)`;
  await sql(
    `UPDATE concerns SET source_id = ${last('conversation_notes')} WHERE workspace_id = $w AND kind = 'mention'`,
  );
  await sql(`UPDATE concerns SET source_id = ${last('scheduled_messages')} WHERE workspace_id = $w AND kind = 'held'`);
  await sql(`INSERT INTO concerns (workspace_id, member_id, kind, ticket_id, source_id)
    VALUES ($w, $m, 'mention', ${crowd.ticket}, ${last('ticket_comments')})`);
  await sql(`INSERT INTO notices (workspace_id, member_id, kind, ticket_id, push_until)
    VALUES ($w, $m, 'mention', ${crowd.ticket}, now() + interval '5 minutes')`);
  await sql(`INSERT INTO notices (workspace_id, member_id, kind, rule_id, push_until)
    VALUES ($w, $m, 'rule', ${crowd.rule}, now() + interval '5 minutes')`);
  await sql(`INSERT INTO notices (workspace_id, member_id, kind, conversation_id, push_until)
    VALUES ($w, $m, 'message', $c, now() + interval '5 minutes')`);
  await owner.get('/api/v1/notices/');
  const { body } = await owner.get<{ results: { id: number }[] }>('/api/v1/concerns/');
  await desk.work();
  await owner.post('/api/v1/concerns/read/', { ids: body.results.map(({ id }) => id) });
}

/** A team inbox hands out, a calendar moves what waits by hours, a stage gives its tickets away. */
async function moves({ desk, api, owner, crowd, sql }: Crossing): Promise<void> {
  const { workspace } = desk;
  const inbox = await createTeamInbox(workspace, [workspace.owner.id]);
  await owner.patch(`/api/v1/team-inboxes/${inbox}/assignment/`, { mode: 'balanced', capacities: [] });
  const { receiver_id: handle } = await createContact(workspace);
  const one = `/api/v1/conversations/${handle}/`;
  await api.patch(one, { conv_status: 'open', assigned_team_inbox: inbox, assigned_member: null });
  await owner.get(`/api/v1/team-inboxes/${inbox}/assignment/`);
  await api.patch(one, { conv_status: 'resolved' });
  const byHours = await saveRule(workspace, { wait: { minutes: 10, by: 'hours' }, state: 'on' });
  await storeRun(workspace, byHours.id, crowd.contact);
  await owner.post('/api/v1/calendars/', {
    name: 'Nights',
    periods: [{ weekday: 'monday', opens: '20:00', closes: '23:00' }],
  });
  await owner.patch(`/api/v1/rules/${byHours.id}/`, { state: 'off' });
  await api.get(`/api/v1/ticket-pipelines/${crowd.pipeline}/`);
  const { id, stages } = await createPipeline(workspace, ['One', 'Two']);
  await createTicket(workspace, { pipeline: id, stage: stages[0]?.id });
  const done = await createTicket(workspace, { pipeline: id, stage: stages[0]?.id });
  const close = `UPDATE tickets SET closed_at = now() WHERE id = ${done.id}`;
  await sql(close);
  await api.patch(`/api/v1/ticket-pipelines/${id}/stages/${stages[0]?.id}/`, { pauses_sla: true });
  await sql(close);
  // It is full.
  await desk.api.delete(`/api/v1/ticket-pipelines/${id}/stages/${stages[0]?.id}/`);
  await desk.api.delete(`/api/v1/ticket-pipelines/${id}/`);
  await api.delete(`/api/v1/ticket-pipelines/${id}/stages/${stages[0]?.id}/?move_to=${stages[1]?.id}`);
  await sql(close);
  await api.delete(`/api/v1/ticket-pipelines/${id}/?move_to=${crowd.stage}`);
  await owner.patch(`/api/v1/macros/${crowd.macro}/`, { name: 'Renamed' });
  const macro = await quietMacro(workspace);
  await saveRule(workspace, { macro_id: macro, state: 'on' });
  await owner.patch(`/api/v1/macros/${macro}/`, { actions: [step('set_priority', { priority: 'low' })] });
  const csv = 'country,category,rate,currency\nDE,marketing,0.11,EUR\n';
  for (const valid_from of ['2026-10-01', '2026-11-01'])
    await owner.post('/api/v1/usage/rates/', { csv, valid_from, replace: false });
  const reply = { shortcut: 'twice', body: 'Hi', is_shared: true };
  await owner.post('/api/v1/canned-replies/', reply);
  await (await ownerSession(workspace)).api.post('/api/v1/canned-replies/', reply);
  await sql(`UPDATE flows SET synced_at = now() + interval '1 hour' WHERE workspace_id = $w`);
  await api.get('/api/v1/flows/flow1/');
  const subscription = { endpoint: 'https://push.example.com/send/twice', keys: pushKeys };
  for (let count = 0; count < 2; count += 1) await owner.post('/api/v1/push-subscriptions/', subscription);
}

/** A member takes who waits, and is done with them, whose clock runs; then they write again. */
async function endings({ owner, customer, sql }: Crossing): Promise<void> {
  const one = `/api/v1/conversations/${customer.handle}/`;
  await owner.patch(one, { conv_status: 'open' });
  await customer.writes('Still there?');
  await sql(`UPDATE conversations SET queued_at = now(), sla_started_at = now(), sla_stopped_at = NULL WHERE id = $c`);
  const { body } = await owner.get(one);
  await owner.patch(one, { assigned_member: body['assigned_member'] ?? null });
  await owner.patch(one, { conv_status: 'resolved' });
  await customer.writes('Me again');
}

/** The keys of the example of RFC 8291. */
const pushKeys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

/** Subscribers are told, told again, and no more. */
async function subscribers({ desk, api, crowd, sql }: Crossing): Promise<void> {
  const { body } = await api.post('/api/v1/webhooks/', {
    url: 'http://127.0.0.1:9/',
    events: ['*'],
    is_active: true,
  });
  const one = `/api/v1/webhooks/${body.id}/`;
  await createTicket(desk.workspace, { title: 'Told' });
  await desk.work();
  // Its receiver counts as dead: the next one is a probe. What was delivered is told again, then no more.
  const mine = `WHERE subscription_id = ${body.id}`;
  await sql(
    `UPDATE webhook_deliveries SET next_attempt_at = now() - interval '1 minute' ${mine} AND state = 'pending'`,
  );
  await sql(`UPDATE webhook_subscriptions SET paused_until = NULL, consecutive_failures = 1000 WHERE id = ${body.id}`);
  await createTicket(desk.workspace, { title: 'Told, too' });
  await desk.work();
  await sql(`UPDATE webhook_deliveries SET state = 'delivered', next_attempt_at = NULL ${mine}`);
  await api.post(`${one}replay/`, { from: earlier(), to: later() });
  await api.patch(one, { is_active: false });
  await sql(`UPDATE webhook_deliveries SET state = 'pending', next_attempt_at = now() + interval '1 hour'
    WHERE subscription_id = ${crowd.webhook}`);
  await api.patch(`/api/v1/webhooks/${crowd.webhook}/`, { is_active: false });
}

/** Two who are one, and hang on all that is: broadcasts, waits of rules, deadlines, and what other merges have left. */
async function merges({ desk, api, owner, crowd, customer, sql }: Crossing): Promise<void> {
  const { workspace, runtime } = desk;
  const ids = new Map<string, number>();
  for (const handle of ['49300000001', '49300000002', '49300000003'])
    ids.set(handle, Number((await api.get(`/api/v1/contacts/${handle}/`)).body['id']));
  const [gone = 0, kept = 0, left = 0] = ids.values();
  for (const conversation of [gone, kept]) await storeRun(workspace, crowd.rule, conversation);
  await sql(`UPDATE conversations SET sla_started_at = now() WHERE id IN (${gone}, ${kept})`);
  await sql(`INSERT INTO left_histories (workspace_id, conversation_id, kept_id) VALUES ($w, ${left}, ${gone})`);
  await sql(`UPDATE broadcast_recipients SET state = 'pending', reason = '', message_id = NULL
    WHERE workspace_id = $w AND contact_id IN (${gone}, ${kept})`);
  await sql(`INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body,
      message_status, opaque, delivery_state, origin)
    SELECT $w, ${kept}, (SELECT min(id) FROM phone_numbers WHERE workspace_id = $w), 'outbound', 'template', '{}',
      'queued',
      gen_random_uuid(), 'queued', 'stage'`);
  // One message of the newest broadcast is theirs who goes, and one of its recipients.
  const newest = '(SELECT max(id) FROM broadcasts WHERE workspace_id = $w)';
  await sql(`UPDATE messages SET dedupe_key = 'broadcast:' || ${newest} || ':${gone}'
    WHERE id = (SELECT max(id) FROM messages WHERE conversation_id = ${kept})`);
  await sql(`INSERT INTO broadcast_recipients (broadcast_id, position, workspace_id, contact_id, state, reason)
    VALUES (${newest}, 1000001, $w, ${gone}, 'skipped', 'opted_out')`);
  await sql(`INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type)
    VALUES ($w, 'conversation', ${gone}, 'updated', 'system')`);
  await owner.post('/api/v1/contacts/49300000001/merge/', { into: '49300000002' });
  await sql(`UPDATE left_histories SET kept_id = $c WHERE workspace_id = $w`);
  await sql(`UPDATE messages SET "read" = false WHERE workspace_id = $w AND conversation_id = ${left}`);
  await api.get(`/api/v1/conversations/${customer.handle}/messages/`);
  await api.post(`/api/v1/conversations/${customer.handle}/read/`, {});
  await customer.writes('Unread');
  await api.post(`/api/v1/conversations/${customer.handle}/read/`, {});
  await passLeftHistories(runtime);
  // Longer than a page, so that something is left of each part.
  for (const [type, id] of [
    ['contact', kept],
    ['conversation', kept],
  ] as const)
    await sql(`INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type)
      SELECT $w, '${type}', ${id}, 'updated', 'system' FROM generate_series(1, 1001)`);
  await api.delete('/api/v1/contacts/49300000002/');
  await passLeftHistories(runtime);
}

/** All that names somebody goes with them. */
async function erasures({ desk, api, sql }: Crossing): Promise<void> {
  const { workspace } = desk;
  const phone = uniquePhone();
  const customer = createCustomer(workspace, { phone });
  await customer.writes('Forget me');
  const handle = customer.handle;
  const { body } = await api.get(`/api/v1/contacts/${handle}/`);
  const id = Number(body['id']);
  const file = await uploadFile(workspace, sampleFile('image').data);
  const message = { to: phone, phone_number_id: workspace.account.phoneNumberId };
  await api.post('/api/v1/messages/', { ...message, image: { id: file } });
  await api.post('/api/v1/messages/', { ...message, body: 'Later', send_at: later() });
  const once = { 'idempotency-key': `erased-${handle}` };
  await api.patch(`/api/v1/contacts/${handle}/`, { company: 'Acme' }, once);
  await api.post('/api/v1/contacts/bulk/', { contacts: [{ phone, name: 'Me' }] }, { 'idempotency-key': handle });
  const first = (table: string, place = 0): string =>
    `(SELECT id FROM ${table} WHERE workspace_id = $w ORDER BY id OFFSET ${place} LIMIT 1)`;
  const wamid = `(SELECT wamid FROM messages WHERE conversation_id = ${id} AND wamid <> '' LIMIT 1)`;
  for (const change of [
    `inbox_events SET order_key = '${handle}' WHERE id = ${first('inbox_events')}`,
    `inbox_events SET order_key = ${wamid} WHERE id = ${first('inbox_events', 1)}`,
    `approvals SET frozen = '[{"recipients": [{"id": ${id}}]}]' WHERE id = ${first('approvals')}`,
    `approvals SET note = '${phone}' WHERE id = ${first('approvals', 1)}`,
    `audit_log SET detail = '${phone}' WHERE id = ${first('audit_log')}`,
    `security_log SET given = '{"phone": "${phone}"}' WHERE id = ${first('security_log')}`,
    `events SET data = '{"phone": "${phone}"}' WHERE id = ${first('events')}`,
    `webhook_deliveries SET last_error = '${phone}' WHERE id = ${first('webhook_deliveries')}`,
    `broadcasts SET audience = '{"receiver_ids": ["${handle}"]}' WHERE id = ${first('broadcasts')}`,
    `macro_runs SET ran = '[{"detail": "${phone}"}]' WHERE id = ${first('macro_runs')}`,
    `idempotency_keys SET body = '${handle}', path = path || '/${handle}/' WHERE workspace_id = $w`,
    `ticket_stage_moves SET recipient_values = '{"900000002": {}}' WHERE id = ${first('ticket_stage_moves')}`,
  ])
    await sql(`UPDATE ${change}`);
  await sql(
    `INSERT INTO contact_aliases (workspace_id, kind, value, contact_id) VALUES ($w, 'id', '900000002', ${id})`,
  );
  await sql(`INSERT INTO parked_statuses (workspace_id, wamid, payload) VALUES ($w, ${wamid}, '{}')`);
  await sql(`INSERT INTO identity_moves (workspace_id, old_phone, moved_at) VALUES ($w, '${handle}', now())`);
  await api.delete(`/api/v1/contacts/${handle}/`);
}

/** A rule is tried on what happened, also before. */
async function rehearsals({ desk, owner, crowd, sql }: Crossing): Promise<void> {
  await sql(`UPDATE messages SET created_at = created_at - interval '2 days' WHERE conversation_id = ${crowd.contact}`);
  const rule = ruleBody(await quietMacro(desk.workspace), { name: 'Tried' });
  await owner.post('/api/v1/rules/rehearse/', { days: 1, rule });
}

/** Sessions end that showed less than is asked for, and subjects that another provider had named. */
async function signOns({ desk, owner, sql }: Crossing): Promise<void> {
  const member = await createMember(desk.workspace);
  await createSession(member);
  await sql(`UPDATE members SET sso_subject = 'subject' WHERE id = ${member.id}`);
  await sql(`UPDATE sessions SET is_sso = true WHERE member_id = ${member.id}`);
  await setDomain(desk.workspace.ctx, `w${unique()}.example`);
  for (const issuer of ['https://one.example/', 'https://two.example/'])
    await owner.patch('/api/v1/workspace/sso/', { issuer, client_id: 'one', client_secret: 'secret' });
}

/** All of it, in an order in which none takes what another one needs. */
export const crossings = [
  formerSenders,
  upcoming,
  rehearsals,
  told,
  moves,
  endings,
  subscribers,
  owners,
  erasures,
  merges,
  signOns,
];
