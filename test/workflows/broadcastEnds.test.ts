import { settleUnknown } from '../../api/services/resources/messages/rows/settlement';
import { broadcastStart } from '../../workflows/starts';
import { createBroadcast, insertContacts, setThroughput } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { signedWebhook, status, webhook } from '../factories/customers';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sweepUntil } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { adminJson } from '../support/cli';
import { eventually } from '../support/eventually';
import { workflowOf } from '../support/workflows';

type Json = Record<string, unknown>;
const path = '/api/v1/broadcasts/';
const people = 120;

let desk: TestApi;
let workspace: TestWorkspace;
beforeAll(async () => {
  desk = await sharedDesk('worker');
});
afterAll(() => desk.close());
beforeEach(async () => {
  workspace = await createWorkspace(desk);
});
afterEach(() => desk.sandbox.faults.clear());

const read = async (id: number): Promise<Json> => (await workspace.api.get(`${path}${id}/`)).body;
const confirm = async (id: number): Promise<void> =>
  expect((await workspace.api.post(`${path}${id}/confirm/`)).status).toBe(200);
const ends = (id: number, stats: Json): Promise<void> =>
  eventually(async () => expect(await read(id)).toMatchObject({ status: 'completed', stats }), { timeoutMs: 60_000 });
const limit = (perSecond: number): Promise<void> => setThroughput(workspace, perSecond);
/** Makes the draft for those who were not reached. */
async function resend(id: number): Promise<number> {
  const { status: code, body } = await workspace.api.post(`${path}${id}/resend/`);
  expect([code, body['status'], body['audience']]).toEqual([201, 'draft', { resend_of: id }]);
  return body.id;
}
const sendable = async (id: number): Promise<unknown> =>
  (await workspace.api.post(`${path}${id}/preview/`)).body['sendable'];
const sentTo = (): string[] =>
  desk.sandbox.state.sent
    .filter(({ phone_number_id: number }) => number === workspace.account.phoneNumberId)
    .map(({ to }) => to);

it('the operator ends one that runs; those who were left out are sent to by a new one, everybody once', async () => {
  await limit(5);
  await insertContacts(workspace, people, 4_917_000_000_000);
  const [id, next] = [await createBroadcast(workspace), await createBroadcast(workspace)];
  await confirm(id);
  await eventually(() => expect(sentTo().length).toBeGreaterThan(3));
  expect((await workspace.api.post(`${path}${id}/resend/`)).status).toBe(409);
  await confirm(next);

  const end = (one: number): Promise<Json> =>
    adminJson(desk.test, 'broadcast', 'end', String(one), '--reason', 'stuck');
  expect(await end(id)).toMatchObject({ status: 'failed', failure_reason: 'Ended by the operator: stuck' });
  await expect(end(id)).rejects.toThrow('Only a running broadcast can be ended; this one is failed.');
  // The end wakes the one behind it, and its own workflow ends.
  await eventually(async () => expect((await read(next))['stats']).toMatchObject({ audience: people }));
  await end(next);
  const handle = workflowOf(desk.runtime, broadcastStart(workspace.id, id).id);
  expect(await handle.result()).toMatchObject({ status: 'failed', reason: 'Ended by the operator: stuck' });
  const { stats } = (await read(id)) as { stats: Record<string, number> & { skipped_by_reason: Json } };
  expect(stats).toMatchObject({ pending: 0, skipped_by_reason: { ended_by_operator: people - (stats['sent'] ?? 0) } });

  const before = sentTo().length;
  await limit(500);
  const again = await resend(id);
  await confirm(again);
  await ends(again, { sent: people - (stats['sent'] ?? 0) });
  expect(sentTo().length - before).toBe(people - (stats['sent'] ?? 0));
  expect(await sendable(await resend(id))).toBe(0);
});

it('whoever may have got it is never sent to again', async () => {
  const [lost, refused, reached] = [
    await createContact(workspace),
    await createContact(workspace),
    await createContact(workspace),
  ];
  desk.sandbox.faults.add({ kind: 'reset', to: lost.receiver_id });
  desk.sandbox.faults.add({ kind: 'error', code: 131026, to: refused.receiver_id });
  const id = await createBroadcast(workspace);
  await confirm(id);
  await ends(id, { sent: 1, failed: 1, unknown: 1 });
  expect(await sendable(await resend(id))).toBe(1);
  // Who got it may turn out to be the person to whom it failed.
  const alias = { workspace_id: workspace.id, contact_id: refused.id, kind: 'id' as const, value: String(reached.id) };
  await desk.runtime.db.models.ContactAlias.create(alias);
  expect(await sendable(await resend(id))).toBe(0);
  await desk.runtime.db.models.ContactAlias.destroy({ where: alias });
  await desk.runtime.db.rows('UPDATE messages SET unknown_intake_ms = -86400000 WHERE message_status = $unknown', {
    unknown: 'unknown',
  });
  await sweepUntil(desk, settleUnknown, async () =>
    expect(await read(id)).toMatchObject({ status: 'completed', stats: { sent: 1, failed: 2, unknown: 0 } }),
  );
  desk.sandbox.faults.clear();
  const again = await resend(id);
  expect(await sendable(again)).toBe(1);
  await confirm(again);
  await ends(again, { audience: 1, sent: 1 });
  expect(sentTo().filter((to) => to === refused.receiver_id)).toHaveLength(1);
  // As an audience it is checked like every other one, and another workspace's is none.
  const foreign = await createBroadcast(await createWorkspace(desk));
  for (const other of [foreign, await createBroadcast(workspace)])
    expect((await workspace.api.patch(`${path}${again}/`, { audience: { resend_of: other } })).status).toBe(409);
  const draft = await resend(id);
  expect((await workspace.api.patch(`${path}${draft}/`, { audience: { resend_of: foreign } })).body).toEqual({
    audience: [`resend_of: There is no broadcast ${foreign} that has ended.`],
  });
});

it('what the platform holds back has been sent, until a status says what became of it', async () => {
  const contact = await createContact(workspace);
  const other = await createContact(workspace);
  desk.sandbox.faults.add({ kind: 'held_then_sent', to: contact.receiver_id });
  desk.sandbox.faults.add({ kind: 'held_then_dropped', details: 'paused', to: other.receiver_id });
  Object.assign(desk.sandbox.settings, { status_delay_ms: 3_600_000 });
  const id = await createBroadcast(workspace);
  await confirm(id);
  await ends(id, { audience: 2, sent: 2, held: 2, pending: 0 });
  const messageOf = async (handle: string): Promise<Json> =>
    (await workspace.api.get(`/api/v1/conversations/${handle}/messages/`)).body.results[0] ?? {};
  const held = await messageOf(contact.receiver_id);
  expect(held).toMatchObject({ message_status: 'sent', delivery_note: 'held_by_platform' });
  const recipients = await workspace.api.get(`${path}${id}/recipients/?status=sent`);
  expect(recipients.body.results).toMatchObject([{ message_status: 'held' }, { message_status: 'held' }]);

  const statuses = [
    status(String(held['message_id']), 'delivered'),
    status(String((await messageOf(other.receiver_id))['message_id']), 'failed', {
      errors: [{ code: 132015, title: 'Template is paused' }],
    }),
  ];
  expect((await signedWebhook(workspace, webhook(workspace, { statuses }))).status).toBe(200);
  await eventually(async () =>
    expect(await read(id)).toMatchObject({ stats: { sent: 1, held: 0, delivered: 1, failed: 1 } }),
  );
  expect(await messageOf(contact.receiver_id)).toMatchObject({ message_status: 'delivered', delivery_note: '' });
  expect(await messageOf(other.receiver_id)).toMatchObject({ message_status: 'failed', delivery_note: '' });
});
