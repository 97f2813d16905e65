import { performActions } from '../../api/services/processes/macroRuns/steps';
import { mergeContacts } from '../../api/services/processes/contactMerge/merge';
import { judgeDue } from '../../api/services/processes/ruleTimers/dueWaits';
import { assignQueued, gatherAstray } from '../../api/services/resources/conversations/queue';
import type { RuleStart } from '../../models/ruleParts';
import { openBroadcast } from '../../api/services/resources/broadcasts/runs/run';
import { sendBroadcastChunk } from '../../api/services/delivery/broadcastChunk';
import { createBroadcast, insertContacts } from '../factories/broadcasts';
import { createCustomer, inboundText, signedWebhook, status, webhook, type TestCustomer } from '../factories/customers';
import { createTeamInbox } from '../factories/inboxes';
import { createMacro, ownerSession, step } from '../factories/macros';
import { createMember } from '../factories/members';
import { press } from '../factories/ratings';
import { endsOf, rulesPath, runsOf, saveRule, storeRule } from '../factories/rules';
import { uniquePhone } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { createAgent } from '../support/agent';
import type { TestApi } from '../support/api';
import { movedClock } from '../support/clock';
import { sharedDesk } from '../support/sharedDesk';
import { captureStatements } from '../support/statements';

type Json = Record<string, unknown>;

const minute = 60_000;
let movedMs = 0;
let desk: TestApi;
let workspace: TestWorkspace;
let anna: TestCustomer;

beforeAll(async () => {
  desk = await sharedDesk('plain', { clock: movedClock(() => new Date(Date.now() + movedMs)) });
});
beforeEach(async () => {
  movedMs = 0;
  workspace = await createWorkspace(desk);
  anna = createCustomer(workspace, { name: 'Anna' });
});
afterAll(() => desk.close());

const tags = (tag: string): Promise<number> => createMacro(workspace, [step('add_tags', { tags: [tag] })]);
const says = (...texts: string[]): Promise<number> =>
  createMacro(
    workspace,
    texts.map((body) => step('send_message', { body })),
  );
const ends = (rule: number): Promise<string[]> => endsOf(workspace, rule);
const path = (): string => `/api/v1/conversations/${anna.handle}/`;
const conversation = async (): Promise<Json> => (await workspace.api.get(path())).body;
const patch = async (body: Json): Promise<void> => {
  expect((await workspace.api.patch(path(), body)).status).toBe(200);
};
/** The seconds of the platform's clock, so long ago. */
const ago = (ms: number): Json => ({ timestamp: String(Math.floor((Date.now() + movedMs - ms) / 1_000)) });
/** Plays an event of the platform about Anna. */
const play = async (kind: string, more: Json = {}): Promise<void> => {
  const from = { phone: anna.phone, name: anna.name };
  await desk.sandbox.event({ kind, phone_number_id: workspace.account.phoneNumberId, from, ...more });
  await desk.settled();
};
/** Sends a broadcast to everybody, as its workflow does. */
async function broadcastToAll(): Promise<void> {
  const broadcastId = await createBroadcast(workspace);
  await workspace.api.post(`/api/v1/broadcasts/${broadcastId}/confirm/`, {});
  await openBroadcast(workspace.ctx, broadcastId);
  await sendBroadcastChunk(workspace.ctx, { broadcastId, from: 1, to: 10 }, { stopping: () => false });
  await desk.work();
}
/** A rule for each start, which tags and never waits. */
async function watching(...events: RuleStart[]): Promise<number> {
  return storeRule(workspace, await tags('seen'), { starts: events });
}
const everything: RuleStart[] = [
  { event: 'message.received' },
  { event: 'conversation.answered' },
  { event: 'conversation.created' },
  { event: 'conversation.reopened' },
  { event: 'conversation.updated', changed: 'tags' },
];

describe('(r2) one event starts a rule once', () => {
  it('a message that the platform tells twice', async () => {
    const rule = await watching({ event: 'message.received' });
    const told = webhook(workspace, { messages: [inboundText(anna.phone, 'Hello')] });
    for (const _again of [1, 2]) {
      await signedWebhook(workspace, told);
      await desk.settled();
      await desk.work();
    }
    expect(await ends(rule)).toEqual(['applied']);
  });

  it('is named by the entry of the activity that tells it: reopened, woken, gathered, assigned', async () => {
    const [member, inbox] = [await createMember(workspace), await createTeamInbox(workspace)];
    const rule = await watching(
      { event: 'conversation.reopened' },
      { event: 'conversation.woken' },
      { event: 'conversation.updated', changed: 'assigned_team_inbox' },
      { event: 'conversation.updated', changed: 'assigned_member' },
    );
    await anna.writes('Hello');
    const conversationId = Number((await conversation())['id']);
    await patch({ conv_status: 'resolved' });
    await anna.writes('Again');
    await desk.work();
    await patch({ conv_status: 'snoozed', snoozed_until: new Date(Date.now() + minute).toISOString() });
    movedMs = minute + 3_000;
    await desk.work();
    await desk.runtime.db.rows('UPDATE conversations SET assigned_team_inbox_id = NULL WHERE id = $conversationId', {
      conversationId,
    });
    await desk.runtime.db.transaction(() => gatherAstray(workspace.ctx, inbox));
    await desk.work();
    await desk.runtime.db.rows('UPDATE conversations SET queued_at = now() WHERE id = $conversationId', {
      conversationId,
    });
    const decision = { conversationId, from: null, to: member.id };
    expect(await desk.runtime.db.transaction(() => assignQueued(workspace.ctx, inbox, [decision]))).toBe(1);
    await desk.work();
    const kinds = await desk.runtime.db.rows<{ kind: string }>(
      `SELECT e.kind FROM rule_runs n JOIN events e ON e.id = n.event_id AND e.subject_id = n.conversation_id
       WHERE n.workspace_id = $id AND n.rule_id = $rule ORDER BY n.id`,
      { id: workspace.id, rule },
    );
    expect(await ends(rule)).toEqual(['applied', 'applied', 'applied', 'applied']);
    expect(kinds.map(({ kind }) => kind)).toEqual(['reopened', 'woken', 'assignment_changed', 'assignment_changed']);
  });

  it('two conversations that were born while it was on become one', async () => {
    const rule = await watching({ event: 'conversation.updated', changed: 'conv_status', to: 'open' });
    const ids: number[] = [];
    for (const customer of [anna, createCustomer(workspace)]) {
      await customer.writes('Hello');
      ids.push(Number((await workspace.api.get(`/api/v1/conversations/${customer.handle}/`)).body['id']));
    }
    await desk.work();
    const [kept = 0, gone = 0] = ids;
    await desk.runtime.db.transaction(() => mergeContacts(workspace.ctx, kept, gone, kept));
    expect((await runsOf(workspace, rule)).map((run) => [run.conversation_id, run.state])).toEqual([
      [kept, 'applied'],
      [kept, 'applied'],
    ]);
  });
});

it('(r5) every start ends in exactly one end, with its reason, and the list of runs shows each', async () => {
  const { api } = await ownerSession(workspace);
  const { id } = await saveRule(workspace, {
    state: 'on',
    macro_id: await says('Still there?'),
    wait: { minutes: 1, by: 'clock' },
    conditions: { all: [{ field: 'priority', op: 'is', value: 'normal' }] },
  });
  const customers = Array.from({ length: 6 }, () => createCustomer(workspace));
  for (const customer of customers) await customer.writes('Hello');
  const [, answered, urgent, out, closed, waits] = customers;
  const one = (customer: TestCustomer | undefined): string => `/api/v1/conversations/${customer?.handle ?? ''}/`;
  await workspace.api.post('/api/v1/messages/', { to: answered?.handle, body: 'Here' });
  await workspace.api.patch(one(urgent), { priority: 'urgent' });
  await workspace.api.patch(`/api/v1/contacts/${out?.handle ?? ''}/`, { marketing_opt_out: true });
  await desk.runtime.db.rows(
    `UPDATE conversation_windows w SET open_until = now() FROM contacts c
     WHERE c.id = w.conversation_id AND c.workspace_id = $id AND c.receiver_id = $handle`,
    { id: workspace.id, handle: closed?.handle },
  );
  const until = new Date(Date.now() + 30 * minute).toISOString();
  await workspace.api.patch(one(waits), { conv_status: 'snoozed', snoozed_until: until });
  movedMs = minute + 1_000;
  await desk.work();
  // What is due is judged to the minute, and nothing ends twice.
  movedMs = 20 * minute;
  await desk.work();
  const { body } = await api.get<{ count: number; results: Json[] }>(`${rulesPath}${id}/runs/?ordering=started_at`);
  const shown = new Map(body.results.map((run) => [run['receiver_id'], run]));
  expect(body.count).toBe(6);
  expect(customers.map(({ handle }) => [shown.get(handle)?.['state'], shown.get(handle)?.['reason']])).toEqual([
    ['applied', null],
    ['ended', 'conversation.answered'],
    ['skipped', 'conditions'],
    ['skipped', 'opted_out'],
    ['failed', 'window_closed'],
    ['waiting', null],
  ]);
  for (const run of body.results) expect(run['ended_at'] === null).toBe(run['state'] === 'waiting');
  expect((await api.get(`${rulesPath}${id}/`)).body['counts']).toEqual({
    waiting: 1,
    applied: 1,
    ended: 1,
    skipped: 2,
    failed: 1,
  });
  // One that wakes is judged then, and ends as well.
  await workspace.api.patch(one(waits), { conv_status: 'open', priority: 'low' });
  await desk.work();
  expect((await ends(id)).filter((end) => end === 'waiting')).toEqual([]);
});

it('(r6) judges all that is due together, however many, each once', async () => {
  const rule = await storeRule(workspace, await tags('never'), {
    starts: [{ event: 'call.missed' }],
    conditions: { all: [{ field: 'priority', op: 'is', value: 'urgent' }], any: [] },
  });
  // More than twice as many as one look takes.
  await insertContacts(workspace, 250, 49_770_000_000);
  await desk.runtime.db.rows(
    `INSERT INTO rule_runs (workspace_id, rule_id, rule_version, conversation_id, event, event_id, moment, look_at)
     SELECT $id, $rule, 1, v.id, 'call.missed', v.id, now() - interval '5 seconds', now() - interval '5 seconds'
     FROM conversations v WHERE v.workspace_id = $id`,
    { id: workspace.id, rule },
  );
  await desk.work();
  const all = await ends(rule);
  expect([all.length, new Set(all)]).toEqual([250, new Set(['skipped conditions'])]);
});

describe('(r10) what a run causes', () => {
  it('starts a second and a third rule that ask for it, and no fourth', async () => {
    const chained: number[] = [];
    for (const [from, to] of ['a', 'b', 'c', 'd', 'e'].flatMap((tag, nth, all) =>
      nth > 0 ? [[all[nth - 1], tag]] : [],
    ))
      chained.push(
        await storeRule(workspace, await tags(to ?? ''), {
          starts: [{ event: 'conversation.updated', changed: 'tags', to: [from ?? ''] }],
          after_rules: true,
        }),
      );
    await anna.writes('Hello');
    await patch({ tags: ['a'] });
    await desk.work();
    expect(await Promise.all(chained.map(ends))).toEqual([['applied'], ['applied'], ['applied'], []]);
    expect((await conversation())['tags']).toEqual(['a', 'b', 'c', 'd']);
  });

  it('between two workspaces whose robots answer each other stops at the second word', async () => {
    const other = await createWorkspace(desk);
    // Each is a customer of the other one, and hears what the other one's robot says.
    const sides = [workspace, other].map((home) => ({ home, peer: createCustomer(home, { name: 'Robot' }), heard: 0 }));
    for (const { home } of sides)
      await storeRule(home, await createMacro(home, [step('send_message', { body: 'Thank you' })]));
    await sides[0]?.peer.writes('Hello');
    const said = ({ home }: (typeof sides)[number]): Promise<number> =>
      desk.runtime.db.models.Message.count({ where: { workspace_id: home.id, direction: 'outbound' } });
    for (let round = 0; round < 6; round += 1) {
      await desk.work();
      for (const [place, side] of sides.entries()) {
        const words = await said(side);
        for (; side.heard < words; side.heard += 1) await sides[1 - place]?.peer.writes('Thank you');
      }
    }
    expect(await Promise.all(sides.map(said))).toEqual([1, 1]);
  });

  it('is five messages to a customer in a day at most, however many steps of a macro they are', async () => {
    const [three, two, one] = [await says('1', '2', '3'), await says('4', '5'), await says('6')];
    const first = await storeRule(workspace, three, { starts: [{ event: 'conversation.created' }] });
    const second = await storeRule(workspace, three, { starts: [{ event: 'conversation.created' }] });
    const fitting = await storeRule(workspace, two, { wait: { minutes: 5, by: 'clock' } });
    const last = await storeRule(workspace, one, { wait: { minutes: 6, by: 'clock' } });
    await anna.writes('Hello');
    await desk.work();
    movedMs = 5 * minute;
    await desk.work();
    movedMs = 6 * minute;
    await desk.work();
    expect(await Promise.all([first, second, fitting, last].map(ends))).toEqual([
      ['applied'],
      ['skipped too_often'],
      ['applied'],
      ['skipped too_often'],
    ]);
    const { body } = await workspace.api.get<{ results: Json[] }>(`${path()}messages/`);
    expect(body.results.filter(({ source }) => source === 'rule')).toHaveLength(5);
  });

  it('counts at its moment what a rule has scheduled', async () => {
    const later = new Date(Date.now() + 60 * minute).toISOString();
    const macro = await createMacro(
      workspace,
      ['1', '2', '3'].map((body) => step('send_message', { body, send_at: later, if_customer_writes: 'send' })),
    );
    const first = await storeRule(workspace, macro, { starts: [{ event: 'conversation.created' }] });
    const second = await storeRule(workspace, await says('4', '5', '6'), { wait: { minutes: 5, by: 'clock' } });
    await anna.writes('Hello');
    movedMs = 5 * minute;
    await desk.work();
    expect([await ends(first), await ends(second)]).toEqual([['applied'], ['skipped too_often']]);
  });

  it('a macro that says more than rules may is refused when the rule is saved', async () => {
    const { api } = await ownerSession(workspace);
    const macro_id = await says('1', '2', '3', '4', '5', '6');
    const { status: code, body } = await api.post(rulesPath, {
      name: 'Loud',
      on: [{ event: 'message.received' }],
      macro_id,
    });
    expect([code, body]).toEqual([400, { macro_id: [expect.stringContaining('5 messages')] }]);
  });
});

describe('(r13) nothing starts by what is no news', () => {
  it('a rule that is switched on over many old conversations touches none', async () => {
    await insertContacts(workspace, 2_000, 49_780_000_000);
    await desk.runtime.db.rows(
      `UPDATE conversations SET conv_status = 'open', unanswered_since = now() - interval '2 days'
       WHERE workspace_id = $id`,
      { id: workspace.id },
    );
    const touched = (): Promise<Json | null> =>
      desk.runtime.db.row<Json>(
        `SELECT max(v.updated_at) AS at, (SELECT count(*)::int FROM rule_runs WHERE workspace_id = $id) AS runs
         FROM conversations v WHERE v.workspace_id = $id`,
        { id: workspace.id },
      );
    const before = await touched();
    const { api } = await ownerSession(workspace);
    const { id } = await saveRule(workspace, { conditions: { all: [{ field: 'waiting', op: 'is', value: true }] } });
    const { statements } = await captureStatements(() => api.patch(`${rulesPath}${id}/`, { state: 'on' }));
    expect(statements.filter(({ text }) => /INTO rule_runs|UPDATE conversations/.test(text))).toEqual([]);
    await desk.work();
    movedMs = 30 * minute;
    await desk.work();
    expect(await touched()).toEqual(before);
  });

  it('a message that was written before the rule was switched on, and is told after', async () => {
    const { api } = await ownerSession(workspace);
    const { id } = await saveRule(workspace, { wait: null });
    movedMs = 10 * minute;
    await api.patch(`${rulesPath}${id}/`, { state: 'on' });
    await desk.runtime.db.rows('UPDATE rules SET active_since = $at WHERE workspace_id = $w AND id = $id', {
      ...{ id, w: workspace.id },
      at: new Date(Date.now() + movedMs),
    });
    await anna.writes('From before', ago(5 * minute));
    expect(await ends(id)).toEqual([]);
    await createCustomer(workspace).writes('From now', ago(0));
    expect(await ends(id)).toEqual(['waiting']);
    // A pause keeps since when it looks.
    await api.patch(`${rulesPath}${id}/`, { state: 'paused' });
    await api.patch(`${rulesPath}${id}/`, { state: 'on' });
    await createCustomer(workspace).writes('From before the pause', ago(0));
    expect(await ends(id)).toEqual(['waiting', 'waiting']);
  });

  it('what the platform tells more than an hour late: messages, answers, calls', async () => {
    const rule = await storeRule(workspace, await tags('late'), {
      starts: [...everything, { event: 'call.missed' }],
      active_since: new Date(Date.now() - 86_400_000),
    });
    await anna.writes('Long ago', ago(61 * minute));
    await play('phone_app', { text: 'Long ago', ...ago(61 * minute) });
    expect(await ends(rule)).toEqual([]);
    await play('call', { id: 'wacid.now' });
    expect((await ends(rule)).length).toBe(1);
  });

  it('imports, histories, merges, statuses, edits and what the system says', async () => {
    const wamid = await anna.writes('Hello');
    const sent = await workspace.api.post('/api/v1/messages/', { to: anna.handle, body: 'Hi' });
    await desk.work();
    const { body: read } = await workspace.api.get(`/api/v1/messages/${String(sent.body['id'])}/`);
    const rule = await watching(...everything);
    const bulk = (more: Json) =>
      workspace.api.post('/api/v1/contacts/bulk/', { contacts: [{ phone: anna.phone, ...more }] });
    expect((await bulk({ tags: ['imported'] })).status).toBe(200);
    await play('history');
    await signedWebhook(workspace, webhook(workspace, { statuses: [status(String(read['message_id']), 'read')] }));
    await desk.settled();
    const edit = { original_message_id: wamid, message: { type: 'text', text: { body: 'Better' } } };
    const system = { type: 'system', system: { type: 'customer_identity_changed', body: 'Anna changed' } };
    for (const more of [{ type: 'edit', edit }, system]) {
      const messages = [{ ...inboundText(anna.phone, ''), text: undefined, ...more }];
      await signedWebhook(workspace, webhook(workspace, { messages }));
      await desk.settled();
    }
    const { body: other } = await workspace.api.post('/api/v1/contacts/', { phone: uniquePhone(), tags: ['merged'] });
    const { api } = await ownerSession(workspace);
    expect(
      (await api.post(`/api/v1/contacts/${String(other['receiver_id'])}/merge/`, { into: anna.handle })).status,
    ).toBe(200);
    await desk.work();
    expect(await ends(rule)).toEqual([]);
  });

  it('what is said while another application has the thread', async () => {
    await anna.writes('Hello');
    const rule = await watching(...everything);
    await play('agent_takes');
    await anna.writes('To the other one');
    await play('agent_writes', { text: 'Its answer' });
    expect(await ends(rule)).toEqual([]);
    await play('agent_passes');
    await anna.writes('To us');
    expect((await ends(rule)).length).toBe(1);
  });
});

describe('(r14) an answer', () => {
  beforeEach(() => anna.writes('Hello'));

  it('is what a member, a key or an agent says, typed, canned or by macro, and the app of the phone', async () => {
    const rule = await watching({ event: 'conversation.answered' });
    const { api } = await ownerSession(workspace);
    const answers: (() => Promise<unknown>)[] = [
      () => workspace.api.post('/api/v1/messages/', { to: anna.handle, body: 'By a key' }),
      () => api.post('/api/v1/messages/', { to: anna.handle, body: 'By a member' }),
      () => createAgent(workspace.api).call('send_message', { to: anna.phone, text: 'By an agent' }),
      () => play('phone_app', { text: 'By phone', ...ago(0) }),
      async () =>
        desk.runtime.db.transaction(async () =>
          performActions(workspace.ctx, {
            actions: [{ type: 'send_message', params: { body: 'By a macro' } }] as never,
            target: { conversationId: Number((await conversation())['id']), ticketId: null },
            dedupePrefix: 'test',
          }),
        ),
    ];
    for (const [nth, answer] of answers.entries()) {
      await answer();
      await desk.work();
      expect([nth, (await ends(rule)).length]).toEqual([nth, nth + 1]);
    }
  });

  it('is no broadcast, away reply or question how satisfied they are', async () => {
    const { api } = await ownerSession(workspace);
    const rule = await watching({ event: 'conversation.answered' });
    await api.patch('/api/v1/workspace/', { ask_satisfaction: true });
    const periods = [{ weekday: 'monday', opens: '00:00', closes: '00:01' }];
    const calendar = { name: 'Never', is_default: true, periods, away_text: 'We are away.' };
    expect((await api.post('/api/v1/calendars/', calendar)).status).toBe(201);
    await anna.writes('And now?');
    await broadcastToAll();
    await patch({ conv_status: 'resolved' });
    await desk.work();
    const { body } = await workspace.api.get<{ results: Json[] }>(`${path()}messages/`);
    expect(body.results.map(({ source }) => source)).toEqual(
      expect.arrayContaining(['satisfaction', 'away', 'broadcast']),
    );
    expect(await ends(rule)).toEqual([]);
  });
});

describe('a wait that began just as its rule was switched off and on', () => {
  const inMinutes = (minutes: number) => ({ wait: { minutes, by: 'clock' } as const });
  /** Switches a rule off and on while an event, which has read it as it was, is not written yet. */
  const flicker = (rule: number): Promise<unknown> =>
    desk.runtime.db.rows('UPDATE rules SET version = version + 2 WHERE workspace_id = $id AND id = $rule', {
      id: workspace.id,
      rule,
    });

  it('keeps nothing from starting', async () => {
    const rule = await storeRule(workspace, await tags('served'), inMinutes(10));
    await anna.writes('Hello');
    await flicker(rule);
    movedMs = 5 * minute;
    await anna.writes('Again');
    expect(await ends(rule)).toEqual(['skipped rule_changed', 'waiting']);
    movedMs = 11 * minute;
    await desk.work();
    expect(await ends(rule)).toEqual(['skipped rule_changed', 'waiting']);
    movedMs = 16 * minute;
    await desk.work();
    expect(await ends(rule)).toEqual(['skipped rule_changed', 'applied']);
  });

  it('goes where two contacts become one, and not the other, which began later', async () => {
    const rule = await storeRule(workspace, await tags('served'), inMinutes(10));
    await anna.writes('Hello');
    await flicker(rule);
    const ben = createCustomer(workspace);
    await ben.writes('Hello');
    const ids = await desk.runtime.db.rows<{ id: number }>(
      'SELECT conversation_id AS id FROM rule_runs WHERE workspace_id = $id AND rule_id = $rule ORDER BY id',
      { id: workspace.id, rule },
    );
    const [kept = 0, gone = 0] = ids.map(({ id }) => id);
    await desk.runtime.db.transaction(() => mergeContacts(workspace.ctx, kept, gone, kept));
    expect(await ends(rule)).toEqual(['skipped gone', 'waiting']);
  });
});

it('a low rating starts by what the customer pressed', async () => {
  const { api } = await ownerSession(workspace);
  await api.patch('/api/v1/workspace/', { ask_satisfaction: true });
  const { body: shown } = await api.get('/api/v1/workspace/');
  const worst = (shown['satisfaction_labels'] as string[]).at(-1);
  const { id } = await saveRule(workspace, {
    state: 'on',
    on: [{ event: 'conversation.rated' }],
    conditions: { all: [{ field: 'text', op: 'equals', value: worst }] },
    wait: { minutes: 1, by: 'clock' },
    unless: [],
  });
  const ben = createCustomer(workspace);
  for (const [customer, place] of [
    [anna, 2],
    [ben, 0],
  ] as const) {
    await customer.writes('Hello');
    await workspace.api.patch(`/api/v1/conversations/${customer.handle}/`, { conv_status: 'resolved' });
    await desk.work();
    await press(workspace, customer, place);
  }
  movedMs = minute + 1_000;
  await desk.work();
  expect(await ends(id)).toEqual(['applied']);
});

describe('what rules cost', () => {
  it('what a timer of a crowd applies too late is shown by its workflow a minute later', async () => {
    const rule = await storeRule(workspace, await tags('late'), { wait: { minutes: 1, by: 'clock' } });
    await anna.writes('Hello');
    movedMs = minute + 5_000;
    expect(await judgeDue(workspace.ctx, Number((await conversation())['id']))).toEqual({ kind: 'done' });
    expect(await ends(rule)).toEqual(['applied']);
    const later = await desk.runtime.db.rows(
      `SELECT id FROM outbox WHERE workspace_id = $id AND workflow = 'macroRun'
         AND available_at = created_at AND available_at > now() + interval '10 seconds'`,
      { id: workspace.id },
    );
    expect(later).toHaveLength(1);
  });

  /** How many statements a customer's message costs for rules: other statements of the program go on beside it. */
  const cost = async (): Promise<number> => {
    const { statements } = await captureStatements(() => anna.writes('Again'));
    return statements.filter(({ text }) => /WITH live AS|INTO rule_runs|UPDATE rule_runs/.test(text)).length;
  };

  it('a customer’s message pays nothing where no rule is on, and two statements at most where twenty are', async () => {
    expect(await cost()).toBe(0);
    const macro = await tags('twenty');
    const rules: number[] = [];
    for (let nth = 0; nth < 20; nth += 1)
      rules.push(await storeRule(workspace, macro, { state: 'off', wait: { minutes: 60, by: 'clock' } }));
    expect(await cost()).toBe(0);
    await desk.runtime.db.rows(
      `UPDATE rules SET state = 'on', active_since = now() - interval '1 hour' WHERE workspace_id = $id`,
      { id: workspace.id },
    );
    // All begin by the first, and none by the next; both cost what one rule costs.
    expect(await cost()).toBe(2);
    expect(await cost()).toBe(1);
    expect((await Promise.all(rules.map(ends))).flat()).toEqual(Array.from({ length: 20 }, () => 'waiting'));
  });
});
