import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { payloadSchema } from '../../api/services/processes/webhookDelivery/schemas';
import { webhookEventTypes } from '../../api/services/resources/webhooks/eventTypes';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createMacro, step } from '../factories/macros';
import { createTicket, defaultPipeline, ticketsPath } from '../factories/tickets';
import { createAgent } from '../support/agent';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';
import { startReceiver, type Receiver } from '../support/receiver';

type Json = Record<string, unknown>;

let desk: TestApi;
let receiver: Receiver;
let secret: string;
beforeAll(async () => {
  desk = await startApi({ worker: true, env: { WEBHOOK_ALLOW_PRIVATE: '1' } });
  receiver = await startReceiver();
  const { body } = await desk.api.post('/api/v1/webhooks/', { url: receiver.url, events: ['*'] });
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
  await anna.writes('Once more');
  await desk.api.post('/api/v1/messages/', { to: anna.handle, body: 'Hello' });
  const macro = await createMacro(desk.workspace, [step('add_tags', { tags: ['vip'] })]);
  await desk.api.post(`/api/v1/macros/${macro}/run/`, { receiver_id: anna.handle });
  const agent = createAgent((await desk.workspace.key(['all'], { autonomy: 'approval' })).api);
  await agent.call('send_message', { to: anna.handle, text: 'May I?' });
  const { receiver_id: gone } = await createContact(desk.workspace);
  await receiver.awaits('approval.requested');
  await desk.api.delete(`/api/v1/contacts/${gone}/`);
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

describe('payloads', () => {
  it('of what is done over HTTP fit their schemas, are signed, and are numbered without gaps', async () => {
    await Promise.all([conversations(), tickets()]);
    const expected = [
      'message.received',
      'message.status_changed',
      'conversation.created',
      'conversation.updated',
      'conversation.snoozed',
      'conversation.woken',
      'conversation.reopened',
      'contact.created',
      'contact.updated',
      'contact.deleted',
      'contact.opted_out',
      'contact.opted_in',
      'ticket.created',
      'ticket.updated',
      'ticket.stage_changed',
      'ticket.commented',
      'ticket.escalated',
      'ticket.deleted',
      'macro.ran',
      'approval.requested',
    ] as const;
    for (const type of expected) await receiver.awaits(type);
    for (const request of receiver.received) receiver.verify(request, secret);
    for (const event of receiver.events()) {
      const type = webhookEventTypes.find((candidate) => candidate === event.type);
      if (!type) throw new Error(`${event.type} is not a documented type`);
      const valid = ajv.compile(payloadSchema(type));
      expect({ type, errors: valid(event) ? [] : valid.errors }).toEqual({ type, errors: [] });
    }
    const subjects = await desk.runtime.db.rows<{ numbers: number[] }>(
      `SELECT array_agg(sequence ORDER BY sequence)::int[] AS numbers FROM webhook_events
       WHERE workspace_id = $workspaceId AND sequence > 0 GROUP BY subject_type, subject_id
       HAVING bool_and(type NOT IN ('contact.deleted'))`,
      { workspaceId: desk.workspace.id },
    );
    for (const { numbers } of subjects) expect(numbers).toEqual(numbers.map((_number, index) => index + 1));
  });

  it('are documented, one for each type', async () => {
    const { body } = await desk.anonymous.get<{ webhooks: Json }>('/api/v1/openapi.json');
    expect(Object.keys(body.webhooks)).toEqual([...webhookEventTypes, 'webhook.test']);
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(0));
  });
});
