import { weekdays } from '../../models/enums';
import { templateId, twoValues } from '../factories/broadcasts';
import { createCustomer, inboundText, signedWebhook, webhook, type TestCustomer } from '../factories/customers';
import { createTeamInbox } from '../factories/inboxes';
import { createSession } from '../factories/members';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiClient } from '../support/client';
import { movedClock } from '../support/clock';

type Json = Record<string, unknown>;
type Period = Readonly<Record<'weekday' | 'opens' | 'closes', string>>;

const path = '/api/v1/calendars/';
const hour = 3_600_000;
const dayMs = 24 * hour;
let offsetMs = 0;
let desk: TestApi;
let workspace: TestWorkspace;
let session: ApiClient;
let anna: TestCustomer;

beforeAll(async () => {
  desk = await sharedDesk('plain', { clock: movedClock(() => new Date(Date.now() + offsetMs)) });
});
beforeEach(async () => {
  offsetMs = 0;
  workspace = await createWorkspace(desk);
  session = (await createSession(workspace.owner)).api;
  anna = createCustomer(workspace, { name: 'Anna' });
});
afterAll(() => desk.close());

const always: Period[] = weekdays.map((weekday) => ({ weekday, opens: '00:00', closes: '24:00' }));
/** Open on a day of which no test comes near, in UTC. */
const never = (): Period[] => [
  { weekday: weekdays[(new Date(Date.now() + 4 * dayMs).getUTCDay() + 6) % 7] ?? '', opens: '10:00', closes: '11:00' },
];
const calendar = async (fields: Json = {}): Promise<number> => {
  const { status, body } = await session.post(path, {
    name: 'Support',
    periods: never(),
    away_text: 'Dear {{name}}, we are away.',
    ...fields,
  });
  expect([status, body]).toEqual([201, expect.anything()]);
  return body.id;
};
const messages = async (): Promise<Json[]> =>
  (await workspace.api.get(`/api/v1/conversations/${anna.handle}/messages/`)).body.results;
const replies = async (): Promise<unknown[]> =>
  (await messages()).filter(({ source }) => source === 'away').map(({ body }) => body);
const trail = async (): Promise<Json[]> =>
  (await workspace.api.get(`/api/v1/conversations/${anna.handle}/activity/`)).body.results.filter(({ kind }) =>
    String(kind).startsWith('away'),
  );
const text = { type: 'text', text: { body: 'Dear Anna, we are away.' } };
const later = (ms: number): Json => ({ timestamp: String(Math.floor((Date.now() + ms) / 1_000)) });

describe('calendars', () => {
  it('are a plain array; the first one is the own one of the workspace', async () => {
    const inbox = await createTeamInbox(workspace);
    const first = await calendar({ holidays: [{ date: '2026-12-25', name: 'Christmas' }] });
    const second = await calendar({ team_inbox_ids: [inbox, inbox] });
    expect((await session.get<Json[]>(path)).body).toMatchObject([
      { id: first, is_default: true, holidays: [{ date: '2026-12-25', name: 'Christmas' }], team_inbox_ids: [] },
      { id: second, is_default: false, periods: never(), team_inbox_ids: [inbox] },
    ]);
    // An inbox has one calendar, and a workspace one of its own.
    await session.patch(`${path}${first}/`, { team_inbox_ids: [inbox] });
    expect((await session.patch(`${path}${second}/`, { is_default: true })).body).toMatchObject({ team_inbox_ids: [] });
    expect((await session.get(`${path}${first}/`)).body).toMatchObject({ is_default: false, team_inbox_ids: [inbox] });
    expect((await session.delete(`${path}${first}/`)).status).toBe(204);
    expect((await session.get(`${path}${first}/`)).status).toBe(404);
  });

  const monday = (opens: string, closes: string): Period => ({ weekday: 'monday', opens, closes });
  it.each<[string, Json, string]>([
    ['that overlaps', { periods: [monday('09:00', '12:00'), monday('11:59', '13:00')] }, 'periods'],
    ['that is there twice', { periods: [monday('09:00', '12:00'), monday('09:00', '12:00')] }, 'periods'],
    ['that ends before it begins', { periods: [monday('17:00', '09:00')] }, 'periods'],
    ['that ends as it begins', { periods: [monday('09:00', '09:00')] }, 'periods'],
    ['of no time of day', { periods: [monday('9:00', '24:01')] }, 'periods'],
    ['of no day', { periods: [{ ...monday('09:00', '17:00'), weekday: 'someday' }] }, 'periods'],
    ['without any', { periods: [] }, 'periods'],
    ['with a zone of its own', { periods: [{ ...monday('09:00', '17:00'), timezone: 'Mars/Base' }] }, 'periods'],
    ['on a day that does not exist', { holidays: [{ date: '2027-02-29', name: '' }] }, 'holidays'],
    [
      'with 10,000 holidays',
      { holidays: Array.from({ length: 10_000 }, () => ({ date: '2026-12-25', name: 'x' })) },
      'holidays',
    ],
    ['for an inbox of nobody', { team_inbox_ids: [2_147_483_647] }, 'team_inbox_ids'],
    ['with an unknown placeholder', { away_text: 'Dear {{password}}' }, 'away_text'],
    ['with an unknown template', { away_template_id: '1' }, 'away_template_id'],
  ])('refuse a period or holiday %s', async (_what, fields, field) => {
    const { status, body } = await session.post(path, { name: 'Bad', periods: always, ...fields });
    expect([status, Object.keys(body)]).toEqual([400, [field]]);
    expect((await session.get<Json[]>(path)).body).toEqual([]);
  });

  it('refuse a template whose placeholders nothing fills', async () => {
    const template = { away_template_id: templateId(workspace, 'ticket_update') };
    expect((await session.post(path, { name: 'Bad', periods: always, ...template })).body).toEqual({
      away_template_variables: ['body.1: this placeholder is required.', 'body.2: this placeholder is required.'],
    });
    const id = await calendar({ ...template, away_template_variables: twoValues });
    expect((await session.patch(`${path}${id}/`, { away_template_variables: {} })).status).toBe(400);
  });
});

describe('an away reply', () => {
  it('goes out once per window, in the activity, and is no answer: the customer still waits', async () => {
    const id = await calendar();
    await anna.writes('Hello?');
    await anna.writes('Is anybody there?');
    expect(await replies()).toEqual([text]);
    expect(await trail()).toMatchObject([
      {
        kind: 'away_replied',
        actor_type: 'system',
        data: { calendar_id: id, message_id: expect.any(Number) as number },
      },
    ]);
    expect((await workspace.api.get(`/api/v1/conversations/${anna.handle}/`)).body).toMatchObject({
      unread_count: 2,
      waiting_since: expect.any(String) as string,
      first_response_at: null,
      last_message: { direction: 'inbound' },
    });

    offsetMs = 23 * hour;
    await anna.writes('Still waiting', later(offsetMs));
    expect(await replies()).toHaveLength(1);
    // A day after the last message the window has closed, and this one opens the next.
    offsetMs = 48 * hour;
    await anna.writes('Hello again', later(offsetMs));
    expect(await replies()).toEqual([text, text]);
    expect(await trail()).toHaveLength(2);
  });

  it('is one under a webhook that is delivered again, and under a failure on the way', async () => {
    await calendar();
    await desk.runtime.db.rows(`CREATE SEQUENCE IF NOT EXISTS away_trouble`);
    await desk.runtime.db.rows(
      `CREATE OR REPLACE FUNCTION away_trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF NEW.kind = 'away_replied' AND nextval('away_trouble') = 1 THEN RAISE EXCEPTION 'killed'; END IF;
         RETURN NEW;
       END $$`,
    );
    await desk.runtime.db.rows(
      'CREATE TRIGGER away_trouble BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION away_trouble()',
    );
    const told = webhook(workspace, { messages: [inboundText(anna.phone, 'Hello?')] });
    for (const _again of [1, 2, 3]) {
      expect((await signedWebhook(workspace, told)).status).toBe(200);
      await desk.settled();
    }
    await desk.runtime.db.rows('DROP TRIGGER away_trouble ON events');
    expect(await desk.runtime.db.row(`SELECT last_value::int AS tries FROM away_trouble`)).toEqual({ tries: 2 });
    expect([(await messages()).length, (await replies()).length, (await trail()).length]).toEqual([2, 1, 1]);
  });

  it('is not sent within hours, on a reaction, without a calendar that says one, or in an expired trial', async () => {
    await calendar({ periods: always });
    await anna.writes('At noon');
    await session.patch(`${path}${await calendar()}/`, { is_default: true, away_text: null });
    offsetMs = 25 * hour;
    await anna.writes('At night', later(offsetMs));
    await calendar({ is_default: true });
    offsetMs = 50 * hour;
    const [first] = await messages();
    const thumb = { type: 'reaction', reaction: { message_id: first?.['message_id'], emoji: '👍' } };
    await anna.writes(thumb, later(offsetMs));
    expect(await replies()).toEqual([]);
    const setPlan = (plan: string | null): Promise<unknown> =>
      desk.runtime.db.rows(
        `UPDATE workspaces SET plan = $plan, trial_ends_at = now() - interval '1 day' WHERE id = $id`,
        { id: workspace.id, plan },
      );
    await setPlan(null);
    await anna.writes('And now?', later(offsetMs));
    await setPlan('test');
    expect([await replies(), await trail()]).toEqual([[], []]);
  });

  it("is not sent for what came in standby, from the phone's app or from the past", async () => {
    await calendar();
    const at = { phone_number_id: workspace.account.phoneNumberId, from: { phone: anna.phone, name: anna.name } };
    for (const kind of ['history', 'phone_app', 'agent_takes']) await desk.sandbox.event({ kind, ...at });
    await desk.settled();
    await anna.writes('To the other application');
    expect((await messages()).some(({ direction }) => direction === 'inbound')).toBe(true);
    expect([await replies(), await trail()]).toEqual([[], []]);
  });

  it('is sent on a holiday', async () => {
    const days = [-1, 0, 1].map((day) => new Date(Date.now() + day * dayMs).toISOString().slice(0, 10));
    await calendar({ periods: always, holidays: days.map((date) => ({ date, name: 'Carnival' })) });
    await anna.writes('Hello?');
    expect(await replies()).toHaveLength(1);
  });

  it('follows the calendar of the team inbox before that of the workspace', async () => {
    const inbox = await createTeamInbox(workspace);
    await calendar({ away_text: 'The workspace is away.' });
    await calendar({ away_text: 'Sales is away.', team_inbox_ids: [inbox] });
    await anna.writes('Hello?');
    await workspace.api.patch(`/api/v1/conversations/${anna.handle}/`, { assigned_team_inbox: inbox });
    offsetMs = 25 * hour;
    await anna.writes('Hello?', later(offsetMs));
    expect((await replies()).map((body) => (body as typeof text).text.body)).toEqual([
      'Sales is away.',
      'The workspace is away.',
    ]);
  });

  it('is the template where the text may not go; what is refused is told, and keeps nothing away', async () => {
    const id = await calendar();
    // It was on its way for longer than the window.
    await anna.writes('From the day before yesterday', later(-25 * hour));
    expect([await messages(), await trail()]).toMatchObject([
      [{ direction: 'inbound' }],
      [{ kind: 'away_reply_refused', data: { reason: expect.stringContaining('window') as string } }],
    ]);
    await session.patch(`${path}${id}/`, {
      away_template_id: templateId(workspace, 'ticket_update'),
      away_template_variables: twoValues,
    });
    const ben = createCustomer(workspace, { name: 'Ben' });
    await ben.writes('Late, too', later(-25 * hour));
    anna = ben;
    expect(await replies()).toMatchObject([{ type: 'template', template: { name: 'ticket_update' } }]);
  });

  it('keeps the rules of any send: no marketing template to whom opted out by the same message', async () => {
    await calendar({
      away_text: null,
      away_template_id: templateId(workspace, 'spring_sale'),
      away_template_variables: twoValues,
    });
    await anna.writes('STOP');
    expect([await replies(), await trail()]).toMatchObject([[], [{ kind: 'away_reply_refused' }]]);
  });
});
