import { restartBroadcasts } from '../../api/services/resources/broadcasts/runs/restart';
import { planBroadcast } from '../../api/services/resources/broadcasts/runs/plan';
import { sendBroadcastChunk } from '../../api/services/delivery/broadcastChunk';
import { broadcastStart } from '../../workflows/starts';
import { createBroadcast, insertContacts } from '../factories/broadcasts';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { startedAgain } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { eventually } from '../support/eventually';

type Json = Record<string, unknown>;

const long = { timeoutMs: 60_000 };
const people = 120;

/** Contract 9: one broadcast at a time is sent from a phone number; the others say whom they wait for. */
describe('broadcasts of one phone number', () => {
  let desk: TestApi;
  let workspace: TestWorkspace;
  beforeAll(async () => {
    desk = await sharedDesk('worker');
  });
  afterAll(() => desk.close());
  beforeEach(async () => {
    workspace = await createWorkspace(desk);
    await insertContacts(workspace, people, 4_917_000_000_000);
  });

  const get = async (id: number): Promise<Json> => (await workspace.api.get(`/api/v1/broadcasts/${id}/`)).body;
  const confirm = async (id: number, body: Json = {}): Promise<void> =>
    expect((await workspace.api.post(`/api/v1/broadcasts/${id}/confirm/`, body)).status).toBe(200);
  const ends = (id: number): Promise<void> =>
    eventually(async () => expect(await get(id)).toMatchObject({ status: 'completed', queued_behind: null }), long);
  /** Books the number's throughput ahead: what is under way stays so until it is freed. */
  const book = (until: '1 hour' | '0'): Promise<unknown> =>
    desk.runtime.db.rows(
      `INSERT INTO send_slots AS s (phone_number_id, booked_until)
       SELECT id, clock_timestamp() + $until::interval FROM phone_numbers
       WHERE workspace_id = $id AND phone_number_id = $number
       ON CONFLICT (phone_number_id) DO UPDATE SET booked_until = EXCLUDED.booked_until`,
      { until, id: workspace.id, number: workspace.account.phoneNumberId },
    );
  const begun = (id: number): Promise<void> =>
    eventually(async () => expect((await get(id))['stats']).toMatchObject({ audience: people }), long);

  it('go out one after the other, and the one that waits names the one that is sent', async () => {
    await book('1 hour');
    const [first, second, third] = [
      await createBroadcast(workspace, { name: 'first' }),
      await createBroadcast(workspace, { name: 'second' }),
      await createBroadcast(workspace, { name: 'third' }),
    ];
    await confirm(first);
    await begun(first);
    await confirm(second);
    await confirm(third);
    expect(await get(first)).toMatchObject({ status: 'running', queued_behind: null });
    for (const id of [second, third])
      expect(await get(id)).toMatchObject({ status: 'running', queued_behind: first, stats: { audience: 0 } });
    const listed = await workspace.api.get('/api/v1/broadcasts/?status=running');
    expect(listed.body.results.map((item) => item['queued_behind'])).toEqual([first, first, null]);

    await eventually(async () => {
      const progress = await desk.runtime.temporal.query<Json>(`broadcast/${workspace.id}/${second}`, 'progress');
      const waiting = expect.stringContaining(`Waits for broadcast ${first}`) as unknown;
      expect({ ...progress, first: (await get(first))['stats'] }).toMatchObject({ phase: 'scheduled', waiting });
    }, long);
    // The sweep leaves alone what waits for its turn.
    await desk.runtime.db.rows(
      "UPDATE broadcasts SET started_at = started_at - interval '1 hour' WHERE workspace_id = $id",
      { id: workspace.id },
    );
    expect(await startedAgain(workspace, restartBroadcasts)).toEqual([broadcastStart(workspace.id, first).id]);

    await book('0');
    for (const id of [first, second, third]) await ends(id);
    const times = await desk.runtime.db.rows<{ resolved_at: Date; completed_at: Date }>(
      'SELECT resolved_at, completed_at FROM broadcasts WHERE workspace_id = $id ORDER BY id',
      { id: workspace.id },
    );
    for (const [place, { resolved_at: at }] of times.entries())
      if (place > 0) expect(at.getTime()).toBeGreaterThanOrEqual(times[place - 1]?.completed_at.getTime() ?? 0);
  });

  it('give the worker back while there is no throughput to be had, and go on later', async () => {
    await book('1 hour');
    const id = await createBroadcast(workspace);
    await confirm(id);
    await begun(id);
    const target = { workspaceId: workspace.id, broadcastId: id, from: 1, to: people };
    const chunk = await sendBroadcastChunk(workspace.ctx, target, { stopping: () => false });
    expect(chunk).toMatchObject({ more: true, troubled: false, stop: null });
    expect(chunk.waitMs).toBeGreaterThan(0);
    await book('0');
    await ends(id);
  });

  it('wait for nobody where the number is another one', async () => {
    await book('1 hour');
    const first = await createBroadcast(workspace);
    await confirm(first);
    await begun(first);
    const other = await createBroadcast(workspace, { phone_number_id: workspace.account.secondPhoneNumberId });
    await confirm(other);
    await ends(other);
    expect(await get(first)).toMatchObject({ status: 'running' });
    await book('0');
    await ends(first);
  });

  it('go on past one whose last recipients wait for another attempt', async () => {
    const contact = await workspace.api.get('/api/v1/contacts/?page_size=1');
    desk.sandbox.faults.add({ kind: 'error', code: 131016, to: String(contact.body.results[0]?.['receiver_id']) });
    const [first, second] = [await createBroadcast(workspace), await createBroadcast(workspace)];
    await confirm(first);
    await eventually(async () => {
      const { length: later } = await desk.runtime.db.rows(
        `UPDATE messages SET next_attempt_at = clock_timestamp() + interval '1 hour'
         WHERE workspace_id = $id AND broadcast_id = $first AND delivery_state = 'queued' AND attempts > 0
           RETURNING id`,
        { id: workspace.id, first },
      );
      expect(later).toBe(1);
    }, long);
    desk.sandbox.faults.clear();
    await confirm(second);
    await ends(second);
    expect(await get(first)).toMatchObject({ status: 'running', stats: { sent: people - 1, pending: 1 } });
    expect(await get(second)).toMatchObject({ stats: { sent: people } });
  });

  it('do not take for waiting whoever is being sent to', async () => {
    desk.sandbox.faults.add({ kind: 'latency', delay_ms: 8_000, phone_number_id: workspace.account.phoneNumberId });
    const [first, second] = [await createBroadcast(workspace), await createBroadcast(workspace)];
    await confirm(first);
    await eventually(async () => {
      const { length: underWay } = await desk.runtime.db.rows(
        "SELECT 1 FROM messages WHERE workspace_id = $id AND broadcast_id = $first AND delivery_state = 'sending'",
        { id: workspace.id, first },
      );
      expect(underWay).toBeGreaterThan(0);
    }, long);
    // As a lane does that wants its next page meanwhile.
    const target = { broadcastId: first, after: people };
    expect(await planBroadcast(workspace.ctx, target)).toMatchObject({ ranges: [] });
    await confirm(second);
    expect(await get(second)).toMatchObject({ status: 'running', queued_behind: first });
    desk.sandbox.faults.clear();
    for (const id of [first, second]) await ends(id);
  });

  it('can be taken back while they wait, when they were scheduled', async () => {
    await book('1 hour');
    const [first, second] = [await createBroadcast(workspace), await createBroadcast(workspace)];
    await confirm(first);
    await begun(first);
    await confirm(second, { scheduled_at: new Date(Date.now() + 1_500).toISOString() });
    await eventually(async () => expect(await get(second)).toMatchObject({ queued_behind: first }), long);
    expect(await get(second)).toMatchObject({ status: 'scheduled' });
    expect((await workspace.api.post(`/api/v1/broadcasts/${second}/unschedule/`)).status).toBe(200);
    expect(await get(second)).toMatchObject({ status: 'draft', queued_behind: null });
    await book('0');
    await ends(first);
    expect(await get(second)).toMatchObject({ status: 'draft' });
  });
});
