import { fc, runs } from '../support/properties';
import { operations } from '../../api/operations';
import { webhookEventTypes } from '../../api/services/resources/webhooks/eventTypes';
import { createCustomer, type TestCustomer } from '../factories/customers';
import { objectsInPaths } from '../factories/foreign';
import { ownerSession } from '../factories/macros';
import { createMember, createSession, type TestMember, type TestSession } from '../factories/members';
import { makeRoomForPipelines } from '../factories/tickets';
import { uniquePhone } from '../factories/unique';
import { writeSamples } from '../factories/writeSamples';
import { createAgent } from '../support/agent';
import type { TestApi } from '../support/api';
import type { ApiClient } from '../support/client';
import { sharedDesk } from '../support/sharedDesk';
import { placesOf } from '../support/places';
import { startReceiver, type Receiver } from '../support/receiver';

let desk: TestApi;
let receiver: Receiver;
let anna: TestCustomer;
let omar: TestMember;
let lena: TestSession;
let omars: TestSession;
let notes: string;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  receiver = await startReceiver();
  await desk.api.post('/api/v1/webhooks/', { url: receiver.url, events: ['*'] });
  anna = createCustomer(desk.workspace, { name: 'Anna' });
  await anna.writes('Hello');
  omar = await createMember(desk.workspace, { name: 'Omar Said', permissions: ['chat.view'] });
  lena = await createSession(await createMember(desk.workspace, { name: 'Lena', permissions: ['chat.view'] }));
  omars = await createSession(omar);
  notes = `/api/v1/conversations/${anna.handle}/notes/`;
});
afterAll(async () => {
  await desk.close();
  await receiver.close();
});

interface Note {
  readonly body: string;
  readonly mentioned_ids: readonly number[];
  readonly author: { readonly name: string };
}

it('members read what members write, and whoever is mentioned finds it', async () => {
  const { status, body } = await lena.api.post<Note>(notes, { body: 'Ask @Omar first, says @Lena' });
  expect([status, body.author.name, body.mentioned_ids]).toEqual([201, 'Lena', [omar.id]]);
  await lena.api.post(notes, { body: 'Done' });
  const { body: page } = await omars.api.get<{ count: number; results: Note[] }>(notes);
  expect(page.results.map((note) => note.body)).toEqual(['Done', 'Ask @Omar first, says @Lena']);
  const { body: mentions } = await omars.api.get<{ results: Note[] }>('/api/v1/concerns/?kind=mention');
  expect(mentions.results).toEqual([expect.objectContaining({ excerpt: 'Ask @Omar first, says @Lena' })]);
  expect((await lena.api.get<{ count: number }>('/api/v1/concerns/')).body.count).toBe(0);
});

it('who is in a conversation is told for half a minute, or until they leave', async () => {
  const here = `/api/v1/conversations/${anna.handle}/presence/`;
  expect((await omars.api.post(here, { state: 'writing' })).status).toBe(200);
  const list = async () =>
    (await lena.api.get<{ receiver_id: string; state: string; member: { id: number } }[]>('/api/v1/presence/')).body;
  expect(await list()).toEqual([
    expect.objectContaining({
      receiver_id: anna.handle,
      state: 'writing',
      member: expect.objectContaining({ id: omar.id }) as unknown,
    }),
  ]);
  await desk.runtime.db.rows("UPDATE presence SET seen_at = seen_at - interval '31 seconds'");
  expect(await list()).toEqual([]);
  await omars.api.post(here, { state: 'looking' });
  expect(await list()).toHaveLength(1);
  await omars.api.post(here, { state: 'left' });
  expect(await list()).toEqual([]);
});

it('a key writes notes with `chat.assign`, and reads them only where it was made to', async () => {
  const owner = (await ownerSession(desk.workspace)).api;
  const make = async (scopes: readonly string[], notes?: boolean): Promise<ApiClient> => {
    const { status, body } = await owner.post<{ api_key: string; notes: boolean }>('/api/v1/api-keys/', {
      name: 'Shop',
      scopes,
      notes,
    });
    expect([status, body.notes]).toEqual([201, notes ?? false]);
    return desk.anonymous.with({ authorization: `Bearer ${body.api_key}` });
  };
  const writes = await make(['chat.assign']);
  expect(await writes.post(notes, { body: 'Paid, says the shop. @Omar' })).toMatchObject({
    status: 201,
    body: { body: 'Paid, says the shop. @Omar', mentioned_ids: [omar.id] },
  });
  expect((await (await make(['chat.view'])).post(notes, { body: 'Not allowed' })).status).toBe(403);
  const refused = await (await make(['all'])).get(notes);
  expect([refused.status, refused.body['error']]).toEqual([
    403,
    'Only a key that was made with `notes: true` reads notes.',
  ]);
  const { status, body } = await (await make(['chat.view'], true)).get<{ results: Note[] }>(notes);
  expect([status, body.results[0]?.body]).toEqual([200, 'Paid, says the shop. @Omar']);
  expect((await (await make(['contact.view'], true)).get(notes)).status).toBe(403);
});

/* Every way by which something leaves the house, from the tables that declare them. */
describe('a note never leaves the house', () => {
  const shows = (operation: (typeof operations)[number]): boolean =>
    /"title":"(Note|NotePage|Presence)"/.test(JSON.stringify(operation.output));

  it('only sessions, and keys that were made for it, are shown one; no tool takes one by these', () => {
    const found = operations.filter((operation) => shows(operation) || /notes|concerns/.test(operation.path));
    expect(found.map(({ id }) => id)).toEqual([
      'handovers.create',
      'notes.list',
      'notes.create',
      'concerns.list',
      'concerns.read',
      'presence.list',
      'presence.set',
    ]);
    for (const { id, audience, tools } of found)
      expect([audience, tools]).toEqual([
        id === 'notes.list' ? 'notes' : id === 'notes.create' ? undefined : 'session',
        undefined,
      ]);
    expect(webhookEventTypes.filter((type) => /note|mention|presence/.test(type) && !/stage_/.test(type))).toEqual([]);
  });

  it('whatever it says, no operation of a key, no tool, no webhook and no column but its own has it', async () => {
    const key = (await desk.workspace.key(['all'])).api;
    const agent = createAgent(key);
    const tools = (await agent.tools()) as { name: string; inputSchema: { properties: Record<string, unknown> } }[];
    const { body: conversation } = await key.get(`/api/v1/conversations/${anna.handle}/`);
    const values: Record<string, unknown> = {
      receiver_id: anna.handle,
      to: anna.phone,
      chat_id: conversation['id'],
      text: 'Hello',
      title: 'Parcel',
      body: 'Called',
      search: 'note',
    };
    const text = fc
      .tuple(fc.string({ maxLength: 20 }), fc.uuid())
      .map(([rest, mark]) => ({ mark, body: `${mark} ${rest}` }));
    const told: string[] = [];
    await fc.assert(
      fc.asyncProperty(text, async ({ mark, body }) => {
        await makeRoomForPipelines(desk.workspace);
        expect((await lena.api.post(notes, { body: body.replaceAll('\u0000', '') })).status).toBe(201);
        const look = (what: string, answer: unknown): void => {
          if (JSON.stringify(answer ?? '').includes(mark)) told.push(`${what} shows a note`);
        };
        for (const operation of operations) {
          const { id, method, path } = operation;
          const sample = await writeSamples[id]?.(desk.workspace, mark.slice(0, 8), uniquePhone());
          const prefix = path.slice(0, path.indexOf('}') + 1);
          const own = path.includes('{receiver_id}') ? anna.handle : await objectsInPaths[prefix]?.(desk.workspace);
          const params = { ...sample?.params, receiver_id: anna.handle };
          const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) =>
            String((params as Record<string, unknown>)[name] ?? own ?? 1),
          );
          // What takes the customer away is the test of erasure.
          if (method === 'DELETE') continue;
          const answer = await key.request(method, filled, method === 'GET' ? undefined : (sample?.body ?? {}));
          look(id, answer.body);
        }
        for (const { name, inputSchema } of tools) {
          const given = Object.keys(inputSchema.properties).flatMap((each) =>
            each in values ? [[each, values[each]]] : [],
          );
          look(
            name,
            await agent.rpc({
              jsonrpc: '2.0',
              id: 1,
              method: 'tools/call',
              params: { name, arguments: Object.fromEntries(given) as Record<string, unknown> },
            }),
          );
        }
        await anna.writes('And now?');
        await desk.work();
        expect(await placesOf(desk, mark)).toEqual(['conversation_notes.body']);
        for (const { body: sent } of receiver.received) look('a webhook', sent);
      }),
      { numRuns: runs(1) },
    );
    await desk.work();
    expect(receiver.received.length).toBeGreaterThan(3);
    expect(told).toEqual([]);
  });
});
