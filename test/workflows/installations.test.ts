import { createBroadcast, insertContacts } from '../factories/broadcasts';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';

type Json = Record<string, unknown>;

const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();
const hourMs = 3_600_000;

/** Contract 16: installations that share a Temporal namespace never meet. */
describe('two installations in one namespace', () => {
  let first: TestApi;
  let second: TestApi;
  beforeAll(async () => {
    [first, second] = await Promise.all([
      startApi({ worker: true }),
      // Without the setting it is called as `migrate` has drawn it.
      startApi({ worker: true, env: { TEMPORAL_PREFIX: '' } }),
    ]);
    for (const { workspace } of [first, second]) await insertContacts(workspace, 3, 4_917_000_000_000);
  });
  afterAll(() => Promise.all([first.close(), second.close()]));

  it('are called differently, as /readyz shows', async () => {
    const shown = async (desk: TestApi): Promise<unknown> =>
      (await desk.anonymous.get('/readyz')).body['temporal_prefix'];
    expect(await shown(first)).toBe(first.runtime.config.temporal.prefix);
    expect(await shown(second)).toMatch(/^msgdesk-[0-9a-f]{8}$/);
  });

  it('send the broadcast of the same ids each at its own time', async () => {
    const ids = [await createBroadcast(first.workspace), await createBroadcast(second.workspace)];
    expect([first.workspace.id, ids[0]]).toEqual([second.workspace.id, ids[1]]);
    const path = `/api/v1/broadcasts/${ids[0]}/`;
    const confirm = async (desk: TestApi, body: Json): Promise<void> =>
      expect((await desk.api.post(`${path}confirm/`, body)).status).toBe(200);
    const completed = (desk: TestApi): Promise<void> =>
      eventually(
        async () => expect((await desk.api.get(path)).body).toMatchObject({ status: 'completed', stats: { sent: 3 } }),
        { timeoutMs: 60_000 },
      );
    await confirm(first, { scheduled_at: soon(hourMs) });
    await confirm(second, {});
    await completed(second);
    expect((await first.api.get(path)).body['status']).toBe('scheduled');
    expect((await first.api.post(`${path}unschedule/`)).status).toBe(200);
    await confirm(first, {});
    await completed(first);
  });

  it('wake the conversation of the same ids each at its own time', async () => {
    const path = '/api/v1/conversations/4917000000000/';
    const snooze = async (desk: TestApi, ms: number): Promise<void> =>
      expect((await desk.api.patch(path, { status: 'snoozed', snoozed_until: soon(ms) })).status).toBe(200);
    const status = async (desk: TestApi): Promise<unknown> => (await desk.api.get(path)).body['conv_status'];
    await snooze(first, hourMs);
    await snooze(second, 1_000);
    await eventually(async () => expect(await status(second)).toBe('open'), { timeoutMs: 60_000 });
    expect(await status(first)).toBe('snoozed');
    await snooze(first, 1_000);
    await eventually(async () => expect(await status(first)).toBe('open'), { timeoutMs: 60_000 });
  });
});
