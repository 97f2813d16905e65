import { deliverNext } from '../../api/services/delivery/sends';
import { openBroadcast } from '../../api/services/resources/broadcasts/runs/run';
import { sendBroadcastChunk } from '../../api/services/delivery/broadcastChunk';
import { notifyRecipient } from '../../api/services/delivery/stageNotification';
import { openMove } from '../../api/services/resources/tickets/stageMoves/service';
import { createBroadcast, templateId, twoValues, updateMessage } from '../factories/broadcasts';
import { createCustomer } from '../factories/customers';
import { createPipeline, createTicket, ticketsPath } from '../factories/tickets';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  Object.assign(desk.sandbox.settings, { pair_rate: false, status_delay_ms: 1 });
});
afterAll(() => desk.close());

/** A workspace with one customer who has written. */
interface Setting {
  readonly workspace: TestWorkspace;
  readonly contact: { readonly id: number; readonly phone: string };
}

async function setting(): Promise<Setting> {
  const workspace = await createWorkspace(desk);
  const customer = createCustomer(workspace);
  await customer.writes('Hello');
  const { body } = await workspace.api.get(`/api/v1/contacts/${customer.handle}/`);
  return { workspace, contact: { id: body.id, phone: customer.phone } };
}

/** The ways by which a template reaches a customer; each makes the one call. */
const ways: Record<string, (setting: Setting) => Promise<void>> = {
  async 'a single message'({ workspace, contact }) {
    const { status, body } = await workspace.api.post('/api/v1/messages/', {
      to: contact.phone,
      phone_number_id: workspace.account.phoneNumberId,
      template: updateMessage,
    });
    expect(status).toBe(201);
    const row = await desk.runtime.db.row<{ conversation_id: number }>(
      'SELECT conversation_id FROM messages WHERE id = $id',
      { id: body['id'] },
    );
    await deliverNext(desk.runtime, { workspaceId: workspace.id, conversationId: row?.conversation_id ?? 0 });
  },
  async 'a stage notification'({ workspace, contact }) {
    const pipeline = await createPipeline(workspace, ['New', 'Told']);
    const stage = pipeline.stages[1]?.id ?? 0;
    await workspace.api.patch(`/api/v1/ticket-pipelines/${pipeline.id}/stages/${stage}/`, {
      notify_template_id: templateId(workspace, 'ticket_update'),
      notify_template_variables: twoValues,
    });
    const ticket = await createTicket(workspace, { pipeline: pipeline.id, receiver: contact.id });
    expect((await workspace.api.patch(`${ticketsPath}${ticket.id}/`, { stage })).status).toBe(200);
    const move = await desk.runtime.db.row<{ id: number }>('SELECT id FROM ticket_stage_moves WHERE ticket_id = $id', {
      id: ticket.id,
    });
    const moveId = move?.id ?? 0;
    await openMove(workspace.ctx, { moveId, afterPlace: 0, limit: 10 });
    // While the message waits for another try the activity says so by failing.
    await notifyRecipient(workspace.ctx, { moveId, contactId: contact.id, mayWaitForStop: true }).catch(
      () => undefined,
    );
  },
  async 'a broadcast'({ workspace }) {
    const broadcastId = await createBroadcast(workspace);
    await desk.runtime.db.rows(
      `UPDATE broadcasts SET status = 'scheduled', scheduled_at = now() - interval '1 second' WHERE id = $id`,
      { id: broadcastId },
    );
    expect(await openBroadcast(workspace.ctx, broadcastId)).toMatchObject({ kind: 'running' });
    await sendBroadcastChunk(workspace.ctx, { broadcastId, from: 1, to: 10 }, { stopping: () => false });
  },
};

/** What a refusal says of more than its message, and what the rows show of it. */
interface Facts {
  opted_out: boolean;
  account_stopped: number | null;
  number_stopped: number | null;
  template: string;
  read_again: boolean;
  slowed_down: boolean;
}
const nothing: Facts = {
  opted_out: false,
  account_stopped: null,
  number_stopped: null,
  template: 'APPROVED',
  read_again: false,
  slowed_down: false,
};
const consequences: [number, Partial<Facts>][] = [
  [131050, { opted_out: true }],
  [190, { account_stopped: 190 }],
  [131031, { account_stopped: 131031 }],
  [131045, { number_stopped: 131045 }],
  [132015, { template: 'PAUSED', read_again: true }],
  [132016, { template: 'DISABLED', read_again: true }],
  [132001, { read_again: true }],
  [132000, { read_again: true }],
  [130429, { slowed_down: true }],
  [131026, {}],
];

const facts = async ({ workspace, contact }: Setting): Promise<Facts | null> =>
  desk.runtime.db.row<Facts>(
    `SELECT c.marketing_opt_out AS opted_out, a.stopped_code AS account_stopped, p.stopped_code AS number_stopped,
       t.status AS template, a.resync_at IS NOT NULL AS read_again,
       coalesce((SELECT s.share < 1 FROM send_slots s WHERE s.phone_number_id = p.id), false) AS slowed_down
     FROM contacts c JOIN business_accounts a ON a.workspace_id = c.workspace_id
     JOIN phone_numbers p ON p.workspace_id = c.workspace_id AND p.phone_number_id = $numberId
     JOIN templates t ON t.workspace_id = c.workspace_id AND t.name = 'ticket_update'
     WHERE c.id = $contactId`,
    { contactId: contact.id, numberId: workspace.account.phoneNumberId },
  );

/** Every way refers to one place (delivery/consequences.ts): a single message tries all, the others that they do. */
const tried: [string, string, typeof consequences][] = [
  ['a single message', 'error', consequences],
  ['a single message', 'async_error', consequences],
  ['a stage notification', 'error', consequences.filter(([code]) => code === 131050 || code === 131045)],
  ['a stage notification', 'async_error', consequences.filter(([code]) => code === 132015)],
  ['a broadcast', 'error', consequences],
  ['a broadcast', 'async_error', consequences.filter(([code]) => code === 131050 || code === 132015)],
];

describe.each(tried)('%s that the platform refuses by its %s', (way, kind, codes) => {
  it.each(codes)('%i', async (code, expected) => {
    const where = await setting();
    desk.sandbox.faults.add({ kind, code, phone_number_id: where.workspace.account.phoneNumberId });
    await ways[way]?.(where);
    await desk.settled();
    desk.sandbox.faults.clear();
    expect(await facts(where)).toEqual({ ...nothing, ...expected });
  });
});
