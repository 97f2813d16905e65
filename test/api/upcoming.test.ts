import { expireOverdueAnywhere } from '../../api/services/processes/approvals/service';
import { breachOverdue } from '../../api/services/resources/sla/breaches';
import { createBroadcast, templateId, twoValues } from '../factories/broadcasts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMember, createSession } from '../factories/members';
import { saveRule } from '../factories/rules';
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

/** What has happened to the conversation since it began, in the words of the list. */
async function happened(): Promise<Set<string>> {
  const rows = await desk.runtime.db.rows<{ what: string }>(
    `SELECT 'snooze' AS what FROM conversations WHERE workspace_id = $id AND conv_status = 'open'
     UNION ALL SELECT 'service_level' FROM conversations WHERE workspace_id = $id AND sla_breached
     UNION ALL SELECT 'approval ' || id FROM approvals WHERE workspace_id = $id AND status = 'expired'
     UNION ALL SELECT 'message ' || id FROM messages WHERE workspace_id = $id AND direction = 'outbound'`,
    { id: workspace.id },
  );
  return new Set(rows.map(({ what }) => what));
}

/** The name of what the list tells, as `happened` says it. */
const nameOf = ({ kind, link }: Upcoming): string => {
  const id = /#m-(\d+)$/.exec(link)?.[1] ?? /approvals\/(\d+)/.exec(link)?.[1];
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
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ messages, snooze: until, first, resolution, parks }) => {
      offsetMs = 0;
      await begin();
      await promise(first * minute, resolution * minute);
      if (parks) {
        const bound = createAgent((await workspace.key(['all'], { autonomy: 'approval' })).api);
        await bound.call('send_message', { to: anna.phone, text: 'May I?' });
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
        await step();
        expect(await happened()).toEqual(expected);
        if (one === null || Date.parse(one.at) > began + 24 * hour) continue;
        offsetMs = Math.max(offsetMs, due - Date.now() + 3_000);
        const together = told.filter(({ at: other }) => Date.parse(other) <= due + 3_000);
        for (const each of together) expected.add(nameOf(each));
        await step();
        expect(await happened()).toEqual(expected);
      }
    }),
    { numRuns: runs(6) },
  );
});

/** What workers do, and the sweeps. */
async function step(): Promise<void> {
  await desk.work();
  await breachOverdue(desk.runtime);
  await expireOverdueAnywhere(desk.runtime);
}
