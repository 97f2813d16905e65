import { operations } from '../../api/operations';
import { createCrowd } from '../factories/crowd';
import { begin, crossings, prepareCrossings } from '../factories/crossings';
import { createCustomer } from '../factories/customers';
import { objectsInPaths } from '../factories/foreign';
import { ownerSession } from '../factories/macros';
import { createMember, createSession } from '../factories/members';
import { createTicket } from '../factories/tickets';
import type { TestApi } from '../support/api';
import { lists, pathOf } from '../support/lists';
import { sharedDesk } from '../support/sharedDesk';
import { watchWalls } from '../support/walls';
import { targetOf, writes } from '../support/writes';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

/** Statements that answer something where there is nothing: by the place that makes them, and what they answer. */
const answersAnyway: Readonly<Record<string, string>> = {
  'resources/broadcasts/audienceReach.ts': 'the tier of the number that is given',
  'resources/messages/rows/outcomes.ts': 'each outcome that was given, with what was found for it',
  'resources/flows/live.ts': 'that nobody reads a flow now',
  'resources/flows/store.ts': 'which of the given flows are not known',
  'resources/reports/operations.ts': 'a row for each day that was asked for',
};

/**
 * Tables whose rows are found by a reference of a row of the workspace, and not asked again whose they are: names of
 * members, contacts, what belongs to the account, to a broadcast or to a conversation. By the file that asks.
 */
const byReference: Readonly<Record<string, readonly string[]>> = {
  'delivery/attempts.ts': ['business_accounts', 'contacts', 'conversations', 'phone_numbers'],
  'identity/audit/operations.ts': ['members'],
  'identity/oauth/connections.ts': ['members', 'oauth_clients'],
  'identity/oauth/operations.ts': ['members', 'oauth_clients'],
  'processes/approvals/operations.ts': ['members'],
  'processes/contactMerge/broadcasts.ts': ['broadcast_recipients'],
  'processes/credentials/operations.ts': ['oauth_clients'],
  'processes/macroRuns/operations.ts': ['members'],
  'processes/ruleRehearsal/history.ts': ['phone_numbers'],
  'processes/ruleSettings/operations.ts': ['contacts'],
  'processes/ruleSettings/runs.ts': ['contacts'],
  'processes/webhookDelivery/deliver.ts': ['webhook_events'],
  'resources/broadcasts/audienceReach.ts': ['phone_numbers'],
  'resources/broadcasts/queries.ts': ['business_accounts', 'phone_numbers', 'templates'],
  'resources/conversations/episodes.ts': ['contacts', 'conversation_episodes'],
  'resources/conversations/operations.ts': ['contacts', 'members', 'messages'],
  'resources/conversations/service.ts': ['contacts', 'messages'],
  'resources/files/rows.ts': ['files'],
  // A flow that is not there may be asked for at the platform: where it is another's, that is so.
  'resources/flows/live.ts': ['flows'],
  'resources/messages/operations.ts': ['members', 'phone_numbers'],
  'resources/messages/rows/insert.ts': ['contacts', 'conversation_episodes'],
  'resources/messages/rows/statuses.ts': ['contacts', 'conversations'],
  'resources/messages/service.ts': ['members', 'phone_numbers'],
  'resources/notes/operations.ts': ['contacts', 'members'],
  'resources/notices/push.ts': ['members'],
  'resources/notices/service.ts': ['members'],
  'resources/reports/operations.ts': ['contacts', 'members', 'team_inboxes'],
  'resources/rules/conversationFacts.ts': ['contacts', 'conversation_episodes', 'phone_numbers'],
  'resources/rules/rows.ts': ['members'],
  'resources/tickets/operations.ts': ['members'],
  'resources/tickets/queries.ts': ['contacts', 'members', 'ticket_pipelines', 'ticket_stages'],
  'resources/tickets/references.ts': ['contacts'],
  'resources/webhooks/deliveries.ts': ['webhook_events'],
  'resources/webhooks/operations.ts': ['webhook_events'],
};

/** Conditions that are not seen here: by file, how many at most, and what they would be seen by. */
const unseen: Readonly<Record<string, readonly [count: number, by: string]>> = {
  'identity/oauth/consent.ts': [1, 'a document that two workspaces have registered as a client'],
  'processes/contactMerge/moves.ts': [1, 'a move that came before the message of whom it is about'],
  'resources/broadcasts/sendingTurns.ts': [1, 'a broadcast that waits for another one of its number to end'],
  'resources/contacts/aliases.ts': [2, 'what was merged, asked for by its id, and the lines of who has several'],
  'resources/contacts/erasure.ts': [
    4,
    'what a merge has left to whom is erased, and moves of tickets that notified them',
  ],
  'resources/contacts/insert.ts': [
    1,
    'nothing: an opt-out that was kept goes into the row, and the answer does not tell it',
  ],
  'resources/contacts/preference.ts': [1, 'an opt-out that was kept of what a contact is called from now on'],
  'resources/contacts/rows.ts': [1, 'another contact who is called as one is from now on'],
  'resources/conversations/queue.ts': [1, 'who waits for a member while one is chosen by hand'],
  'resources/flows/live.ts': [2, 'a flow that another request reads at this moment'],
  'resources/messages/rows/outcomes.ts': [1, 'statuses that came before the answer to the call'],
};

test('every statement that names the workspace is worth nothing to another one, and none without that', async () => {
  const crowd = await createCrowd(desk.workspace);
  await crowd.grow(1, 30);
  const customer = createCustomer(desk.workspace, { name: 'Anna' });
  await customer.writes('Hi');
  const crossing = await prepareCrossings(desk, crowd, customer);
  const owner = await ownerSession(desk.workspace);
  const walls = watchWalls();
  try {
    await begin(crossing);
    // The second time there is what the first has left.
    for (const text of ['Are you there?', 'Hello?']) {
      for (const operation of writes) {
        const { client, path, bodies } = await targetOf(desk, customer.handle, operation);
        for (const body of bodies) await client.request(operation.method, path, body);
      }
      await customer.writes(text);
      await desk.work();
    }
    const { id: ticket } = await createTicket(desk.workspace, { title: 'Broken', receiver_id: customer.handle });
    // What is the owner's own: a mark, and what somebody else gives them.
    const colleague = await createSession(await createMember(desk.workspace, { role: 'admin' }));
    const given = { assigned_to: desk.workspace.owner.id };
    expect((await colleague.api.patch(`/api/v1/tickets/${ticket}/`, given)).status).toBe(200);
    expect((await owner.api.post('/api/v1/unread-marks/', { receiver_ids: [customer.handle] })).status).toBe(200);
    expect((await owner.api.get('/api/v1/conversations/?unread=true')).status).toBe(200);
    expect((await owner.api.get(`/api/v1/conversations/${customer.handle}/upcoming/`)).status).toBe(200);
    for (const operation of operations.filter(({ method }) => method === 'GET')) {
      const prefix = operation.path.slice(0, operation.path.indexOf('}') + 1);
      const id = prefix === '' ? '' : await objectsInPaths[prefix]?.(desk.workspace);
      const api = operation.audience === 'session' ? owner.api : desk.api;
      await api.get(operation.path.replace(/\{\w+\}/, String(id)));
      if (lists.includes(operation)) await api.get(pathOf(operation, crowd));
    }
    for (const cross of crossings) await cross(crossing);
  } finally {
    walls.stop();
  }
  // But those of the test's own.
  const made = walls.statements().filter(({ from }) => from !== '');
  const statements = made.map((one) => ({
    ...one,
    file: one.from.replace(/^api\/services\/|:.*$/g, ''),
  }));
  const wrong = statements.filter(({ answersNobody, file }) => answersNobody && !(file in answersAnyway));
  const unasked = statements.flatMap(({ file, through }) =>
    through.filter((table) => !byReference[file]?.includes(table)).map((table) => `${file}: ${table}`),
  );
  const missed = new Map<string, string[]>();
  for (const { file, seen, text } of statements)
    for (const how of seen) if (how === null) missed.set(file, [...(missed.get(file) ?? []), text]);
  const more = [...missed].filter(([file, texts]) => texts.length > (unseen[file]?.[0] ?? 0));
  expect({ wrong, unasked, more }).toEqual({ wrong: [], unasked: [], more: [] });
}, 900_000);
