import { fc, runs } from '../support/properties';
import pg from 'pg';
import { removeExpired } from '../../api/services/processes/maintenance/service';
import { readHours } from '../../api/services/resources/calendars/hours';
import type { ReportRow } from '../../api/services/resources/reports/serializer';
import { sumUpReports } from '../../api/services/resources/reports/dailySums';
import { weekdays } from '../../models/enums';
import { createCustomer, inboundText, signedWebhook, webhook, type TestCustomer } from '../factories/customers';
import { createTeamInbox } from '../factories/inboxes';
import { ownerSession } from '../factories/macros';
import { createMember, createSession, type TestSession } from '../factories/members';
import { press, questionsTo } from '../factories/ratings';
import { uniquePhone } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { changedRows } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';
import { recomputed, type ReportGroup, type Seconds } from '../support/recomputedReports';
import { captureStatements } from '../support/statements';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const groups: readonly ReportGroup[] = ['day', 'hour', 'member', 'inbox', 'tag', 'broadcast'];
const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);
const dayMs = 86_400_000;
/** More than any zone is off, on both sides. */
const span = () => ({ from: dayOf(Date.now() - 45 * dayMs), to: dayOf(Date.now() + dayMs) });

async function report(workspace: TestWorkspace, groupBy: ReportGroup): Promise<ReportRow[]> {
  const { from, to } = span();
  const { api } = await ownerSession(workspace);
  const answer = await api.get(`/api/v1/reports/?from=${from}&to=${to}&group_by=${groupBy}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

/** The rows of a report by their keys, without the days on which nothing was. */
const byKey = (rows: readonly ReportRow[]) =>
  Object.fromEntries(
    rows
      .filter(({ started, answered, resolved, open }) => [started, answered, resolved, open].some((count) => count))
      .map(({ key, ...row }) => [key ?? 'none', row]),
  );

async function expectRecomputed(workspace: TestWorkspace, seconds?: Seconds): Promise<void> {
  await sumUpReports(desk.runtime);
  const { db } = desk.runtime;
  for (const group of groups)
    expect([group, byKey(await report(workspace, group))]).toEqual([
      group,
      byKey(await recomputed(db, workspace.id, span(), group, seconds)),
    ]);
  await expectListed(workspace);
}

/** Each number of a report lists as many conversations as it counts: whatever a row counts, and whatever it is of. */
async function expectListed(workspace: TestWorkspace): Promise<void> {
  const { api } = await ownerSession(workspace);
  const { to } = span();
  for (const group of groups)
    for (const { key, ...row } of await report(workspace, group)) {
      if (group === 'day' && row.started === 0 && key !== to) continue;
      const where = group === 'day' ? { from: key ?? '', to: key ?? '' } : { ...span(), group_by: group };
      const named = group === 'day' || key === null ? {} : { key };
      for (const [figure, number] of Object.entries(row)) {
        if (number === null || figure.endsWith('_seconds')) continue;
        const query = new URLSearchParams(Object.entries({ ...where, ...named, figure, page_size: '1' }));
        const path = `/api/v1/reports/conversations/?${query.toString()}`;
        expect([path, (await api.get<{ count: number }>(path)).body.count]).toEqual([path, number]);
      }
    }
}

/** Moves all that happened in a conversation so many hours into the past. */
async function age(workspace: TestWorkspace, handle: string, hours: number): Promise<void> {
  const bind = { workspaceId: workspace.id, handle, hours };
  const own = `workspace_id = $workspaceId AND $hours::int >= 0 AND`;
  const ids = '(SELECT id FROM contacts WHERE workspace_id = $workspaceId AND receiver_id = $handle)';
  const by = (column: string): string => `${column} = ${column} - $hours * interval '1 hour'`;
  for (const sql of [
    `UPDATE messages SET ${by('created_at')} WHERE ${own} conversation_id = ${ids}`,
    `UPDATE events SET ${by('created_at')} WHERE ${own} subject_id = ${ids}`,
    `UPDATE conversation_episodes SET ${by('started_at')}, ${by('first_response_at')}, ${by('ended_at')},
       ${by('asked_at')}, ${by('rated_at')}, unsummed = true WHERE ${own} conversation_id = ${ids}`,
  ])
    await desk.runtime.db.rows(sql, bind);
}

/** A message of a broadcast, as the last one of a conversation. */
async function broadcastTo(workspace: TestWorkspace, handle: string, broadcast: number): Promise<void> {
  await desk.runtime.db.rows(
    `WITH sent AS (
       INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status, opaque, origin,
         broadcast_id)
       SELECT workspace_id, id, 'outbound', 'text', '{"type": "text", "text": {"body": "News"}}', 'sent',
         gen_random_uuid(), 'broadcast', $broadcast
       FROM contacts WHERE workspace_id = $workspaceId AND receiver_id = $handle RETURNING id, conversation_id
     ) UPDATE conversations v SET last_message_id = sent.id, last_message_at = clock_timestamp()
     FROM sent WHERE v.id = sent.conversation_id`,
    { workspaceId: workspace.id, handle, broadcast },
  );
}

/** The customer answers the last question that they were asked, if any. */
async function rate(workspace: TestWorkspace, customer: TestCustomer, place: number): Promise<void> {
  if ((await questionsTo(workspace, customer)).length > 0)
    await press(workspace, customer, ([0, 1, 2] as const)[place % 3] ?? 0);
}

const customers = 4;
/** Open at most hours of all days, but closed in between. */
const periods = weekdays.flatMap((weekday) => [
  { weekday, opens: '00:00', closes: '09:30' },
  { weekday, opens: '10:15', closes: '21:00' },
]);
const step = fc.record({
  who: fc.nat(customers - 1),
  what: fc.oneof(
    fc.constantFrom('writes', 'writes', 'answer', 'answer', 'key', 'sum', 'broadcast', 'rates', 'rates'),
    fc.constantFrom('resolved', 'resolved', 'converted', 'spam', 'pending', 'open', 'snoozed'),
    fc.record({ inbox: fc.boolean(), tags: fc.subarray(['vip', 'late', '=cmd()']) }),
  ),
});

test('sums up by working time while somebody holds the conversation, who may wait for the episode', async () => {
  const workspace = await createWorkspace(desk);
  const { api: owner } = await ownerSession(workspace);
  expect((await owner.post('/api/v1/calendars/', { name: 'Shop', periods, is_default: true })).status).toBe(201);
  await createCustomer(workspace).writes('Hello');
  const holder = new pg.Client({ connectionString: desk.test.env['DATABASE_URL'] });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT 1 FROM conversations WHERE workspace_id = $1 FOR UPDATE', [workspace.id]);
  expect(await changedRows(workspace, 'conversation_episodes', sumUpReports)).toHaveLength(1);
  await holder.end();
});

test('every figure equals what messages and activity say, whatever happened', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('Asia/Kathmandu', 'America/St_Johns', 'UTC'),
      fc.array(step, { minLength: 12, maxLength: 30 }),
      fc.array(fc.nat(30 * 24), { minLength: customers, maxLength: customers }),
      fc.boolean(),
      async (timezone, steps, hours, byCalendar) => {
        const workspace = await createWorkspace(desk, { timezone });
        const people = Array.from({ length: customers }, () => createCustomer(workspace));
        const lena = await createSession(await createMember(workspace, { role: 'admin' }));
        const { api: owner } = await ownerSession(workspace);
        const inbox = await createTeamInbox(workspace);
        await owner.patch('/api/v1/workspace/', { ask_satisfaction: true });
        if (byCalendar) {
          const made = await owner.post('/api/v1/calendars/', { name: 'Shop', periods, team_inbox_ids: [inbox] });
          expect(made.status).toBe(201);
        }
        const half = Math.floor(steps.length / 2);
        for (const person of people) await person.writes('Hello');
        for (const [index, { who, what }] of steps.entries()) {
          // What came before lies in the past from here on.
          if (index === half) {
            for (const [place, person] of people.entries()) await age(workspace, person.handle, hours[place] ?? 0);
            await sumUpReports(desk.runtime);
          }
          const { phone, handle } = people[who] as TestCustomer;
          const patch = (fields: object) => owner.patch(`/api/v1/conversations/${handle}/`, fields);
          const until = new Date(Date.now() + dayMs).toISOString();
          if (what === 'writes') await people[who]?.writes('Hello');
          else if (what === 'answer') await lena.api.post('/api/v1/messages/', { to: phone, body: 'Hi' });
          else if (what === 'rates') await rate(workspace, people[who] as TestCustomer, index);
          else if (what === 'key') await workspace.api.post('/api/v1/messages/', { to: phone, body: 'Hi' });
          else if (what === 'sum') await sumUpReports(desk.runtime);
          else if (what === 'broadcast') await broadcastTo(workspace, handle, 7);
          else if (what === 'snoozed') await patch({ conv_status: what, snoozed_until: until });
          else if (typeof what === 'string') await patch({ conv_status: what });
          else await patch({ assigned_team_inbox: what.inbox ? inbox : null, tags: what.tags });
        }
        const hoursOf = await readHours(workspace.ctx);
        await expectRecomputed(workspace, (from, to, place) => {
          const time = hoursOf(place)?.time;
          const ms = time ? time.workingMinutesBetween(from, to) * 60_000 : to.getTime() - from.getTime();
          return Math.round(ms) / 1_000;
        });
      },
    ),
    { numRuns: runs(4) },
  );
});

test('a figure lists what it counts after the zone of the workspace has changed', async () => {
  const workspace = await createWorkspace(desk, { timezone: 'Pacific/Kiritimati' });
  const anna = createCustomer(workspace);
  await anna.writes('Hello');
  for (const hours of [0, 12]) {
    await age(workspace, anna.handle, hours);
    await sumUpReports(desk.runtime);
    const { api } = await ownerSession(workspace);
    expect((await api.patch('/api/v1/workspace/', { timezone: 'Pacific/Pago_Pago' })).status).toBe(200);
    await expectListed(workspace);
  }
  expect(byKey(await report(workspace, 'inbox'))).toMatchObject({ none: { started: 1 } });
});

describe('a conversation', () => {
  let workspace: TestWorkspace;
  let owner: TestSession;
  let anna: TestCustomer;
  beforeEach(async () => {
    workspace = await createWorkspace(desk);
    owner = await ownerSession(workspace);
    anna = createCustomer(workspace);
    await anna.writes('Hello');
  });
  const set = (status: string, who = anna) =>
    owner.api.patch(`/api/v1/conversations/${who.handle}/`, { conv_status: status });
  const today = async () => {
    await sumUpReports(desk.runtime);
    return byKey(await report(workspace, 'day'))[dayOf(Date.now())];
  };
  const listed = async () => {
    await sumUpReports(desk.runtime);
    const { body } = await owner.api.get('/api/v1/reports/conversations/');
    return body.results;
  };

  it('goes on where its end is taken back, and is another one where the customer writes again', async () => {
    await set('resolved');
    await set('open');
    expect(await today()).toMatchObject({ started: 1, resolved: 0, open: 1 });
    await set('resolved');
    expect(await today()).toMatchObject({ started: 1, resolved: 1, open: 0 });
    await anna.writes('One more thing');
    expect(await today()).toMatchObject({ started: 2, resolved: 1, open: 1 });
  });

  it('is a row with who answered and who ended it, and stays without its contact', async () => {
    await owner.api.post('/api/v1/messages/', { to: anna.phone, body: 'Hi' });
    await set('converted');
    const row = {
      ended_as: 'converted',
      answered_by: { id: workspace.owner.id },
      ended_by: { id: workspace.owner.id },
      first_response_seconds: expect.any(Number) as number,
      resolution_seconds: expect.any(Number) as number,
    };
    expect(await listed()).toEqual([expect.objectContaining({ ...row, receiver_id: anna.handle, ...users(row) })]);
    await owner.api.delete(`/api/v1/contacts/${anna.handle}/`);
    expect(await listed()).toEqual([expect.objectContaining({ receiver_id: null, ended_as: 'converted' })]);
    expect(await today()).toMatchObject({ started: 1, resolved: 1, open: 0 });
  });
  const users = (row: { answered_by: object; ended_by: object }) => ({
    answered_by: expect.objectContaining(row.answered_by) as object,
    ended_by: expect.objectContaining(row.ended_by) as object,
  });

  it('is open no more when its contact is erased', async () => {
    await today();
    await owner.api.delete(`/api/v1/contacts/${anna.handle}/`);
    expect(await today()).toMatchObject({ started: 1, resolved: 0, open: 0 });
    expect(await listed()).toEqual([expect.objectContaining({ receiver_id: null, ended_as: 'erased' })]);
  });

  it('is one where two contacts become one, and the other ends with the merge', async () => {
    const bsuid = `US.${workspace.id}9`;
    const phone = uniquePhone().replace(/\D/g, '');
    const arrives = async (who: { readonly wa_id?: string; readonly user_id?: string }): Promise<void> => {
      const from = { from: who.wa_id, from_user_id: who.user_id };
      const messages = [{ ...inboundText('', 'It is me'), ...from }];
      await signedWebhook(workspace, webhook(workspace, { contacts: [{ profile: {}, ...who }], messages }));
      await desk.settled();
    };
    await set('resolved');
    await arrives({ user_id: bsuid });
    await arrives({ wa_id: phone });
    expect(await today()).toMatchObject({ started: 3, open: 2 });
    await arrives({ wa_id: phone, user_id: bsuid });
    expect(await today()).toMatchObject({ started: 3, resolved: 1, open: 1 });
    expect((await listed()).map((row) => row['ended_as']).sort()).toEqual(['', 'merged', 'resolved']);
    await owner.api.patch(`/api/v1/conversations/${phone}/`, { conv_status: 'resolved' });
    expect(await today()).toMatchObject({ started: 3, resolved: 2, open: 0 });
  });

  it('is counted after its activity is gone, without persons', async () => {
    await owner.api.post('/api/v1/messages/', { to: anna.phone, body: 'Hi' });
    await set('resolved');
    await age(workspace, anna.handle, 24 * 20);
    await removeExpired(desk.runtime);
    const before = await Promise.all(groups.map((group) => report(workspace, group)));
    const short = {
      ...desk.runtime,
      config: { ...desk.runtime.config, retainDays: { ...desk.runtime.config.retainDays, activity: 10 } },
    };
    await removeExpired(short);
    expect(await listed()).toEqual([]);
    const rows = 'SELECT 1 AS ok FROM conversation_episodes WHERE workspace_id = $id';
    expect(await desk.runtime.db.rows(rows, { id: workspace.id })).toEqual([]);
    const after = await Promise.all(groups.map((group) => report(workspace, group)));
    expect(after).toEqual(before.map((found, index) => (groups[index] === 'member' ? [] : found)));
    // What is open still when its beginning is long ago ends without a new sum of that day.
    await anna.writes('Again');
    await set('resolved');
    await sumUpReports(short);
    expect(byKey(await report(workspace, 'day'))[dayOf(Date.now())]).toMatchObject({
      started: 1,
      resolved: 1,
      open: 0,
    });
  });

  it('is for members who may see reports, and of the workspace alone', async () => {
    const paths = ['/api/v1/reports/', '/api/v1/reports/conversations/'];
    const nora = await createSession(await createMember(workspace, { role: 'agent', permissions: ['report.view'] }));
    const other = await ownerSession(await createWorkspace(desk));
    await today();
    for (const path of paths) {
      expect((await nora.api.get(path)).status).toBe(200);
      expect((await nora.api.get(`${path}?from=2026-10-02&to=2026-10-01`)).status).toBe(400);
      expect((await nora.api.get(`${path}?from=2025-01-01&to=2026-10-01`)).status).toBe(400);
    }
    expect(byKey((await other.api.get('/api/v1/reports/')).body)).toEqual({});
  });
});

test('sums are read and made by indexes, however many workspaces there are', async () => {
  const { db } = desk.runtime;
  const workspace = await createWorkspace(desk);
  // Their own workspaces: the days of the other ones are summed up by the tests before.
  const others = [await createWorkspace(desk), await createWorkspace(desk)].map(({ id }) => id);
  await db.rows(
    `INSERT INTO report_days (workspace_id, kind, day, key, started, answered, first_response_seconds, resolved,
       resolution_seconds)
     SELECT w, k, current_date - 1 - n, n % 20, 1, 0, 0, 0, 0
     FROM unnest($others::bigint[]) w, unnest('{day,tag,ended,member,inbox}'::text[]) k, generate_series(1, 2000) n`,
    { others },
  );
  await db.rows(
    `INSERT INTO conversation_episodes (workspace_id, started_at, ended_at, ended_as, tags, started_on, ended_on,
       unsummed)
     SELECT $other, now(), now(), 'erased', '[]', current_date - n % 900 - 1,
       current_date - n % 900 - 1, false FROM generate_series(1, 20000) n`,
    { other: others[0] },
  );
  await db.rows('ANALYZE report_days, conversation_episodes');
  await createCustomer(workspace).writes('Hello');
  const { statements } = await captureStatements(async () => {
    for (const group of groups) await report(workspace, group);
    await removeExpired(desk.runtime);
  });
  const client = new pg.Client({ connectionString: desk.test.env['DATABASE_URL'] });
  await client.connect();
  const own = statements.filter(({ text }) => /report_days|conversation_episodes/.test(text));
  expect(own.length).toBeGreaterThan(groups.length + 4);
  for (const { text, values } of own) {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, [...values]);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toMatch(/Seq Scan on (?:report_days|conversation_episodes)/);
  }
  await client.end();
});
