import { createContact } from '../factories/contacts';
import { inboundText, signedWebhook, webhook } from '../factories/customers';
import { createMember, createSession, type TestSession } from '../factories/members';
import { uniquePhone } from '../factories/unique';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

/** Contract C18, of contacts: tags and opting out, of a selection or of all that match. */
let desk: TestApi;
let lena: TestSession;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  lena = await createSession(
    await createMember(desk.workspace, { permissions: ['contact.view', 'contact.edit', 'chat.view'] }),
  );
});
afterAll(() => desk.close());

const path = '/api/v1/bulk-changes/contacts/';
const made = async (tag: string, count: number): Promise<string[]> =>
  (await Promise.all(Array.from({ length: count }, () => createContact(desk.workspace, { tags: [tag] })))).map(
    ({ receiver_id: handle }) => handle,
  );
const stateOf = async (handle = ''): Promise<unknown[]> => {
  const { body } = await desk.api.get(`/api/v1/contacts/${handle}/`);
  return [body['tags'], body['marketing_opt_out'], body['marketing_opt_out_source']];
};
const change = (body: object, api = lena.api) => api.post(path, body);
const undo = (id: number | null, api = lena.api) => api.post(`${path}${id}/undo/`);

it('a selection gets and loses tags and is opted out, and is taken back where nobody changed it since', async () => {
  const [first, second, third] = await made('fair', 3);
  const { status, body } = await change({
    receiver_ids: [first, second, third],
    change: { add_tags: ['done'], remove_tags: ['fair'], marketing_opt_out: true },
  });
  expect([status, body]).toMatchObject([201, { matched: 3, changed: 3, unchanged: 0, refused: 0 }]);
  expect(await stateOf(first)).toEqual([['done'], true, 'member']);
  await desk.api.patch(`/api/v1/contacts/${second}/`, { tags: ['other'] });
  expect((await undo(body.id, (await createSession(desk.workspace.owner)).api)).status).toBe(404);
  expect((await undo(body.id)).body).toEqual({ restored: 2, kept: 1 });
  expect(await stateOf(first)).toEqual([['fair'], false, null]);
  expect(await stateOf(second)).toEqual([['other'], true, 'member']);
});

it('who says STOP meanwhile stays out', async () => {
  const phone = uniquePhone();
  await createContact(desk.workspace, { phone });
  const { body } = await change({ receiver_ids: [phone], change: { marketing_opt_out: true } });
  // The platform tells whole seconds.
  const message = inboundText(phone.slice(1), 'STOP', { timestamp: String(Math.floor(Date.now() / 1000) + 2) });
  const value = { contacts: [{ profile: {}, wa_id: phone.slice(1) }], messages: [message] };
  expect((await signedWebhook(desk.workspace, webhook(desk.workspace, value))).status).toBe(200);
  await desk.settled();
  expect((await stateOf(phone.slice(1)))[2]).toBe('keyword');
  expect((await undo(body.id)).body).toEqual({ restored: 0, kept: 1 });
  expect((await stateOf(phone.slice(1)))[1]).toBe(true);
});

it('all that match are changed, in batches', async () => {
  await made('many', 120);
  const asked = { filters: { tag: 'many', opted_out: false }, change: { add_tags: ['seen'] } };
  const { body } = await change(asked);
  expect(body).toMatchObject({ matched: 120, changed: 120 });
  expect((await change(asked)).body).toMatchObject({ id: null, changed: 0, unchanged: 120 });
  expect((await undo(body.id)).body).toEqual({ restored: 120, kept: 0 });
});

it.each([
  ['nobody', { change: { add_tags: ['a'] } }],
  ['both', { receiver_ids: ['1'], filters: {}, change: { add_tags: ['a'] } }],
  ['nothing', { filters: { tag: 'fair' }, change: {} }],
  ['opting in', { filters: { tag: 'fair' }, change: { marketing_opt_out: false } }],
  ['a status', { filters: { tag: 'fair' }, change: { conv_status: 'open' } }],
])('%s is refused', async (_what, body) => {
  expect((await change(body)).status).toBe(400);
});

it('it needs the right to edit contacts, and a session', async () => {
  const [handle] = await made('own', 1);
  const body = { receiver_ids: [handle], change: { add_tags: ['a'] } };
  const viewer = await createSession(
    await createMember(desk.workspace, { permissions: ['contact.view', 'chat.assign'] }),
  );
  expect((await change(body, viewer.api)).status).toBe(403);
  expect((await desk.api.post(path, body)).status).toBe(403);
});
