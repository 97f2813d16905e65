import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { payloadSchema } from '../../api/services/processes/webhookDelivery/schemas';
import { breachOverdue } from '../../api/services/resources/sla/breaches';
import { webhookEventTypes } from '../../api/services/resources/webhooks/eventTypes';
import { createBroadcast, templateId, twoValues } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createCustomer, inboundText, signedWebhook, webhook, type TestCustomer } from '../factories/customers';
import { createMacro, ownerSession, step } from '../factories/macros';
import { press } from '../factories/ratings';
import { rulesPath, saveRule } from '../factories/rules';
import { createPipeline, createTicket, defaultPipeline, pipelinesPath, ticketsPath } from '../factories/tickets';
import { unique, uniquePhone } from '../factories/unique';
import { createAgent } from '../support/agent';
import type { TestApi } from '../support/api';
import { sweepUntil } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { movedClock } from '../support/clock';
import { startReceiver, type Receiver } from '../support/receiver';

type Json = Record<string, unknown>;

let desk: TestApi;
let receiver: Receiver;
let secret: string;
let offsetMs = 0;
beforeAll(async () => {
  const clock = movedClock(() => new Date(Date.now() + offsetMs));
  desk = await sharedDesk('worker', { clock });
  receiver = await startReceiver();
  const { api } = await ownerSession(desk.workspace);
  const { body } = await api.post('/api/v1/webhooks/', { url: receiver.url, events: ['*'] });
  secret = String(body['secret']);
});
afterAll(async () => {
  await desk.close();
  await receiver.close();
});

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);

/** What happens to contacts and conversations, in the order in which it happens. */
async function conversations(): Promise<void> {
  const { api: owner } = await ownerSession(desk.workspace);
  expect((await owner.patch('/api/v1/workspace/', { ask_satisfaction: true })).status).toBe(200);
  const anna = createCustomer(desk.workspace, { name: 'Anna' });
  await anna.writes('Hi');
  const one = `/api/v1/contacts/${anna.handle}/`;
  await desk.api.patch(one, { company: 'Engines' });
  await desk.api.patch(one, { marketing_opt_out: true });
  await desk.api.patch(one, { marketing_opt_out: false });
  await desk.api.patch(one, { priority: 'high' });
  await desk.api.patch(one, { conv_status: 'snoozed', snoozed_until: new Date(Date.now() + 3_600_000).toISOString() });
  await desk.api.patch(one, { conv_status: 'open' });
  await desk.api.patch(one, { conv_status: 'resolved' });
  await press(desk.workspace, anna, 0);
  await anna.writes('Once more');
  await desk.api.post('/api/v1/messages/', { to: anna.handle, body: 'Hello' });
  const macro = await createMacro(desk.workspace, [step('add_tags', { tags: ['vip'] })]);
  await desk.api.post(`/api/v1/macros/${macro}/run/`, { receiver_id: anna.handle });
  const agent = createAgent((await desk.workspace.key(['all'], { autonomy: 'approval' })).api);
  await agent.call('send_message', { to: anna.handle, text: 'May I?' });
  const { id } = (await receiver.awaits('approval.requested')).data;
  const session = await ownerSession(desk.workspace);
  expect((await session.api.post(`/api/v1/approvals/${String(id)}/reject/`)).status).toBe(200);
  const { receiver_id: gone } = await createContact(desk.workspace);
  await desk.api.delete(`/api/v1/contacts/${gone}/`);
}

/** A message that its author changes and then deletes. */
async function corrections(): Promise<void> {
  const customer = createCustomer(desk.workspace);
  const original_message_id = await customer.writes('Two');
  const message = { type: 'text', text: { body: 'Twenty' } };
  await customer.writes({ type: 'edit', edit: { original_message_id, message } });
  await customer.writes({ type: 'revoke', revoke: { original_message_id } });
  expect((await receiver.awaits('message.edited')).data).toMatchObject({
    body: message,
    edits: [{ body: { text: { body: 'Two' } } }],
  });
  expect((await receiver.awaits('message.deleted')).data['deleted_at']).toEqual(expect.any(String));
}

/** A rule that is paused. */
async function rule(): Promise<void> {
  const { id } = await saveRule(desk.workspace, { state: 'on' });
  const { api } = await ownerSession(desk.workspace);
  expect((await api.patch(`${rulesPath}${id}/`, { state: 'paused' })).status).toBe(200);
  expect((await receiver.awaits('rule.stopped')).data).toMatchObject({ id, state: 'paused' });
}

/** A person who wrote by phone and by user name, until the platform names both at once. */
async function merge(): Promise<void> {
  const [phone, bsuid] = [uniquePhone().slice(1), `US.${unique()}7`];
  const message = (who: { phone?: string; bsuid?: string }): Json => {
    const { from: _from, ...text } = inboundText(phone, 'Hello');
    return {
      contacts: [{ profile: {}, ...(who.phone ? { wa_id: phone } : {}), ...(who.bsuid ? { user_id: bsuid } : {}) }],
      messages: [{ ...text, ...(who.phone ? { from: phone } : {}), ...(who.bsuid ? { from_user_id: bsuid } : {}) }],
    };
  };
  for (const who of [{ phone }, { bsuid }, { phone, bsuid }]) {
    expect((await signedWebhook(desk.workspace, webhook(desk.workspace, message(who)))).status).toBe(200);
    await desk.settled();
  }
  const event = await receiver.awaits('contact.merged');
  const { body } = await desk.api.get(`/api/v1/contacts/${bsuid}/`);
  expect(event.changes).toEqual({ id: { from: expect.any(Number) as number, to: body['id'] } });
  expect(event.data['id']).toBe(body['id']);
}

/** A flow that is sent to a customer, who submits it. */
async function flow(): Promise<void> {
  const account = desk.sandbox.state.accounts.get(desk.workspace.account.businessAccountId);
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hi');
  const parameters = { flow_message_version: '3', flow_cta: 'Book', mode: 'draft', flow_id: account?.flows[0]?.id };
  const { status } = await desk.api.post('/api/v1/messages/', {
    to: customer.phone,
    phone_number_id: desk.workspace.account.phoneNumberId,
    type: 'interactive',
    interactive: {
      type: 'flow',
      body: { text: 'Book' },
      action: { name: 'flow', parameters: { ...parameters, flow_token: 'token' } },
    },
  });
  expect(status).toBe(201);
  const response = JSON.stringify({ flow_token: 'token', name: 'Anna' });
  await customer.writes({
    type: 'interactive',
    interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: response } },
  });
  expect((await receiver.awaits('flow.submitted')).data).toMatchObject({
    flow_id: account?.flows[0]?.id,
    receiver_id: customer.handle,
    response: { name: 'Anna' },
  });
}

async function tickets(): Promise<void> {
  const { id } = await createTicket(desk.workspace);
  const one = `${ticketsPath}${id}/`;
  const { stages } = await defaultPipeline(desk.workspace);
  await desk.api.patch(one, { title: 'Changed' });
  await desk.api.patch(one, { stage: stages[1]?.id });
  await desk.api.post(`${one}comments/`, { body: 'Noted' });
  await desk.api.post(`${one}escalate/`, { escalated_to: desk.workspace.owner.id, reason: 'Late' });
  await receiver.awaits('ticket.escalated');
  await desk.api.delete(one);
}

/** A move into a stage that tells one contact, leaves one out who opted out, and cannot reach a third. */
async function stageNotifications(): Promise<void> {
  const people: (TestCustomer & { readonly id: number })[] = [];
  for (const name of ['Told', 'Silent', 'Gone']) {
    const customer = createCustomer(desk.workspace, { name });
    await customer.writes('Hi');
    people.push({ ...customer, id: Number((await desk.api.get(`/api/v1/contacts/${customer.handle}/`)).body['id']) });
  }
  const [told, silent, gone] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]];
  await desk.api.patch(`/api/v1/contacts/${silent.handle}/`, { marketing_opt_out: true });
  desk.sandbox.faults.add({ kind: 'error', code: 131026, to: gone.handle });

  const pipeline = await createPipeline(desk.workspace, ['New', 'Told']);
  const [, second] = pipeline.stages;
  const stage = await desk.api.patch(`${pipelinesPath}${pipeline.id}/stages/${second?.id ?? 0}/`, {
    notify_template_id: templateId(desk.workspace, 'ticket_update'),
    notify_template_variables: twoValues,
  });
  expect(stage.status).toBe(200);
  const ticket = await createTicket(desk.workspace, {
    pipeline: pipeline.id,
    receiver: told.id,
    affected_contact_ids: [silent.id, gone.id],
  });
  expect((await desk.api.patch(`${ticketsPath}${ticket.id}/`, { stage: second?.id })).status).toBe(200);
  for (const [word, id] of [
    ['sent', told.id],
    ['skipped', silent.id],
    ['failed', gone.id],
  ] as const) {
    const { data } = await receiver.awaits(`stage_notification.${word}`);
    expect(data).toMatchObject({ data: { contact_id: id }, ticket: { id: ticket.id } });
  }
}

/** A broadcast that is booked for later, and one that goes through. */
async function broadcasts(): Promise<void> {
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hi');
  const audience = { receiver_ids: [customer.handle] };
  const confirm = async (id: number, body: Json): Promise<void> =>
    expect((await desk.api.post(`/api/v1/broadcasts/${id}/confirm/`, body)).status).toBe(200);
  const later = await createBroadcast(desk.workspace, { audience });
  await confirm(later, { scheduled_at: new Date(Date.now() + 86_400_000).toISOString() });
  expect((await receiver.awaits('broadcast.scheduled')).data).toMatchObject({ id: later, status: 'scheduled' });

  const now = await createBroadcast(desk.workspace, { audience });
  await confirm(now, {});
  expect((await receiver.awaits('broadcast.started')).data).toMatchObject({ id: now });
  expect((await receiver.awaits('broadcast.completed')).data).toMatchObject({ id: now, status: 'completed' });
}

/** A broadcast whose template is paused before it begins. After everything else that needs the template. */
async function pausedTemplate(): Promise<void> {
  const id = await createBroadcast(desk.workspace);
  const scheduled_at = new Date(Date.now() + 3_000).toISOString();
  expect((await desk.api.post(`/api/v1/broadcasts/${id}/confirm/`, { scheduled_at })).status).toBe(200);
  const change = {
    event: 'PAUSED',
    reason: 'NONE',
    message_template_id: Number(templateId(desk.workspace, 'ticket_update')),
    message_template_name: 'ticket_update',
    message_template_language: 'en_US',
  };
  await signedWebhook(desk.workspace, webhook(desk.workspace, change, 'message_template_status_update'));
  expect((await receiver.awaits('template.status_changed')).data).toMatchObject({ status: 'PAUSED' });
  expect((await receiver.awaits('broadcast.failed')).data).toMatchObject({ id, status: 'failed' });
}

/** A ticket whose first answer does not come in time. Last of all: it moves the clock. */
async function deadline(): Promise<void> {
  const session = await ownerSession(desk.workspace);
  const policy = { name: 'Fast', first_response_minutes: 1, applies_to: ['tickets'] };
  expect((await session.api.post('/api/v1/sla-policies/', policy)).status).toBe(201);
  const { id } = await createTicket(desk.workspace);
  offsetMs = 90_000;
  await sweepUntil(desk, breachOverdue, async () =>
    expect((await desk.api.get(`/api/v1/tickets/${id}/`)).body).toMatchObject({ sla_breached: true }),
  );
  expect((await receiver.awaits('ticket.sla_breached')).data).toMatchObject({ id, sla_breached: true });
}

/** A message that is accepted, and not delivered because nobody pays. */
async function payment(): Promise<void> {
  desk.sandbox.faults.add({ kind: 'async_error', code: 131042, times: 1 });
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hi');
  await desk.api.post('/api/v1/messages/', { to: customer.handle, body: 'Hello' });
  expect((await receiver.awaits('account.payment_refused')).data).toMatchObject({ code: 131042 });
}

describe('payloads', () => {
  it('of every type fit their schemas, are signed, and are numbered without gaps', async () => {
    await Promise.all([
      conversations(),
      tickets(),
      merge(),
      corrections(),
      flow(),
      stageNotifications(),
      broadcasts(),
      rule(),
    ]);
    await pausedTemplate();
    await payment();
    await deadline();
    for (const type of webhookEventTypes) await receiver.awaits(type);
    for (const request of receiver.received) receiver.verify(request, secret);

    const validators = new Map(webhookEventTypes.map((type) => [type, ajv.compile(payloadSchema(type))]));
    for (const event of receiver.events()) {
      const valid = validators.get(event.type as (typeof webhookEventTypes)[number]);
      if (!valid) throw new Error(`${event.type} is not a documented type`);
      const { type } = event;
      expect({ type, errors: valid(event) ? [] : valid.errors }).toEqual({ type, errors: [] });
    }

    // By what arrived: who counts the numbers of a subject finds each of them.
    const subjects = await desk.runtime.db.rows<{ uids: string[] }>(
      `SELECT array_agg(uid) AS uids FROM webhook_events WHERE workspace_id = $workspaceId AND sequence > 0
       GROUP BY subject_type, subject_id`,
      { workspaceId: desk.workspace.id },
    );
    const numbers = new Map(receiver.events().map(({ id, sequence }) => [id, sequence]));
    for (const { uids } of subjects) {
      const arrived = uids.flatMap((uid) => numbers.get(uid) ?? []).sort((left, right) => left - right);
      const first = arrived[0] ?? 1;
      expect(arrived).toEqual(arrived.map((_number, index) => first + index));
    }
    // What was erased with its contact leaves the number of its end.
    expect(subjects.length).toBeGreaterThan(10);
  });

  it('are documented, one for each type', async () => {
    const { body } = await desk.anonymous.get<{ webhooks: Json }>('/api/v1/openapi.json');
    expect(Object.keys(body.webhooks)).toEqual([...webhookEventTypes, 'webhook.test']);
  });
});
