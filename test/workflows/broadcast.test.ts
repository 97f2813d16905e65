import { restartBroadcasts } from '../../api/services/resources/broadcasts/runs/restart';
import { syncWorkspace } from '../../api/services/processes/upstreamSync/service';
import { settleUnknown } from '../../api/services/resources/messages/rows/settlement';
import { broadcastStart } from '../../workflows/starts';
import { createBroadcast, insertContacts, setThroughput, templateId, twoValues } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sweepUntil } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { eventually } from '../support/eventually';
import { workflowOf } from '../support/workflows';

type Json = Record<string, unknown>;
const path = '/api/v1/broadcasts/';
const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

/** Specification 3.2, 4.1; contract 9: broadcasts on real rows, a real Temporal server and the sandbox upstream. */
describe('broadcasts that run', () => {
  let desk: TestApi;
  beforeAll(async () => {
    desk = await sharedDesk('worker');
  });
  afterAll(() => desk.close());
  afterEach(() => desk.sandbox.faults.clear());

  const read = async (
    workspace: TestWorkspace,
    id: number,
  ): Promise<Json & { stats: Record<string, number> & { skipped_by_reason: Json; failed_by_code: Json } }> =>
    (await workspace.api.get(`${path}${id}/`)).body as never;
  const ended = (
    workspace: TestWorkspace,
    id: number,
    status = 'completed',
  ): Promise<Awaited<ReturnType<typeof read>>> =>
    eventually(async () => {
      const record = await read(workspace, id);
      expect(record['status']).toBe(status);
      return record;
    });
  const sentBy = (workspace: TestWorkspace): { to: string; opaque: string | null; body: Json | null }[] =>
    desk.sandbox.state.sent.filter((record) => record.phone_number_id === workspace.account.phoneNumberId);
  const addsUp = ({ stats }: { stats: Record<string, unknown> }): void => {
    const n = (key: string): number => Number(stats[key]);
    expect(n('pending') + n('sent') + n('failed') + n('skipped') + n('unknown')).toBe(n('audience'));
  };

  it('sends to everybody once, skips the opted-out, and shows each as a message of its conversation', async () => {
    const workspace = await createWorkspace(desk);
    const anna = await createContact(workspace, { name: 'Anna' });
    const ben = await createContact(workspace, { name: '' });
    const out = await createContact(workspace, { marketing_opt_out: true });
    const id = await createBroadcast(workspace);
    expect((await workspace.api.post(`${path}${id}/confirm/`)).body['status']).toBe('running');
    const record = await ended(workspace, id);
    expect(record.stats).toMatchObject({
      audience: 3,
      sent: 2,
      skipped: 1,
      pending: 0,
      failed: 0,
      unknown: 0,
      skipped_by_reason: { opted_out: 1 },
    });
    expect(
      sentBy(workspace)
        .map((record) => record.to)
        .sort(),
    ).toEqual([anna.receiver_id, ben.receiver_id].sort());
    const texts = sentBy(workspace).map((record) => JSON.stringify(record.body?.['template']));
    expect(texts.some((text) => text.includes('"Anna"'))).toBe(true);
    expect(texts.some((text) => text.includes('"—"'))).toBe(true);
    const messages = await workspace.api.get(`/api/v1/conversations/${anna.receiver_id}/messages/`);
    expect(messages.body.results).toMatchObject([
      { direction: 'outbound', body: { type: 'template' }, send_by: { id: workspace.owner.id } },
    ]);
    const opaque = await desk.runtime.db.row<{ opaque: string }>('SELECT opaque FROM messages WHERE id = $id', {
      id: messages.body.results[0]?.['id'],
    });
    expect(sentBy(workspace).map((record) => record.opaque)).toContain(opaque?.opaque);
    const skipped = await workspace.api.get(`${path}${id}/recipients/?status=skipped`);
    expect(skipped.body).toMatchObject({
      count: 1,
      results: [
        { contact: out.id, receiver_id: out.receiver_id, status: 'skipped', reason: 'opted_out', message: null },
      ],
    });
    // Its statuses come back and are counted as parts of sent.
    await eventually(async () =>
      expect((await read(workspace, id)).stats).toMatchObject({ sent: 2, delivered: 2, read: 2 }),
    );
    const events = await desk.runtime.db.rows<{ kind: string }>(
      `SELECT kind FROM events WHERE subject_type = 'broadcast' AND subject_id = $id ORDER BY id`,
      { id },
    );
    expect(events.map(({ kind }) => kind)).toEqual(['broadcast_started', 'broadcast_completed']);
  });

  it('sends what fills a named placeholder by its name', async () => {
    const workspace = await createWorkspace(desk);
    await createContact(workspace, { name: 'Anna' });
    const id = await createBroadcast(workspace, {
      template_id: templateId(workspace, 'spring_sale'),
      template_variables: {
        body: { '1': { source: 'field', field: 'name' }, '2': { source: 'static', value: '20%' } },
      },
    });
    await workspace.api.post(`${path}${id}/confirm/`);
    expect((await ended(workspace, id)).stats).toMatchObject({ sent: 1 });
    expect(sentBy(workspace)[0]?.body?.['template']).toMatchObject({
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', parameter_name: 'first_name', text: 'Anna' },
            { type: 'text', parameter_name: 'discount', text: '20%' },
          ],
        },
      ],
    });
  });

  it('resolves the audience when it fires, not when it was scheduled', async () => {
    const workspace = await createWorkspace(desk);
    await createContact(workspace);
    const id = await createBroadcast(workspace);
    await workspace.api.post(`${path}${id}/confirm/`, { scheduled_at: soon(2_500) });
    const late = await createContact(workspace);
    expect((await read(workspace, id))['status']).toBe('scheduled');
    expect((await ended(workspace, id)).stats).toMatchObject({ audience: 2, sent: 2 });
    expect(sentBy(workspace).map(({ to }) => to)).toContain(late.receiver_id);
    const record = await read(workspace, id);
    expect(Date.parse(String(record['started_at']))).toBeGreaterThanOrEqual(Date.parse(String(record['scheduled_at'])));
  });

  it('records what becomes of each: refused by code, retried, unreadable as unknown, settled by webhook', async () => {
    const workspace = await createWorkspace(desk);
    const [good, bad, flaky, lost] = await Promise.all([1, 2, 3, 4].map(() => createContact(workspace)));
    desk.sandbox.faults.add({ kind: 'error', code: 131026, to: bad?.receiver_id });
    desk.sandbox.faults.add({ kind: 'error', code: 131016, to: flaky?.receiver_id, times: 2 });
    desk.sandbox.faults.add({ kind: 'reset_after_accept', to: lost?.receiver_id, times: 1 });
    const id = await createBroadcast(workspace);
    await workspace.api.post(`${path}${id}/confirm/`);
    const record = await ended(workspace, id);
    addsUp(record);
    expect(record.stats).toMatchObject({ audience: 4, failed: 1, pending: 0, failed_by_code: { '131026': 1 } });
    await eventually(async () =>
      expect((await read(workspace, id)).stats).toMatchObject({ sent: 3, failed: 1, unknown: 0 }),
    );
    for (const contact of [good, flaky, lost])
      expect(sentBy(workspace).filter(({ to }) => to === contact?.receiver_id)).toHaveLength(1);
    const failed = await workspace.api.get(`${path}${id}/recipients/?status=failed`);
    expect(failed.body.results).toMatchObject([{ receiver_id: bad?.receiver_id, error_code: 131026 }]);
  });

  it('keeps unknown apart until somebody can tell, and never sends it again', async () => {
    const workspace = await createWorkspace(desk);
    const contact = await createContact(workspace);
    desk.sandbox.faults.add({ kind: 'reset', to: contact.receiver_id });
    const id = await createBroadcast(workspace);
    await workspace.api.post(`${path}${id}/confirm/`);
    expect((await ended(workspace, id)).stats).toMatchObject({ audience: 1, unknown: 1, pending: 0 });
    expect(sentBy(workspace)).toEqual([]);
    await desk.runtime.db.rows(`UPDATE messages SET unknown_intake_ms = -86400000 WHERE workspace_id = $id`, {
      id: workspace.id,
    });
    await sweepUntil(desk, settleUnknown, async () =>
      expect((await read(workspace, id)).stats).toMatchObject({ unknown: 0, failed: 1, failed_by_code: { none: 1 } }),
    );
  });

  /** Confirms a broadcast to some, which the platform stops before it takes any. */
  async function paused(code: number): Promise<{ workspace: TestWorkspace; id: number; waits(): Promise<unknown> }> {
    const workspace = await createWorkspace(desk);
    await insertContacts(workspace, 60, 4_917_000_000_000);
    desk.sandbox.faults.add({ kind: 'error', code, phone_number_id: workspace.account.phoneNumberId });
    const id = await createBroadcast(workspace);
    await workspace.api.post(`${path}${id}/confirm/`);
    const handle = workflowOf(desk.runtime, broadcastStart(workspace.id, id).id);
    const waits = async (): Promise<unknown> => (await handle.query<Json>('progress'))['waiting'];
    await eventually(async () => expect(await waits()).toContain(`(${code}). It goes on when that is lifted.`));
    expect(await read(workspace, id)).toMatchObject({
      status: 'running',
      paused_reason: expect.stringContaining(`(${code}).`) as string,
      stats: { audience: 60, pending: 60, failed: 0, sent: 0 },
    });
    expect(
      await desk.runtime.db.rows('SELECT id FROM messages WHERE workspace_id = $id', { id: workspace.id }),
    ).toEqual([]);
    desk.sandbox.faults.clear();
    return { workspace, id, waits };
  }

  it.each([190, 131045])('pauses while the platform refuses (%i), and goes on when that is lifted', async (code) => {
    const { workspace, id, waits } = await paused(code);
    // One that is confirmed meanwhile waits as well, and no sweep looks after either.
    const second = await createBroadcast(workspace);
    await workspace.api.post(`${path}${second}/confirm/`);
    expect(await read(workspace, second)).toMatchObject({ status: 'running', queued_behind: id });
    await restartBroadcasts(desk.runtime, { quietForMs: 0, onlyIn: workspace.id });
    expect(await waits()).toContain(`(${code})`);
    await syncWorkspace(workspace.ctx, { resume: true });
    for (const one of [id, second]) {
      const record = await ended(workspace, one);
      expect(record).toMatchObject({ paused_reason: '', stats: { audience: 60, sent: 60 } });
    }
    expect(sentBy(workspace)).toHaveLength(120);
  });

  it('fails after 24 hours of it, and leaves the rest pending', async () => {
    const { workspace, id } = await paused(131031);
    for (const [table, column] of [
      ['business_accounts', 'stopped_at'],
      ['broadcasts', 'started_at'],
    ])
      await desk.runtime.db.rows(
        `UPDATE ${table} SET ${column} = now() - interval '25 hours' WHERE workspace_id = $id`,
        { id: workspace.id },
      );
    expect(await restartBroadcasts(desk.runtime, { onlyIn: workspace.id })).toBe(1);
    const record = await ended(workspace, id, 'failed');
    expect(record['failure_reason']).toContain('(131031). It was so for 24 hours.');
    expect(record.stats).toMatchObject({ audience: 60, pending: 60 });
  });

  it('ends where its template takes other values afterwards; sent again with them, all get it once', async () => {
    const { workspace, id } = await paused(190);
    const account = desk.sandbox.state.accounts.get(workspace.account.businessAccountId);
    const template = account?.templates.find(({ name }) => name === 'ticket_update');
    if (template) template.components = [{ type: 'BODY', text: 'Hi {{1}}, {{2}}, {{3}}!' }];
    await syncWorkspace(workspace.ctx, { resume: true });
    expect(await ended(workspace, id, 'failed')).toMatchObject({
      failure_reason: expect.stringContaining('takes {{1}}, {{2}}, {{3}} now.') as string,
      stats: { pending: 60 },
    });
    const again = Number((await workspace.api.post(`${path}${id}/resend/`)).body['id']);
    const body = { ...twoValues.body, '3': { source: 'static', value: 'soon' } };
    await workspace.api.patch(`${path}${again}/`, { template_variables: { body } });
    await workspace.api.post(`${path}${again}/confirm/`);
    expect((await ended(workspace, again)).stats).toMatchObject({ audience: 60, sent: 60 });
    expect(sentBy(workspace)).toHaveLength(60);
  });

  it.each([132001, 132007, 132068])('ends when the platform refuses the template (%i)', async (code) => {
    const workspace = await createWorkspace(desk);
    await insertContacts(workspace, 20, 4_917_000_000_000);
    desk.sandbox.faults.add({ kind: 'error', code, phone_number_id: workspace.account.phoneNumberId });
    const id = await createBroadcast(workspace);
    await workspace.api.post(`${path}${id}/confirm/`);
    expect(await ended(workspace, id, 'failed')).toMatchObject({
      failure_reason: expect.stringContaining(`(${code}).`) as string,
      stats: { pending: 20, failed: 0 },
    });
  });

  it('pauses where the platform reports that nobody pays, and answers of the team still go out', async () => {
    const workspace = await createWorkspace(desk);
    await setThroughput(workspace, 5);
    await insertContacts(workspace, 120, 4_917_000_000_000);
    desk.sandbox.faults.add({ kind: 'async_error', code: 131042, to: '4917000000000' });
    const id = await createBroadcast(workspace);
    await workspace.api.post(`${path}${id}/confirm/`);
    await eventually(async () =>
      expect(await read(workspace, id)).toMatchObject({
        status: 'running',
        paused_reason: expect.stringContaining('(131042)') as string,
      }),
    );
    const customer = createCustomer(workspace);
    await customer.writes('Hello');
    const { body } = await workspace.api.post('/api/v1/messages/', { to: customer.phone, body: 'Hi' });
    await eventually(async () =>
      expect((await workspace.api.get(`/api/v1/messages/${body['id']}/`)).body['message_status']).not.toBe('queued'),
    );
    expect((await read(workspace, id)).stats['pending']).toBeGreaterThan(0);
    await setThroughput(workspace, 80);
    await syncWorkspace(workspace.ctx, { resume: true });
    expect((await ended(workspace, id)).stats).toMatchObject({ audience: 120, sent: 119, failed: 1 });
  });

  it.each([
    [
      'the template is not approved any more',
      `UPDATE templates SET status = 'PAUSED' WHERE workspace_id = $id`,
      'PAUSED',
    ],
    [
      'the trial has expired',
      `UPDATE workspaces SET plan = NULL, trial_ends_at = now() - interval '1 day' WHERE id = $id`,
      'trial',
    ],
    [
      'the header is a picture now',
      `UPDATE templates SET components = components || '[{"type": "HEADER", "format": "IMAGE"}]'
        WHERE workspace_id = $id`,
      'its header took nothing and takes image now.',
    ],
    [
      'a value is not taken any more, which would move the others',
      `UPDATE templates SET components = '[{"type": "BODY", "text": "Hi {{1}}"}]' WHERE workspace_id = $id`,
      'its body took {{1}}, {{2}} and takes {{1}} now.',
    ],
  ])('ends failed when it fires and %s', async (_name, change, reason) => {
    const workspace = await createWorkspace(desk);
    await createContact(workspace);
    const id = await createBroadcast(workspace);
    await workspace.api.post(`${path}${id}/confirm/`, { scheduled_at: soon(1_500) });
    await desk.runtime.db.rows(change, { id: workspace.id });
    await eventually(async () =>
      expect(
        await desk.runtime.db.row('SELECT status, failure_reason FROM broadcasts WHERE id = $id', { id }),
      ).toMatchObject({ status: 'failed', failure_reason: expect.stringContaining(reason) as string }),
    );
    expect(sentBy(workspace)).toEqual([]);
  });

  it('looks at opt-outs again before each call', async () => {
    const workspace = await createWorkspace(desk);
    await setThroughput(workspace, 5);
    await insertContacts(workspace, 60, 4_917_100_000_000);
    const id = await createBroadcast(workspace);
    await workspace.api.post(`${path}${id}/confirm/`);
    await eventually(() => expect(sentBy(workspace).length).toBeGreaterThan(0));
    await desk.runtime.db.rows(
      `UPDATE contacts SET marketing_opt_out = true WHERE workspace_id = $id AND receiver_id >= '4917100000050'`,
      { id: workspace.id },
    );
    await setThroughput(workspace, 80);
    const record = await ended(workspace, id);
    expect(record.stats).toMatchObject({ audience: 60, sent: 50, skipped: 10, skipped_by_reason: { opted_out: 10 } });
  });

  it('skips a contact that was erased meanwhile, and a user id for an authentication template', async () => {
    const workspace = await createWorkspace(desk);
    await createContact(workspace, { bsuid: 'US.777' });
    const contact = await createContact(workspace);
    const id = await createBroadcast(workspace, {
      template_id: templateId(workspace, 'login_code'),
      template_variables: { body: { '1': { source: 'static', value: '123456' } } },
    });
    await workspace.api.post(`${path}${id}/confirm/`);
    expect((await ended(workspace, id)).stats).toMatchObject({
      audience: 2,
      sent: 1,
      skipped_by_reason: { needs_phone: 1 },
    });
    expect(sentBy(workspace).map(({ to }) => to)).toEqual([contact.receiver_id]);
    // What was sent stays counted after the contact is gone.
    await workspace.api.delete(`/api/v1/contacts/${contact.receiver_id}/`);
    expect((await read(workspace, id)).stats).toMatchObject({ audience: 2, sent: 1 });
  });

  it("an operator's signals do what the endpoints do", async () => {
    const workspace = await createWorkspace(desk);
    await createContact(workspace);
    const id = await createBroadcast(workspace);
    await workspace.api.post(`${path}${id}/confirm/`, { scheduled_at: soon(3_600_000) });
    const handle = workflowOf(desk.runtime, broadcastStart(workspace.id, id).id);
    await eventually(() => handle.signal('confirm'));
    expect(await handle.query('progress')).toMatchObject({ phase: 'scheduled' });
    expect((await read(workspace, id))['status']).toBe('scheduled');
    await handle.signal('unschedule');
    await eventually(async () =>
      expect(await read(workspace, id)).toMatchObject({ status: 'draft', scheduled_at: null }),
    );
    expect(await handle.result()).toBe('unscheduled');
    expect((await workspace.api.delete(`${path}${id}/`)).status).toBe(204);
  });

  it('a cancellation, as the Web UI offers it, takes a scheduled one back and lets a running one run', async () => {
    const workspace = await createWorkspace(desk);
    await insertContacts(workspace, 60, 4_917_300_000_000);
    const id = await createBroadcast(workspace);
    await workspace.api.post(`${path}${id}/confirm/`, { scheduled_at: soon(3_600_000) });
    const handle = workflowOf(desk.runtime, broadcastStart(workspace.id, id).id);
    await eventually(() => handle.cancel());
    await eventually(async () =>
      expect(await read(workspace, id)).toMatchObject({ status: 'draft', scheduled_at: null }),
    );
    expect(await handle.result()).toBe('unscheduled');
    expect(await handle.query('progress')).toMatchObject({ phase: 'not sent' });

    await setThroughput(workspace, 5);
    await workspace.api.post(`${path}${id}/confirm/`);
    await eventually(() => expect(sentBy(workspace).length).toBeGreaterThan(5));
    await handle.cancel();
    await setThroughput(workspace, 80);
    expect((await ended(workspace, id)).stats).toMatchObject({ audience: 60, sent: 60, unknown: 0 });
    await eventually(async () =>
      expect(await handle.query('progress')).toMatchObject({ phase: 'completed', settled: 60, waiting: '' }),
    );
    const customers = sentBy(workspace).map(({ to }) => to);
    expect(new Set(customers).size).toBe(customers.length);
  });

  it("pauses when the upstream's answers tell nothing, says so, and spends nobody else on it", async () => {
    const workspace = await createWorkspace(desk);
    const recipients = 400;
    await insertContacts(workspace, recipients, 4_917_400_000_000);
    desk.sandbox.faults.add({ kind: 'html' });
    const id = await createBroadcast(workspace);
    await workspace.api.post(`${path}${id}/confirm/`);
    const handle = workflowOf(desk.runtime, broadcastStart(workspace.id, id).id);
    // A pause is twice as long as the one before it, and the look between them spends one recipient.
    const pauses: { seconds: number; unknown: number }[] = [];
    const waiting = async (): Promise<string> => String((await handle.query<{ waiting: unknown }>('progress')).waiting);
    await eventually(async () => {
      const before = await waiting();
      const unknown = (await read(workspace, id)).stats['unknown'] ?? 0;
      const [, seconds] =
        /^Paused for (\d+) s, until \S+Z: the answers of the platform cannot be read/.exec(before) ?? [];
      // Counted within one pause.
      if (seconds !== undefined && (await waiting()) === before && Number(seconds) !== pauses.at(-1)?.seconds)
        pauses.push({ seconds: Number(seconds), unknown });
      expect(pauses.length).toBeGreaterThan(1);
    });
    const [first, later] = pauses;
    if (!first || !later) throw new Error('there were no two pauses');
    expect(later.unknown - first.unknown).toBe(Math.log2(later.seconds / first.seconds));
    expect(first.unknown).toBeLessThan(200);
    desk.sandbox.faults.clear();
    const record = await ended(workspace, id);
    const lost = record.stats['unknown'] ?? 0;
    expect(lost).toBeLessThan(210);
    expect(record.stats).toMatchObject({ audience: recipients, sent: recipients - lost, failed: 0 });
  });

  it("holds nobody up for a retry, and provokes no 130429 at the number's limit", async () => {
    const workspace = await createWorkspace(desk);
    await insertContacts(workspace, 200, 4_917_200_000_000);
    const id = await createBroadcast(workspace);
    await workspace.api.post(`${path}${id}/confirm/`);
    const record = await ended(workspace, id);
    expect(record.stats).toMatchObject({ audience: 200, sent: 200 });
    const attempts = await desk.runtime.db.row('SELECT max(attempts) AS most FROM messages WHERE workspace_id = $id', {
      id: workspace.id,
    });
    expect(attempts).toEqual({ most: 1 });
  });
});
