import { holdSending, removeHold } from '../../api/services/resources/accounts/fence';
import { resumeSending } from '../../api/services/processes/maintenance/resumeSending';
import { decideByOperator, sendIfDue, sendOverdue } from '../../api/services/processes/outbound/sendLater';
import { removeFilesAnywhere } from '../../api/services/processes/files/remove';
import { templateId, twoValues, updateMessage } from '../factories/broadcasts';
import { sampleFile } from '../../dev/sandbox/play/samples';
import { performActions } from '../../api/services/processes/macroRuns/steps';
import { createMacro, step } from '../factories/macros';
import { createAgent } from '../support/agent';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { uploadFile } from '../factories/files';
import { createMember, createSession } from '../factories/members';
import { uniquePhone } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import type { ApiAnswer, ApiClient } from '../support/client';
import { movedClock } from '../support/clock';
import { changedRows, leaveNothingTo } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { captureStatements } from '../support/statements';

type Json = Record<string, unknown>;

const png = sampleFile('image').data;
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
let offsetMs = 0;
let desk: TestApi;
let workspace: TestWorkspace;
let api: ApiClient;
let anna: TestCustomer;

beforeAll(async () => {
  desk = await sharedDesk('plain', { clock: movedClock(() => new Date(Date.now() + offsetMs)) });
});
beforeEach(async () => {
  offsetMs = 0;
  await leaveNothingTo(desk, 'sendOverdue');
  workspace = await createWorkspace(desk);
  ({ api } = workspace);
  anna = createCustomer(workspace, { name: 'Anna' });
  await anna.writes('Hi');
});
afterAll(() => desk.close());

const at = (ms: number): string => new Date(Date.now() + offsetMs + ms).toISOString();
const post = (body: Json, by = api): Promise<ApiAnswer> =>
  by.post('/api/v1/messages/', { phone_number_id: workspace.account.phoneNumberId, to: anna.phone, ...body });
/** Schedules a text, in two hours unless told; gives its id. */
async function later(fields: Json = {}, by = api): Promise<number> {
  const { status, body } = await post({ body: 'Later', send_at: at(2 * hour), ...fields }, by);
  expect([status, body]).toEqual([201, expect.objectContaining({ message_status: 'scheduled' })]);
  return Number(body['id']);
}
const byTemplate = (): Json => ({
  body: undefined,
  template_id: templateId(workspace, 'ticket_update'),
  template_variables: twoValues,
});
const read = async (id: number): Promise<Json> => (await api.get(`/api/v1/messages/${id}/`)).body;
const state = async (id: number): Promise<unknown[]> => {
  const { message_status: status, held_reason: reason } = await read(id);
  return [status, reason];
};
const waiting = async (): Promise<Json[]> =>
  (await api.get(`/api/v1/conversations/${anna.handle}/scheduled/`)).body as unknown as Json[];
const listed = async (): Promise<Json[]> =>
  (await api.get(`/api/v1/conversations/${anna.handle}/messages/`)).body.results;
const conversation = async (): Promise<Json> => (await api.get(`/api/v1/conversations/${anna.handle}/`)).body;
const versionOf = async (id: number): Promise<number> =>
  (await desk.runtime.db.row<{ version: number }>('SELECT version FROM scheduled_messages WHERE id = $id', { id }))
    ?.version ?? 0;
const ask = async (id: number): Promise<unknown> =>
  sendIfDue(workspace.ctx, { messageId: id, version: await versionOf(id) });
const toAnna = (): number => desk.sandbox.state.sent.filter(({ to }) => to === anna.handle).length;

describe('a message that is scheduled', () => {
  it('is in no list, count or Waiting until its moment, and then takes its place under the same id', async () => {
    const before = await conversation();
    const id = await later({ body: 'Good morning' });
    expect(await read(id)).toMatchObject({
      id,
      message_status: 'scheduled',
      if_customer_writes: 'hold',
      held_reason: null,
      message_id: '',
      body: { type: 'text', text: { body: 'Good morning' } },
      receiver: { receiver_id: anna.handle },
    });
    expect((await waiting()).map((one) => one['id'])).toEqual([id]);
    expect(await listed()).toHaveLength(1);
    const { body: found } = await api.get('/api/v1/messages/search/?q=morning');
    expect(found.results).toEqual([]);
    expect(await conversation()).toEqual(before);
    expect(before).toMatchObject({ unread_count: 1 });

    const { body: now } = await post({ body: 'At once' });
    offsetMs = 2 * hour + 5_000;
    await desk.work();
    expect((await listed()).map((one) => one['id'])).toEqual([id, now['id'], expect.any(Number)]);
    expect(await waiting()).toEqual([]);
    expect(await read(id)).toMatchObject({ message_status: 'read', send_at: null, if_customer_writes: null });
    expect(await conversation()).toMatchObject({ unread_count: 0, last_message: { id } });
  });

  it('is sent once, and never early, however often its timer asks', async () => {
    const id = await later();
    expect(await ask(id)).toEqual({ kind: 'not_due', waitMs: expect.any(Number) as unknown });
    offsetMs = 2 * hour - 2_000;
    expect(await changedRows(workspace, 'scheduled_messages', sendOverdue)).toEqual([]);
    expect((await state(id))[0]).toBe('scheduled');
    offsetMs = 2 * hour + 1_000;
    // Its timer has two seconds before the loop for what is overdue takes it.
    expect(await changedRows(workspace, 'scheduled_messages', sendOverdue)).toEqual([]);
    const version = await versionOf(id);
    const outcomes = await Promise.all([1, 2, 3].map(() => sendIfDue(workspace.ctx, { messageId: id, version })));
    expect(outcomes).toEqual([{ kind: 'done' }, { kind: 'done' }, { kind: 'done' }]);
    await desk.work();
    expect((await listed()).filter((one) => one['direction'] === 'outbound')).toHaveLength(1);
    expect(toAnna()).toBe(1);
  });

  it('goes by its key once: the repeat has the answer, before and after its moment', async () => {
    const keyed = api.with({ 'idempotency-key': 'tomorrow' });
    const body = { to: anna.phone, phone_number_id: workspace.account.phoneNumberId, body: 'Once', send_at: at(hour) };
    const first = await keyed.post('/api/v1/messages/', body);
    const again = await keyed.post('/api/v1/messages/', body);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(await waiting()).toHaveLength(1);
    offsetMs = hour + 5_000;
    await desk.work();
    expect((await keyed.post('/api/v1/messages/', body)).body).toEqual(first.body);
    expect(toAnna()).toBe(1);
  });

  it('keeps what its template was filled with', async () => {
    const id = await later(byTemplate());
    await api.patch(`/api/v1/contacts/${anna.handle}/`, { name: 'Somebody else' });
    offsetMs = 2 * hour + 5_000;
    await desk.work();
    expect(JSON.stringify((await read(id))['body'])).toContain('Anna');
  });

  it('keeps its file, whatever is swept', async () => {
    const mediaId = await uploadFile(workspace, png);
    const id = await later({ body: undefined, image: { id: mediaId }, send_at: at(20 * hour) });
    await desk.runtime.db.rows(`UPDATE files SET look_at = now() - interval '1 day' WHERE public_id = $mediaId`, {
      mediaId,
    });
    await removeFilesAnywhere(desk.runtime);
    expect((await read(id))['media']).toMatchObject({ status: 'stored' });
    await api.delete(`/api/v1/messages/${id}/`);
    await desk.runtime.db.rows(`UPDATE files SET look_at = now() - interval '1 day' WHERE public_id = $mediaId`, {
      mediaId,
    });
    await removeFilesAnywhere(desk.runtime);
    const left = await desk.runtime.db.row('SELECT 1 AS left FROM files WHERE public_id = $mediaId', { mediaId });
    expect(left).toBeNull();
  });
});

describe('what is asked for is checked as any send', () => {
  it('a moment lies ahead, by at most 366 days', async () => {
    for (const [value, message] of [
      [at(-minute), 'A future datetime is required.'],
      [at(367 * day), 'A message can be sent at most 366 days from now.'],
      ['soon', expect.stringContaining('Datetime has wrong format')],
    ])
      expect((await post({ ...byTemplate(), send_at: value })).body).toEqual({ send_at: [message] });
    expect((await post({ ...byTemplate(), send_at: at(366 * day - minute) })).status).toBe(201);
  });

  it('free text needs a window that is open then', async () => {
    const { status, body, headers } = await post({ body: 'Later', send_at: at(25 * hour) });
    expect([status, headers['x-error-code']]).toEqual([400, 'window_closed']);
    expect(body).toEqual({ send_at: [expect.stringMatching(/^Free text can be sent until \d{4}-.*Z\.$/)] });
    const closed = await post({ to: uniquePhone(), body: 'Later', send_at: at(hour) });
    expect(closed.body).toEqual({ send_at: [expect.stringContaining('window is closed')] });
    expect((await post({ ...byTemplate(), send_at: at(25 * hour) })).status).toBe(201);
  });

  it('a template that is not approved, an opt-out and a missing scope are refused as without a moment', async () => {
    await desk.runtime.db.rows(`UPDATE templates SET status = 'PAUSED' WHERE workspace_id = $id`, { id: workspace.id });
    expect((await post({ ...byTemplate(), send_at: at(hour) })).status).toBe(400);
    const reader = (await workspace.key(['chat.view'])).api;
    expect((await post({ body: 'Later', send_at: at(hour) }, reader)).status).toBe(403);
  });

  it('if_customer_writes means nothing without a moment, which is told', async () => {
    const { status, headers } = await post({ body: 'Now', if_customer_writes: 'cancel' });
    expect([status, headers['x-ignored-fields']]).toEqual([201, 'if_customer_writes']);
  });

  it('a key below autonomous neither schedules, changes nor sends', async () => {
    const id = await later();
    const bound = (await workspace.key(['all'], { autonomy: 'approval' })).api;
    for (const refused of [
      await post({ body: 'Later', send_at: at(hour) }, bound),
      await bound.patch(`/api/v1/messages/${id}/`, { body: 'Other' }),
      await bound.post(`/api/v1/messages/${id}/send-now/`),
    ])
      expect([refused.status, refused.headers['x-error-code']]).toEqual([403, 'needs_approval']);
  });

  it('at most 50 wait in a conversation, and 20,000 in a workspace', async () => {
    const id = await later();
    const copies = (count: number, conversationId: string): Promise<unknown> =>
      desk.runtime.db.rows(
        `INSERT INTO scheduled_messages (workspace_id, conversation_id, send_at, if_customer_writes, type, body, origin)
         SELECT s.workspace_id, ${conversationId}, s.send_at, s.if_customer_writes, s.type, s.body, s.origin
         FROM scheduled_messages s, generate_series(1, $count::int) WHERE s.id = $id`,
        { id, count },
      );
    await copies(49, 's.conversation_id');
    const many = await post({ body: 'Later', send_at: at(hour) });
    expect([many.status, many.body]).toEqual([
      409,
      { error: 'A conversation has at most 50 messages that wait to be sent.' },
    ]);
    const { body: other } = await api.post('/api/v1/contacts/', { phone: uniquePhone() });
    await copies(19_950, `${Number(other['id'])}`);
    await api.delete(`/api/v1/messages/${id}/`);
    await later();
    await api.delete(`/api/v1/messages/${String((await waiting())[0]?.['id'])}/`);
    await later();
    const third = createCustomer(workspace);
    await third.writes('Hi');
    expect((await post({ to: third.phone, body: 'Later', send_at: at(hour) })).body).toEqual({
      error: 'A workspace has at most 20000 messages that wait to be sent.',
    });
  });
});

describe('"opening"', () => {
  async function calendar(opensInHours: number): Promise<Date> {
    const session = (await createSession(workspace.owner)).api;
    const opens = new Date(Math.ceil((Date.now() + opensInHours * hour) / hour) * hour);
    const weekday = opens.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' }).toLowerCase();
    const from = `${String(opens.getUTCHours()).padStart(2, '0')}:00`;
    const { status } = await session.post('/api/v1/calendars/', {
      name: 'Support',
      periods: [{ weekday, opens: from, closes: '24:00' }],
    });
    expect(status).toBe(201);
    return opens;
  }

  it('is when the calendar of the conversation opens next', async () => {
    const opens = await calendar(3);
    const id = await later({ ...byTemplate(), send_at: 'opening' });
    expect((await read(id))['send_at']).toBe(opens.toISOString());
  });

  it('is at once while it is open', async () => {
    const opens = await calendar(3);
    offsetMs = opens.getTime() - Date.now() + minute;
    const { status, body } = await post({ ...byTemplate(), send_at: 'opening' });
    expect([status, body['message_status']]).toEqual([201, 'queued']);
  });

  it('needs a calendar', async () => {
    expect((await post({ body: 'Later', send_at: 'opening' })).body).toEqual({
      send_at: ['There is no calendar that says when this conversation opens.'],
    });
  });
});

describe('while it waits', () => {
  it('its content, its moment and what follows from an answer can be changed', async () => {
    const id = await later();
    const next = at(3 * hour);
    const { status, body } = await api.patch(`/api/v1/messages/${id}/`, {
      body: 'Better',
      send_at: next,
      if_customer_writes: 'send',
    });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ send_at: next, if_customer_writes: 'send', body: expect.anything() as unknown }),
    ]);
    offsetMs = 2 * hour + 5_000;
    await desk.work();
    expect((await state(id))[0]).toBe('scheduled');
    offsetMs = 3 * hour + 5_000;
    await desk.work();
    expect(await read(id)).toMatchObject({ message_status: 'read', body: { text: { body: 'Better' } } });
  });

  it('what a GET shows can be sent back, and changes nothing', async () => {
    for (const fields of [{}, byTemplate()]) {
      const id = await later(fields);
      const shown = await read(id);
      const { status, body } = await api.patch(`/api/v1/messages/${id}/`, shown);
      expect([status, body]).toEqual([200, shown]);
      await api.patch(`/api/v1/messages/${id}/`, { body: { type: 'text', text: { body: 'As it is shown' } } });
      expect((await read(id))['body']).toEqual({ type: 'text', text: { body: 'As it is shown' } });
    }
  });

  it('a change is checked as any send', async () => {
    const id = await later();
    for (const [change, field] of [
      [{ send_at: at(-minute) }, 'send_at'],
      [{ send_at: at(30 * hour) }, 'send_at'],
      [{ body: '' }, 'body'],
      [{ template_id: 'none' }, 'template'],
      [{ message_status: 'held' }, 'message_status'],
    ] as const) {
      const { status, body } = await api.patch(`/api/v1/messages/${id}/`, change);
      expect([status, Object.keys(body)]).toEqual([400, [field]]);
    }
  });

  it('it can be discarded: it is not sent, and the activity says who did it', async () => {
    const id = await later();
    expect((await api.delete(`/api/v1/messages/${id}/`)).status).toBe(204);
    expect((await api.get(`/api/v1/messages/${id}/`)).status).toBe(404);
    offsetMs = 2 * hour + 5_000;
    await desk.work();
    expect(toAnna()).toBe(0);
    const { body: trail } = await api.get(`/api/v1/conversations/${anna.handle}/activity/`);
    expect(trail.results.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['scheduled_message_discarded', 'message_scheduled']),
    );
  });

  it('it can be sent at once, in the name of who does it, and is not sent again at its moment', async () => {
    const id = await later();
    const session = (await createSession(workspace.owner)).api;
    const { status, body } = await session.post(`/api/v1/messages/${id}/send-now/`);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        id,
        message_status: 'queued',
        written_by: expect.objectContaining({ type: 'member' }),
      }),
    ]);
    offsetMs = 2 * hour + 5_000;
    await desk.work();
    expect(toAnna()).toBe(1);
  });

  it('afterwards none of it is possible: 409; 404 in another workspace, and once it was discarded', async () => {
    const [waiting, sent, discarded] = [await later(), await later(), await later()];
    const other = await createWorkspace(desk);
    await api.post(`/api/v1/messages/${sent}/send-now/`);
    expect((await api.delete(`/api/v1/messages/${discarded}/`)).status).toBe(204);
    for (const [by, id, code] of [
      [other.api, waiting, 404],
      [other.api, sent, 404],
      [api, discarded, 404],
      [api, sent, 409],
    ] as const) {
      expect((await by.patch(`/api/v1/messages/${id}/`, { body: 'Other' })).status).toBe(code);
      expect((await by.delete(`/api/v1/messages/${id}/`)).status).toBe(code);
      expect((await by.post(`/api/v1/messages/${id}/send-now/`)).status).toBe(code);
    }
  });
});

describe('when the customer writes before', () => {
  it('it is held, sent all the same, or discarded, as was asked', async () => {
    const [hold, send, cancel] = [
      await later({ if_customer_writes: 'hold' }),
      await later({ if_customer_writes: 'send' }),
      await later({ if_customer_writes: 'cancel' }),
    ];
    await anna.writes('One more thing');
    expect([await state(hold), await state(send)]).toEqual([
      ['held', 'customer_wrote'],
      ['scheduled', null],
    ]);
    expect((await api.get(`/api/v1/messages/${cancel}/`)).status).toBe(404);
    offsetMs = 2 * hour + 5_000;
    await desk.work();
    expect([(await state(hold))[0], (await state(send))[0], toAnna()]).toEqual(['held', 'read', 1]);
  });

  it('a reaction holds nothing', async () => {
    const id = await later();
    const wamid = String((await listed())[0]?.['message_id']);
    await anna.writes({ type: 'reaction', reaction: { message_id: wamid, emoji: '👍' } });
    expect(await state(id)).toEqual(['scheduled', null]);
  });

  it('who wrote it and who has the conversation are told, once each', async () => {
    const writer = await createMember(workspace, { permissions: ['chat.view', 'chat.send_message'] });
    const assignee = await createMember(workspace, { permissions: ['chat.view'] });
    const [byWriter, byAssignee] = [(await createSession(writer)).api, (await createSession(assignee)).api];
    await later({}, byWriter);
    await later({}, byWriter);
    await api.patch(`/api/v1/conversations/${anna.handle}/`, { assigned_member: assignee.id });
    await anna.writes('Wait');
    for (const by of [byWriter, byAssignee]) {
      const notices = (await by.get('/api/v1/notices/')).body as unknown as Json[];
      expect(notices.filter(({ kind }) => kind === 'held')).toMatchObject([
        { title: 'A message was not sent', receiver_id: anna.handle },
      ]);
    }
  });

  it('a member sends it, gives it another moment, or lets its own stand', async () => {
    const [sent, moved, kept] = [await later(), await later(), await later()];
    await anna.writes('Wait');
    await api.post(`/api/v1/messages/${sent}/send-now/`);
    await api.patch(`/api/v1/messages/${moved}/`, { send_at: at(3 * hour) });
    await api.patch(`/api/v1/messages/${kept}/`, { message_status: 'scheduled' });
    expect([(await state(sent))[0], await state(moved), await state(kept)]).toEqual([
      'queued',
      ['scheduled', null],
      ['scheduled', null],
    ]);
    offsetMs = 2 * hour + 5_000;
    await desk.work();
    expect([(await state(moved))[0], (await state(kept))[0]]).toEqual(['scheduled', 'read']);
  });

  it('costs one statement where nothing waits', async () => {
    const { statements } = await captureStatements(() => anna.writes('Again'));
    expect(statements.filter(({ text }) => text.includes('scheduled_messages')).length).toBe(1);
  });
});

describe('at its moment it is held, with the reason,', () => {
  async function heldAs(fields: Json, what: () => Promise<unknown>): Promise<unknown[]> {
    const id = await later(fields);
    await what();
    offsetMs = Math.max(offsetMs, 2 * hour + 5_000);
    await desk.work();
    expect(toAnna()).toBe(0);
    return state(id);
  }
  const sql = (statement: string) => (): Promise<unknown> =>
    desk.runtime.db.rows(statement, { id: workspace.id, handle: anna.handle });

  it('late by more than an hour', async () => {
    const late = await later();
    offsetMs = 3 * hour + minute;
    await desk.work();
    expect([await state(late), toAnna()]).toEqual([['held', 'late'], 0]);
    offsetMs = 0;
    const inTime = await later();
    offsetMs = 3 * hour - minute;
    await desk.work();
    expect([(await state(inTime))[0], toAnna()]).toEqual(['read', 1]);
  });

  it('when the window has closed before', async () => {
    const close = sql(
      `UPDATE conversation_windows w SET open_until = now() FROM conversations v
       WHERE v.id = w.conversation_id AND v.workspace_id = $id AND $handle <> ''`,
    );
    expect(await heldAs({}, close)).toEqual(['held', 'window_closed']);
  });

  it('when the customer has opted out', async () => {
    const marketing = {
      body: undefined,
      template_id: templateId(workspace, 'spring_sale'),
      template_variables: twoValues,
    };
    const optOut = sql(
      'UPDATE contacts SET marketing_opt_out = true WHERE workspace_id = $id AND receiver_id = $handle',
    );
    expect(await heldAs(marketing, optOut)).toEqual(['held', 'opted_out']);
  });

  it('when its template is paused', async () => {
    const pause = sql(`UPDATE templates SET status = 'PAUSED' WHERE workspace_id = $id AND $handle <> ''`);
    expect(await heldAs(byTemplate(), pause)).toEqual(['held', 'template']);
  });

  it('when its number is gone, and no other one is taken in its place', async () => {
    const remove = sql(
      `UPDATE phone_numbers p SET status = 'DELETED' WHERE p.workspace_id = $id AND p.phone_number_id =
         (SELECT min(phone_number_id) FROM phone_numbers WHERE workspace_id = $id) AND $handle <> ''`,
    );
    expect(await heldAs(byTemplate(), remove)).toEqual(['held', 'number']);
  });

  it('when the member, the key or the scope is gone', async () => {
    const member = await createMember(workspace, { permissions: ['chat.view', 'chat.send_message'] });
    const by = (await createSession(member)).api;
    const key = await workspace.key(['all']);
    const [ofMember, ofKey] = [await later({}, by), await later({}, key.api)];
    await member.update({ permissions: ['chat.view'] });
    await desk.runtime.db.rows('UPDATE api_keys SET revoked_at = now() WHERE id = $id', { id: key.id });
    offsetMs = 2 * hour + 5_000;
    await desk.work();
    expect([await state(ofMember), await state(ofKey), toAnna()]).toEqual([['held', 'member'], ['held', 'member'], 0]);
    // Whoever may sends it in their own name.
    expect((await api.post(`/api/v1/messages/${ofMember}/send-now/`)).status).toBe(200);
  });

  it('when the trial is over', async () => {
    const end = sql(
      `UPDATE workspaces SET plan = NULL, trial_ends_at = now() + interval '1 hour' WHERE id = $id AND $handle <> ''`,
    );
    const id = await later();
    await end();
    offsetMs = 2 * hour + 5_000;
    await desk.work();
    expect([await state(id), toAnna()]).toEqual([['held', 'trial'], 0]);
  });
});

describe('what else happens meanwhile', () => {
  it("an operator's hold keeps it waiting, and it goes when that is lifted", async () => {
    const id = await later();
    const scope = { workspaceId: workspace.id, phoneNumberPk: null };
    await holdSending(desk.runtime, scope, 'test');
    offsetMs = 2 * hour + 5_000;
    await desk.work();
    expect([(await state(id))[0], await ask(id)]).toEqual(['scheduled', { kind: 'not_due', waitMs: minute }]);
    await removeHold(desk.runtime, scope);
    await desk.work();
    expect([(await state(id))[0], toAnna()]).toEqual(['read', 1]);
  });

  it('a database that went back in time holds what is scheduled for after that', async () => {
    const [before, after] = [await later({ send_at: at(hour) }), await later({ send_at: at(3 * hour) })];
    offsetMs = 2 * hour;
    const { held_messages: held } = await resumeSending(
      desk.runtime,
      { workspaceId: null, phoneNumberPk: null },
      { unknownSince: new Date(Date.now() + offsetMs - minute) },
    );
    expect([held, await state(before), await state(after)]).toEqual([1, ['scheduled', null], ['held', 'restored']]);
  });

  it('a merge takes it along', async () => {
    const id = await later();
    const { body: kept } = await api.post('/api/v1/contacts/', { phone: uniquePhone(), name: 'Anna too' });
    const session = (await createSession(workspace.owner)).api;
    const merged = await session.post(`/api/v1/contacts/${anna.handle}/merge/`, { into: kept['receiver_id'] });
    expect(merged.status).toBe(200);
    expect((await read(id))['receiver']).toMatchObject({ name: 'Anna too' });
    offsetMs = 2 * hour + 5_000;
    await desk.work();
    expect((await state(id))[0]).toBe('read');
  });

  it('an erasure removes it, with its file', async () => {
    const mediaId = await uploadFile(workspace, png);
    const id = await later({ body: undefined, image: { id: mediaId } });
    expect((await api.delete(`/api/v1/contacts/${anna.handle}/`)).status).toBe(204);
    const left = await desk.runtime.db.rows(
      `SELECT id FROM scheduled_messages WHERE id = $id UNION ALL SELECT id FROM files WHERE public_id = $mediaId`,
      { id, mediaId },
    );
    expect(left).toEqual([]);
    expect(await ask(id)).toEqual({ kind: 'superseded' });
  });

  it('a member who says that it was not them discards it with all else that goes on for them', async () => {
    const member = await createMember(workspace, { permissions: ['chat.view', 'chat.send_message'] });
    const session = (await createSession(member)).api;
    const [theirs, kept] = [await later({}, session), await later({}, session)];
    const { body: listed } = await session.get('/api/v1/rescue/');
    const words = (listed as unknown as Json[]).flatMap(({ kind, word }) => (kind === 'message' ? [word] : []));
    expect(words.sort()).toEqual([`message:${theirs}`, `message:${kept}`].sort());
    expect((await session.post('/api/v1/rescue/', { keep: [`message:${kept}`] })).status).toBe(200);
    expect((await waiting()).map(({ id }) => id)).toEqual([kept]);
  });

  it('an operator sends it, or holds it, in the Temporal UI', async () => {
    const [sent, held] = [await later(), await later()];
    const decide = (messageId: number, what: 'send' | 'hold'): Promise<string> =>
      decideByOperator(workspace.ctx, { messageId, what });
    expect([await decide(sent, 'send'), await decide(held, 'hold'), await decide(held, 'hold')]).toEqual([
      'queued',
      'held',
      'gone',
    ]);
    expect([(await state(sent))[0], await state(held)]).toEqual(['queued', ['held', 'operator']]);
  });

  it('a timer of an older moment does nothing', async () => {
    const id = await later();
    const old = await versionOf(id);
    await api.patch(`/api/v1/messages/${id}/`, { send_at: at(90 * minute) });
    offsetMs = 100 * minute;
    expect(await sendIfDue(workspace.ctx, { messageId: id, version: old })).toEqual({ kind: 'superseded' });
    expect(await ask(id)).toEqual({ kind: 'done' });
  });

  it('a template by its components is kept as well', async () => {
    const id = await later({ body: undefined, template: updateMessage, if_customer_writes: 'send' });
    offsetMs = 2 * hour + 5_000;
    await desk.work();
    expect((await state(id))[0]).toBe('read');
  });
});

describe('other doors', () => {
  const decided = async (id: unknown): Promise<ApiAnswer> =>
    (await createSession(workspace.owner)).api.post(`/api/v1/approvals/${String(id)}/approve/`);

  it('an agent sends later by its tools, by the clock of the workspace', async () => {
    const agent = createAgent(api);
    const day = at(3 * hour).slice(0, 16);
    const text = await agent.call('send_message', { to: anna.phone, text: 'Later', send_at: day });
    expect([text.isError, text.json]).toEqual([
      false,
      expect.objectContaining({ status: 'scheduled', send_at: new Date(`${day}Z`).toISOString() }),
    ]);
    const template = await agent.call('send_template', {
      to: anna.phone,
      template_id: templateId(workspace, 'ticket_update'),
      template_variables: { body: { '1': 'Anna', '2': 'today' } },
      send_at: at(30 * hour),
      if_customer_writes: 'cancel',
    });
    expect([template.isError, await waiting()]).toMatchObject([
      false,
      [{ id: text.json['message_id'] }, { id: template.json['message_id'], if_customer_writes: 'cancel' }],
    ]);
  });

  it('below autonomous it is parked with its time: approved, it waits; approved too late, it is refused', async () => {
    const agent = createAgent((await workspace.key(['all'], { autonomy: 'approval' })).api);
    const [first, second] = [
      await agent.call('send_message', { to: anna.phone, text: 'Later', send_at: at(2 * hour) }),
      await agent.call('send_message', { to: anna.phone, text: 'Too late', send_at: at(hour) }),
    ];
    expect(await waiting()).toEqual([]);
    const session = (await createSession(workspace.owner)).api;
    const { body: parked } = await session.get(`/api/v1/approvals/${String(first.json['approval_id'])}/`);
    const moment = (parked['sends'] as Json[])[0]?.['send_at'];
    expect(Date.parse(String(moment))).toBeGreaterThan(Date.now() + hour);
    expect((await decided(first.json['approval_id'])).status).toBe(200);
    expect(await waiting()).toMatchObject([{ message_status: 'scheduled', send_at: moment, source: 'agent' }]);
    offsetMs = hour + minute;
    const late = await decided(second.json['approval_id']);
    expect([late.status, late.body]).toEqual([400, { send_at: ['A future datetime is required.'] }]);
    offsetMs = 2 * hour + 5_000;
    await desk.work();
    expect(toAnna()).toBe(1);
  });

  it('a step of a macro sends later, with the rest of the macro or not at all', async () => {
    const run = async (send_at: string): Promise<ApiAnswer> => {
      const macro = await createMacro(workspace, [
        step('add_tags', { tags: ['asked'] }),
        step('send_message', { body: 'How was it?', send_at, if_customer_writes: 'cancel' }),
      ]);
      const [steps] = await desk.runtime.db.rows<{ actions: unknown }>('SELECT actions FROM macros WHERE id = $macro', {
        macro,
      });
      return { status: 200, body: { ran: await perform(steps?.actions) } } as unknown as ApiAnswer;
    };
    const perform = async (actions: unknown): Promise<unknown> => {
      const { body } = await api.get(`/api/v1/contacts/${anna.handle}/`);
      return desk.runtime.db.transaction(() =>
        performActions(workspace.ctx, {
          actions: actions as never,
          target: { conversationId: Number(body['id']), ticketId: null },
          dedupePrefix: `test ${Math.random()}`,
        }),
      );
    };
    await run(at(2 * hour));
    expect(await waiting()).toMatchObject([{ source: 'macro', if_customer_writes: 'cancel' }]);
    await expect(run(at(40 * hour))).rejects.toThrow();
    expect(await waiting()).toHaveLength(1);
  });
});
