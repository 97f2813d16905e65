import { fc, runs } from '../support/properties';
import { createCustomer, inboundText, signedWebhook, webhook, type TestCustomer } from '../factories/customers';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { startReceiver, type Receiver } from '../support/receiver';

type Json = Record<string, unknown>;

let desk: TestApi;
let receiver: Receiver;
let workspace: TestWorkspace;
let anna: TestCustomer;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  receiver = await startReceiver();
});
beforeEach(async () => {
  workspace = await createWorkspace(desk);
  anna = createCustomer(workspace, { name: 'Anna' });
});
afterAll(async () => {
  await desk.close();
  await receiver.close();
});

const editOf = (wamid: string, content: Json): Json => ({
  type: 'edit',
  edit: { original_message_id: wamid, message: content },
});
const textEdit = (wamid: string, body: string): Json => editOf(wamid, { type: 'text', text: { body } });
const revokeOf = (wamid: string): Json => ({ type: 'revoke', revoke: { original_message_id: wamid } });
const messages = async (): Promise<Json[]> =>
  (await workspace.api.get(`/api/v1/conversations/${anna.handle}/messages/`)).body.results;
const conversation = async (): Promise<Json> => (await workspace.api.get(`/api/v1/conversations/${anna.handle}/`)).body;
const found = async (q: string): Promise<number> =>
  (await workspace.api.get(`/api/v1/messages/search/?q=${encodeURIComponent(q)}`)).body.results.length;
/** Counts the platform's events that are kept and not processed, by kind. */
const kept = async (): Promise<unknown[]> =>
  (
    await desk.runtime.db.rows<Json>(
      `SELECT kind FROM inbox_events WHERE workspace_id = $id AND state = 'ignored' ORDER BY id`,
      { id: workspace.id },
    )
  ).map(({ kind }) => kind);
const told = async (): Promise<unknown[]> =>
  (
    await desk.runtime.db.rows<Json>('SELECT type FROM webhook_events WHERE workspace_id = $id ORDER BY id', {
      id: workspace.id,
    })
  ).map(({ type }) => type);
const subscribe = async (): Promise<void> => {
  const { status } = await workspace.api.post('/api/v1/webhooks/', { url: receiver.url, events: ['*'] });
  expect(status).toBe(201);
};

describe('what a customer says about an earlier message', () => {
  it('an edit changes the words and keeps the earlier ones', async () => {
    const wamid = await anna.writes('Send 2 pieces');
    await anna.writes(textEdit(wamid, 'Send 20 pieces'));
    const [shown, ...others] = await messages();
    expect(others).toEqual([]);
    expect(shown).toMatchObject({
      message_id: wamid,
      body: { type: 'text', text: { body: 'Send 20 pieces' } },
      edited_at: expect.any(String) as unknown,
      edits: [{ body: { type: 'text', text: { body: 'Send 2 pieces' } }, at: expect.any(String) as unknown }],
      deleted_at: null,
    });
    expect([await found('20 pieces'), await found('Send 2 piece')]).toEqual([1, 0]);
    expect(await conversation()).toMatchObject({ last_message: { body: { text: { body: 'Send 20 pieces' } } } });
  });

  it('an edit of a caption leaves the file', async () => {
    const wamid = await anna.writes({ type: 'image', image: { caption: 'The blue one' } });
    const before = (await messages())[0] as { body: { image: Json } };
    await anna.writes(editOf(wamid, { type: 'image', image: { caption: 'The red one' } }));
    expect((await messages())[0]).toMatchObject({ body: { image: { ...before.body.image, caption: 'The red one' } } });
  });

  it('a deletion marks the message, keeps its words, and takes them out of the search', async () => {
    const wamid = await anna.writes('My secret number');
    expect(await found('secret')).toBe(1);
    await anna.writes(revokeOf(wamid));
    expect((await messages())[0]).toMatchObject({
      body: { text: { body: 'My secret number' } },
      deleted_at: expect.any(String) as unknown,
    });
    expect(await found('secret')).toBe(0);
    expect(await conversation()).toMatchObject({ last_message: { deleted_at: expect.any(String) as unknown } });
  });

  it.each([
    ['an edit', (wamid: string) => textEdit(wamid, 'Thank you')],
    ['a deletion', revokeOf],
    ['a reaction that is taken back', (wamid: string) => ({ type: 'reaction', reaction: { message_id: wamid } })],
    ['one with an empty emoji', (wamid: string) => ({ type: 'reaction', reaction: { message_id: wamid, emoji: '' } })],
    ['a request for a welcome', () => ({ type: 'request_welcome' })],
    ['a change of disappearing messages', () => ({ type: 'ephemeral' })],
  ])('%s neither reopens, counts, moves nor waits', async (_name, say) => {
    const wamid = await anna.writes('Thanks');
    await workspace.api.post('/api/v1/messages/', { to: anna.handle, body: 'Welcome' });
    await workspace.api.patch(`/api/v1/conversations/${anna.handle}/`, { status: 'resolved' });
    const before = await conversation();
    await anna.writes(say(wamid));
    const { updated_at: _changed, last_message: last, ...after } = await conversation();
    expect(before).toMatchObject(after);
    expect(last).toMatchObject({ direction: 'outbound' });
    expect(after).toMatchObject({ conv_status: 'resolved', unread_count: 0, waiting_since: null });
  });

  it('what is no message at all is kept as an event', async () => {
    await anna.writes('Hi');
    await anna.writes({ type: 'request_welcome' });
    await anna.writes({ type: 'ephemeral' });
    expect([(await messages()).length, await kept()]).toEqual([1, ['message_request_welcome', 'message_ephemeral']]);
  });

  it('is kept as an event where the message never came', async () => {
    await anna.writes(textEdit('wamid.before-us', 'new'));
    await anna.writes(revokeOf('wamid.before-us'));
    expect(await kept()).toEqual(['message_edit', 'message_revoke']);
    expect((await workspace.api.get(`/api/v1/conversations/${anna.handle}/`)).status).toBe(404);
  });

  it('waits for a message that comes a moment later', async () => {
    const { text: _text, ...envelope } = inboundText(anna.handle, '');
    const edit = { ...envelope, id: 'wamid.late-edit', ...textEdit('wamid.late', 'Twenty') };
    const play = async (message: Json): Promise<void> =>
      void (await signedWebhook(workspace, webhook(workspace, { contacts: [], messages: [message] })));
    await play(edit);
    await play({ ...inboundText(anna.handle, 'Two'), id: 'wamid.late' });
    await desk.settled();
    expect((await messages())[0]).toMatchObject({ body: { text: { body: 'Twenty' } } });
    expect(await kept()).toEqual([]);
  });

  it('is told to subscribers once, however often it comes', async () => {
    const wamid = await anna.writes('Two');
    await subscribe();
    for (const id of ['wamid.e1', 'wamid.e1'])
      await anna.writes(textEdit(wamid, 'Twenty'), { wamid: id, timestamp: '1760000000' });
    for (const id of ['wamid.r1', 'wamid.r1']) await anna.writes(revokeOf(wamid), { wamid: id });
    expect(await told()).toEqual(['message.edited', 'message.deleted']);
  });

  it('a customer cannot change what we wrote', async () => {
    await anna.writes('Hi');
    await desk.sandbox.event({
      kind: 'phone_app',
      phone_number_id: workspace.account.phoneNumberId,
      from: { phone: anna.phone },
      id: 'wamid.ours',
      text: 'From us',
    });
    await desk.settled();
    await anna.writes(textEdit('wamid.ours', 'From them'));
    await anna.writes(revokeOf('wamid.ours'));
    expect((await messages())[0]).toMatchObject({ body: { text: { body: 'From us' } }, edits: [], deleted_at: null });
  });
});

it("a person at the phone's app corrects what they wrote there", async () => {
  const play = async (more: Json): Promise<void> => {
    await desk.sandbox.event({
      kind: 'phone_app',
      phone_number_id: workspace.account.phoneNumberId,
      from: { phone: anna.phone, name: anna.name },
      ...more,
    });
    await desk.settled();
  };
  await anna.writes('Hi');
  await play({ id: 'wamid.ours', text: 'Till 5' });
  await anna.writes('And on Sunday?');
  const before = await conversation();
  await play({ message: textEdit('wamid.ours', 'Till 6') });
  expect((await messages())[1]).toMatchObject({
    direction: 'outbound',
    body: { text: { body: 'Till 6' } },
    edits: [{ body: { text: { body: 'Till 5' } } }],
  });
  await play({ message: revokeOf('wamid.ours') });
  expect((await messages())[1]).toMatchObject({ deleted_at: expect.any(String) as unknown });
  expect(await messages()).toHaveLength(3);
  const { updated_at: _changed, ...after } = await conversation();
  expect(before).toMatchObject(after);
});

it('shows the newest words and keeps the others in order, whatever order edits come in and however often', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 1 }),
      fc.array(fc.nat(4), { maxLength: 3 }),
      async (order, again) => {
        const customer = createCustomer(workspace);
        const wamid = await customer.writes('first');
        const start = Math.floor(Date.now() / 1000) - 100;
        const heard = [...order, ...again.filter((place) => order.includes(place))];
        for (const place of heard)
          await customer.writes(textEdit(wamid, `edit ${place}`), { timestamp: String(start + place) });
        const { body } = await workspace.api.get(`/api/v1/conversations/${customer.handle}/messages/`);
        const shown = body.results[0] as { body: { text: Json }; edits: { body: { text: Json } }[] };
        const words = [...shown.edits.map((edit) => edit.body.text['body']), shown.body.text['body']];
        expect(words).toEqual(['first', ...[...order].sort().map((place) => `edit ${place}`)]);
      },
    ),
    { numRuns: runs(4) },
  );
});

it('a reaction opens the conversation again and is unread, but waits for nothing', async () => {
  await anna.writes('Is it ready?');
  const { body: sent } = await workspace.api.post('/api/v1/messages/', { to: anna.handle, body: 'Yes' });
  await workspace.api.patch(`/api/v1/conversations/${anna.handle}/`, { status: 'resolved' });
  await anna.writes({ type: 'reaction', reaction: { message_id: String(sent['message_id']), emoji: '👍' } });
  expect(await conversation()).toMatchObject({ conv_status: 'open', unread_count: 1, waiting_since: null });
  expect((await workspace.api.get('/api/v1/conversations/?waiting=true')).body['count']).toBe(0);
  await anna.writes('Then I come at five');
  expect(await conversation()).toMatchObject({ unread_count: 2, waiting_since: expect.any(String) as unknown });
  await anna.writes({ type: 'reaction', reaction: { message_id: 'wamid.a', emoji: '👍' } });
  expect(await conversation()).toMatchObject({ waiting_since: expect.any(String) as unknown });
});
