import { answerDeadline } from '../../api/services/resources/conversations/sla';
import { breachOverdue } from '../../api/services/resources/sla/breaches';
import { weekdays } from '../../models/enums';
import { slaTimerStart } from '../../workflows/starts';
import { createContact } from '../factories/contacts';
import { createCustomer, inboundText, signedWebhook, webhook } from '../factories/customers';
import { unique } from '../factories/unique';
import { createSession } from '../factories/members';
import { activityOf, createPipeline, createTicket, ticketsPath as path } from '../factories/tickets';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { ApiClient } from '../support/client';
import { movedClock } from '../support/clock';
import type { TestApi } from '../support/api';
import { sweepUntil } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { runAdmin } from '../support/cli';
import { eventually } from '../support/eventually';
import { workflowOf } from '../support/workflows';

type Json = Record<string, unknown>;
const minute = 60_000;
let offsetMs = 0;
/** How long ago is what is written now. Timers go by the present: one that looks at once waits no longer for it. */
let agoMs = 0;
let desk: TestApi;
let workspace: TestWorkspace;
let session: ApiClient;

beforeAll(async () => {
  const { dueOffsetMs } = movedClock(() => new Date(Date.now() + offsetMs));
  desk = await sharedDesk('worker', { clock: { now: () => new Date(Date.now() + offsetMs - agoMs), dueOffsetMs } });
});
beforeEach(async () => {
  [offsetMs, agoMs] = [0, 0];
  workspace = await createWorkspace(desk);
  session = (await createSession(workspace.owner)).api;
});
afterAll(() => desk.close());

const policies = '/api/v1/sla-policies/';
const policy = async (fields: Json = { first_response_minutes: 1, resolution_minutes: 2 }): Promise<number> =>
  Number((await session.post(policies, { name: 'Standard', ...fields })).body['id']);
const at = (value: unknown): number => Date.parse(String(value));
const ticket = async (id: number): Promise<Json> => (await workspace.api.get(`${path}${id}/`)).body;
const kinds = async (id: number): Promise<string[]> => (await activityOf(workspace, id)).map((entry) => entry.kind);

describe('policies', () => {
  it('are made, changed and deleted; one of them is the default', async () => {
    expect(await session.post(policies, { name: 'A', first_response_minutes: 5 })).toMatchObject({
      status: 201,
      body: {
        name: 'A',
        first_response_minutes: 5,
        resolution_minutes: null,
        applies_to: ['tickets', 'conversations'],
        is_default: true,
      },
    });
    const { body: second } = await session.post(policies, {
      name: 'B',
      resolution_minutes: 10,
      applies_to: ['tickets'],
    });
    expect(second).toMatchObject({ is_default: false, applies_to: ['tickets'] });
    expect(
      (await session.patch(`${policies}${String(second['id'])}/`, { is_default: true, first_response_minutes: 7 }))
        .body,
    ).toMatchObject({ is_default: true, first_response_minutes: 7, resolution_minutes: 10 });
    expect((await session.get<Json[]>(policies)).body.map((one) => one['is_default'])).toEqual([false, true]);
    expect(
      await session.patch(`${policies}${String(second['id'])}/`, {
        first_response_minutes: null,
        resolution_minutes: null,
      }),
    ).toMatchObject({ status: 400, body: { non_field_errors: [expect.any(String)] } });
    expect((await session.delete(`${policies}${String(second['id'])}/`)).status).toBe(204);
    expect((await session.get(`${policies}${String(second['id'])}/`)).status).toBe(404);
  });

  it('are managed by the admin CLI', async () => {
    const run = async (...argv: string[]): Promise<Json> => {
      const asked = ['sla', ...argv, '--workspace', String(workspace.id)];
      const { code, out, problems: errors } = await runAdmin(desk.test, asked);
      return { code, errors, ...(code === 0 ? (JSON.parse(out) as Json) : {}) };
    };
    const made = await run('create', '--name', 'CLI', '--first-response', '30', '--applies-to', 'tickets');
    expect(made).toMatchObject({
      code: 0,
      first_response_minutes: 30,
      resolution_minutes: null,
      applies_to: ['tickets'],
      is_default: true,
    });
    expect(await run('update', String(made['id']), '--resolution', '60', '--first-response', 'none')).toMatchObject({
      first_response_minutes: null,
      resolution_minutes: 60,
    });
    expect((await run('list'))['policies']).toHaveLength(1);
    expect(await run('delete', String(made['id']))).toMatchObject({ deleted: true });
    expect((await run('create', '--name', 'Nothing'))['code']).not.toBe(0);
  });
});

describe('working hours', () => {
  /** Makes a workspace in whose zone it is about noon, so that no day ends meanwhile; gives the minutes after it. */
  async function atNoon(): Promise<number> {
    const now = new Date();
    const ahead = 12 - now.getUTCHours();
    workspace = await createWorkspace(desk, { timezone: `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}` });
    session = (await createSession(workspace.owner)).api;
    return now.getUTCMinutes();
  }
  const calendar = async (fields: Json): Promise<number> =>
    Number((await session.post('/api/v1/calendars/', { name: 'Hours', ...fields })).body['id']);
  const eachDay = (...times: readonly (readonly [opens: string, closes: string])[]): Json[] =>
    weekdays.flatMap((weekday) => times.map(([opens, closes]) => ({ weekday, opens, closes })));

  it('count a break not, and the timer waits for it', async () => {
    const minutes = await atNoon();
    const clock = (before: number): string =>
      new Date(12 * 60 * minute + (minutes - before) * minute).toISOString().slice(11, 16);
    const id = await calendar({ periods: eachDay(['00:00', clock(30)], [clock(10), '24:00']) });
    await policy({ first_response_minutes: 15, calendar_id: id });
    // Worked are five minutes before the break and ten after it, less the seconds until now.
    agoMs = 35 * minute - 1_500;
    const before = Date.now() - agoMs;
    const made = await createTicket(workspace);
    const after = Date.now() - agoMs;
    agoMs = 0;
    expect(at(made['first_response_sla'])).toBeGreaterThanOrEqual(before + 35 * minute);
    expect(at(made['first_response_sla'])).toBeLessThanOrEqual(after + 35 * minute);
    await eventually(async () => expect(await ticket(made.id)).toMatchObject({ sla_breached: true }));
    expect((await activityOf(workspace, made.id))[0]).toMatchObject({ kind: 'sla_breached', actor_type: 'system' });
    expect(Date.now()).toBeGreaterThanOrEqual(at(made['first_response_sla']));
  });

  it('begin after the holidays; without the calendar minutes are of all day', async () => {
    const began = Date.now();
    const day = (ahead: number): string => new Date(began + ahead * 1_440 * minute).toISOString().slice(0, 10);
    const holidays = [0, 1].map((ahead) => ({ date: day(ahead), name: '' }));
    const id = await calendar({ periods: eachDay(['00:00', '24:00']), holidays });
    const own = await policy({ first_response_minutes: 30, resolution_minutes: 90, calendar_id: id });
    const opens = Date.parse(`${day(2)}T00:00:00Z`);
    const made = await createTicket(workspace);
    expect([at(made['first_response_sla']), at(made['resolution_sla'])]).toEqual([
      opens + 30 * minute,
      opens + 90 * minute,
    ]);
    const customer = createCustomer(workspace);
    await customer.writes('Help');
    const { body } = await workspace.api.get(`/api/v1/conversations/${customer.handle}/`);
    expect(at(body['sla_first_response_deadline'])).toBe(opens + 30 * minute);

    expect((await session.patch(`${policies}${own}/`, { calendar_id: 2_147_483_647 })).body).toEqual({
      calendar_id: [expect.stringContaining('Invalid pk')],
    });
    expect((await session.delete(`/api/v1/calendars/${id}/`)).status).toBe(204);
    expect((await session.get(`${policies}${own}/`)).body).toMatchObject({ calendar_id: null });
    const next = await createTicket(workspace);
    expect(Math.round((at(next['resolution_sla']) - at(next['created_at'])) / minute)).toBe(90);
  });

  it('have no deadline where a year of them does not reach the target', async () => {
    const id = await calendar({ periods: [{ weekday: 'monday', opens: '09:00', closes: '09:01' }] });
    await policy({ first_response_minutes: 60, resolution_minutes: 5_256_000, calendar_id: id });
    expect(await createTicket(workspace)).toMatchObject({ first_response_sla: null, resolution_sla: null });
  });
});

describe('tickets', () => {
  it('have their deadlines from creation; without a policy none', async () => {
    expect(await createTicket(workspace)).toMatchObject({
      sla_policy: null,
      first_response_sla: null,
      resolution_sla: null,
    });
    const id = await policy();
    const made = await createTicket(workspace);
    expect(made['sla_policy']).toBe(id);
    expect(
      [
        at(made['first_response_sla']) - at(made['created_at']),
        at(made['resolution_sla']) - at(made['created_at']),
      ].map((ms) => Math.round(ms / minute)),
    ).toEqual([1, 2]);
    await session.delete(`${policies}${id}/`);
    expect(await ticket(made.id)).toMatchObject({ sla_policy: null, first_response_sla: made['first_response_sla'] });
  });

  it('a deadline that passes is a breach, by the timer', async () => {
    await policy();
    agoMs = 58_500;
    const made = await createTicket(workspace);
    agoMs = 0;
    await eventually(async () => expect(await ticket(made.id)).toMatchObject({ sla_breached: true }));
    expect((await activityOf(workspace, made.id))[0]).toMatchObject({
      kind: 'sla_breached',
      actor_type: 'system',
      actor: null,
      data: { deadline: 'first_response' },
    });
    expect(Date.now()).toBeGreaterThanOrEqual(at(made['first_response_sla']));
  });

  it('an answer to the customer in time leaves only the resolution to miss', async () => {
    await policy();
    const customer = createCustomer(workspace);
    await customer.writes('Help');
    const { body: contact } = await workspace.api.get(`/api/v1/contacts/${customer.handle}/`);
    offsetMs = -57_000;
    const made = await createTicket(workspace, { receiver: contact['id'] });
    offsetMs = 0;
    expect((await workspace.api.post('/api/v1/messages/', { to: customer.phone, body: 'On it' })).status).toBe(201);
    expect((await ticket(made.id))['first_response_at']).toEqual(expect.any(String));
    offsetMs = 90_000;
    await sweepUntil(desk, breachOverdue, async () =>
      expect((await activityOf(workspace, made.id))[0]).toMatchObject({
        kind: 'sla_breached',
        data: { deadline: 'resolution' },
      }),
    );
  });

  it('a pausing stage stops the clock; leaving it adds the pause and shifts both deadlines', async () => {
    await policy({ first_response_minutes: 60, resolution_minutes: 120 });
    const pipeline = await createPipeline(workspace, [
      'Open',
      { name: 'Waiting', pauses_sla: true },
      { name: 'Also waiting', pauses_sla: true },
    ]);
    const [open, waiting, also] = pipeline.stages.map((stage) => stage.id);
    const made = await createTicket(workspace, { pipeline: pipeline.id });
    const move = async (stage: number | undefined): Promise<Json> =>
      (await workspace.api.patch(`${path}${made.id}/`, { stage })).body;
    const paused = await move(waiting);
    expect(paused).toMatchObject({
      sla_paused_at: expect.any(String) as string,
      sla_paused_duration: '0',
      first_response_sla: made['first_response_sla'],
    });
    offsetMs = 100 * minute;
    // Overdue by the old deadline, but the clock stands still.
    await sweepUntil(desk, breachOverdue, async () =>
      expect(await ticket(made.id)).toMatchObject({ sla_breached: false }),
    );
    expect(await move(also)).toMatchObject({ sla_paused_at: paused['sla_paused_at'], sla_breached: false });
    const back = await move(open);
    const pause = Number(back['sla_paused_duration']) * 1000;
    expect(back['sla_paused_at']).toBeNull();
    expect(Math.round(pause / minute)).toBe(100);
    expect(at(back['first_response_sla']) - at(made['first_response_sla'])).toBe(pause);
    expect(at(back['resolution_sla']) - at(made['resolution_sla'])).toBe(pause);
    expect(back['sla_breached']).toBe(false);
  });

  it('a closed ticket misses nothing; reopened, the time that it was closed does not count', async () => {
    await policy();
    const pipeline = await createPipeline(workspace, ['Open', { name: 'Done', is_terminal: true }]);
    const made = await createTicket(workspace, { pipeline: pipeline.id });
    await workspace.api.patch(`${path}${made.id}/`, { stage: pipeline.stages[1]?.id });
    offsetMs = 10 * minute;
    await sweepUntil(desk, breachOverdue, async () =>
      expect(await ticket(made.id)).toMatchObject({ sla_breached: false }),
    );
    const back = (await workspace.api.patch(`${path}${made.id}/`, { stage: pipeline.stages[0]?.id })).body;
    expect(Math.round((at(back['resolution_sla']) - at(made['resolution_sla'])) / minute)).toBe(10);
    expect(back).toMatchObject({ sla_breached: false, sla_paused_duration: '0', reopened_count: 1 });
  });

  // A letter is a stage that the ticket is in for ten minutes: it pauses, closes, or does both. With + C pauses, too.
  it.each(['P', 'C', 'B', 'PC', 'CP', 'BC', 'CB', 'BP', 'PB', 'PBC', 'CBP', 'CPBC', 'C+', 'C+P'])(
    'what time a ticket is paused, closed or both moves the deadlines once: %s',
    async (way) => {
      await policy({ first_response_minutes: 60, resolution_minutes: 120 });
      const { id, stages } = await createPipeline(workspace, [
        'O',
        { name: 'P', pauses_sla: true },
        { name: 'C', is_terminal: true },
        { name: 'B', pauses_sla: true, is_terminal: true },
      ]);
      const made = await createTicket(workspace, { pipeline: id });
      for (const name of `${way}O`) {
        const stage = stages.find((each) => each.name === name)?.id;
        if (stage) await workspace.api.patch(`${path}${made.id}/`, { stage });
        else await workspace.api.patch(`/api/v1/ticket-pipelines/${id}/stages/${stages[2]?.id}/`, { pauses_sla: true });
        offsetMs += 10 * minute;
      }
      const after = await ticket(made.id);
      const moved = (name: string): number => Math.round((at(after[name]) - at(made[name])) / minute);
      expect([moved('first_response_sla'), moved('resolution_sla')]).toEqual([10 * way.length, 10 * way.length]);
    },
  );

  it('a stage that begins to pause stops the clocks of the tickets in it', async () => {
    await policy();
    const pipeline = await createPipeline(workspace);
    const made = await createTicket(workspace, { pipeline: pipeline.id });
    await workspace.api.patch(`/api/v1/ticket-pipelines/${pipeline.id}/stages/${pipeline.stages[0]?.id}/`, {
      pauses_sla: true,
    });
    expect((await ticket(made.id))['sla_paused_at']).toEqual(expect.any(String));
    await workspace.api.patch(`/api/v1/ticket-pipelines/${pipeline.id}/stages/${pipeline.stages[0]?.id}/`, {
      pauses_sla: false,
    });
    expect((await ticket(made.id))['sla_paused_at']).toBeNull();
    expect(await kinds(made.id)).toEqual(['ticket_created']);
  });

  it('show when their customer last wrote, while they are open', async () => {
    const customer = createCustomer(workspace);
    await customer.writes('Hi');
    const { body: contact } = await workspace.api.get(`/api/v1/contacts/${customer.handle}/`);
    const made = await createTicket(workspace, { receiver: contact['id'] });
    expect(made['last_customer_at']).toBeNull();
    await customer.writes('Still broken');
    const after = await ticket(made.id);
    expect(at(after['last_customer_at'])).toBeGreaterThan(Date.now() - minute);
  });
});

describe('conversations', () => {
  const conversation = async (handle: string): Promise<Json> =>
    (await workspace.api.get(`/api/v1/conversations/${handle}/`)).body;
  const set = async (handle: string, status: string): Promise<Json> =>
    (await workspace.api.patch(`/api/v1/conversations/${handle}/`, { status })).body;

  it('have deadlines from the first inbound message after they opened, until answered and resolved', async () => {
    const id = await policy({ first_response_minutes: 30, resolution_minutes: 60 });
    const customer = createCustomer(workspace);
    await customer.writes('Hi');
    const first = await conversation(customer.handle);
    expect(first).toMatchObject({ sla_policy: id, sla_breached: false });
    expect(Math.round((at(first['sla_first_response_deadline']) - at(first['first_message_at'])) / minute)).toBe(30);
    expect(Math.round((at(first['sla_resolution_deadline']) - at(first['first_message_at'])) / minute)).toBe(60);
    await customer.writes('Hello?');
    expect(await conversation(customer.handle)).toMatchObject({
      sla_first_response_deadline: first['sla_first_response_deadline'],
    });
    const promised = async (): Promise<unknown> =>
      (await answerDeadline(workspace.ctx, Number(first['id'])))?.toISOString();
    expect(await promised()).toBe(first['sla_first_response_deadline']);
    await set(customer.handle, 'resolved');
    await workspace.api.post('/api/v1/messages/', { to: customer.phone, body: 'Yes?' });
    await set(customer.handle, 'open');
    expect(await promised()).toBeUndefined();
    const sweptTo = (breached: boolean): Promise<void> =>
      sweepUntil(desk, breachOverdue, async () =>
        expect(await conversation(customer.handle)).toMatchObject({ sla_breached: breached }),
      );
    offsetMs = 45 * minute;
    await sweptTo(false);
    await set(customer.handle, 'resolved');
    offsetMs = 90 * minute;
    await sweptTo(false);
    // Taken back: 45 minutes do not count, and 15 are left.
    const back = await set(customer.handle, 'pending');
    for (const name of ['sla_first_response_deadline', 'sla_resolution_deadline'])
      expect(Math.round((at(back[name]) - at(first[name])) / minute)).toBe(45);
    await sweptTo(false);
    offsetMs = 106 * minute;
    await sweptTo(true);
    expect(await set(customer.handle, 'resolved')).toMatchObject({ sla_breached: true });
    offsetMs = 0;
    await desk.runtime.db.rows(
      `UPDATE conversations SET sla_started_at = sla_started_at - interval '1 hour' WHERE workspace_id = $id`,
      { id: workspace.id },
    );
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await customer.writes('It is back');
    const again = await conversation(customer.handle);
    expect(again['conv_status']).toBe('open');
    expect(at(again['sla_first_response_deadline'])).toBeGreaterThan(at(first['sla_first_response_deadline']));
    // Answered once in its life, it is promised an answer again.
    expect(await promised()).toBe(again['sla_first_response_deadline']);
  });

  it('an unanswered one is a breach, by the timer, also where it was resolved and that is taken back', async () => {
    await policy();
    const customer = createCustomer(workspace);
    agoMs = 57_500;
    await customer.writes('Hi');
    for (const status of ['resolved', 'open']) await set(customer.handle, status);
    agoMs = 0;
    await eventually(async () => expect(await conversation(customer.handle)).toMatchObject({ sla_breached: true }));
    const { body } = await workspace.api.get(`/api/v1/conversations/${customer.handle}/activity/`);
    expect(body.results[0]).toMatchObject({ kind: 'sla_breached', actor: null, data: { deadline: 'first_response' } });
  });

  it('one that takes the clock of another by a merge has its timer', async () => {
    const older = (await createContact(workspace)).receiver_id;
    await policy();
    const bsuid = `DE.${unique()}`;
    const says = async (who: Json): Promise<void> => {
      const message = { ...inboundText('', 'Hi', { from_user_id: bsuid }), ...who };
      await signedWebhook(workspace, webhook(workspace, { contacts: [{ user_id: bsuid }], messages: [message] }));
      await desk.settled();
    };
    await says({ from: undefined });
    await says({ from: older });
    const { body } = await workspace.api.get(`/api/v1/contacts/${older}/`);
    expect(body['bsuid']).toBe(bsuid);
    const { id } = slaTimerStart(workspace.id, 'conversation', body.id);
    await eventually(async () => expect((await workflowOf(desk.runtime, id).describe()).status.name).toBe('RUNNING'));
  });

  it('a policy for tickets alone leaves them out', async () => {
    await policy({ first_response_minutes: 1, applies_to: ['tickets'] });
    const customer = createCustomer(workspace);
    await customer.writes('Hi');
    expect(await conversation(customer.handle)).toMatchObject({ sla_policy: null, sla_first_response_deadline: null });
  });
});
