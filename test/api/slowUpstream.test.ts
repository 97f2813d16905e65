import { loadConfig } from '../../api/core/config';
import { createRuntime, type Runtime } from '../../api/core/runtime';
import { createUpstream } from '../../api/core/platform/upstream';
import { deliverNext } from '../../api/services/delivery/sends';
import { insertContacts, templateId } from '../factories/broadcasts';
import { uniquePhone } from '../factories/unique';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { eventually } from '../support/eventually';
import { startHeldUpstream, type HeldUpstream } from '../support/heldUpstream';

/** Calls that people of one workspace may have under way: half of the process's. */
const calls = 20;
const count = calls + 20;
let desk: TestApi;
let upstream: HeldUpstream;
let runtime: Runtime;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  upstream = await startHeldUpstream();
  const config = loadConfig({ ...desk.test.env, MSGAPP_API_URL: upstream.url, PLATFORM_CALLS: String(2 * calls) });
  // The client's own patience is out of the way: what is under way stays so until the platform answers.
  const client = createUpstream(config, { answerTimeoutMs: 3_600_000, startTimeoutMs: 3_600_000 });
  runtime = { ...createRuntime(config, 'test'), upstream: client };
});
afterAll(async () => {
  upstream.release();
  await runtime.upstream.close();
  await runtime.close();
  await upstream.close();
  await desk.close();
});

/** Conversations with one queued message each. */
async function queueMessages(): Promise<number[]> {
  await insertContacts(desk.workspace, count, Number(uniquePhone().replace(/\D/g, '')) * 1_000);
  await runtime.db.rows('UPDATE phone_numbers SET throughput_mps = 1000 WHERE workspace_id = $id', {
    id: desk.workspace.id,
  });
  const rows = await runtime.db.rows<{ conversation_id: number }>(
    `INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status,
       template_pk, origin, delivery_state, opaque, send_seq, deliver_by)
     SELECT v.workspace_id, v.id, (SELECT id FROM phone_numbers WHERE workspace_id = v.workspace_id LIMIT 1),
       'outbound',
       'template', '{"type": "template", "template": {}}', 'queued',
       (SELECT id FROM templates WHERE workspace_id = v.workspace_id AND template_id = $templateId), 'api', 'queued',
       gen_random_uuid(), 1, now() + interval '1 day'
     FROM conversations v WHERE v.workspace_id = $workspaceId
     RETURNING conversation_id`,
    { workspaceId: desk.workspace.id, templateId: templateId(desk.workspace, 'ticket_update') },
  );
  return rows.map((row) => row.conversation_id);
}

const states = async (): Promise<Record<string, number>> => {
  const rows = await runtime.db.rows<{ state: string; count: number }>(
    `SELECT delivery_state || ' ' || message_status AS state, count(*)::int AS count FROM messages
     WHERE workspace_id = $id GROUP BY 1`,
    { id: desk.workspace.id },
  );
  return Object.fromEntries(rows.map((row) => [row.state, row.count]));
};

it('a platform that does not answer: no claim beyond its calls, nothing unknown, each goes once', async () => {
  const conversationIds = await queueMessages();
  const deliver = (conversationId: number): ReturnType<typeof deliverNext> =>
    deliverNext(runtime, { workspaceId: desk.workspace.id, conversationId });
  let finished = 0;
  const under: Promise<unknown>[] = [];
  // One after the other, so that a slow database is no part of this; all stay under way until the platform answers.
  for (const conversationId of conversationIds) {
    under.push(deliver(conversationId).finally(() => (finished += 1)));
    await eventually(() => expect(upstream.waiting() + finished).toBeGreaterThanOrEqual(Math.min(under.length, calls)));
  }
  // As many as may be are under way; the others came back, without a claim.
  await eventually(() => {
    expect(upstream.waiting()).toBe(calls);
    expect(finished).toBe(count - calls);
  });
  expect(await states()).toEqual({
    'sending queued': calls,
    'queued queued': count - calls,
  });

  while (upstream.waiting() > 0) {
    const left = upstream.waiting() - 10;
    upstream.answer(10);
    await eventually(() => expect(finished).toBe(count - Math.max(0, left)));
  }
  upstream.release();
  await Promise.all(under);
  await eventually(async () => {
    for (const conversationId of conversationIds) await deliver(conversationId);
    expect(await states()).toEqual({ 'settled sent': count });
  });
  expect(upstream.arrived).toHaveLength(count);
  expect(new Set(upstream.arrived).size).toBe(count);
});
