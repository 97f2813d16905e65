import { syncWorkspace } from '../../api/services/processes/upstreamSync/service';
import { restartBroadcasts } from '../../api/services/resources/broadcasts/runs/restart';
import { pauseBroadcasts } from '../../api/services/resources/broadcasts/pauses';
import { createBroadcast, insertContacts, setThroughput } from '../factories/broadcasts';
import { createCustomer } from '../factories/customers';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { eventually } from '../support/eventually';

type Json = Record<string, unknown>;
type Read = Json & { stats: Record<string, unknown> };
const path = '/api/v1/broadcasts/';
const firstPhone = 4_917_000_000_000;

/** Contract 9.3: what the platform refuses to everybody stops a broadcast, what it refuses to one person does not. */
describe('refusals of a broadcast', () => {
  let desk: TestApi;
  let workspace: TestWorkspace;
  beforeAll(async () => {
    desk = await sharedDesk('worker');
  });
  beforeEach(async () => {
    workspace = await createWorkspace(desk);
  });
  afterAll(() => desk.close());
  afterEach(() => desk.sandbox.faults.clear());

  const read = async (id: number): Promise<Read> => (await workspace.api.get(`${path}${id}/`)).body as Read;
  const becomes = (id: number, wanted: Json): Promise<void> =>
    eventually(async () => expect(await read(id)).toMatchObject(wanted));
  const refuse = (code: number, more: Json = {}): unknown =>
    desk.sandbox.faults.add({ kind: 'error', code, phone_number_id: workspace.account.phoneNumberId, ...more });
  const send = async (people: number): Promise<number> => {
    await insertContacts(workspace, people, firstPhone);
    const id = await createBroadcast(workspace);
    expect((await workspace.api.post(`${path}${id}/confirm/`)).status).toBe(200);
    return id;
  };
  const set = (values: string): Promise<unknown> =>
    desk.runtime.db.rows(`UPDATE broadcasts SET ${values} WHERE workspace_id = $id`, { id: workspace.id });
  /** Lets the wait of a pause be over. */
  const wake = async (): Promise<void> => {
    await set(`retry_at = now() - interval '1 second', moved_at = now() - interval '1 day'`);
    await restartBroadcasts(desk.runtime, { quietForMs: 0, onlyIn: workspace.id });
  };
  const paused = (code: number, why: string): Json => ({
    status: 'running',
    paused_reason: expect.stringMatching(new RegExp(`^${why}: .*\\(${code}\\)\\.$`)) as string,
  });
  it.each([131048, 131063, 131064, 131037])(
    'a limit of the number (%i) is nobody’s, and replies go on',
    async (code) => {
      const isTemplate = (record: { type: string }): boolean => record.type === 'template';
      refuse(code, { to: Array.from({ length: 30 }, (_none, index) => String(firstPhone + index)) });
      const id = await send(30);
      await becomes(id, { ...paused(code, 'The platform limits the phone number'), stats: { pending: 30, failed: 0 } });
      const anna = createCustomer(workspace);
      await anna.writes('Hi');
      await workspace.api.post('/api/v1/messages/', { to: anna.handle, body: 'Hello' });
      await eventually(() => {
        const sent = desk.sandbox.state.sent.filter((one) => one.phone_number_id === workspace.account.phoneNumberId);
        expect(sent.map(isTemplate)).toEqual([false]);
      });
      desk.sandbox.faults.clear();
      await wake();
      await becomes(id, { status: 'completed', paused_reason: '', stats: { sent: 30, failed: 0 } });
    },
  );

  it('one that statuses report pauses, too', async () => {
    await setThroughput(workspace, 5);
    refuse(131048, { kind: 'async_error', to: String(firstPhone) });
    const id = await send(120);
    await becomes(id, paused(131048, 'The platform limits the phone number'));
    expect((await read(id)).stats['pending']).toBeGreaterThan(0);
    await setThroughput(workspace, 80);
    await wake();
    await becomes(id, { status: 'completed', stats: { sent: 119, failed: 1 } });
  });

  it('the first twenty, one like the other, pause it; what is refused on costs nobody more', async () => {
    refuse(135000);
    const id = await send(60);
    const stats = { failed: 20, pending: 40, failed_by_code: { 135000: 20 } };
    await becomes(id, { ...paused(135000, 'The platform refuses one recipient after the other'), stats });
    const before = (await read(id)).stats;
    await wake();
    await eventually(async () => {
      const [row] = await desk.runtime.db.rows<Json>('SELECT paused_tries FROM broadcasts WHERE id = $id', { id });
      expect(row).toEqual({ paused_tries: 2 });
    });
    expect((await read(id)).stats).toEqual(before);
    desk.sandbox.faults.clear();
    await wake();
    await becomes(id, { status: 'completed', stats: { sent: 40, failed: 20 } });
  });

  it.each([131026, 131047, 131050, 130472, 131049])('what concerns recipients (%i) never does', async (code) => {
    refuse(code);
    const id = await send(30);
    await becomes(id, { status: 'completed', stats: { failed: 30 } });
  });

  it('fails after 24 hours of it, and leaves the rest pending', async () => {
    refuse(131048);
    const id = await send(5);
    await becomes(id, paused(131048, 'The platform limits the phone number'));
    await set(`paused_at = now() - interval '25 hours', started_at = now() - interval '26 hours'`);
    await wake();
    await becomes(id, {
      status: 'failed',
      failure_reason: expect.stringContaining('(131048). It was so for 24 hours.') as string,
      stats: { pending: 5, failed: 0 },
    });
  });

  it('tries one again after 1, 5, 15 and 60 minutes, then each hour', async () => {
    const id = await createBroadcast(workspace);
    await set(`status = 'running', started_at = now(), confirmed_at = now()`);
    const minutes: unknown[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      // What comes during a wait does not lengthen it.
      for (const _again of [1, 2])
        await pauseBroadcasts(workspace.ctx, { code: 131048, title: 'Spam', broadcastId: id });
      const [row] = await desk.runtime.db.rows<Json>(
        'SELECT round(extract(epoch FROM retry_at - now()) / 60)::int AS minutes FROM broadcasts WHERE id = $id',
        { id },
      );
      minutes.push(row?.['minutes']);
      // A second ago: a machine's clock may be set back by a little.
      await set(`retry_at = now() - interval '1 second'`);
    }
    expect(minutes).toEqual([1, 5, 15, 60, 60, 60]);
    await set(`status = 'failed', completed_at = now(), failure_reason = 'test'`);
  });

  it.each([132000, 132012])('values that one recipient’s message has wrong (%i) are theirs alone', async (code) => {
    refuse(code, { to: String(firstPhone) });
    const id = await send(4);
    await becomes(id, { status: 'completed', stats: { sent: 3, failed: 1, failed_by_code: { [code]: 1 } } });
  });

  it('a template that is seen to have changed ends it', async () => {
    const account = desk.sandbox.state.accounts.get(workspace.account.businessAccountId);
    const template = account?.templates.find(({ name }) => name === 'ticket_update');
    if (template) template.components = [{ type: 'BODY', text: 'Hi {{1}}, {{2}}, {{3}}!' }];
    const id = await send(60);
    await eventually(async () => {
      await syncWorkspace(workspace.ctx, { resume: true });
      await wake();
      expect(await read(id)).toMatchObject({
        status: 'failed',
        failure_reason: expect.stringContaining('takes {{1}}, {{2}}, {{3}} now.') as string,
        stats: { sent: 0 },
      });
    });
    expect(Number((await read(id)).stats['failed'])).toBeLessThanOrEqual(20);
  });
});
