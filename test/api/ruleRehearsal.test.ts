import { applyRule } from '../../api/services/processes/ruleRuns/apply';
import { judgeDue } from '../../api/services/processes/ruleTimers/dueWaits';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMacro, ownerSession, step } from '../factories/macros';
import { quietMacro, ruleBody, rulesPath, runsOf, saveRule, sendingMacro } from '../factories/rules';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import type { ApiClient } from '../support/client';
import { movedClock } from '../support/clock';
import { sharedDesk } from '../support/sharedDesk';
import { snapshotRows } from '../support/snapshot';

type Json = Record<string, unknown>;

const minute = 60_000;
let offsetMs = 0;
let desk: TestApi;
let workspace: TestWorkspace;
let api: ApiClient;
beforeAll(async () => {
  desk = await sharedDesk('plain', { clock: movedClock(() => new Date(Date.now() + offsetMs)) });
});
beforeEach(async () => {
  offsetMs = 0;
  workspace = await createWorkspace(desk);
  api = (await ownerSession(workspace)).api;
});
afterAll(() => desk.close());

const rehearse = async (request: Json): Promise<Json> => {
  const { status, body } = await api.post(`${rulesPath}rehearse/`, { days: 1, ...request });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
};
const writes = async (text: string, more: Json = {}): Promise<TestCustomer> => {
  const customer = createCustomer(workspace, { name: 'Anna' });
  await customer.writes(text, more);
  return customer;
};
/** So many seconds ago, by the platform's clock, which tells no more than seconds. */
const ago = (seconds: number): Json => ({ timestamp: String(Math.floor(Date.now() / 1_000) - seconds) });
/** Lets what we did be half a minute ago, so that it stands before what a customer writes next. */
const putBack = (table: 'events' | 'messages'): Promise<unknown> =>
  desk.runtime.db.rows(
    `UPDATE ${table} SET created_at = now() - interval '30 seconds' + (id % 1000) * interval '1 millisecond'
     WHERE workspace_id = $id AND created_at > now() - interval '20 seconds'`,
    { id: workspace.id },
  );
const answer = (customer: TestCustomer): Promise<unknown> =>
  workspace.api.post('/api/v1/messages/', { to: customer.handle, body: 'Hello' });
const change = async (customer: TestCustomer, values: Json): Promise<void> => {
  expect((await workspace.api.patch(`/api/v1/conversations/${customer.handle}/`, values)).status).toBe(200);
};
/** Judges and applies what is due, as timers and workflows would. */
async function work(ruleId: number): Promise<void> {
  const { ctx } = workspace;
  for (const run of await runsOf(workspace, ruleId))
    if (run.state === 'waiting') await judgeDue(ctx, run.conversation_id);
  for (const { id, macro_run_id: runId } of await runsOf(workspace, ruleId))
    if (runId !== null) await applyRule(ctx, { runId, ruleRunId: id });
}
const counted = async (id: number): Promise<Json> => {
  const runs = await runsOf(workspace, id);
  const count = (state: string): number => runs.filter((run) => run.state === state).length;
  const reasons: Record<string, number> = {};
  for (const run of runs) if (run.state === 'skipped') reasons[run.reason ?? ''] = (reasons[run.reason ?? ''] ?? 0) + 1;
  return { start: runs.length, apply: count('applied'), ended: count('ended'), skipped: reasons, failed: {} };
};

it('a rule that was on is rehearsed to what it did: answered, not answered, opted out, changed, asleep', async () => {
  const conditions = {
    all: [
      { field: 'text', op: 'words', value: 'help' },
      { field: 'priority', op: 'is_not', value: 'urgent' },
      { field: 'waiting', op: 'is', value: true },
    ],
  };
  const macro = await sendingMacro(workspace);
  const { id } = await saveRule(workspace, { state: 'on', macro_id: macro, conditions });
  const silent = await writes('Please help');
  await answer(await writes('Help me'));
  await change(await writes('help'), { priority: 'urgent' });
  await writes('Good morning');
  const asleep = await writes('Help later');
  await change(asleep, { conv_status: 'snoozed', snoozed_until: new Date(Date.now() + 86_400_000).toISOString() });
  const left = await writes('HELP');
  await workspace.api.patch(`/api/v1/contacts/${left.handle}/`, { marketing_opt_out: true });
  const twice = await writes('help one');
  await twice.writes('help two');

  offsetMs = 11 * minute;
  await work(id);
  const before = await snapshotRows(desk.runtime, workspace.id);
  const { would, messages, examples, not_known: notKnown, by_day: byDay } = await rehearse({ rule_id: id });
  expect(await snapshotRows(desk.runtime, workspace.id)).toEqual(before);
  expect(would).toEqual(await counted(id));
  expect(would).toMatchObject({ start: 6, apply: 2, ended: 1, skipped: { conditions: 1, opted_out: 1 } });
  expect(messages).toBe(2);
  expect(notKnown).toContain('1 waits are not over yet.');
  expect((byDay as Json[]).reduce((sum, day) => sum + Number(day['apply']), 0)).toBe(2);
  const shown = (examples as Json[]).filter((one) => one['end'] === 'applied');
  expect(shown.map((one) => [one['receiver_id'], one['text'], one['why']])).toEqual([
    [silent.handle, 'Are you still there?', null],
    [twice.handle, 'Are you still there?', null],
  ]);
});

it('values are those of then: what was changed back meanwhile counts as it was', async () => {
  const anna = await writes('Hi');
  await change(anna, { priority: 'high' });
  await change(anna, { conv_status: 'resolved' });
  await change(anna, { priority: 'low', conv_status: 'open' });
  const macro_id = await quietMacro(workspace);
  const resolved = { on: [{ event: 'conversation.updated', changed: 'conv_status', to: 'resolved' }], wait: null };
  const when = (priority: string) =>
    rehearse({
      rule: ruleBody(macro_id, {
        ...resolved,
        conditions: { all: [{ field: 'priority', op: 'is', value: priority }] },
      }),
    });
  expect((await when('high'))['would']).toMatchObject({ start: 1, apply: 1 });
  expect((await when('low'))['would']).toMatchObject({ start: 0, apply: 0 });
  const reopened = { on: [{ event: 'conversation.reopened' }], wait: null, unless: [] };
  expect((await rehearse({ rule: ruleBody(macro_id, reopened) }))['would']).toMatchObject({ apply: 1 });
  const created = { on: [{ event: 'conversation.updated', changed: 'conv_status', to: 'open' }], wait: null };
  expect((await rehearse({ rule: ruleBody(macro_id, created) }))['would']).toMatchObject({ apply: 2 });
});

it('a free text after the window fails by name, and imports start nothing', async () => {
  await writes('Hi');
  const sending = await sendingMacro(workspace);
  offsetMs = 30 * 60 * minute;
  const rule = ruleBody(sending, {
    on: [{ event: 'conversation.created' }],
    unless: [],
    wait: { minutes: 25 * 60, by: 'clock' },
  });
  expect((await rehearse({ days: 3, rule }))['would']).toMatchObject({ start: 1, failed: { window_closed: 1 } });
  const tagged = { on: [{ event: 'conversation.updated', changed: 'tags' }], wait: null };
  const phone = createCustomer(workspace).handle;
  const bulk = (tags: string[]) => workspace.api.post('/api/v1/contacts/bulk/', { contacts: [{ phone, tags }] });
  await bulk(['a']);
  await bulk(['b']);
  expect((await rehearse({ rule: ruleBody(await quietMacro(workspace), tagged) }))['would']).toMatchObject({
    start: 0,
  });
});

it('carries on what its macro changes, until something else really happened', async () => {
  const anna = await writes('One', ago(60));
  await anna.writes('Two', ago(50));
  await change(anna, { priority: 'low' });
  await change(anna, { priority: 'normal' });
  await putBack('events');
  await anna.writes('Three');
  const rule = ruleBody(await quietMacro(workspace), {
    wait: null,
    unless: [],
    conditions: { all: [{ field: 'priority', op: 'is', value: 'normal' }] },
  });
  const { would, not_known: notKnown } = await rehearse({ rule });
  // The first makes it high, which the second finds; the third finds what a member has set.
  expect(would).toMatchObject({ start: 2, apply: 2 });
  expect(notKnown).toEqual(['Rights, templates and numbers are those of today.']);
});

it('carries a status on as well: the next message opens what was resolved', async () => {
  const anna = await writes('One', ago(60));
  await answer(anna);
  await putBack('messages');
  await anna.writes('Two');
  const resolving = await createMacro(workspace, [step('set_status', { status: 'resolved' })]);
  const answered = { on: [{ event: 'conversation.answered' }], wait: null, unless: [] };
  expect((await rehearse({ rule: ruleBody(resolving, answered) }))['would']).toMatchObject({ apply: 1 });
  const both = { on: [{ event: 'conversation.answered' }, { event: 'conversation.reopened' }], wait: null, unless: [] };
  expect((await rehearse({ rule: ruleBody(resolving, both) }))['would']).toMatchObject({ apply: 2 });
});

it('refuses what cannot be saved, and a second one at the same time', async () => {
  const macro = await quietMacro(workspace);
  const post = (body: Json) => api.post(`${rulesPath}rehearse/`, body);
  expect((await post({ days: 7 })).body).toEqual({ rule_id: ['Give either rule_id or rule.'] });
  expect((await post({ days: 31, rule_id: 1 })).status).toBe(400);
  expect((await post({ days: 1, rule_id: 2_147_483_647 })).body).toEqual({
    rule_id: ['Invalid pk "2147483647" - object does not exist.'],
  });
  const wrong = ruleBody(macro, { conditions: { all: [{ field: 'priority', op: 'contains', value: 'x' }] } });
  expect((await post({ days: 1, rule: wrong })).status).toBe(400);
  await desk.runtime.db.transaction(async () => {
    await desk.runtime.db.rows(`SELECT pg_advisory_xact_lock(hashtextextended('rule-rehearsal/' || $id::bigint, 0))`, {
      id: workspace.id,
    });
    const answer = await post({ days: 1, rule: ruleBody(macro) });
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '10']);
  });
  expect((await post({ days: 1, rule: ruleBody(macro) })).status).toBe(200);
});

it('walks over entries of the activity whose message is named by the platform', async () => {
  const anna = await writes('Hi');
  await desk.runtime.db.rows(
    `INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type, data)
     SELECT $w, 'conversation', id, 'flow_submitted', 'contact', '{"message_id": "wamid.x"}' FROM contacts
     WHERE workspace_id = $w AND receiver_id = $handle`,
    { w: workspace.id, handle: anna.handle },
  );
  const rule = ruleBody(await quietMacro(workspace), { on: [{ event: 'flow.submitted' }], wait: null, unless: [] });
  expect((await rehearse({ rule }))['would']).toMatchObject({ start: 1, apply: 1 });
});
