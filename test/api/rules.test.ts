import { createContact } from '../factories/contacts';
import { createTeamInbox } from '../factories/inboxes';
import { createMacro, ownerSession, step } from '../factories/macros';
import { createMember, createSession } from '../factories/members';
import { saveRule, quietMacro, ruleBody, rulesPath, sendingMacro, storeRun } from '../factories/rules';
import { unique } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import type { ApiClient } from '../support/client';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

let desk: TestApi;
let workspace: TestWorkspace;
let api: ApiClient;
let quiet: number;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
beforeEach(async () => {
  workspace = await createWorkspace(desk);
  api = (await ownerSession(workspace)).api;
  quiet = await quietMacro(workspace);
});
afterAll(() => desk.close());

const one = (id: unknown): string => `${rulesPath}${String(id)}/`;
const save = (fields: Json = {}, macro = quiet) => api.post(rulesPath, ruleBody(macro, fields));
const read = async (id: unknown): Promise<Json> => (await api.get(one(id))).body;
const field = async (type: string, more: Json = {}): Promise<string> => {
  const name = `f${unique()}`;
  const { status } = await workspace.api.post('/api/v1/custom-fields/', { name, field_type: type, ...more });
  expect(status).toBe(201);
  return name;
};
/** Lets it be long ago that the owner showed who they are. */
const age = (): Promise<unknown> =>
  desk.runtime.db.rows(
    `UPDATE sessions SET verified_at = now() - interval '11 minutes'
     WHERE member_id IN (SELECT id FROM members WHERE workspace_id = $id)`,
    { id: workspace.id },
  );
const happened = async (subject: string): Promise<Json[]> =>
  desk.runtime.db.rows<Json>(
    `SELECT kind, subject_id, webhook_type, data FROM events
     WHERE workspace_id = $id AND subject_type = $subject ORDER BY id`,
    { id: workspace.id, subject },
  );
const recorded = async (): Promise<string[]> =>
  (
    await desk.runtime.db.rows<{ action: string }>(
      `SELECT action FROM security_log WHERE workspace_id = $id AND action LIKE 'rules.%' ORDER BY id`,
      { id: workspace.id },
    )
  ).map(({ action }) => action);
const waiting = async (ruleId: number): Promise<number> =>
  storeRun(workspace, ruleId, Number((await createContact(workspace)).id));
const run = async (id: number): Promise<Json | null> =>
  desk.runtime.db.row<Json>('SELECT state, reason, ended_at FROM rule_runs WHERE workspace_id = $w AND id = $id', {
    w: workspace.id,
    id,
  });

describe('a rule', () => {
  it('is kept as it was written, off, in the name of who saved it; the list has it by name', async () => {
    const { status, body } = await save({ name: 'b', description: 'D' });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        name: 'b',
        description: 'D',
        state: 'off',
        on: [{ event: 'message.received' }],
        conditions: { all: [], any: [] },
        wait: { minutes: 10, by: 'clock' },
        unless: [{ event: 'conversation.answered' }],
        repeat: 'each',
        after_rules: false,
        macro_id: quiet,
        autonomy: 'autonomous',
        runs_as: expect.objectContaining({ id: workspace.owner.id }),
        version: 1,
        active_since: null,
        attention: null,
        counts: { waiting: 0, applied: 0, ended: 0, skipped: 0, failed: 0 },
        created_by: expect.objectContaining({ id: workspace.owner.id }),
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    const { id: first } = await saveRule(workspace, { name: 'A' });
    expect((await api.get<Json[]>(rulesPath)).body.map(({ id }) => id)).toEqual([first, body['id']]);
    expect(await read(body['id'])).toEqual(body);
    expect((await api.delete(one(first))).status).toBe(204);
    expect((await api.get(one(first))).status).toBe(404);
  });

  it('repeats once an episode where it sends and nothing is said', async () => {
    expect((await save({}, await sendingMacro(workspace))).body['repeat']).toBe('per_episode');
    expect((await save({ repeat: 'once' }, await sendingMacro(workspace))).body['repeat']).toBe('once');
  });

  it('is for dashboard sessions with the permission alone', async () => {
    const { id } = await saveRule(workspace);
    const reader = await createSession(await createMember(workspace, { permissions: ['macro.view'] }));
    expect((await reader.api.get(one(id))).status).toBe(200);
    expect((await reader.api.patch(one(id), { name: 'x' })).headers['x-error-code']).toBe('missing_scope');
    expect((await reader.api.post(`${rulesPath}brake/`, { on: true })).headers['x-error-code']).toBe('missing_scope');
    for (const call of [workspace.api.get(rulesPath), workspace.api.get(one(id)), workspace.api.post(rulesPath, {})])
      expect((await call).body).toEqual({ error: 'This endpoint is for dashboard sessions only.' });
  });

  it('needs what its macro needs, in whoever saves it', async () => {
    const permissions = ['macro.view', 'macro.manage'] as const;
    const agent = await createSession(await createMember(workspace, { permissions: [...permissions] }));
    expect((await agent.api.post(rulesPath, ruleBody(quiet))).body).toEqual({
      error: expect.stringContaining('Missing scope: chat.assign, needed by step 1 (set_priority).'),
    });
    const { id } = await saveRule(workspace);
    expect((await agent.api.patch(one(id), { name: 'Renamed', description: 'D' })).status).toBe(200);
    expect((await agent.api.patch(one(id), { wait: null })).status).toBe(403);
    expect((await agent.api.patch(one(id), { state: 'on' })).status).toBe(403);
    expect((await read(id))['runs_as']).toMatchObject({ id: workspace.owner.id });
  });

  it('acts in the name of who last saved more than name, description or a pause', async () => {
    const { id } = await saveRule(workspace, { state: 'on' });
    const other = await createMember(workspace, { role: 'admin' });
    const { api: theirs } = await createSession(other);
    for (const same of [{ name: 'N' }, { description: 'D' }, { state: 'paused' }, { state: 'off' }]) {
      expect((await theirs.patch(one(id), same)).status).toBe(200);
      expect((await read(id))['runs_as']).toMatchObject({ id: workspace.owner.id });
    }
    expect((await theirs.patch(one(id), { repeat: 'once' })).body['runs_as']).toMatchObject({ id: other.id });
  });
});

describe('what does not fit is a 400 that says what does', () => {
  it.each<[string, Json, Json]>([
    ['no start', { on: [] }, { on: ['This list may not be empty.'] }],
    [
      'a change of nothing',
      { on: [{ event: 'conversation.updated' }] },
      { on: ['0.changed: This field is required.'] },
    ],
    [
      'a value of what does not change',
      { on: [{ event: 'message.received', to: 'open' }] },
      { on: ['0.to: Only conversation.updated takes it.'] },
    ],
    [
      'a status that is none',
      { on: [{ event: 'conversation.updated', changed: 'conv_status', to: 'done' }] },
      { on: [expect.stringMatching(/^0\.to: "done" is not a valid choice. Those that fit: open, resolved/)] },
    ],
    [
      'a custom field that is none',
      { unless: [{ event: 'conversation.updated', changed: 'custom_fields.none' }] },
      { unless: ['0.changed: "none" is not a custom field of conversations.'] },
    ],
    [
      'an operator of another field',
      { conditions: { all: [{ field: 'priority', op: 'contains', value: 'h' }] } },
      {
        conditions: ['all.0.op: "contains" does not fit priority. Those that fit: is, is_not, any_of, none_of.'],
      },
    ],
    [
      'a field that is none',
      { conditions: { any: [{ field: 'custom_field.none', op: 'set' }] } },
      { conditions: [expect.stringContaining('Those that fit: conv_status, priority')] },
    ],
    [
      'a value of another kind',
      { conditions: { all: [{ field: 'waiting', op: 'is', value: 'yes' }] } },
      { conditions: ['all.0.value: Must be a valid boolean.'] },
    ],
    [
      'a value where none is taken',
      { conditions: { all: [{ field: 'tags', op: 'set', value: ['x'] }] } },
      { conditions: ['all.0.value: set takes none.'] },
    ],
    [
      'no value',
      { conditions: { all: [{ field: 'tags', op: 'has_any' }] } },
      { conditions: ['all.0.value: This field is required.'] },
    ],
    [
      'a member of nobody',
      { conditions: { all: [{ field: 'assigned_member', op: 'is', value: 2_147_483_647 }] } },
      { conditions: ['all.0.value: Invalid pk "2147483647" - object does not exist.'] },
    ],
    [
      'a number that is not connected',
      { conditions: { all: [{ field: 'phone_number_id', op: 'is', value: '1' }] } },
      { conditions: [expect.stringContaining('"1" is not a valid choice.')] },
    ],
    [
      'a text where there is no message',
      {
        on: [{ event: 'conversation.woken' }],
        conditions: { all: [{ field: 'text', op: 'words', value: 'help' }] },
      },
      { conditions: ['all.0.field: Only message.received and conversation.rated have a message.'] },
    ],
    ['a wait of nothing', { wait: { minutes: 0, by: 'clock' } }, { wait: [expect.stringContaining('minutes: ')] }],
    ['a wait of 91 days', { wait: { minutes: 129_601, by: 'clock' } }, { wait: [expect.stringContaining('129600')] }],
    ['a wait of two kinds', { wait: { minutes: 1, by: 'clock', until: 'opening' } }, { wait: expect.anything() }],
    ['a macro of nobody', { macro_id: 2_147_483_647 }, { macro_id: [expect.stringContaining('does not exist')] }],
  ])('%s', async (_what, fields, faults) => {
    const answer = await save(fields);
    expect([answer.status, answer.body]).toEqual([400, faults]);
  });

  it('more than twenty conditions', async () => {
    const many = Array.from({ length: 11 }, () => ({ field: 'waiting', op: 'is', value: true }));
    expect((await save({ conditions: { all: many, any: many } })).body).toEqual({
      conditions: ['Ensure there are no more than 20.'],
    });
  });

  it.each([
    ['text', ['equals', 'contains', 'words'], 'x'],
    ['number', ['is', 'is_not', 'above', 'below'], 7],
    ['boolean', ['is', 'is_not'], true],
    ['date', ['is', 'is_not', 'before', 'after'], '2026-12-24'],
    ['select', ['is', 'is_not'], 'a'],
    ['multi_select', ['has_any', 'has_all', 'has_none'], ['a']],
  ])('a custom field of type %s takes %j', async (type, ops, value) => {
    const name = await field(type, type.includes('select') ? { options: ['a', 'b'] } : {});
    const all = [
      ...ops.map((op) => ({ field: `custom_field.${name}`, op, value })),
      { field: `custom_field.${name}`, op: 'set' },
      { field: `custom_field.${name}`, op: 'not_set' },
    ];
    expect((await save({ conditions: { all } })).body).toMatchObject({ conditions: { all } });
    for (const op of ['is', 'contains', 'has_any', 'above', 'before', 'any_of'].filter(
      (other) => !ops.includes(other),
    )) {
      if (type === 'select' && op === 'any_of') continue;
      const wrong = await save({ conditions: { all: [{ field: `custom_field.${name}`, op, value }] } });
      expect([op, wrong.status]).toEqual([op, 400]);
    }
  });

  it('a calendar that never opens (r12)', async () => {
    const mondays = Array.from({ length: 400 }, (_, day) => new Date(Date.now() + day * 86_400_000))
      .filter((day) => day.getUTCDay() === 1)
      .map((day) => ({ date: day.toISOString().slice(0, 10), name: '' }));
    const made = await api.post('/api/v1/calendars/', {
      name: 'Mondays',
      periods: [{ weekday: 'monday', opens: '09:00', closes: '09:01' }],
    });
    expect((await save({ wait: { minutes: 60, by: 'hours' } })).body).toEqual({
      wait: ['By the calendar "Mondays" so much is not worked within a year.'],
    });
    expect((await save({ wait: { minutes: 50, by: 'hours' } })).status).toBe(201);
    expect((await save({ wait: { until: 'opening' } })).body['wait']).toEqual({ until: 'opening', plus_minutes: 0 });
    const shut = await api.patch(`/api/v1/calendars/${String(made.body['id'])}/`, { holidays: mondays });
    expect(shut.body).toEqual({ holidays: ['With these it does not open within a year.'] });
  });

  it('a free text that can only be due after the window closed (r15)', async () => {
    const text = await sendingMacro(workspace);
    const day = { minutes: 24 * 60, by: 'clock' };
    const late = { wait: [expect.stringContaining('which can only be due after the window')] };
    expect((await save({ wait: day }, text)).body).toEqual(late);
    expect((await save({ wait: { minutes: 1_439, by: 'clock' } }, text)).status).toBe(201);
    expect((await save({ wait: { minutes: 30, before: 'window_end' } }, text)).status).toBe(201);
    const silent = { on: [{ event: 'conversation.answered' }], unless: [{ event: 'message.received' }] };
    expect((await save({ ...silent, wait: day }, text)).body).toEqual(late);
    // The customer may have written again meanwhile.
    expect((await save({ ...silent, unless: [], wait: day }, text)).status).toBe(201);
    const shut = { conditions: { all: [{ field: 'window_open', op: 'is', value: false }] } };
    expect((await save(shut, text)).status).toBe(400);
    expect((await save({ wait: day })).status).toBe(201);
  });

  it('more than twenty rules of one start; what waits of others is not counted', async () => {
    for (let n = 0; n < 20; n += 1) await saveRule(workspace, { state: 'on', macro_id: quiet });
    const answer = await save({ state: 'on' });
    expect([answer.status, answer.body]).toEqual([409, { error: 'message.received starts 20 rules already.' }]);
    const { body } = await save();
    expect((await api.patch(one(body['id']), { state: 'on' })).status).toBe(409);
    expect((await save({ state: 'on', on: [{ event: 'call.missed' }] })).status).toBe(201);
  });
});

describe('on, paused and off', () => {
  it('asks again who switches on what sends by itself (C20), and tells the owners', async () => {
    const sending = await sendingMacro(workspace);
    const { id } = await saveRule(workspace, { macro_id: sending });
    const { id: silent } = await saveRule(workspace);
    const { id: asking } = await saveRule(workspace, { macro_id: sending, autonomy: 'approval', state: 'on' });
    await age();
    const asked = { status: 403, headers: { 'x-error-code': 'reauthentication_required' } };
    expect(await api.patch(one(id), { state: 'on' })).toMatchObject(asked);
    expect(await save({ state: 'on' }, sending)).toMatchObject(asked);
    expect(await api.patch(one(asking), { autonomy: 'autonomous' })).toMatchObject(asked);
    expect((await api.patch(one(silent), { state: 'on' })).status).toBe(200);
    expect(await api.patch(one(silent), { macro_id: sending })).toMatchObject(asked);
    expect((await api.patch(one(id), { state: 'off', name: 'Other' })).status).toBe(200);
    // A macro that begins to send makes its rule one that does.
    const begins = { actions: [step('send_message', { body: 'Hi' })] };
    expect(await api.patch(`/api/v1/macros/${String((await read(silent))['macro_id'])}/`, begins)).toMatchObject(asked);
    expect((await api.patch(`/api/v1/macros/${quiet}/`, begins)).status).toBe(200);
    await desk.runtime.db.rows('UPDATE sessions SET verified_at = now() WHERE member_id = $id', {
      id: workspace.owner.id,
    });
    expect((await api.patch(one(id), { state: 'on' })).status).toBe(200);
    expect(await recorded()).toContain('rules.opened');
  });

  it('looks at what happens from when it is switched on; a pause keeps that', async () => {
    const { id } = await saveRule(workspace);
    expect((await api.patch(one(id), { state: 'paused' })).body).toEqual({
      state: ['Only a rule that is on can be paused.'],
    });
    const since = (await api.patch(one(id), { state: 'on' })).body['active_since'];
    expect(since).toEqual(expect.any(String));
    expect((await api.patch(one(id), { state: 'paused' })).body['active_since']).toBe(since);
    expect((await api.patch(one(id), { state: 'on' })).body['active_since']).toBe(since);
    expect((await api.patch(one(id), { state: 'off' })).body['active_since']).toBeNull();
  });

  it('ends its waits when it is switched off or deleted, and not when it is paused', async () => {
    const { id } = await saveRule(workspace, { state: 'on' });
    const first = await waiting(id);
    expect((await api.patch(one(id), { state: 'paused' })).body).toMatchObject({
      waits_ended: 0,
      counts: { waiting: 1 },
    });
    expect((await api.patch(one(id), { state: 'off' })).body).toMatchObject({
      waits_ended: 1,
      counts: { waiting: 0, skipped: 1 },
    });
    expect(await run(first)).toMatchObject({ state: 'skipped', reason: 'rule_off', ended_at: expect.any(Date) });
    await api.patch(one(id), { state: 'on' });
    const second = await waiting(id);
    expect((await api.delete(one(id))).status).toBe(204);
    expect(await run(second)).toMatchObject({ state: 'skipped', reason: 'rule_off' });
    expect(
      (await happened('rule')).map(({ kind, webhook_type: type, data }) => [kind, type, (data as Json)['why']]),
    ).toEqual([
      ['rule_created', null, undefined],
      ['rule_updated', null, undefined],
      ['rule_stopped', 'rule.stopped', 'paused'],
      ['rule_updated', null, undefined],
      ['rule_updated', null, undefined],
      ['rule_deleted', null, undefined],
      ['rule_stopped', 'rule.stopped', 'deleted'],
    ]);
  });

  it.each<[string, () => Promise<Json> | Json]>([
    ['start', () => ({ on: [{ event: 'call.missed' }] })],
    ['conditions', () => ({ conditions: { all: [{ field: 'waiting', op: 'is', value: true }] } })],
    ['wait', () => ({ wait: { minutes: 11, by: 'clock' } })],
    ['unless', () => ({ unless: [] })],
    ['macro', async () => ({ macro_id: await quietMacro(workspace) })],
  ])('ends its waits with another %s, and says how many before and after (r17)', async (_what, change) => {
    const { id, ...whole } = await saveRule(workspace, { state: 'on' });
    const waits = [await waiting(id), await waiting(id)];
    const same = { ...whole, name: 'Other', repeat: 'once', macro_id: whole['macro_id'] };
    expect((await api.patch(one(id), same)).body).toMatchObject({ waits_ended: 0, version: 1 });
    expect((await read(id))['counts']).toMatchObject({ waiting: 2 });
    expect((await api.patch(one(id), await change())).body).toMatchObject({ waits_ended: 2, version: 2 });
    for (const wait of waits) expect(await run(wait)).toMatchObject({ state: 'skipped', reason: 'rule_changed' });
  });

  it('is judged anew when it is switched on: what it names may be gone', async () => {
    const { id } = await saveRule(workspace, { macro_id: quiet });
    expect((await api.delete(`/api/v1/macros/${quiet}/?pause_rules=true`)).status).toBe(204);
    expect((await api.patch(one(id), { state: 'on' })).body).toEqual({
      macro_id: ['Its macro was deleted: choose another one.'],
    });
    const macro = await quietMacro(workspace);
    expect((await api.patch(one(id), { state: 'on', macro_id: macro })).body).toMatchObject({
      state: 'on',
      attention: null,
    });
  });
});

describe('what rules name (r16)', () => {
  const condition = (name: string, value: unknown): Json => ({
    conditions: { all: [{ field: name, op: 'any_of', value: [value] }] },
  });
  const cases: Readonly<
    Record<string, () => Promise<{ rule: Json; gone: (pause: boolean) => Promise<{ status: number; body: unknown }> }>>
  > = {
    'custom field': async () => {
      const name = await field('text');
      const list = (await workspace.api.get<Json[]>('/api/v1/custom-fields/')).body;
      const id = String(list.find((row) => row['name'] === name)?.['id']);
      return {
        rule: { unless: [{ event: 'conversation.updated', changed: `custom_fields.${name}` }] },
        gone: (pause) => api.delete(`/api/v1/custom-fields/${id}/?pause_rules=${pause}`),
      };
    },
    'team inbox': async () => {
      await createTeamInbox(workspace);
      const id = await createTeamInbox(workspace);
      return {
        rule: condition('assigned_team_inbox', id),
        gone: (pause) => api.delete(`/api/v1/team-inboxes/${id}/?pause_rules=${pause}`),
      };
    },
    member: async () => {
      const { id } = await createMember(workspace);
      return {
        rule: { on: [{ event: 'conversation.updated', changed: 'assigned_member', to: id }] },
        gone: (pause) => api.patch(`/api/v1/team-members/${id}/`, { is_active: false, pause_rules: pause }),
      };
    },
    macro: async () => {
      const id = await quietMacro(workspace);
      return { rule: { macro_id: id }, gone: (pause) => api.delete(`/api/v1/macros/${id}/?pause_rules=${pause}`) };
    },
    calendar: async () => {
      const periods = [{ weekday: 'monday', opens: '09:00', closes: '17:00' }];
      const { body } = await api.post('/api/v1/calendars/', { name: 'Hours', periods });
      return {
        rule: { conditions: { all: [{ field: 'hours', op: 'is', value: 'closed' }] } },
        gone: (pause) => api.delete(`/api/v1/calendars/${String(body['id'])}/?pause_rules=${pause}`),
      };
    },
  };

  it.each(Object.keys(cases))('a %s goes only when they are paused', async (what) => {
    const { rule, gone } = await cases[what]!();
    const watcher = await createMember(workspace, { permissions: ['chat.view', 'macro.manage'] });
    const { id, name } = await saveRule(workspace, { state: 'on', ...rule });
    const wait = await waiting(id);
    const refused = await gone(false);
    expect([refused.status, refused.body]).toEqual([
      409,
      { error: `Rules name it: "${String(name)}" (${id}). Change them, or send pause_rules=true to pause them.` },
    ]);
    expect((await gone(true)).status).toBeLessThan(300);
    expect(await read(id)).toMatchObject({
      state: 'paused',
      attention: { reason: 'reference_gone', since: expect.any(String) },
      counts: { waiting: 1 },
    });
    expect(await run(wait)).toMatchObject({ state: 'waiting' });
    expect((await happened('rule')).at(-1)).toMatchObject({ kind: 'rule_stopped', data: { why: 'reference_gone' } });
    expect(await recorded()).toContain('rules.paused');
    const { api: theirs } = await createSession(watcher);
    expect((await theirs.get<Json[]>('/api/v1/notices/')).body).toMatchObject([
      {
        kind: 'rule',
        receiver_id: null,
        title: 'A rule asks for you',
        body: `${String(name)}: something that it names is gone`,
        href: `/dashboard/rules/${id}/`,
      },
    ]);
  });

  it('of another workspace forbid nothing', async () => {
    const id = await createTeamInbox(workspace);
    const other = await createWorkspace(desk);
    const { api: theirs } = await ownerSession(other);
    expect(
      (await theirs.post(rulesPath, ruleBody(await quietMacro(other), condition('assigned_team_inbox', id)))).status,
    ).toBe(400);
  });
});

describe('whose rights it has', () => {
  it('a member who leaves or loses a scope pauses it', async () => {
    const manages = ['macro.view', 'macro.manage', 'chat.assign'] as const;
    const agent = await createMember(workspace, { permissions: [...manages] });
    const { api: theirs } = await createSession(agent);
    const { body: first } = await theirs.post(rulesPath, ruleBody(quiet, { state: 'on' }));
    const change = (values: Json) => api.patch(`/api/v1/team-members/${agent.id}/`, values);
    expect((await change({ permissions: [...manages, 'chat.view'] })).body).toMatchObject({ stopped: { rules: [] } });
    expect((await change({ permissions: ['macro.view'] })).body).toMatchObject({
      stopped: { rules: [{ id: first['id'], name: first['name'] }] },
    });
    expect(await read(first['id'])).toMatchObject({
      state: 'paused',
      attention: { reason: 'missing_scope', detail: 'chat.assign' },
    });
    // Whoever may saves it anew in their name.
    expect((await api.patch(one(first['id']), { state: 'on' })).body).toMatchObject({
      state: 'on',
      attention: null,
      runs_as: { id: workspace.owner.id },
    });
    const { api: again } = await createSession(agent);
    await change({ permissions: [...manages] });
    const { body: second } = await again.post(rulesPath, ruleBody(quiet, { state: 'on' }));
    expect((await api.get(`/api/v1/team-members/${agent.id}/made/`)).body).toMatchObject({
      rules: [{ id: second['id'] }],
    });
    await change({ is_active: false });
    expect(await read(second['id'])).toMatchObject({ state: 'paused', attention: { reason: 'owner_gone' } });
  });

  it('a macro that comes to need more pauses it', async () => {
    const agent = await createMember(workspace, { permissions: ['macro.view', 'macro.manage', 'chat.assign'] });
    const { api: theirs } = await createSession(agent);
    const { body } = await theirs.post(rulesPath, ruleBody(quiet, { state: 'on' }));
    const actions = [step('send_message', { body: 'Hi' })];
    expect((await api.patch(`/api/v1/macros/${quiet}/`, { actions })).status).toBe(200);
    expect(await read(body['id'])).toMatchObject({
      state: 'paused',
      attention: { reason: 'missing_scope', detail: 'chat.send_message' },
    });
  });
});

it('a member who says that it was not them switches off the rules that they made or lent their rights', async () => {
  const thief = (await createSession(workspace.owner)).api;
  const make = async (name: string, state: string): Promise<number> => {
    const { status, body } = await thief.post(rulesPath, ruleBody(quiet, { name, state }));
    expect(status).toBe(201);
    return body.id;
  };
  const [made, kept, off] = [await make('Made', 'on'), await make('Kept', 'on'), await make('Off', 'off')];
  const other = await createMember(workspace, { role: 'admin' });
  const theirs = await (await createSession(other)).api.post(rulesPath, ruleBody(quiet, { state: 'on' }));
  const wait = await waiting(made);
  const { body: listed } = await api.get<Json[]>('/api/v1/rescue/');
  const found = listed.filter(({ kind }) => kind === 'rule').map(({ word, name }) => [word, name]);
  expect(found.sort()).toEqual(
    [
      [`rule:${made}`, 'Made'],
      [`rule:${kept}`, 'Kept'],
    ].sort(),
  );
  expect((await api.post('/api/v1/rescue/', { keep: [`rule:${kept}`] })).status).toBe(200);
  const states = await Promise.all([made, kept, off, theirs.body['id']].map(async (id) => (await read(id))['state']));
  expect(states).toEqual(['off', 'on', 'off', 'on']);
  expect(await run(wait)).toMatchObject({ state: 'skipped', reason: 'rule_off' });
});

it('runs are listed with their reasons, by state, customer and time', async () => {
  const { id } = await saveRule(workspace, { state: 'on' });
  const anna = await createContact(workspace);
  const bert = await createContact(workspace);
  const first = await storeRun(workspace, id, Number(anna.id), { state: 'skipped', reason: 'conditions' });
  const second = await storeRun(workspace, id, Number(bert.id));
  const runs = async (query = ''): Promise<Json[]> =>
    (await api.get<{ results: Json[] }>(`${one(id)}runs/?${query}`)).body.results;
  expect(await runs()).toEqual([
    {
      id: second,
      rule_id: id,
      version: 1,
      receiver_id: bert.receiver_id,
      state: 'waiting',
      reason: null,
      event: 'message.received',
      started_at: expect.any(String),
      moment: expect.any(String),
      ended_at: null,
      macro_run_id: null,
    },
    expect.objectContaining({ id: first, state: 'skipped', reason: 'conditions', ended_at: expect.any(String) }),
  ]);
  expect((await runs('state=skipped')).map((row) => row['id'])).toEqual([first]);
  expect((await runs(`receiver=${bert.receiver_id}`)).map((row) => row['id'])).toEqual([second]);
  expect(await runs(`after=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
  expect(await runs(`before=${new Date(Date.now() + 60_000).toISOString()}`)).toHaveLength(2);
  expect((await api.get(`${one(id)}runs/?receiver=4930`)).status).toBe(400);
});

it('the brake stops all and is told; a second one keeps its time', async () => {
  const { id } = await saveRule(workspace, { state: 'on' });
  await saveRule(workspace);
  const brake = async (on: boolean, reason = ''): Promise<Json> =>
    (await api.post(`${rulesPath}brake/`, { on, reason })).body;
  const first = await brake(true, 'Too many messages');
  expect(first).toEqual({
    on: true,
    reason: 'Too many messages',
    since: expect.any(String),
    member_id: workspace.owner.id,
  });
  expect(await brake(true, 'Still')).toEqual({ ...first, reason: 'Still' });
  expect((await read(id))['state']).toBe('on');
  expect(await brake(false)).toEqual({ on: false, reason: '', since: null, member_id: null });
  const stopped = (await happened('rule')).filter(({ kind }) => kind === 'rule_stopped');
  expect(stopped).toMatchObject([{ subject_id: id, data: { why: 'brake' } }]);
  expect((await happened('workspace')).map(({ kind }) => kind)).toEqual(['rules_braked', 'rules_released']);
  expect((await recorded()).filter((action) => action === 'rules.brake')).toHaveLength(3);
});

it('a macro that is not read any more is told by its field', async () => {
  const macro = await createMacro(workspace, [step('set_priority', { priority: 'low' })]);
  await desk.runtime.db.rows(`UPDATE macros SET actions = '[{"type": "old"}]' WHERE workspace_id = $w AND id = $id`, {
    w: workspace.id,
    id: macro,
  });
  expect((await save({}, macro)).body).toEqual({ macro_id: [expect.stringContaining('"old"')] });
});
