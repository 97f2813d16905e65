import { runCli } from '../../admin/cli';
import { createProcessMetrics } from '../../api/services/processes/maintenance/metrics';
import { createBroadcast } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createTeamInbox } from '../factories/inboxes';
import { createMacro, ownerSession, step } from '../factories/macros';
import { createMember } from '../factories/members';
import { saveRule, storeRun } from '../factories/rules';
import { createWorkspace } from '../factories/workspaces';
import { connect, registerClient } from '../oauth/support';
import { createAgent } from '../support/agent';
import { noteBusyTime } from '../../api/services/processes/maintenance/busyDays';
import { startApi, type TestApi } from '../support/api';

// Its own one: operators see the whole installation, and the oldest of what waits in it.
let desk: TestApi;
beforeAll(async () => {
  desk = await startApi();
});
afterAll(() => desk.close());

type Json = Record<string, unknown>;

async function admin(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ['', ''];
  const code = await runCli(argv, {
    env: { ...desk.test.env },
    stdout: (text) => void (stdout += text),
    stderr: (text) => void (stderr += text),
  });
  return { code, stdout, stderr };
}

async function json(...argv: string[]): Promise<Json> {
  const { code, stdout, stderr } = await admin('--json', ...argv);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Json;
}

it('lists and shows what a workspace holds, and nothing of another one', async () => {
  const { workspace } = desk;
  const other = await createWorkspace(desk);
  await createTeamInbox(other);
  const inbox = await createTeamInbox(workspace);
  const macro = await createMacro(workspace, [step('set_priority', { priority: 'high' })]);
  const broadcast = await createBroadcast(workspace);
  const client = await registerClient(workspace);
  const member = await createMember(workspace);
  await desk.runtime.db.rows(
    `INSERT INTO inbox_events (workspace_id, business_account_id, kind, payload, state, error)
     SELECT $id, id, 'message', '{"secret": "text"}', 'parked', 'no such type' FROM business_accounts
     WHERE workspace_id = $id`,
    { id: workspace.id },
  );
  const at = ['--workspace', String(workspace.id)];
  const ids = (rows: unknown): unknown[] => (rows as Json[]).map((row) => row['id']);

  // The installation may hold other files' workspaces, which are older.
  expect(ids((await json('workspace', 'list'))['workspaces']).slice(-2)).toEqual([workspace.id, other.id]);
  expect(ids((await json('member', 'list', ...at))['members'])).toEqual([workspace.owner.id, member.id]);
  const keys = (await json('key', 'list', ...at))['keys'] as Json[];
  expect(keys).toEqual([expect.objectContaining({ member_id: workspace.owner.id, revoked_at: null })]);
  expect(JSON.stringify(keys)).not.toContain(workspace.token);
  expect(await json('inbox', 'list', ...at)).toMatchObject({
    inboxes: [{ id: inbox }],
    parked_events: 1,
    parked: [{ kind: 'message', error: 'no such type' }],
  });
  expect(ids((await json('macro', 'list', ...at))['macros'])).toEqual([macro]);
  expect(ids((await json('broadcast', 'list', ...at))['broadcasts'])).toEqual([broadcast]);
  expect(ids((await json('oauth-client', 'list', ...at))['clients'])).toEqual([client.pk]);

  for (const [argv, expected] of [
    [
      ['workspace', 'show', String(workspace.id)],
      { id: workspace.id, opt_out_words: ['STOP', 'UNSUBSCRIBE', 'OPTOUT', 'STOP PROMOTIONS'] },
    ],
    [['member', 'show', String(member.id)], { id: member.id, workspace_id: workspace.id }],
    [['key', 'show', String(keys[0]?.['id'])], { id: keys[0]?.['id'], workspace_id: workspace.id }],
    [['inbox', 'show', String(inbox), ...at], { id: inbox }],
    [['macro', 'show', String(macro), ...at], { id: macro }],
    [['broadcast', 'show', String(broadcast)], { id: broadcast, status: 'draft' }],
  ] as const)
    expect(await json(...argv)).toMatchObject(expected);
  expect((await admin('macro', 'show', String(macro), '--workspace', String(other.id))).code).toBe(1);
  const table = await admin('key', 'list', ...at);
  expect(table.stdout).toContain(String(keys[0]?.['prefix']));
});

it('lists webhook subscriptions, and the deliveries of one by their state', async () => {
  const { workspace } = desk;
  const at = ['--workspace', String(workspace.id)];
  const { body: hook } = await workspace.api.post('/api/v1/webhooks/', {
    url: 'https://example.com/hook',
    events: ['ticket.created'],
  });
  const { body: delivery } = await workspace.api.post(`/api/v1/webhooks/${String(hook['id'])}/test/`, {});
  const listed = await json('webhook', 'list', ...at);
  expect(listed).toMatchObject({ webhooks: [{ id: hook['id'], url: 'https://example.com/hook' }] });
  expect(JSON.stringify(listed)).not.toContain(String(hook['secret']));
  expect(await json('webhook', 'show', String(hook['id']), ...at)).toMatchObject({ events: ['ticket.created'] });
  const deliveries = (...options: string[]): Promise<Json> =>
    json('webhook', 'deliveries', String(hook['id']), ...at, ...options);
  expect(await deliveries()).toMatchObject({ deliveries: [{ id: delivery['id'], type: 'webhook.test' }] });
  expect(await deliveries('--status', 'delivered')).toEqual({ deliveries: [] });
  const other = await createWorkspace(desk);
  const elsewhere = await admin('webhook', 'deliveries', String(hook['id']), '--workspace', String(other.id));
  expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('Not found') as string]);
  await workspace.api.delete(`/api/v1/webhooks/${String(hook['id'])}/`);
});

it('takes a scheduled broadcast back, and changes the words of opting out', async () => {
  const broadcast = await createBroadcast(desk.workspace, { audience: { tags_any: ['none'] } });
  const confirmed = await desk.api.post(`/api/v1/broadcasts/${broadcast}/confirm/`, {
    scheduled_at: '2031-05-04T10:00:00Z',
  });
  expect(confirmed.status).toBe(200);
  expect(await json('broadcast', 'unschedule', String(broadcast))).toMatchObject({ status: 'draft' });
  expect((await admin('broadcast', 'unschedule', String(broadcast))).code).toBe(1);
  expect(
    await json('workspace', 'update', String(desk.workspace.id), '--opt-out-word', 'halt', '--opt-in-word', 'los'),
  ).toMatchObject({ opt_out_words: ['HALT'], opt_in_words: ['LOS'] });
});

it('looks at what was set aside and parked, tries it again, or drops it', async () => {
  const { workspace } = desk;
  const at = ['--workspace', String(workspace.id)];
  const make = async (sql: string): Promise<number> =>
    (await desk.runtime.db.row<{ id: number }>(sql, { id: workspace.id }))?.id ?? 0;
  const setAside = (): Promise<number> =>
    make(`INSERT INTO outbox (workspace_id, workflow, workflow_id, refusals, error, set_aside_at)
      VALUES ($id, 'slaTimer', 'sla-timer/x', 20, 'no such queue', now()) RETURNING id`);
  const [first, second] = [await setAside(), await setAside()];
  expect(await json('outbox', 'list')).toMatchObject({
    set_aside: [{ id: first, workspace_id: workspace.id, workflow_id: 'sla-timer/x', error: 'no such queue' }, {}],
  });
  expect(await json('outbox', 'retry', String(first))).toEqual({ retried: 1 });
  expect(await desk.runtime.db.row('SELECT set_aside_at, refusals FROM outbox WHERE id = $first', { first })).toEqual({
    set_aside_at: null,
    refusals: 0,
  });
  // One that waits as it should is not dropped.
  expect((await admin('outbox', 'drop', String(first))).stderr).toContain(`No intent ${first} was set aside, or waits`);
  expect((await admin('outbox', 'drop')).stderr).toContain('Give the id of one, or --all.');
  expect(await json('outbox', 'drop', String(second))).toEqual({ dropped: 1 });
  expect(await json('outbox', 'list')).toEqual({ set_aside: [], waiting: [] });
  // Of a newer version that was taken back: no relay of this one tries it.
  const newer = await make(`INSERT INTO outbox (workspace_id, workflow, workflow_id)
    VALUES ($id, 'ofNextYear', 'of-next-year/1') RETURNING id`);
  await desk.runtime.db.rows("UPDATE outbox SET error = '14 UNAVAILABLE' WHERE id = $first", { first });
  expect(await json('outbox', 'list')).toMatchObject({
    set_aside: [],
    waiting: [
      { id: first, error: '14 UNAVAILABLE' },
      { id: newer, workflow: 'ofNextYear', error: 'this version does not know its workflow' },
    ],
  });
  for (const id of [first, newer]) expect(await json('outbox', 'drop', String(id))).toEqual({ dropped: 1 });

  const park = (): Promise<number> =>
    make(`INSERT INTO inbox_events (workspace_id, business_account_id, kind, order_key, payload, state, error)
      SELECT $id, id, 'message', '', '{}', 'parked', 'unknown number' FROM business_accounts
      WHERE workspace_id = $id LIMIT 1 RETURNING id`);
  const [one] = [await park(), await park(), await park()];
  const elsewhere = ['--workspace', String((await createWorkspace(desk)).id)];
  expect((await admin('inbox', 'drop', String(one), ...elsewhere)).code).toBe(1);
  expect(await json('inbox', 'drop', String(one), ...at)).toMatchObject({ dropped: 1 });
  // What other tests have parked, too.
  expect(Number((await json('inbox', 'drop', '--all', ...at))['dropped'])).toBeGreaterThanOrEqual(2);
  expect(await json('inbox', 'list', ...at)).toMatchObject({ parked_events: 0 });
});

it('bounds and disconnects agents, and decides what they parked', async () => {
  const { workspace } = desk;
  const at = ['--workspace', String(workspace.id)];
  await connect(workspace.server, await registerClient(workspace), await ownerSession(workspace));
  const [agent] = (await json('agent', 'list', ...at))['agents'] as Json[];
  const grant = String(agent?.['id']);
  expect(await json('agent', 'show', grant, ...at)).toEqual(agent);
  expect(await json('agent', 'autonomy', grant, 'draft', ...at)).toMatchObject({ autonomy: 'draft' });
  expect(await json('agent', 'disconnect', grant, ...at)).toMatchObject({ disconnected: true });
  expect((await json('agent', 'list', ...at))['agents']).toEqual([]);

  const customer = createCustomer(workspace);
  await customer.writes('Hi');
  const parking = createAgent((await workspace.key(['all'], { autonomy: 'approval' })).api);
  const park = async (): Promise<string> =>
    String((await parking.call('send_message', { to: customer.phone, text: 'Hel\u202elo' })).json['approval_id']);
  const [yes, no] = [await park(), await park()];
  const pending = (await json('approval', 'list', '--status', 'pending', ...at))['approvals'] as Json[];
  expect(pending.map((row) => String(row['id'])).sort()).toEqual([yes, no].sort());
  const shown = await json('approval', 'show', yes, ...at);
  expect(shown).toMatchObject({ sends: [{ recipients: [{ receiver_id: customer.handle }], text: 'Hel[U+202E]lo' }] });
  const powerless = await createMember(workspace, { permissions: ['chat.view'] });
  expect((await admin('approval', 'approve', yes, '--member', String(powerless.id))).code).toBe(1);
  const by = ['--member', String(workspace.owner.id)];
  expect((await admin('approval', 'approve', yes, '--digest', 'other', ...by)).code).toBe(1);
  expect(await json('approval', 'approve', yes, '--digest', String(shown['digest']), ...by)).toMatchObject({
    status: 'approved',
    decided_by: workspace.owner.email,
  });
  expect(await json('approval', 'reject', no, ...by)).toMatchObject({ status: 'rejected' });
  expect((await admin('approval', 'reject', no, ...by)).code).toBe(1);
});

it('tells which company uses most, what waits there and what needs somebody', async () => {
  const noisy = await createWorkspace(desk);
  const quiet = await createWorkspace(desk);
  const customer = createCustomer(noisy);
  await customer.writes('Hello');
  for (const workspace of [noisy, quiet])
    await desk.runtime.db.rows(
      `INSERT INTO inbox_events (workspace_id, business_account_id, kind, payload, state, error)
       SELECT $id, id, 'message', '{}', state, '' FROM business_accounts,
         unnest(CASE WHEN $id::bigint = $noisy THEN ARRAY['parked', 'parked', 'new'] ELSE ARRAY['new'] END) AS state
       WHERE workspace_id = $id`,
      { id: workspace.id, noisy: noisy.id },
    );
  await desk.runtime.db.rows(
    `INSERT INTO message_usage (message_id, workspace_id, arrived_at, category, billable, country)
     SELECT -$id::bigint * 1000 - n, $id, now() - n * interval '1 day', 'service', false, 'DE'
     FROM generate_series(25, 40) n`,
    { id: noisy.id },
  );
  await desk.runtime.db.rows(
    `INSERT INTO files (workspace_id, origin, status, size, sha256) SELECT $id, 'upload', 'stored', 1000, 'x'
     FROM generate_series(1, 3)`,
    { id: noisy.id },
  );

  await desk.runtime.db.rows(
    `INSERT INTO busy_days (workspace_id, day, ms)
     SELECT $id, current_date - ago, ms FROM (VALUES (0, 100), (29, 20), (30, 7), (31, 5000)) AS d(ago, ms)`,
    { id: noisy.id },
  );
  await noisy.api.get('/api/v1/contacts/');
  await noteBusyTime(desk.runtime);

  const rows = (await json('workspace', 'list', '--usage'))['workspaces'] as Json[];
  const of = (id: number): Json | undefined => rows.find((row) => row['id'] === id);
  expect(of(noisy.id)).toMatchObject({
    conversations_30_days: 1,
    stored_bytes: 3_000,
    last_activity: expect.stringContaining('Z') as string,
    waiting: { inbox_messages: 1 },
    failing: { inbox_parked: 2 },
  });
  // What this process worked for it meanwhile comes on top; nobody can ask for what is older.
  expect(of(noisy.id)?.['busy_ms_30_days']).toBeGreaterThan(120);
  expect(of(noisy.id)?.['busy_ms_30_days']).toBeLessThan(5_000);
  const days = await desk.runtime.db.rows('SELECT FROM busy_days WHERE workspace_id = $id', { id: noisy.id });
  expect(days).toHaveLength(3);
  // Of sixteen days those that are not older than thirty.
  expect(of(noisy.id)?.['messages_30_days']).toBe(5);
  expect(of(quiet.id)).toMatchObject({
    messages_30_days: 0,
    conversations_30_days: 0,
    stored_bytes: 0,
    waiting: { inbox_messages: 1 },
    failing: {},
  });
  expect(await json('workspace', 'show', String(noisy.id))).toMatchObject({
    timezone: 'UTC',
    stored_bytes: 3_000,
    failing: { inbox_parked: 2 },
  });
  expect((await admin('workspace', 'list', '--usage')).stdout).toMatch(/inbox_messages 1 +inbox_parked 2/);

  const page = await createProcessMetrics(desk.runtime).read();
  const told = [...page.matchAll(/^msgdesk_workspace_usage\{workspace="(\d+)",kind="(\w+)"\} (\d+)$/gm)];
  expect(told.map(([, id, kind, value]) => `${kind} ${id} ${value}`)).toContain(`stored_bytes ${noisy.id} 3000`);
  for (const kind of ['messages', 'stored_bytes', 'busy_ms', 'waiting', 'failing'])
    expect(told.filter(([, , each]) => each === kind).length).toBeLessThanOrEqual(10);
});

it('lists, shows, pauses and resumes rules, one or all', async () => {
  const { workspace } = desk;
  const at = ['--workspace', String(workspace.id)];
  const rule = await saveRule(workspace, { state: 'on' });
  const other = await saveRule(await createWorkspace(desk));
  const contact = await createContact(workspace);
  const run = await storeRun(workspace, rule.id, Number(contact.id));
  const off = { on: false, reason: '', since: null, member_id: null };
  expect(await json('rule', 'list', ...at)).toMatchObject({ rules: [{ id: rule.id }], brake: off });
  expect(await json('rule', 'show', String(rule.id), ...at)).toMatchObject({ id: rule.id, counts: { waiting: 1 } });
  expect((await admin('rule', 'show', String(other.id), ...at)).code).toBe(1);
  expect(await json('rule', 'runs', String(rule.id), '--state', 'waiting', ...at)).toMatchObject({
    runs: [{ id: run, receiver_id: contact.receiver_id }],
  });
  expect(await json('rule', 'runs', String(rule.id), '--state', 'applied', ...at)).toEqual({ runs: [] });
  const pause = await json('rule', 'pause', String(rule.id), ...at);
  expect(pause).toMatchObject({ state: 'paused', waits_ended: 0, runs_as: { id: workspace.owner.id } });
  const resume = await json('rule', 'resume', String(rule.id), ...at);
  expect(resume).toMatchObject({ state: 'on', runs_as: { id: workspace.owner.id } });
  expect((await admin('rule', 'pause', ...at)).stderr).toContain('Give either the id of a rule or --all.');
  expect(await json('rule', 'pause', '--all', '--reason', 'Too many', ...at)).toMatchObject({
    brake: { on: true, reason: 'Too many', member_id: null },
  });
  expect((await json('rule', 'list', ...at))['brake']).toMatchObject({ on: true });
  expect(await json('rule', 'resume', '--all', ...at)).toEqual({ brake: off });
});
