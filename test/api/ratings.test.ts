import { performActions } from '../../api/services/processes/macroRuns/steps';
import { deliverRound } from '../../api/services/processes/webhookDelivery/deliver';
import { fanOutEvents } from '../../api/services/processes/webhookDelivery/fanOut';
import { parseActions, type Action } from '../../api/services/resources/macros/actions';
import { sumUpReports } from '../../api/services/resources/reports/dailySums';
import { weekdays, type Rating } from '../../models/enums';
import { createContact } from '../factories/contacts';
import { createCustomer, signedWebhook, webhook, type TestCustomer } from '../factories/customers';
import { createTeamInbox } from '../factories/inboxes';
import { createSession } from '../factories/members';
import { buttonsOf, press as pressOf, pressed, questionsTo, type Button } from '../factories/ratings';
import { unique } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiClient } from '../support/client';
import { movedClock } from '../support/clock';
import { startReceiver } from '../support/receiver';

type Json = Record<string, unknown>;

const hour = 3_600_000;
const week = 7 * 24 * hour;
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
  await settings({ ask_satisfaction: true });
});
afterAll(() => desk.close());

const settings = (fields: Json) => session.patch('/api/v1/workspace/', fields);
const conversation = async (who = anna): Promise<Json> =>
  (await workspace.api.get(`/api/v1/conversations/${who.handle}/`)).body;
const set = async (status: string, more: Json = {}, api = session): Promise<void> =>
  expect(await api.patch(`/api/v1/conversations/${anna.handle}/`, { conv_status: status, ...more })).toMatchObject({
    status: 200,
  });
const messages = async (who = anna): Promise<Json[]> =>
  (await workspace.api.get(`/api/v1/conversations/${who.handle}/messages/`)).body.results;
const questions = (who = anna): Promise<Json[]> => questionsTo(workspace, who);
/** What happened, the oldest first: kinds, and what they changed. */
const trail = async (who = anna): Promise<Json[]> =>
  (await workspace.api.get(`/api/v1/conversations/${who.handle}/activity/`)).body.results.reverse();
const kinds = async (): Promise<unknown[]> => (await trail()).map(({ kind }) => kind);
const later = (ms: number): Json => ({ timestamp: String(Math.floor((Date.now() + ms) / 1_000)) });

const press = (place: 0 | 1 | 2, more: Json = {}): Promise<void> => pressOf(workspace, anna, place, more);
const rating = async (): Promise<Rating | null | undefined> =>
  (
    await desk.runtime.db.row<{ rating: Rating | null }>(
      `SELECT rating FROM conversation_episodes WHERE workspace_id = $id AND asked_at IS NOT NULL
       ORDER BY id DESC LIMIT 1`,
      { id: workspace.id },
    )
  )?.rating;
interface Sums {
  readonly key: string | null;
  readonly started: number | null;
  readonly resolved: number;
  readonly rated: number;
  readonly satisfied: number;
}
async function report(groupBy = 'day', api = session): Promise<Sums[]> {
  await sumUpReports(desk.runtime);
  return (await api.get(`/api/v1/reports/?group_by=${groupBy}`)).body;
}
/** Returns the sums over all days, since midnight may pass meanwhile: started, resolved, rated, satisfied. */
async function sums(api = session): Promise<number[]> {
  const days = await report('day', api);
  const sum = (of: (row: Sums) => number | null) => days.reduce((total, row) => total + (of(row) ?? 0), 0);
  return [sum((row) => row.started), sum((row) => row.resolved), sum((row) => row.rated), sum((row) => row.satisfied)];
}

describe('the settings', () => {
  it('are off until a member turns them on, and refuse what the platform would refuse', async () => {
    const fresh = await createSession((await createWorkspace(desk)).owner);
    expect((await fresh.api.get('/api/v1/workspace/')).body).toMatchObject({
      ask_satisfaction: false,
      satisfaction_question: 'How satisfied are you with our help?',
      satisfaction_labels: ['Satisfied', 'Okay', 'Dissatisfied'],
    });
    const given = { satisfaction_question: 'Zufrieden?', satisfaction_labels: ['😀', '😐', '🙁'] };
    expect((await settings(given)).body).toMatchObject({ ask_satisfaction: true, ...given });
    for (const [field, bad] of [
      ['satisfaction_labels', ['Yes', 'No']],
      ['satisfaction_labels', ['Yes', 'No', 'Maybe', 'Later']],
      ['satisfaction_labels', ['Yes', 'No', 'Yes']],
      ['satisfaction_labels', ['Yes', 'No', ' ']],
      ['satisfaction_labels', ['Yes', 'No', 'x'.repeat(21)]],
    ] as const) {
      const { status, body } = await settings({ [field]: bad });
      expect([status, Object.keys(body)]).toEqual([400, [field]]);
    }
  });
});

describe('the question', () => {
  it('is sent when a conversation is resolved, in the activity, and is no answer', async () => {
    await anna.writes('Hello');
    const changed = await session.patch(`/api/v1/conversations/${anna.handle}/`, { conv_status: 'resolved' });
    expect(changed.body).toMatchObject({
      conv_status: 'resolved',
      last_message: { type: 'interactive', direction: 'outbound' },
    });
    expect(await questions()).toMatchObject([
      {
        send_by: null,
        written_by: null,
        body: {
          type: 'interactive',
          interactive: {
            type: 'button',
            body: { text: 'How satisfied are you with our help?' },
            action: { buttons: ['Satisfied', 'Okay', 'Dissatisfied'].map((title) => ({ reply: { title } })) },
          },
        },
      },
    ]);
    expect(await conversation()).toMatchObject({ first_response_at: null, unread_count: 1 });
    expect((await trail()).at(-1)).toMatchObject({
      kind: 'satisfaction_asked',
      actor: null,
      actor_type: 'system',
      data: { message_id: (await questions())[0]?.['id'] },
    });
  });

  it('is sent by a key, by the path of the contact, and after what a macro sends', async () => {
    await anna.writes('Hello');
    await set('resolved', {}, workspace.api);
    expect(await questions()).toHaveLength(1);

    anna = createCustomer(workspace);
    await anna.writes('Hello');
    await workspace.api.patch(`/api/v1/contacts/${anna.handle}/`, { conversation_status: 'resolved' });
    expect(await questions()).toHaveLength(1);

    anna = createCustomer(workspace);
    await anna.writes('Hello');
    const actions = parseActions([
      { type: 'set_status', params: { status: 'resolved' } },
      { type: 'send_message', params: { body: 'Goodbye' } },
    ]) as readonly Action[];
    const target = { conversationId: Number((await conversation())['id']), ticketId: null };
    await desk.runtime.db.transaction(() =>
      performActions(workspace.ctx, { actions, target, dedupePrefix: `test/${unique()}` }),
    );
    expect((await messages()).map(({ source }) => source)).toEqual(['satisfaction', 'macro', '']);
  });

  it('is asked once in a week, however often a conversation is resolved', async () => {
    await anna.writes('Hello');
    await set('resolved');
    await set('resolved');
    await set('open');
    await set('resolved');
    await anna.writes('One more thing');
    await set('resolved');
    expect(await questions()).toHaveLength(1);
    offsetMs = week - hour;
    await anna.writes('Hello again', later(offsetMs));
    await set('resolved');
    expect(await questions()).toHaveLength(1);
    offsetMs = week + hour;
    await anna.writes('And again', later(offsetMs));
    await set('resolved');
    expect(await questions()).toHaveLength(2);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['where it is off', () => settings({ ask_satisfaction: false })],
    ['after the window', () => Promise.resolve((offsetMs = 25 * hour))],
    ['to whom opted out', () => workspace.api.patch(`/api/v1/contacts/${anna.handle}/`, { marketing_opt_out: true })],
    ['after spam', () => set('spam')],
    ['after converted', () => set('converted')],
    [
      'while another application has the thread',
      async () => {
        const at = { phone_number_id: workspace.account.phoneNumberId, from: { phone: anna.phone, name: anna.name } };
        await desk.sandbox.event({ kind: 'agent_takes', ...at });
        await desk.settled();
      },
    ],
    [
      'by a bulk change',
      () => session.post('/api/v1/bulk-changes/', { receiver_ids: [anna.handle], change: { conv_status: 'resolved' } }),
    ],
  ])('is not asked %s', async (_when, happens) => {
    await anna.writes('Hello');
    await happens();
    await set('resolved');
    expect([await questions(), (await kinds()).includes('satisfaction_asked')]).toEqual([[], false]);
  });

  it('is not asked where the customer wrote nothing, nor by who may not send without approval', async () => {
    const { receiver_id: handle } = await createContact(workspace);
    await session.patch(`/api/v1/conversations/${handle}/`, { conv_status: 'resolved' });
    await anna.writes('Hello');
    await set('resolved', {}, (await workspace.key(['all'], { autonomy: 'approval' })).api);
    expect([await questions(), await questions({ ...anna, handle })]).toEqual([[], []]);
    expect(await conversation()).toMatchObject({ conv_status: 'resolved' });
  });

  it('is one where the change fails and is made again', async () => {
    const { db } = desk.runtime;
    await anna.writes('Hello');
    await db.rows(
      `CREATE OR REPLACE FUNCTION rating_trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF NEW.kind = 'satisfaction_asked' THEN RAISE EXCEPTION 'killed'; END IF; RETURN NEW; END $$`,
    );
    await db.rows(
      'CREATE TRIGGER rating_trouble BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION rating_trouble()',
    );
    const failed = await session.patch(`/api/v1/conversations/${anna.handle}/`, { conv_status: 'resolved' });
    await db.rows('DROP TRIGGER rating_trouble ON events');
    expect([failed.status, await questions(), (await conversation())['conv_status']]).toEqual([500, [], 'open']);
    await set('resolved');
    expect(await questions()).toHaveLength(1);
  });
});

describe('a rating', () => {
  const asked = async (): Promise<void> => {
    await anna.writes('Hello');
    await workspace.api.post('/api/v1/messages/', { to: anna.phone, body: 'Hi' });
    await set('resolved');
  };

  it('opens the conversation and resolves it again, in the activity, and is nothing to wait for', async () => {
    await session.post('/api/v1/sla-policies/', { name: 'Gold', first_response_minutes: 1, is_default: true });
    const inbox = await createTeamInbox(workspace, [workspace.owner.id]);
    await session.patch(`/api/v1/team-inboxes/${inbox}/assignment/`, { mode: 'balanced' });
    await anna.writes('Hello');
    await set('resolved', { assigned_team_inbox: inbox });
    const before = await conversation();
    await press(0);
    const known = (await trail()).slice(-4);
    expect(known).toMatchObject([
      { kind: 'satisfaction_asked' },
      { kind: 'reopened', actor: null, changes: { conv_status: { from: 'resolved', to: 'open' } } },
      { kind: 'rated', actor: null, changes: { rating: { from: null, to: 'good' } } },
      { kind: 'status_changed', actor: null, changes: { conv_status: { from: 'open', to: 'resolved' } } },
    ]);
    const after = await conversation();
    const stays = ['unread_count', 'assigned_member', 'assigned_team_inbox', 'sla_first_response_deadline'] as const;
    for (const name of stays) expect([name, after[name]]).toEqual([name, before[name]]);
    expect(after).toMatchObject({
      conv_status: 'resolved',
      waiting_since: null,
      last_message: { direction: 'inbound' },
    });
    const waiting = await workspace.api.get('/api/v1/conversations/?waiting=true');
    expect(waiting.body).toMatchObject({ count: 0 });
    expect(await questions()).toHaveLength(1);
  });

  it('is counted with the conversation that was asked about, and begins none', async () => {
    await asked();
    await press(0);
    const inbox = await createTeamInbox(workspace);
    anna = createCustomer(workspace);
    await anna.writes('Hello');
    await set('resolved', { assigned_team_inbox: inbox });
    await press(2);
    expect(await sums()).toEqual([2, 2, 2, 1]);
    expect(await report('member')).toMatchObject([
      { key: String(workspace.owner.id), resolved: 2, rated: 2, satisfied: 1 },
    ]);
    expect(await report('inbox')).toMatchObject([
      { key: String(inbox), rated: 1, satisfied: 0 },
      { key: null, rated: 1, satisfied: 1 },
    ]);
    const { body } = await session.get<{ results: Json[] }>('/api/v1/reports/conversations/');
    expect(body.results).toMatchObject([
      { rating: 'good', rated_at: expect.any(String) as string },
      { rating: 'poor', rated_at: expect.any(String) as string },
    ]);
    // What is taken back keeps its rating, and counts for nobody until it is resolved again.
    await set('open');
    expect(await report('member')).toMatchObject([{ resolved: 1, rated: 1, satisfied: 1 }]);
    expect(await sums()).toEqual([2, 1, 2, 1]);
    const other = await createSession((await createWorkspace(desk)).owner);
    expect(await sums(other.api)).toEqual([0, 0, 0, 0]);
  });

  it('stays without its person when the contact is erased', async () => {
    await asked();
    await press(1);
    await session.delete(`/api/v1/contacts/${anna.handle}/`);
    expect(await sums()).toEqual([1, 1, 1, 0]);
    const { body } = await session.get<{ results: Json[] }>('/api/v1/reports/conversations/');
    expect(body.results).toMatchObject([{ receiver_id: null, rating: 'fair' }]);
  });

  it('is the last of several answers; one that was given before it and comes later does not count', async () => {
    await asked();
    offsetMs = 30_000;
    await press(0, later(10_000));
    await press(2, later(20_000));
    expect(await rating()).toBe('poor');
    await press(1, later(15_000));
    await press(2, later(25_000));
    expect(await rating()).toBe('poor');
    const rated = (await trail()).filter(({ kind }) => kind === 'rated');
    expect(rated.map(({ changes }) => changes)).toEqual([
      { rating: { from: null, to: 'good' } },
      { rating: { from: 'good', to: 'poor' } },
    ]);
    expect(await sums()).toEqual([1, 1, 1, 0]);
    expect(await conversation()).toMatchObject({ conv_status: 'resolved', waiting_since: null });
  });

  it.each([
    ['pending', 'pending'],
    ['converted', 'converted'],
    ['spam', 'spam'],
    ['snoozed', 'snoozed'],
    ['open', 'open'],
  ])('leaves a conversation that is %s meanwhile as it was', async (status) => {
    await asked();
    const until = new Date(Date.now() + hour).toISOString();
    await set(status, status === 'snoozed' ? { snoozed_until: until } : {});
    await press(0);
    expect(await rating()).toBe('good');
    expect(await conversation()).toMatchObject({ conv_status: status, waiting_since: null, unread_count: 0 });
    expect((await kinds()).filter((kind) => kind === 'reopened')).toHaveLength(
      ['snoozed', 'open'].includes(status) ? 0 : 1,
    );
  });

  it('is no answer to what the customer waits for, and what they write next is an ordinary message', async () => {
    await asked();
    await anna.writes('It broke again');
    const { waiting_since: since } = await conversation();
    expect(since).toEqual(expect.any(String));
    await press(2);
    expect(await conversation()).toMatchObject({ conv_status: 'open', waiting_since: since, unread_count: 1 });
    await set('resolved');
    await press(2);
    await anna.writes('Nobody helped me');
    expect(await conversation()).toMatchObject({
      conv_status: 'open',
      waiting_since: expect.any(String) as string,
      unread_count: 2,
    });
    expect(await sums()).toEqual([3, 2, 1, 0]);
  });

  it('takes effect once under a webhook that is delivered again, and under a failure on the way', async () => {
    await asked();
    const { db } = desk.runtime;
    await db.rows('CREATE SEQUENCE rated_trouble');
    await db.rows(
      `CREATE FUNCTION rated_trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF NEW.kind = 'rated' AND nextval('rated_trouble') = 1 THEN RAISE EXCEPTION 'killed'; END IF;
         RETURN NEW;
       END $$`,
    );
    await db.rows('CREATE TRIGGER rated_trouble BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION rated_trouble()');
    const [best] = await buttonsOf(workspace, anna);
    const sent = {
      ...pressed(best as Button),
      from: anna.handle,
      id: `wamid.rating${unique()}`,
      timestamp: String(Math.floor(Date.now() / 1_000)),
    };
    for (const _again of [1, 2, 3]) {
      expect((await signedWebhook(workspace, webhook(workspace, { messages: [sent] }))).status).toBe(200);
      await desk.settled();
    }
    await db.rows('DROP TRIGGER rated_trouble ON events');
    expect(await db.row('SELECT last_value::int AS tries FROM rated_trouble')).toEqual({ tries: 2 });
    const counts = (await kinds()).filter((kind) => ['reopened', 'rated'].includes(String(kind)));
    expect([counts, await rating()]).toEqual([['reopened', 'rated'], 'good']);
  });

  it('is of the conversation that was asked; an id that nobody was sent notes nothing', async () => {
    await asked();
    const [own] = await buttonsOf(workspace, anna);
    const ben = createCustomer(workspace);
    await ben.writes('Hello');
    await session.patch(`/api/v1/conversations/${ben.handle}/`, { conv_status: 'resolved' });
    // Ids of another conversation, of none, of one that was not asked about, of another workspace: none opens the
    // conversation or is recorded.
    const stranger = await createWorkspace(desk);
    const eve = createCustomer(stranger);
    await eve.writes('Hello');
    for (const id of [own?.id ?? '', 'msgdesk-rating:999999999999:good', 'msgdesk-rating:0:poor'])
      for (const who of [ben, eve]) await who.writes(pressed({ id, title: 'Satisfied' }));
    expect([await rating(), (await trail(ben)).some(({ kind }) => kind === 'rated')]).toEqual([null, false]);
    expect(await conversation(ben)).toMatchObject({ conv_status: 'resolved', waiting_since: null });
    // What is no id of a rating, though it looks like one, is a message like any other.
    for (const id of ['msgdesk-rating:1:great', 'msgdesk-rating::good', `${own?.id} `, 'yes'])
      await anna.writes(pressed({ id, title: 'Satisfied' }));
    expect(await conversation()).toMatchObject({ conv_status: 'open', unread_count: 4 });
    expect(await rating()).toBeNull();
  });

  it('is not answered that the team is away', async () => {
    await asked();
    const soon = new Date(Date.now() + 4 * 24 * hour).getUTCDay();
    await session.post('/api/v1/calendars/', {
      name: 'Rarely',
      periods: [{ weekday: weekdays[(soon + 6) % 7], opens: '10:00', closes: '11:00' }],
      away_text: 'We are away.',
    });
    await press(0);
    expect((await messages()).some(({ source }) => source === 'away')).toBe(false);
    await anna.writes('Hello?');
    expect((await messages()).some(({ source }) => source === 'away')).toBe(true);
  });

  it('is told to subscribers who may see conversations', async () => {
    const receiver = await startReceiver();
    const { body } = await workspace.api.post('/api/v1/webhooks/', {
      url: receiver.url,
      events: ['conversation.rated'],
    });
    await asked();
    for (const place of [1, 0] as const) {
      await press(place);
      while (await fanOutEvents(desk.runtime));
      await deliverRound(workspace.ctx, body.id);
    }
    await receiver.awaits('conversation.rated');
    expect(receiver.events()).toMatchObject([
      { data: { receiver_id: anna.handle, conv_status: 'resolved' }, changes: { rating: { from: null, to: 'fair' } } },
      { changes: { rating: { from: 'fair', to: 'good' } } },
    ]);
    for (const request of receiver.received) receiver.verify(request, String(body['secret']));
    await receiver.close();
    const narrow = (await workspace.key(['webhook.manage', 'contact.view'])).api;
    const refused = await narrow.post('/api/v1/webhooks/', { url: receiver.url, events: ['conversation.rated'] });
    expect(refused.status).toBe(403);
  });
});
