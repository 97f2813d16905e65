import pg from 'pg';
import { applyRule } from '../../api/services/processes/ruleRuns/apply';
import { judgeDue } from '../../api/services/processes/ruleTimers/dueWaits';
import { openApprovedRule } from '../../api/services/processes/ruleRuns/approve';
import { mergeContacts } from '../../api/services/processes/contactMerge/merge';
import { setBrake } from '../../api/services/processes/ruleSettings/brake';
import { updateRule } from '../../api/services/processes/ruleSettings/service';
import { holdSending, removeHold } from '../../api/services/resources/accounts/fence';
import type { RuleRunRow } from '../../models';
import { noteHappened } from '../../api/services/resources/rules/starts';
import { endUnknownWaitsAnywhere } from '../../api/services/resources/rules/waits';
import { insertContacts } from '../factories/broadcasts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createMacro, ownerSession, step } from '../factories/macros';
import { createMember } from '../factories/members';
import { storeRule, endsOf, runsOf } from '../factories/rules';
import type { TestApi } from '../support/api';
import { movedClock } from '../support/clock';
import { lockedOut } from '../support/locks';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

let desk: TestApi;
/** By how much the time is moved: less than an hour, after which a customer's message is no news any more. */
let movedMs = 0;

beforeAll(async () => {
  desk = await sharedDesk('plain', { clock: movedClock(() => new Date(Date.now() + movedMs)) });
});
beforeEach(() => {
  movedMs = 0;
});
// Each test has the workspace's rules for itself.
afterEach(() => desk.runtime.db.models.Rule.destroy({ where: { workspace_id: desk.workspace.id } }));
afterAll(() => desk.close());

/** Moves the time, and does what is due by then. */
async function after(minutes: number): Promise<void> {
  movedMs += minutes * 60_000;
  await desk.work();
}

const path = ({ handle }: TestCustomer): string => `/api/v1/conversations/${handle}/`;
const conversation = async (customer: TestCustomer): Promise<Json> => (await desk.api.get(path(customer))).body;
const patch = async (customer: TestCustomer, body: Json): Promise<void> => {
  expect((await desk.api.patch(path(customer), body)).status).toBe(200);
};
const answers = async (customer: TestCustomer, text = 'We look into it'): Promise<void> => {
  expect((await desk.api.post('/api/v1/messages/', { to: customer.handle, body: text })).status).toBe(201);
};
/** The messages of a customer, the first first. */
async function thread(customer: TestCustomer): Promise<Json[]> {
  const { body } = await desk.api.get(`${path(customer)}messages/`);
  return (body['results'] as Json[]).reverse();
}
async function texts(customer: TestCustomer): Promise<string[]> {
  return (await thread(customer)).map((message) => String(((message['body'] as Json)['text'] as Json)?.['body']));
}
const says = (text: string): Promise<number> => createMacro(desk.workspace, [step('send_message', { body: text })]);
const tags = (tag: string): Promise<number> => createMacro(desk.workspace, [step('add_tags', { tags: [tag] })]);
const ends = (ruleId: number): Promise<string[]> => endsOf(desk.workspace, ruleId);
const inMinutes = (minutes: number) => ({ minutes, by: 'clock' }) as const;

/** A customer who wrote before there were rules. */
async function known(text = 'Hello'): Promise<TestCustomer> {
  const customer = createCustomer(desk.workspace);
  await customer.writes(text);
  return customer;
}

it('starts by a message, waits, and runs its macro in the name of its member', async () => {
  const rule = await storeRule(desk.workspace, await says('Still there?'), {
    wait: inMinutes(10),
    name: 'Ten minutes',
  });
  const customer = await known();
  await after(9);
  expect(await ends(rule)).toEqual(['waiting']);
  await after(1);
  expect(await ends(rule)).toEqual(['applied']);
  expect(await texts(customer)).toEqual(['Hello', 'Still there?']);
  const [, sent] = await thread(customer);
  expect(sent).toMatchObject({
    source: 'rule',
    written_by: { type: 'rule', id: rule, name: 'Ten minutes' },
    send_by: { id: desk.workspace.owner.id },
  });
});

it('(r1) applies once, whoever comes again, and whenever it is killed', async () => {
  const rule = await storeRule(desk.workspace, await says('Once'), { wait: inMinutes(1) });
  const customer = await known();
  movedMs += 60_000;
  const [run] = await runsOf(desk.workspace, rule);
  const { ctx } = desk.workspace;
  const conversationId = run?.conversation_id ?? 0;
  // A worker that dies between the effect and the mark leaves neither.
  await expect(
    desk.runtime.db.transaction(async () => {
      await judgeDue(ctx, conversationId);
      throw new Error('killed');
    }),
  ).rejects.toThrow('killed');
  expect([await ends(rule), await texts(customer)]).toEqual([['waiting'], ['Hello']]);
  await Promise.all([judgeDue(ctx, conversationId), judgeDue(ctx, conversationId)]);
  // The workflow that shows the run of its macro finds it done.
  const [judged] = await runsOf(desk.workspace, rule);
  const ids = { runId: judged?.macro_run_id ?? 0, ruleRunId: judged?.id ?? 0 };
  expect(await applyRule(ctx, ids)).toEqual({ kind: 'applied', steps: 1 });
  await after(2);
  expect([await ends(rule), await texts(customer)]).toEqual([['applied'], ['Hello', 'Once']]);
});

it('(r2) starts once by one write, however many fields it changes', async () => {
  const customer = await known();
  const rule = await storeRule(desk.workspace, await tags('changed'), {
    starts: [
      { event: 'conversation.updated', changed: 'priority' },
      { event: 'conversation.updated', changed: 'conv_status' },
    ],
  });
  await patch(customer, { priority: 'high', conv_status: 'pending' });
  await desk.work();
  expect(await ends(rule)).toEqual(['applied']);
  // A write that changes no value starts nothing.
  await patch(customer, { priority: 'high' });
  await desk.work();
  expect(await ends(rule)).toEqual(['applied']);
});

it('(r3) repeats each time, once per episode, or once', async () => {
  const of = (repeat: 'each' | 'per_episode' | 'once'): Promise<number> =>
    tags(repeat).then((macro) => storeRule(desk.workspace, macro, { repeat }));
  const [each, episode, once] = [await of('each'), await of('per_episode'), await of('once')];
  const customer = await known();
  await desk.work();
  await customer.writes('And again');
  await desk.work();
  await patch(customer, { conv_status: 'resolved' });
  // Times of the platform are those of seconds.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await customer.writes('Something new');
  await desk.work();
  expect((await ends(each)).length).toBe(3);
  expect((await ends(episode)).length).toBe(2);
  expect((await ends(once)).length).toBe(1);
});

it('(r4) starts by a status that a conversation is born with, or opened again to', async () => {
  const rule = await storeRule(desk.workspace, await tags('opened'), {
    starts: [{ event: 'conversation.updated', changed: 'conv_status', to: 'open' }],
  });
  const customer = await known();
  await desk.work();
  expect(await ends(rule)).toEqual(['applied']);
  await patch(customer, { conv_status: 'resolved' });
  await customer.writes('Once more');
  await desk.work();
  expect(await ends(rule)).toEqual(['applied', 'applied']);
});

it('(r7) sends nothing that is more than an hour late, and does late what sends nothing', async () => {
  const sends = await storeRule(desk.workspace, await says('Too late'), { wait: inMinutes(1) });
  const tagging = await storeRule(desk.workspace, await tags('late'), { wait: inMinutes(1) });
  const customer = await known();
  const other = await known();
  await after(62);
  expect((await rowOf(sends))?.attention).toMatchObject({ reason: 'late', detail: 2 });
  expect(await texts(other)).toEqual(['Hello']);
  expect([await ends(sends), await ends(tagging)]).toEqual([
    ['skipped late', 'skipped late'],
    ['applied', 'applied'],
  ]);
  expect(await texts(customer)).toEqual(['Hello']);
});

it('(r8) judges a message when it comes, and all else at the moment again', async () => {
  const rule = await storeRule(desk.workspace, await tags('asked'), {
    wait: inMinutes(5),
    conditions: {
      all: [
        { field: 'text', op: 'words', value: 'Preis' },
        { field: 'priority', op: 'is', value: 'normal' },
      ],
      any: [],
    },
  });
  const [first, second, third] = [await known('Was ist der PREÍS?'), await known('Preis?'), await known('Hello')];
  await patch(second, { priority: 'high' });
  await after(5);
  expect(await ends(rule)).toEqual(['applied', 'skipped conditions']);
  expect([(await conversation(first))['tags'], (await conversation(third))['tags']]).toEqual([['asked'], []]);
});

it('(r9) does nothing after the answer or the message that it waits for', async () => {
  const rule = await storeRule(desk.workspace, await says('Nobody there?'), {
    wait: inMinutes(5),
    unless: [{ event: 'conversation.answered' }],
  });
  const customer = await known();
  await answers(customer);
  await after(5);
  expect(await ends(rule)).toEqual(['ended conversation.answered']);
  const next = await storeRule(desk.workspace, await says('Still there?'), {
    starts: [{ event: 'conversation.answered' }],
    wait: inMinutes(5),
    unless: [{ event: 'message.received' }],
  });
  await answers(customer);
  await customer.writes('I am');
  await after(5);
  expect(await ends(next)).toEqual(['ended message.received']);
});

it('(r9) sends nothing while a message of this customer waits in our inbox', async () => {
  const rule = await storeRule(desk.workspace, await says('Still there?'), { wait: inMinutes(5) });
  const customer = await known();
  const { db } = desk.runtime;
  const { id } = await db.models.InboxEvent.create({
    workspace_id: desk.workspace.id,
    business_account_id: 1,
    kind: 'message',
    order_key: customer.handle,
    payload: {},
    available_at: new Date(Date.now() + 3_600_000 * 9),
    holds_until: null,
    error: null,
  });
  movedMs += 5 * 60_000;
  const [run] = await runsOf(desk.workspace, rule);
  await judgeDue(desk.workspace.ctx, run?.conversation_id ?? 0);
  expect(await ends(rule)).toEqual(['waiting']);
  expect((await runsOf(desk.workspace, rule))[0]?.macro_run_id).toBeNull();
  await db.models.InboxEvent.update({ state: 'parked' }, { where: { id } });
  await after(1);
  expect(await ends(rule)).toEqual(['applied']);
  await db.models.InboxEvent.destroy({ where: { id } });
});

it('(r10) starts nothing by what rules have done, but a rule that asks for it, and none twice in a chain', async () => {
  const by = (tag: string, after_rules = true): Promise<number> =>
    tags(`${tag}!`).then((macro) =>
      storeRule(desk.workspace, macro, { starts: [{ event: 'conversation.updated', changed: 'tags' }], after_rules }),
    );
  const [never, first, second] = [await by('never', false), await by('first'), await by('second')];
  const customer = await known();
  await patch(customer, { tags: ['go'] });
  await desk.work();
  expect((await ends(never)).length).toBe(1);
  expect((await ends(first)).length).toBeLessThanOrEqual(2);
  expect((await ends(second)).length).toBeLessThanOrEqual(2);
  expect((await runsOf(desk.workspace, first)).every(({ chain }) => !chain.includes(first))).toBe(true);
});

it('(r10) says one thing of a rule in ten minutes, so that two machines stop at the second word', async () => {
  const rule = await storeRule(desk.workspace, await says('Thank you for your message'));
  const customer = await known('Thank you for your message');
  await desk.work();
  await customer.writes('Thank you for your message');
  await desk.work();
  expect(await ends(rule)).toEqual(['applied', 'skipped too_often']);
});

it('(r13) starts nothing by what is no news: reactions, and words of an opt-out', async () => {
  const customer = await known();
  const rule = await storeRule(desk.workspace, await tags('news'));
  await customer.writes('STOP');
  const wamid = await customer.writes({ type: 'reaction', reaction: { message_id: 'wamid.none', emoji: 'x' } });
  expect(wamid).not.toBe('');
  await desk.work();
  expect(await ends(rule)).toEqual([]);
  await customer.writes('A question');
  expect((await ends(rule)).length).toBe(1);
});

it('(r14) takes no broadcast, away reply or message of a rule for an answer', async () => {
  const answered = await storeRule(desk.workspace, await tags('answered'), {
    starts: [{ event: 'conversation.answered' }],
  });
  await storeRule(desk.workspace, await says('By a rule'));
  const customer = await known();
  await desk.work();
  expect(await texts(customer)).toEqual(['Hello', 'By a rule']);
  expect(await ends(answered)).toEqual([]);
  await answers(customer);
  expect((await ends(answered)).length).toBe(1);
});

it('(r15) fails by name where a text comes after the window, and sends nothing', async () => {
  const rule = await storeRule(desk.workspace, await says('Too late for a text'), { wait: inMinutes(1) });
  const customer = await known();
  await desk.runtime.db.rows(
    `UPDATE conversation_windows w SET open_until = now() - interval '1 minute' FROM contacts c
     WHERE c.id = w.conversation_id AND c.workspace_id = $workspaceId AND c.receiver_id = $handle`,
    { workspaceId: desk.workspace.id, handle: customer.handle },
  );
  await after(1);
  expect(await ends(rule)).toEqual(['failed window_closed']);
  expect(await texts(customer)).toEqual(['Hello']);
  const { body } = await desk.api.get(`${path(customer)}activity/`);
  expect((body['results'] as Json[])[0]).toMatchObject({
    kind: 'rule_failed',
    data: { rule: { id: rule }, code: 'window_closed' },
  });
});

it('(r18) does all steps of its macro or none', async () => {
  const macro = await createMacro(desk.workspace, [
    step('add_tags', { tags: ['never'] }),
    step('send_message', { body: 'never' }),
    step('assign_member', { assigned_member: 2_000_000_000 }),
  ]);
  const rule = await storeRule(desk.workspace, macro);
  const customer = await known();
  await desk.work();
  expect((await ends(rule))[0]).toMatch(/^failed /);
  expect([(await conversation(customer))['tags'], await texts(customer)]).toEqual([[], ['Hello']]);
});

it('(r19) leaves what is snoozed alone until it wakes, and every other status is alike', async () => {
  const rule = await storeRule(desk.workspace, await tags('reminded'), { wait: inMinutes(5) });
  const [asleep, pending] = [await known(), await known()];
  await patch(asleep, { conv_status: 'snoozed', snoozed_until: new Date(Date.now() + 3_600_000).toISOString() });
  await patch(pending, { conv_status: 'pending' });
  await after(6);
  expect(await ends(rule)).toEqual(['waiting', 'applied']);
  await patch(asleep, { conv_status: 'open' });
  await desk.work();
  expect(await ends(rule)).toEqual(['applied', 'applied']);
});

it('(r20) neither answers nor reads a conversation, is no first response, and moves no waiting', async () => {
  await storeRule(desk.workspace, await says('We are away'));
  const customer = await known();
  const before = await conversation(customer);
  await desk.work();
  const now = await conversation(customer);
  expect(await texts(customer)).toEqual(['Hello', 'We are away']);
  for (const field of ['unread_count', 'waiting_since', 'first_response_at']) expect(now[field]).toEqual(before[field]);
  const { body } = await desk.api.get(`${path(customer)}activity/`);
  expect((body['results'] as Json[]).map(({ kind }) => kind)).toContain('rule_applied');
});

it('pauses itself where its member may not do it any more', async () => {
  const member = await createMember(desk.workspace, { permissions: ['chat.view'] });
  const rule = await storeRule(desk.workspace, await tags('mine'), { runs_as_id: member.id });
  await known();
  await desk.work();
  expect(await ends(rule)).toEqual(['skipped paused_owner']);
  const row = await desk.runtime.db.models.Rule.findByPk(rule, { raw: true });
  expect(row).toMatchObject({ state: 'paused', attention: { reason: 'missing_scope', detail: 'chat.assign' } });
});

const state = (rule: number, to: 'on' | 'off' | 'paused'): Promise<unknown> =>
  updateRule(desk.workspace.ctx, rule, { state: to });
const rowOf = (rule: number) => desk.runtime.db.models.Rule.findByPk(rule, { raw: true });

it('(r6, r11) drops nothing for its number, and asks where a rule would act on more than 500 in an hour', async () => {
  const rule = await storeRule(desk.workspace, await tags('many'));
  const customer = await known();
  const [run] = await runsOf(desk.workspace, rule);
  await desk.runtime.db.rows(
    `INSERT INTO rule_runs (workspace_id, rule_id, rule_version, conversation_id, event, event_id, state, moment,
       ended_at)
     SELECT $workspaceId, $rule, 1, $conversation, 'call.missed', n, 'applied', now(), now()
     FROM generate_series(1, 500) AS n`,
    { workspaceId: desk.workspace.id, rule, conversation: run?.conversation_id ?? 0 },
  );
  await desk.work();
  expect(await rowOf(rule)).toMatchObject({
    state: 'paused',
    attention: { reason: 'unusual_volume', detail: 500 },
  });
  expect((await conversation(customer))['tags']).toEqual([]);
  // Its wait stays, and is judged once a member has looked.
  await desk.runtime.db.rows(`DELETE FROM rule_runs WHERE rule_id = $rule AND event = 'call.missed'`, { rule });
  await desk.runtime.db.models.Rule.update({ repeat: 'each' }, { where: { id: rule } });
  await state(rule, 'on');
  await desk.work();
  expect(await ends(rule)).toEqual(['applied']);
});

it('(r11) pauses itself after five like failures in a row', async () => {
  const macro = await createMacro(desk.workspace, [step('assign_member', { assigned_member: 2_000_000_000 })]);
  const rule = await storeRule(desk.workspace, macro);
  for (let nth = 0; nth < 5; nth += 1) {
    expect((await rowOf(rule))?.state).toBe('on');
    await known();
    await desk.work();
  }
  expect(new Set(await ends(rule)).size).toBe(1);
  expect(await rowOf(rule)).toMatchObject({ state: 'paused', attention: { reason: 'failing' } });
});

it('(r12) waits in the hours of the team, which a changed calendar moves', async () => {
  const { api } = await ownerSession(desk.workspace);
  const now = new Date();
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  // Open in two days for the first time, then tomorrow.
  const on = (ahead: number): Json => {
    const day = new Date(now.getTime() + ahead * 86_400_000);
    return { weekday: days[(day.getUTCDay() + 6) % 7], opens: '09:00', closes: '17:00' };
  };
  const { status, body } = await api.post('/api/v1/calendars/', { name: 'Team', periods: [on(2)] });
  expect(status).toBe(201);
  const rule = await storeRule(desk.workspace, await tags('hours'), { wait: { minutes: 30, by: 'hours' } });
  const opening = await storeRule(desk.workspace, await tags('opening'), {
    wait: { until: 'opening', plus_minutes: 15 },
    conditions: { all: [{ field: 'hours', op: 'is', value: 'closed' }], any: [] },
  });
  await known();
  const moments = async (): Promise<string[]> =>
    [...(await runsOf(desk.workspace, rule)), ...(await runsOf(desk.workspace, opening))].map(({ moment }) =>
      moment.toISOString().slice(0, 16),
    );
  const dayAt = (ahead: number, time: string): string =>
    `${new Date(now.getTime() + ahead * 86_400_000).toISOString().slice(0, 10)}T${time}`;
  expect(await moments()).toEqual([dayAt(2, '09:30'), dayAt(2, '09:15')]);
  expect((await api.patch(`/api/v1/calendars/${String(body['id'])}/`, { periods: [on(1)] })).status).toBe(200);
  expect(await moments()).toEqual([dayAt(1, '09:30'), dayAt(1, '09:15')]);
  expect((await api.delete(`/api/v1/calendars/${String(body['id'])}/?pause_rules=true`)).status).toBe(204);
});

it('acts before the window ends, and later where it ends later', async () => {
  const rule = await storeRule(desk.workspace, await says('An hour is left'), {
    starts: [{ event: 'conversation.answered' }],
    wait: { minutes: 60, before: 'window_end' },
    unless: [{ event: 'message.received' }],
  });
  const customer = await known();
  await answers(customer);
  const [run] = await runsOf(desk.workspace, rule);
  const until = Date.parse(String((await conversation(customer))['active_till']));
  expect(run?.moment.getTime()).toBe(until - 3_600_000);
  await after(22 * 60);
  expect(await ends(rule)).toEqual(['waiting']);
  await after(61);
  expect(await ends(rule)).toEqual(['applied']);
});

it('begins the wait of an answer anew, and keeps the time of every other', async () => {
  const answered = await storeRule(desk.workspace, await tags('quiet'), {
    starts: [{ event: 'conversation.answered' }],
    wait: inMinutes(10),
  });
  const received = await storeRule(desk.workspace, await tags('asked twice'), { wait: inMinutes(10) });
  const customer = await known();
  await answers(customer);
  await after(6);
  await answers(customer);
  await customer.writes('Hello?');
  await after(6);
  expect([await ends(answered), await ends(received)]).toEqual([['waiting'], ['applied']]);
  await after(6);
  expect(await ends(answered)).toEqual(['applied']);
});

it('(r17) ends waits with a rule that is off or changed, and lets them run on while it is paused', async () => {
  const of = (tag: string): Promise<number> =>
    tags(tag).then((macro) => storeRule(desk.workspace, macro, { wait: inMinutes(10) }));
  const [off, paused, changed] = [await of('off'), await of('paused'), await of('changed')];
  const customer = await known();
  await state(off, 'off');
  await state(paused, 'paused');
  await updateRule(desk.workspace.ctx, changed, { wait: inMinutes(1) });
  await after(11);
  expect([await ends(off), await ends(paused), await ends(changed)]).toEqual([
    ['skipped rule_off'],
    ['waiting'],
    ['skipped rule_changed'],
  ]);
  await state(paused, 'on');
  await desk.work();
  expect(await ends(paused)).toEqual(['applied']);
  expect((await conversation(customer))['tags']).toEqual(['paused']);
});

it('(r13) applies nothing that began just as its rule was switched off, when that is on again', async () => {
  const rule = await storeRule(desk.workspace, await tags('stale'), { wait: inMinutes(10) });
  await known();
  await state(rule, 'off');
  // An event that has read the rule before, and is written after it was switched off.
  await desk.runtime.db.rows(
    `UPDATE rule_runs SET state = 'waiting', reason = NULL, ended_at = NULL, look_at = moment WHERE rule_id = $rule`,
    { rule },
  );
  await state(rule, 'on');
  await after(11);
  expect(await ends(rule)).toEqual(['skipped rule_changed']);
});

it('judges a wait again that was judged while its rule was let go on', async () => {
  const rule = await storeRule(desk.workspace, await tags('again'), { wait: inMinutes(10) });
  await known();
  await state(rule, 'paused');
  // Who judges it has locked it, read that its rule is paused, and lays it aside.
  const judge = new pg.Client({ connectionString: desk.test.env['DATABASE_URL'] });
  await judge.connect();
  await judge.query('BEGIN');
  await judge.query('SELECT 1 FROM rule_runs WHERE rule_id = $1 FOR UPDATE', [rule]);
  const goesOn = state(rule, 'on');
  await lockedOut(judge, 1);
  await judge.query('UPDATE rule_runs SET look_at = NULL WHERE rule_id = $1', [rule]);
  await judge.query('COMMIT');
  await judge.end();
  await goesOn;
  await after(11);
  expect(await ends(rule)).toEqual(['applied']);
});

describe('rows are locked in one order: the conversation, the rule, its runs', () => {
  it('an event that ends a wait and starts its rule anew, while that is switched off', async () => {
    const rule = await storeRule(desk.workspace, await tags('anew'), {
      starts: [{ event: 'call.missed' }],
      wait: inMinutes(10),
      unless: [{ event: 'message.received' }],
    });
    const customer = await known();
    const conversationId = Number((await conversation(customer))['id']);
    const { ctx } = desk.workspace;
    const happens = (event: 'call.missed' | 'message.received', eventId: number): Promise<void> =>
      noteHappened(ctx, [{ conversationId, event, eventId }]);
    await happens('call.missed', 1);
    const watch = new pg.Client({ connectionString: desk.test.env['DATABASE_URL'] });
    await watch.connect();
    let goOn = (): void => undefined;
    const isOver = new Promise<void>((resolve) => (goOn = resolve));
    let event = Promise.resolve();
    await new Promise<void>((resolve) => {
      event = desk.runtime.db.transaction(async () => {
        await happens('message.received', 2);
        resolve();
        await isOver;
        await happens('call.missed', 3);
      });
    });
    const off = state(rule, 'off');
    await lockedOut(watch, 1);
    goOn();
    await Promise.all([event, off]);
    await watch.end();
    expect((await ends(rule))[0]).toBe('ended message.received');
    await after(11);
    expect((await ends(rule))[1]).toMatch(/^skipped rule_(off|changed)$/);
  });

  it('a judge that notes something of the rule, while that is switched off', async () => {
    const rule = await storeRule(desk.workspace, await says('Too late'), { wait: inMinutes(10) });
    await known();
    movedMs += 30 * 60_000;
    const [run] = await runsOf(desk.workspace, rule);
    await desk.runtime.db.models.RuleRun.update(
      { moment: new Date(Date.now() - 3_600_000) },
      { where: { id: run?.id ?? 0 } },
    );
    const holder = new pg.Client({ connectionString: desk.test.env['DATABASE_URL'] });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM rules WHERE id = $1 FOR UPDATE', [rule]);
    // First who switches it off, then who judges its wait: both wait for the rule.
    const off = state(rule, 'off');
    await lockedOut(holder, 1);
    const judged = judgeDue(desk.workspace.ctx, run?.conversation_id ?? 0);
    await lockedOut(holder, 2);
    await holder.query('COMMIT');
    await holder.end();
    await Promise.all([off, judged]);
    expect(await ends(rule)).toEqual(['skipped rule_off']);
  });
});

it('lays aside at once all that is due of a rule that has paused itself, and judges each when it goes on', async () => {
  const rule = await storeRule(desk.workspace, await tags('crowd'), { starts: [{ event: 'call.missed' }] });
  await desk.runtime.db.rows(
    `INSERT INTO rule_runs (workspace_id, rule_id, rule_version, conversation_id, event, event_id, state, moment,
       ended_at)
     SELECT $workspaceId, $rule, 1, $conversation, 'call.missed', -n, 'applied', now(), now()
     FROM generate_series(1, 500) AS n`,
    { workspaceId: desk.workspace.id, rule, conversation: Number((await conversation(await known()))['id']) },
  );
  await insertContacts(desk.workspace, 30, 49_790_000_000);
  await desk.runtime.db.rows(
    `INSERT INTO rule_runs (workspace_id, rule_id, rule_version, conversation_id, event, event_id, moment, look_at)
     SELECT $id, $rule, 1, v.id, 'call.missed', v.id, now(), now()
     FROM conversations v JOIN contacts c ON c.id = v.contact_id
     WHERE v.workspace_id = $id AND c.phone LIKE '4979%'`,
    { id: desk.workspace.id, rule },
  );
  const waiting = (): Promise<RuleRunRow[]> =>
    runsOf(desk.workspace, rule).then((runs) => runs.filter(({ state: one }) => one === 'waiting'));
  const [first] = await waiting();
  await judgeDue(desk.workspace.ctx, first?.conversation_id ?? 0);
  expect((await waiting()).map(({ look_at: at }) => at)).toEqual(Array.from({ length: 30 }, () => null));
  await desk.runtime.db.rows(`DELETE FROM rule_runs WHERE rule_id = $rule AND event_id < 0`, { rule });
  await state(rule, 'on');
  await desk.work();
  expect(new Set(await ends(rule))).toEqual(new Set(['applied']));
});

it('(r3) acts once where two contacts become one of whom one has had it', async () => {
  const rule = await storeRule(desk.workspace, await tags('once'), { wait: inMinutes(5), repeat: 'once' });
  const first = await known();
  await after(6);
  const second = await known();
  const ids = await Promise.all([first, second].map(async (one) => Number((await conversation(one))['id'])));
  const [kept = 0, gone = 0] = ids;
  await desk.runtime.db.transaction(() => mergeContacts(desk.workspace.ctx, kept, gone, kept));
  await after(6);
  expect(await ends(rule)).toEqual(['applied', 'skipped too_often']);
});

it('(r11) stands still behind the brake, and judges what was due when it is released', async () => {
  const rule = await storeRule(desk.workspace, await tags('braked'), { wait: inMinutes(5) });
  await known();
  await setBrake(desk.workspace.ctx, true, 'Too many');
  await known();
  await after(6);
  expect(await ends(rule)).toEqual(['waiting']);
  await setBrake(desk.workspace.ctx, false, '');
  await desk.work();
  expect(await ends(rule)).toEqual(['applied']);
});

it("waits for the end of the operator's hold, of the installation as of the workspace", async () => {
  for (const workspaceId of [null, desk.workspace.id]) {
    const rule = await storeRule(desk.workspace, await tags('held'), { wait: inMinutes(5) });
    await known();
    const scope = { workspaceId, phoneNumberPk: null };
    await holdSending(desk.runtime, scope, 'test');
    await after(6);
    expect(await ends(rule)).toEqual(['waiting']);
    await removeHold(desk.runtime, scope);
    await after(1);
    expect(await ends(rule)).toEqual(['applied']);
    await state(rule, 'off');
  }
});

it('skips who has opted out, and an opt-out during the wait', async () => {
  const rule = await storeRule(desk.workspace, await says('Any news?'), { wait: inMinutes(5) });
  const customer = await known();
  await customer.writes('STOP');
  await after(6);
  expect(await ends(rule)).toEqual(['skipped opted_out']);
});

it('parks what would reach a customer below autonomous, and judges it once more when it is approved', async () => {
  const rule = await storeRule(desk.workspace, await says('May I?'), {
    autonomy: 'approval',
    unless: [{ event: 'conversation.answered' }],
  });
  const [first, second, third] = [await known(), await known(), await known()];
  await desk.work();
  expect(await ends(rule)).toEqual(['parked', 'parked', 'parked']);
  const { api } = await ownerSession(desk.workspace);
  const listed = (await api.get('/api/v1/approvals/?status=pending')).body['results'] as Json[];
  const ids = listed.map(({ id }) => Number(id)).sort((left, right) => left - right);
  expect(listed[0]).toMatchObject({ connection: { kind: 'rule', id: rule }, sends: [{ text: 'May I?' }] });
  await answers(second);
  expect(await ends(rule)).toEqual(['parked', 'ended conversation.answered', 'parked']);
  expect((await api.post(`/api/v1/approvals/${ids[1]}/approve/`)).status).toBe(409);
  expect((await api.post(`/api/v1/approvals/${ids[2]}/reject/`)).status).toBe(200);
  expect(await ends(rule)).toEqual(['parked', 'ended conversation.answered', 'ended rejected']);
  // No worker runs here that would apply it: what is approved stays decided once.
  const opened = await desk.runtime.db.transaction(async () =>
    openApprovedRule(
      { ...desk.workspace.ctx, actor: { type: 'member', memberId: desk.workspace.owner.id, apiKeyId: null } },
      (await desk.runtime.db.models.Approval.findByPk(ids[0], { raw: true })) as never,
    ),
  );
  await desk.work();
  expect(opened.run.macro_id).not.toBeNull();
  expect(await ends(rule)).toEqual(['applied', 'ended conversation.answered', 'ended rejected']);
  expect([await texts(first), await texts(third)]).toEqual([['Hello', 'May I?'], ['Hello']]);
});

it('keeps the earlier of two waits where two contacts become one, and loses them with an erasure', async () => {
  const rule = await storeRule(desk.workspace, await tags('merged'), { wait: inMinutes(5) });
  const [first, second, erased] = [await known(), await known(), await known()];
  const ids = await Promise.all([first, second].map(async (one) => Number((await conversation(one))['id'])));
  const [kept = 0, gone = 0] = ids;
  await desk.runtime.db.transaction(() => mergeContacts(desk.workspace.ctx, kept, gone, kept));
  expect(await ends(rule)).toEqual(['waiting', 'skipped gone', 'waiting']);
  expect((await desk.api.delete(`/api/v1/contacts/${erased.handle}/`)).status).toBe(204);
  await after(6);
  expect(await ends(rule)).toEqual(['applied', 'skipped gone']);
});

it('ends as late what was due since a time from which on the database may lack what was done', async () => {
  const rule = await storeRule(desk.workspace, await tags('unknown'), { wait: inMinutes(5) });
  const since = new Date(Date.now() + movedMs);
  await known();
  movedMs += 6 * 60_000;
  const { id } = desk.workspace;
  const ended = (await endUnknownWaitsAnywhere(desk.runtime, since)).filter((one) => one.workspace_id === id);
  expect(ended.map((one) => one.rule_id)).toEqual([rule]);
  expect(await ends(rule)).toEqual(['skipped late']);
});
