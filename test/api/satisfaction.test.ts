import { performActions } from '../../api/services/processes/macroRuns/steps';
import { parseActions, type Action } from '../../api/services/resources/macros/actions';
import { createContact } from '../factories/contacts';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { createSession } from '../factories/members';
import { questionsTo } from '../factories/ratings';
import { unique } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { startApi, type TestApi } from '../support/api';
import type { ApiClient } from '../support/client';
import { movedClock } from '../support/clock';

type Json = Record<string, unknown>;

const hour = 3_600_000;
const week = 7 * 24 * hour;
let offsetMs = 0;
let desk: TestApi;
let workspace: TestWorkspace;
let session: ApiClient;
let anna: TestCustomer;

beforeAll(async () => {
  desk = await startApi({
    clock: movedClock(() => new Date(Date.now() + offsetMs)),
  });
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
  (await workspace.api.get<{ results: Json[] }>(`/api/v1/conversations/${who.handle}/messages/`)).body.results;
const questions = (who = anna): Promise<Json[]> => questionsTo(workspace, who);
/** What happened, the oldest first: kinds, and what they changed. */
const trail = async (who = anna): Promise<Json[]> =>
  (
    await workspace.api.get<{ results: Json[] }>(`/api/v1/conversations/${who.handle}/activity/`)
  ).body.results.reverse();
const kinds = async (): Promise<unknown[]> => (await trail()).map(({ kind }) => kind);
const later = (ms: number): Json => ({ timestamp: String(Math.floor((Date.now() + ms) / 1_000)) });

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
