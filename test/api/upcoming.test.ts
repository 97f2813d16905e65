import { openBroadcast } from '../../api/services/resources/broadcasts/runs/run';
import { holdSending, removeHold } from '../../api/services/resources/accounts/fence';
import { expireOverdueAnywhere } from '../../api/services/processes/approvals/service';
import { breachOverdue } from '../../api/services/resources/sla/breaches';
import { createBroadcast, templateId, twoValues } from '../factories/broadcasts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMember, createSession } from '../factories/members';
import { createMacro, step } from '../factories/macros';
import { endsOf, runsOf, saveRule } from '../factories/rules';
import { createTicket } from '../factories/tickets';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { createAgent } from '../support/agent';
import type { TestApi } from '../support/api';
import type { ApiClient } from '../support/client';
import { movedClock } from '../support/clock';
import { fc, runs } from '../support/properties';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;
interface Upcoming {
  readonly kind: string;
  readonly at: string;
  readonly text: string;
  readonly link: string;
  readonly actions: readonly {
    readonly name: 'now' | 'later' | 'not';
    readonly method: string;
    readonly path: string;
    readonly body: Json;
    readonly takes: string | null;
  }[];
}

const minute = 60_000;
const hour = 60 * minute;
let offsetMs = 0;
let desk: TestApi;
let workspace: TestWorkspace;
let api: ApiClient;
let session: ApiClient;
let anna: TestCustomer;

beforeAll(async () => {
  desk = await sharedDesk('plain', { clock: movedClock(() => new Date(Date.now() + offsetMs)) });
});
beforeEach(async () => {
  offsetMs = 0;
  await begin();
});
afterAll(() => desk.close());

async function begin(): Promise<void> {
  workspace = await createWorkspace(desk);
  ({ api } = workspace);
  session = (await createSession(workspace.owner)).api;
  anna = createCustomer(workspace, { name: 'Anna' });
  await anna.writes('Hi');
}

const at = (ms: number): string => new Date(Date.now() + offsetMs + ms).toISOString();
const upcoming = async (by = session): Promise<readonly Upcoming[]> =>
  (await by.get(`/api/v1/conversations/${anna.handle}/upcoming/`)).body as unknown as Upcoming[];
const later = async (ms: number, more: Json = {}): Promise<number> =>
  Number(
    (
      await api.post('/api/v1/messages/', {
        to: anna.phone,
        phone_number_id: workspace.account.phoneNumberId,
        template_id: templateId(workspace, 'ticket_update'),
        template_variables: twoValues,
        send_at: at(ms),
        ...more,
      })
    ).body['id'],
  );
const snooze = (ms: number): Promise<unknown> =>
  api.patch(`/api/v1/conversations/${anna.handle}/`, { conv_status: 'snoozed', snoozed_until: at(ms) });
const promise = (firstMs: number, resolutionMs: number): Promise<unknown> =>
  desk.runtime.db.rows(
    `UPDATE conversations SET sla_started_at = now(), sla_stopped_at = NULL, sla_responded_at = NULL,
       sla_first_response_deadline = $first, sla_resolution_deadline = $resolution
     WHERE workspace_id = $id`,
    { id: workspace.id, first: at(firstMs), resolution: at(resolutionMs) },
  );

it('tells of each kind its moment, its words and its page, the next one first', async () => {
  const message = await later(2 * hour);
  await snooze(hour);
  await promise(3 * hour, 4 * hour);
  const broadcast = await createBroadcast(workspace, { name: 'Spring' });
  await api.post(`/api/v1/broadcasts/${broadcast}/confirm/`, { scheduled_at: at(5 * hour) });
  const bound = createAgent((await workspace.key(['all'], { autonomy: 'approval' })).api);
  const parked = await bound.call('send_message', { to: anna.phone, text: 'May I?' });
  await desk.runtime.db.rows(
    `UPDATE messages SET direction = 'outbound', opaque = gen_random_uuid(), delivery_state = 'queued', attempts = 2,
       send_seq = 1, next_attempt_at = $at, look_at = $at
     WHERE workspace_id = $id`,
    { id: workspace.id, at: at(6 * hour) },
  );
  const page = `/dashboard/inbox/${anna.handle}/?view=all`;
  expect((await upcoming()).map(({ kind, text, link }) => [kind, text, link])).toEqual([
    ['snooze', 'The snooze ends: the conversation opens again.', page],
    ['message', expect.stringMatching(/^A message is sent: .*Anna/), `${page}#m-${message}`],
    // The message is an answer: what is promised after it is the resolution.
    ['service_level', 'The time for resolving the conversation ends.', page],
    ['broadcast', 'The broadcast “Spring” begins.', `/dashboard/broadcasts/${broadcast}/`],
    ['retry', expect.stringMatching(/^A message is tried again \(attempt 3\): Hi$/), expect.anything()],
    [
      'approval',
      'What test asks for expires, and is not sent.',
      `/dashboard/approvals/${String(parked.json['approval_id'])}/`,
    ],
  ]);
});

it('names a rule that waits, and its macro, until the rule is paused', async () => {
  const { id } = await saveRule(workspace, { name: 'Nobody answered', state: 'on' });
  await anna.writes('Hello?');
  const [wait, ...others] = await upcoming();
  expect(others).toEqual([]);
  expect(wait).toMatchObject({
    kind: 'rule',
    text: expect.stringMatching(/^The rule “Nobody answered” looks whether to run “.+”\.$/) as string,
    link: `/dashboard/rules/${id}/`,
  });
  expect(Math.abs(new Date(wait?.at ?? 0).getTime() - Date.now() - 10 * minute)).toBeLessThan(minute);
  await session.patch(`/api/v1/rules/${id}/`, { state: 'paused' });
  expect(await upcoming()).toEqual([]);
});

it('names the service levels of the customer’s tickets to who may see them', async () => {
  const { id } = await createTicket(workspace, { receiver: await contactId(), title: 'A broken pot' });
  await desk.runtime.db.rows(
    'UPDATE tickets SET first_response_sla = $first, resolution_sla = $resolution WHERE workspace_id = $w AND id = $id',
    { w: workspace.id, id, first: at(hour), resolution: at(2 * hour) },
  );
  const link = `/dashboard/tickets/${id}/`;
  const levels = async (by = session): Promise<unknown[]> =>
    (await upcoming(by)).map(({ text, link: to }) => [text, to]);
  expect(await levels()).toEqual([['The time for the first answer to the ticket “A broken pot” ends.', link]]);
  await later(30 * minute);
  expect((await levels())[1]).toEqual(['The time for resolving the ticket “A broken pot” ends.', link]);
  const reader = await createMember(workspace, { permissions: ['chat.view'] });
  expect(await levels((await createSession(reader)).api)).toHaveLength(1);
  await desk.runtime.db.rows('UPDATE tickets SET sla_paused_at = now() WHERE workspace_id = $w AND id = $id', {
    ...{ w: workspace.id, id },
  });
  expect(await levels()).toHaveLength(1);
});

describe('what will be stopped is told before, and is stopped', () => {
  const change = (statement: string): Promise<unknown> => desk.runtime.db.rows(statement, { id: workspace.id });
  const stopped = async (id: number): Promise<unknown[]> => {
    const { body } = await api.get(`/api/v1/messages/${id}/`);
    return [body['message_status'], body['held_reason']];
  };
  const text = { body: 'Later', template_id: undefined, template_variables: undefined };
  const marketing = () => ({ template_id: templateId(workspace, 'spring_sale') });

  it.each<[string, string, () => Json, string, string]>([
    [
      'a window that closes before',
      'window_closed',
      () => text,
      `WITH closed AS (UPDATE conversations SET active_till = now() WHERE workspace_id = $id RETURNING id)
       UPDATE conversation_windows SET open_until = now() WHERE conversation_id IN (SELECT id FROM closed)`,
      'the 24-hour window will have closed',
    ],
    [
      'an opt-out',
      'opted_out',
      marketing,
      'UPDATE contacts SET marketing_opt_out = true WHERE workspace_id = $id',
      'the customer has opted out of marketing',
    ],
    [
      'a template that is paused',
      'template',
      () => ({}),
      `UPDATE templates SET status = 'PAUSED' WHERE workspace_id = $id`,
      'its template cannot be sent',
    ],
    [
      'a number that is gone',
      'number',
      () => ({}),
      `UPDATE phone_numbers SET status = 'DELETED' WHERE workspace_id = $id`,
      'its number is gone',
    ],
    [
      'a trial that ends before',
      'trial',
      () => ({}),
      `UPDATE workspaces SET plan = NULL, trial_ends_at = now() + interval '1 hour' WHERE id = $id`,
      'the trial will be over',
    ],
    [
      'a key that is gone',
      'member',
      () => ({}),
      `UPDATE api_keys SET revoked_at = now() WHERE workspace_id = $id`,
      'whoever wrote it may not send any more',
    ],
  ])('%s', async (_what, reason, fields, statement, words) => {
    const id = await later(2 * hour, fields());
    await change(statement);
    const [told] = await upcoming();
    expect(told?.text).toMatch(new RegExp(`^A message is held, because ${words}: `));
    offsetMs = 2 * hour + 5_000;
    await desk.work();
    const row = await desk.runtime.db.row<Json>('SELECT state, held_reason FROM scheduled_messages WHERE id = $id', {
      id,
    });
    expect(row).toEqual({ state: 'held', held_reason: reason });
  });

  it("the operator's hold keeps messages, rules, broadcasts and retries waiting", async () => {
    await saveRule(workspace, { name: 'Nobody answered', state: 'on', unless: [], wait: { minutes: 90, by: 'clock' } });
    await anna.writes('Hello?');
    const id = await later(2 * hour);
    const broadcast = await createBroadcast(workspace, { name: 'Spring' });
    await api.post(`/api/v1/broadcasts/${broadcast}/confirm/`, { scheduled_at: at(3 * hour) });
    const scope = { workspaceId: workspace.id, phoneNumberPk: null };
    await holdSending(desk.runtime, scope, 'test');
    expect((await upcoming()).map(({ text: words }) => words)).toEqual([
      expect.stringMatching(/^The rule “Nobody answered” looks whether to run “.*” once the operator’s hold ends\.$/),
      expect.stringMatching(/^A message waits for the end of the operator’s hold: /),
      'The broadcast “Spring” begins once the operator’s hold ends.',
    ]);
    offsetMs = 2 * hour + 5_000;
    await desk.work();
    expect(await stopped(id)).toEqual(['scheduled', null]);
    await removeHold(desk.runtime, scope);
    expect((await upcoming()).map(({ text: words }) => words).join(' ')).not.toContain('hold');
  });

  it('a rule that sends nothing to who has opted out, and one whose template is paused', async () => {
    const sending = await createMacro(workspace, [
      step('send_template', { template_id: templateId(workspace, 'ticket_update'), template_variables: twoValues }),
    ]);
    await saveRule(workspace, { name: 'Remind', state: 'on', macro_id: sending, unless: [] });
    await anna.writes('Hello?');
    await change(`UPDATE templates SET status = 'PAUSED' WHERE workspace_id = $id`);
    const [paused] = await upcoming();
    expect(paused?.text).toMatch(/, which fails: its template cannot be sent\.$/);
    await change('UPDATE contacts SET marketing_opt_out = true WHERE workspace_id = $id');
    const [out] = await upcoming();
    expect(out?.text).toBe('The rule “Remind” runs nothing: the customer has opted out.');
  });
});

it('a rule is ended by the answer that is sent before, and sleeps as long as its conversation', async () => {
  await saveRule(workspace, { name: 'Nobody answered', state: 'on', wait: { minutes: 60, by: 'clock' } });
  await anna.writes('Hello?');
  const until = at(3 * hour);
  await api.patch(`/api/v1/conversations/${anna.handle}/`, { conv_status: 'snoozed', snoozed_until: until });
  expect((await upcoming()).map(({ kind, at: moment }) => [kind, moment])).toEqual([
    ['snooze', until],
    ['rule', until],
  ]);
  await later(2 * hour);
  expect((await upcoming()).map(({ kind }) => kind)).toEqual(['message', 'snooze']);
});

it('a wait is judged at once, later or not at all, as who may manage rules decides', async () => {
  const { id } = await saveRule(workspace, { name: 'Nobody answered', state: 'on', unless: [] });
  await anna.writes('Hello?');
  const reader = await createMember(workspace, { permissions: ['chat.view', 'macro.view'] });
  expect((await upcoming((await createSession(reader)).api))[0]?.actions).toEqual([]);
  const take = async (name: string, moment?: string): Promise<number> => {
    const action = (await upcoming())[0]?.actions.find((one) => one.name === name);
    if (!action) throw new Error(`there is no ${name}`);
    const body = { ...action.body, ...(action.takes === null ? {} : { [action.takes]: moment }) };
    return (
      await session.request(action.method, action.path, JSON.stringify(body), { 'content-type': 'application/json' })
    ).status;
  };
  expect(await take('later', at(30 * minute))).toBe(200);
  offsetMs = 20 * minute;
  await desk.work();
  expect(await endsOf(workspace, id)).toEqual(['waiting']);
  expect(await take('now')).toBe(200);
  await desk.work();
  expect(await endsOf(workspace, id)).toEqual(['applied']);
  await createCustomerAgain();
  expect(await take('not')).toBe(204);
  expect(await endsOf(workspace, id)).toEqual(['applied', 'ended by_member']);
  const [, last] = await runsOf(workspace, id);
  const run = `/api/v1/rules/${id}/runs/${last?.id ?? 0}/`;
  expect((await session.delete(run)).status).toBe(409);
  expect((await session.patch(run, { moment: at(hour) })).body).toEqual({ error: 'This run does not wait any more.' });
  expect((await session.delete(`/api/v1/rules/${id}/runs/2147483647/`)).status).toBe(404);
});

it('of a broadcast that will not reach the customer, or a message that is held, it tells nothing', async () => {
  const broadcast = await createBroadcast(workspace, { audience: { tags_any: ['others'] } });
  await api.post(`/api/v1/broadcasts/${broadcast}/confirm/`, { scheduled_at: at(5 * hour) });
  await later(hour);
  await anna.writes('Wait');
  expect(await upcoming()).toEqual([]);
});

it('offers what the member may do, and it does what it says', async () => {
  await snooze(hour);
  const [sent, moved, dropped] = [await later(2 * hour), await later(3 * hour), await later(4 * hour)];
  const actionOf = async (at: number, name: string) =>
    (await upcoming())[at]?.actions.find((action) => action.name === name);
  const take = async (place: number, name: string, moment?: string): Promise<void> => {
    const action = await actionOf(place, name);
    if (!action) throw new Error(`there is no ${name}`);
    const body = { ...action.body, ...(action.takes === null ? {} : { [action.takes]: moment }) };
    const { status } = await session.request(action.method, action.path, JSON.stringify(body), {
      'content-type': 'application/json',
    });
    expect(status).toBeLessThan(300);
  };
  await take(1, 'now');
  await take(1, 'later', at(5 * hour));
  await take(1, 'not');
  await take(0, 'later', at(6 * hour));
  expect((await upcoming()).map(({ kind, at: moment }) => [kind, moment])).toEqual([
    ['message', (await api.get(`/api/v1/messages/${moved}/`)).body['send_at']],
    ['snooze', (await api.get(`/api/v1/conversations/${anna.handle}/`)).body['snoozed_until']],
  ]);
  expect((await api.get(`/api/v1/messages/${sent}/`)).body['message_status']).toBe('queued');
  expect((await api.get(`/api/v1/messages/${dropped}/`)).status).toBe(404);
  await take(1, 'now');
  expect((await api.get(`/api/v1/conversations/${anna.handle}/`)).body['conv_status']).toBe('open');
});

it('is for members: who only reads is offered nothing, and no key is answered', async () => {
  await later(hour);
  const reader = await createMember(workspace, { permissions: ['chat.view'] });
  const seen = await upcoming((await createSession(reader)).api);
  expect(seen.map(({ kind, actions }) => [kind, actions])).toEqual([['message', []]]);
  expect((await api.get(`/api/v1/conversations/${anna.handle}/upcoming/`)).status).toBe(403);
  const other = await createWorkspace(desk);
  const foreign = (await createSession(other.owner)).api;
  expect((await foreign.get(`/api/v1/conversations/${anna.handle}/upcoming/`)).status).toBe(404);
});

/** Another customer, about whom `upcoming` asks from then on. */
async function createCustomerAgain(): Promise<void> {
  anna = createCustomer(workspace, { name: 'Berta' });
  await anna.writes('Hello?');
}
const contactId = async (): Promise<number> => Number((await api.get(`/api/v1/contacts/${anna.handle}/`)).body['id']);

/** What has happened to the conversation since it began, in the words of the list. */
async function happened(retried: number): Promise<Set<string>> {
  const rows = await desk.runtime.db.rows<{ what: string }>(
    `SELECT 'snooze' AS what FROM conversations WHERE workspace_id = $id AND conv_status = 'open'
     UNION ALL SELECT 'service_level' FROM conversations WHERE workspace_id = $id AND sla_breached
     UNION ALL SELECT 'approval ' || id FROM approvals WHERE workspace_id = $id AND status = 'expired'
     UNION ALL SELECT 'broadcast ' || id FROM broadcasts WHERE workspace_id = $id AND status = 'running'
     UNION ALL SELECT 'rule ' || rule_id FROM rule_runs WHERE workspace_id = $id AND state = 'applied'
     UNION ALL SELECT 'message ' || id FROM messages
       WHERE workspace_id = $id AND direction = 'outbound' AND id <> $retried
     UNION ALL SELECT 'retry ' || id FROM messages
       WHERE workspace_id = $id AND id = $retried AND delivery_state NOT IN ('queued', 'sending')`,
    { id: workspace.id, retried },
  );
  return new Set(rows.map(({ what }) => what));
}

/** The name of what the list tells, as `happened` says it. */
const nameOf = ({ kind, link }: Upcoming): string => {
  const id = /#m-(\d+)$/.exec(link)?.[1] ?? /(?:approvals|broadcasts|rules)\/(\d+)/.exec(link)?.[1];
  return id === undefined ? kind : `${kind} ${id}`;
};

it('by the end of a day exactly that has happened, each at its moment, and nothing else', async () => {
  const moment = fc.integer({ min: 5, max: 30 * 60 });
  const plan = fc.record({
    messages: fc.array(fc.record({ at: moment, gone: fc.boolean() }), { maxLength: 4 }),
    snooze: moment,
    first: moment,
    resolution: moment,
    parks: fc.boolean(),
    broadcast: fc.option(moment),
    rule: fc.option(fc.record({ at: moment, forAnswer: fc.boolean() })),
    retry: fc.option(fc.integer({ min: 5, max: 20 * 60 })),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ messages, snooze: until, first, resolution, parks, broadcast, rule, retry }) => {
      offsetMs = 0;
      await begin();
      const retried = retry === null ? 0 : await refusedOnce(retry * minute);
      if (rule !== null) {
        const unless = rule.forAnswer ? [{ event: 'conversation.answered' }] : [];
        await saveRule(workspace, { state: 'on', unless, wait: { minutes: rule.at, by: 'clock' } });
        await anna.writes('Hello?');
      }
      await promise(first * minute, resolution * minute);
      if (parks) {
        const bound = createAgent((await workspace.key(['all'], { autonomy: 'approval' })).api);
        await bound.call('send_message', { to: anna.phone, text: 'May I?' });
      }
      if (broadcast !== null) {
        const id = await createBroadcast(workspace);
        await api.post(`/api/v1/broadcasts/${id}/confirm/`, { scheduled_at: at(broadcast * minute) });
      }
      for (const { at: when, gone } of messages) {
        const id = await later(when * minute);
        if (gone) await api.delete(`/api/v1/messages/${id}/`);
      }
      await snooze(until * minute);
      const began = Date.now();
      const told = await upcoming();
      const expected = new Set<string>();
      // From one moment to the next: what is an hour late would be held.
      for (const one of [...told, null]) {
        const due = one === null ? began + 24 * hour : Math.min(Date.parse(one.at), began + 24 * hour);
        offsetMs = Math.max(offsetMs, due - Date.now() - 2_000);
        await pass();
        expect(await happened(retried)).toEqual(expected);
        if (one === null || Date.parse(one.at) > began + 24 * hour) continue;
        offsetMs = Math.max(offsetMs, due - Date.now() + 3_000);
        const together = told.filter(({ at: other }) => Date.parse(other) <= due + 3_000);
        for (const each of together) expected.add(nameOf(each));
        await pass();
        expect(await happened(retried)).toEqual(expected);
      }
    }),
    { numRuns: runs(6) },
  );
});

/** A message that was refused for now, and is tried again then; gives its id. */
async function refusedOnce(ms: number): Promise<number> {
  desk.sandbox.faults.add({ kind: 'error', code: 131016, to: anna.handle, times: 1 });
  const { body } = await api.post('/api/v1/messages/', { to: anna.phone, body: 'Once more' });
  await desk.work();
  const id = body.id;
  await desk.runtime.db.rows('UPDATE messages SET next_attempt_at = $at, look_at = $at WHERE id = $id', {
    id,
    at: at(ms),
  });
  return id;
}

/** What workers do, the workflows of broadcasts, and the sweeps. */
async function pass(): Promise<void> {
  // Deliveries go by the clock of the database alone: their rows are moved instead.
  await desk.runtime.db.rows(
    `UPDATE messages SET next_attempt_at = now() - interval '1 second', look_at = now() - interval '1 second'
     WHERE workspace_id = $id AND delivery_state = 'queued' AND next_attempt_at <= $now`,
    { id: workspace.id, now: at(0) },
  );
  await desk.work();
  const scheduled = await desk.runtime.db.rows<{ id: number }>(
    `SELECT id FROM broadcasts WHERE workspace_id = $id AND status = 'scheduled'`,
    { id: workspace.id },
  );
  for (const { id } of scheduled) await openBroadcast(workspace.ctx, id);
  await breachOverdue(desk.runtime);
  await expireOverdueAnywhere(desk.runtime);
}
