import { platformFields } from '../support/platformFields';
import { createCustomer, signedWebhook, webhook, type TestCustomer } from '../factories/customers';
import { ownerSession } from '../factories/macros';
import { createTicket } from '../factories/tickets';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { eventually } from '../support/eventually';
import { startReceiver, type Receiver } from '../support/receiver';

type Json = Record<string, unknown>;

let desk: TestApi;
let receiver: Receiver;
let workspace: TestWorkspace;
let anna: TestCustomer;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  receiver = await startReceiver();
});
beforeEach(async () => {
  desk.sandbox.faults.clear();
  workspace = await createWorkspace(desk);
  anna = createCustomer(workspace, { name: 'Anna' });
});
afterAll(async () => {
  await desk.close();
  await receiver.close();
});

const at = (): Json => ({
  phone_number_id: workspace.account.phoneNumberId,
  from: { phone: anna.phone, name: anna.name },
});
/** Plays an event of the platform about Anna, and waits until it is processed. */
const play = async (kind: string, more: Json = {}): Promise<void> => {
  await desk.sandbox.event({ kind, ...at(), ...more });
  await desk.settled();
};
const conversation = async (): Promise<Json> => (await workspace.api.get(`/api/v1/conversations/${anna.handle}/`)).body;
const messages = async (): Promise<Json[]> =>
  (await workspace.api.get(`/api/v1/conversations/${anna.handle}/messages/`)).body.results;
const activity = async (): Promise<Json[]> =>
  (await workspace.api.get(`/api/v1/conversations/${anna.handle}/activity/`)).body.results;
const waiting = async (): Promise<number> =>
  Number((await workspace.api.get('/api/v1/conversations/?waiting=true')).body['count']);
/** The types that subscribers are told, in the order in which they were noted. */
const told = async (): Promise<unknown[]> =>
  (
    await desk.runtime.db.rows<Json>('SELECT type FROM webhook_events WHERE workspace_id = $id ORDER BY id', {
      id: workspace.id,
    })
  ).map(({ type }) => type);
const subscribe = async (): Promise<void> => {
  const { status } = await workspace.api.post('/api/v1/webhooks/', { url: receiver.url, events: ['*'] });
  expect(status).toBe(201);
};

describe("an answer in the phone's app", () => {
  it('is a message of the thread, an answer by a person, once however often it is told', async () => {
    await anna.writes('Hi');
    const { id: contact } = await conversation();
    const ticket = await createTicket(workspace, { receiver: contact });
    await subscribe();
    for (const id of ['wamid.echo1', 'wamid.echo1']) await play('phone_app', { id, text: 'From my phone' });
    expect((await messages())[0]).toMatchObject({
      direction: 'outbound',
      source: 'phone_app',
      message_id: 'wamid.echo1',
      message_status: 'sent',
      body: { type: 'text', text: { body: 'From my phone' } },
      send_by: null,
    });
    expect(await messages()).toHaveLength(2);
    expect((await messages())[1]).toMatchObject({ read: true });
    expect(await conversation()).toMatchObject({
      unread_count: 0,
      waiting_since: null,
      first_response_at: expect.any(String) as unknown,
      last_message: { direction: 'outbound' },
    });
    expect((await workspace.api.get(`/api/v1/tickets/${ticket.id}/`)).body['first_response_at']).not.toBeNull();
    expect(await told()).toEqual(['message.status_changed']);
  });

  it('that came late answers nothing that was written since', async () => {
    await anna.writes('Hi');
    const earlier = String(Math.floor(Date.now() / 1_000) - 60);
    await play('phone_app', { text: 'Late', timestamp: earlier });
    expect(await conversation()).toMatchObject({ unread_count: 1, last_message: { direction: 'inbound' } });
    expect(await waiting()).toBe(1);
  });

  it('takes its statuses, also those that came before it', async () => {
    const status = { id: 'wamid.echo2', status: 'delivered', timestamp: '1', recipient_id: anna.handle };
    await signedWebhook(workspace, webhook(workspace, { statuses: [status] }));
    await desk.settled();
    await play('phone_app', { id: 'wamid.echo2' });
    await desk.settled();
    expect((await messages())[0]).toMatchObject({ message_status: 'delivered' });
  });
});

describe('a thread that another application has', () => {
  it('shows what both sides say, waits for nobody, and is ours again when it is passed or we answer', async () => {
    await anna.writes('Hi');
    await workspace.api.patch(`/api/v1/conversations/${anna.handle}/`, { status: 'resolved' });
    await play('agent_takes');
    expect(await conversation()).toMatchObject({ thread_owner: 'meta_business_agent' });
    await subscribe();
    await anna.writes('Where is my order?');
    await play('agent_writes', { text: 'On its way' });
    expect(await messages()).toMatchObject([
      { direction: 'outbound', source: 'other_app' },
      { direction: 'inbound', standby: true },
      { direction: 'inbound', standby: false },
    ]);
    // It counts as an inbound message in every way, except that the customer does not wait for the team.
    expect(await conversation()).toMatchObject({
      conv_status: 'open',
      chat_status: 'active',
      unread_count: 2,
      waiting_since: null,
      thread_owner: 'meta_business_agent',
    });
    expect(await waiting()).toBe(0);
    expect(await told()).toEqual(['message.received', 'conversation.reopened', 'message.status_changed']);

    await play('agent_passes');
    expect(await conversation()).toMatchObject({ thread_owner: '' });
    await anna.writes('Are you there?');
    expect(await waiting()).toBe(1);
    await play('agent_takes');
    await workspace.api.post('/api/v1/messages/', { to: anna.phone, body: 'Yes' });
    expect(await conversation()).toMatchObject({ thread_owner: '' });
    expect((await activity()).filter(({ kind }) => kind === 'thread_control_changed')).toHaveLength(3);
  });

  it('is taken and given back by REST; where the platform refuses, nothing changes', async () => {
    await anna.writes('Hi');
    await play('agent_takes');
    const control = (action: string) =>
      workspace.api.post(`/api/v1/conversations/${anna.handle}/thread-control/`, { action });
    desk.sandbox.faults.add({ kind: 'error', code: 100, path: '/thread_control', times: 1, details: 'Not now' });
    expect(await control('take')).toMatchObject({ status: 409, body: { error: expect.stringContaining('refused') } });
    expect(await conversation()).toMatchObject({ thread_owner: 'meta_business_agent' });
    desk.sandbox.faults.add({ kind: 'html', path: '/thread_control', times: 1 });
    expect((await control('take')).status).toBe(503);
    expect(await control('take')).toMatchObject({ status: 200, body: { thread_owner: '' } });
    expect(await control('release')).toMatchObject({ status: 200, body: { thread_owner: 'other_app' } });
  });

  it('an older word of it changes nothing', async () => {
    await anna.writes('Hi');
    await play('agent_takes');
    const value = (timestamp: string): Json => ({
      type: 'control_passed',
      sender: { phone_number: anna.handle },
      recipient: { phone_number_id: workspace.account.phoneNumberId },
      control_passed: { previous_owner_app_role: 'meta_business_agent' },
      timestamp,
    });
    const hear = async (timestamp: string): Promise<unknown> => {
      await signedWebhook(workspace, webhook(workspace, value(timestamp), 'messaging_handovers'));
      await desk.settled();
      return (await conversation())['thread_owner'];
    };
    expect(await hear('1700000000')).toBe('meta_business_agent');
    expect(await hear(String(Math.floor(Date.now() / 1_000)))).toBe('');
  });
});

describe('a call', () => {
  it('is an activity, once; a missed one waits, and neither opens a conversation nor a window', async () => {
    await play('call', { id: 'wacid.1', event: 'connect' });
    for (const _twice of [1, 2]) await play('call', { id: 'wacid.1' });
    await play('call', { id: 'wacid.2', seconds: 63 });
    expect((await activity()).filter(({ kind }) => String(kind).startsWith('call'))).toMatchObject([
      { kind: 'call_ended', data: { call_id: 'wacid.2', seconds: 63, direction: 'inbound' } },
      { kind: 'call_missed', data: { call_id: 'wacid.1', status: 'FAILED' } },
    ]);
    expect(await conversation()).toMatchObject({ chat_status: 'inactive', waiting_since: expect.any(String) });
    expect(await waiting()).toBe(1);
    await workspace.api.patch(`/api/v1/conversations/${anna.handle}/`, { status: 'resolved' });
    await play('call', { id: 'wacid.3' });
    expect(await conversation()).toMatchObject({ conv_status: 'resolved' });
  });
});

describe('what the phone knew before', () => {
  it('is in the thread, and opens, reopens and tells nothing', async () => {
    await subscribe();
    await anna.writes('Today');
    await workspace.api.patch(`/api/v1/conversations/${anna.handle}/`, { status: 'resolved' });
    const before = await conversation();
    const heard = await told();
    const talk = {
      messages: [
        { text: 'Lavender?', id: 'w.1' },
        { mine: true, text: 'Yes', id: 'w.2' },
      ],
    };
    for (const _twice of [1, 2]) await play('history', talk);
    expect(await messages()).toMatchObject([
      { body: { text: { body: 'Today' } } },
      { direction: 'outbound', source: 'phone_app', message_status: 'read', is_import_placeholder: true },
      { direction: 'inbound', read: true, is_import_placeholder: true },
    ]);
    const after = await conversation();
    const first = String((await messages())[2]?.['created_at']);
    expect(after).toEqual({ ...before, first_message_at: first, updated_at: after['updated_at'] });
    expect(await told()).toEqual(heard);
  });

  it('makes contacts that nobody is told of, and leaves ours as they are', async () => {
    await subscribe();
    await play('history');
    await play('contacts_sync');
    await play('contacts_sync', { action: 'remove' });
    expect((await workspace.api.get(`/api/v1/contacts/${anna.handle}/`)).body).toMatchObject({ name: anna.name });
    expect(await conversation()).toMatchObject({ chat_status: 'inactive', unread_count: 0, waiting_since: null });
    await workspace.api.patch(`/api/v1/contacts/${anna.handle}/`, { name: 'Our Anna' });
    const heard = await told();
    expect(heard).toEqual(['contact.updated']);
    await play('contacts_sync');
    expect((await workspace.api.get(`/api/v1/contacts/${anna.handle}/`)).body).toMatchObject({ name: 'Our Anna' });
    expect(await told()).toEqual(heard);
  });
});

describe('every field of the platform', () => {
  it.each(Object.entries(platformFields))('%s acts, or is kept, counted and listed', async (field, fate) => {
    await anna.writes('Hi');
    await desk.runtime.db.rows('DELETE FROM inbox_events WHERE workspace_id = $id', { id: workspace.id });
    const value = fate === 'kept' ? { anything: 1 } : fate(workspace, anna);
    expect((await signedWebhook(workspace, webhook(workspace, value, field))).status).toBe(200);
    await desk.settled();
    const left = await desk.runtime.db.rows('SELECT kind, state, error FROM inbox_events WHERE workspace_id = $id', {
      id: workspace.id,
    });
    expect(left).toEqual(fate === 'kept' ? [{ kind: field, state: 'ignored', error: null }] : []);
    if (fate !== 'kept') return;
    const { api } = await ownerSession(workspace);
    expect((await api.get('/api/v1/platform-events/ignored/')).body).toMatchObject([{ field, count: 1 }]);
    await eventually(async () =>
      expect((await desk.anonymous.get<string>('/metrics')).body).toContain(
        `msgdesk_platform_events_ignored_total{field="${field}"}`,
      ),
    );
  });
});
