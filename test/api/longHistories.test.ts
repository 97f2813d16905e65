import { insertInbound } from '../../api/services/resources/messages/rows/insert';
import { passLeftHistories } from '../../api/services/resources/contacts/histories';
import { sampleFile } from '../../dev/sandbox/play/samples';
import { mergeContacts } from '../../api/services/processes/contactMerge/merge';
import { fanOutEvents } from '../../api/services/processes/webhookDelivery/fanOut';
import { createContact } from '../factories/contacts';
import { inboundText, signedWebhook, status, webhook } from '../factories/customers';
import { uploadFile } from '../factories/files';
import { unique } from '../factories/unique';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

/*
 * A history of any length is merged and erased: the newest page of it at once, the rest page by page, by a loop of the
 * workers that is called by hand here. What the API shows is the same in between.
 */

type Json = Record<string, unknown>;
type TestContact = Awaited<ReturnType<typeof createContact>>;

/** Pages of a thousand: two and a half of messages, one and a half of each trail. */
const [messages, entries] = [2_500, 1_500];

let desk: TestApi;
let workspace: TestWorkspace;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());
beforeEach(async () => {
  workspace = await createWorkspace(desk);
});

const rows = <T extends object>(sql: string, bind: Json = {}): Promise<T[]> =>
  desk.runtime.db.rows<T>(sql, { workspaceId: workspace.id, ...bind });
const count = async (sql: string, bind: Json = {}): Promise<number> =>
  (await rows<{ count: number }>(`SELECT count(*)::int AS count FROM ${sql}`, bind))[0]?.count ?? -1;

/** Gives a contact a long thread, a word of its own and a wamid in each message, and a long trail. */
async function giveHistory(contact: TestContact, word: string): Promise<void> {
  await rows(
    `INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status, delivery_state, opaque,
       wamid, send_seq, created_at)
     SELECT $workspaceId, $id, CASE n % 2 WHEN 0 THEN 'inbound' ELSE 'outbound' END, 'text',
       jsonb_build_object('type', 'text', 'text', jsonb_build_object('body', $word || n)),
       CASE n % 2 WHEN 0 THEN 'received' ELSE 'sent' END, CASE n % 2 WHEN 0 THEN 'none' ELSE 'settled' END,
       CASE n % 2 WHEN 1 THEN gen_random_uuid() END, 'wamid.' || $word || n, CASE n % 2 WHEN 1 THEN n END,
       now() - n * interval '1 minute'
     FROM generate_series(1, ${messages}) n`,
    { id: contact.id, word },
  );
  await rows(
    `INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type, created_at)
     SELECT $workspaceId, type, $id, kind, 'system', now() - n * interval '1 minute'
     FROM generate_series(1, ${entries}) n,
       (VALUES ('contact', 'contact_updated'), ('conversation', 'status_changed')) AS t(type, kind)`,
    { id: contact.id },
  );
  await rows(`UPDATE conversations SET unread_count = ${messages / 2} WHERE workspace_id = $workspaceId AND id = $id`, {
    id: contact.id,
  });
}

/** Two contacts with a history each, the older one first; the younger one's is long. */
async function twoContacts(word: string): Promise<readonly [TestContact, TestContact]> {
  const [kept, gone] = [await createContact(workspace), await createContact(workspace)];
  await giveHistory(gone, word);
  await rows(
    `INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status, created_at)
     SELECT $workspaceId, $id, 'inbound', 'text', '{"type": "text", "text": {"body": "own"}}', 'received',
       now() - n * interval '1 hour' FROM generate_series(1, 10) n`,
    { id: kept.id },
  );
  return [kept, gone];
}

const merge = (kept: TestContact, gone: TestContact): Promise<number> =>
  desk.runtime.db.transaction(() => mergeContacts(workspace.ctx, kept.id, gone.id));
const left = (): Promise<number> => count('left_histories WHERE workspace_id = $workspaceId');
async function allPages(): Promise<void> {
  while (await passLeftHistories(desk.runtime));
}

/** Walks a list by its cursors; gives the ids, in order. `between` is done after each page. */
async function walk(path: string, between?: () => Promise<unknown>): Promise<number[]> {
  const ids: number[] = [];
  for (let next: string | null = `${path}?page_size=200`; next !== null;) {
    const { status: code, body }: { status: number; body: Json } = await workspace.api.get(next);
    expect(code).toBe(200);
    ids.push(...(body['results'] as { id: number }[]).map(({ id }) => id));
    next = body['next'] === null ? null : String(body['next']).replace(/^https?:\/\/[^/]+/, '');
    await between?.();
  }
  return ids;
}
const idsOf = async (word: string): Promise<number[]> =>
  (
    await rows<{ id: number }>(
      `SELECT id FROM messages WHERE workspace_id = $workspaceId AND (body #>> '{text,body}' LIKE $word || '%'
         OR body #>> '{text,body}' = 'own') ORDER BY created_at DESC, id DESC`,
      { word },
    )
  ).map(({ id }) => id);

it('a merge passes a page at once, and what is shown is the same while the rest follows', async () => {
  const [kept, gone] = await twoContacts('walked');
  const wanted = await idsOf('walked');
  const trail = (await walk(`/api/v1/conversations/${gone.receiver_id}/activity/`)).length;
  await merge(kept, gone);
  expect(await left()).toBe(1);
  expect(await count('messages WHERE conversation_id = $id', { id: gone.id })).toBe(messages - 1_000);

  const list = `/api/v1/conversations/${gone.receiver_id}/messages/`;
  expect((await workspace.api.get(list)).body).toMatchObject({ count: messages + 10 });
  expect(await walk(list)).toEqual(wanted);
  // With those of the older one, and that they were merged.
  expect((await walk(`/api/v1/conversations/${kept.receiver_id}/activity/`)).length).toBeGreaterThan(trail);

  expect(await walk(list, () => passLeftHistories(desk.runtime))).toEqual(wanted);
  await allPages();
  expect(await left()).toBe(0);
  expect(await count('messages WHERE conversation_id = $id', { id: gone.id })).toBe(0);
  const trails = `events WHERE subject_id = $id AND subject_type IN ('contact', 'conversation')`;
  expect(await count(trails, { id: gone.id })).toBe(0);
  expect(await walk(list)).toEqual(wanted);
});

it('a message that is not moved yet is read, found, told of and marked as one of the contact that stays', async () => {
  const [kept, gone] = await twoContacts('older');
  expect((await workspace.api.post('/api/v1/webhooks/', { url: 'http://127.0.0.1:9/', events: ['*'] })).status).toBe(
    201,
  );
  await merge(kept, gone);
  const [old] = await rows<{ id: number }>(`SELECT id FROM messages WHERE workspace_id = $workspaceId AND wamid = $w`, {
    w: 'wamid.older2399',
  });

  const read = await workspace.api.get(`/api/v1/messages/${old?.id}/`);
  expect(read).toMatchObject({ status: 200, body: { receiver: { receiver_id: kept.receiver_id } } });
  for (const receiver of ['', `&receiver=${kept.receiver_id}`]) {
    const found = await workspace.api.get(`/api/v1/messages/search/?q=older2399${receiver}`);
    expect(found.body).toMatchObject({ results: [{ id: old?.id, receiver: { receiver_id: kept.receiver_id } }] });
  }

  const statuses = [status('wamid.older2399', 'read')];
  expect((await signedWebhook(workspace, webhook(workspace, { statuses }))).status).toBe(200);
  await desk.settled();
  expect((await workspace.api.get(`/api/v1/messages/${old?.id}/`)).body).toMatchObject({ message_status: 'read' });
  while (await fanOutEvents(desk.runtime));
  const told = await rows<{ type: string; subject_id: number; sequence: number }>(
    `SELECT type, subject_id, sequence FROM webhook_events
     WHERE workspace_id = $workspaceId AND type IN ('contact.merged', 'message.status_changed') ORDER BY id`,
  );
  expect(told).toEqual([
    { type: 'contact.merged', subject_id: kept.id, sequence: 1 },
    { type: 'message.status_changed', subject_id: kept.id, sequence: 2 },
  ]);

  expect((await workspace.api.post(`/api/v1/conversations/${kept.receiver_id}/read/`, {})).status).toBe(200);
  expect(await count(`messages WHERE workspace_id = $workspaceId AND direction = 'inbound' AND NOT "read"`)).toBe(0);
  await allPages();
});

it('what still waits is sent after the merge, however old it is', async () => {
  const [kept, gone] = await twoContacts('waits');
  await rows(
    `UPDATE messages SET message_status = 'queued', delivery_state = 'queued', wamid = NULL,
       deliver_by = now() + interval '1 minute', created_at = now() - interval '1439 minutes'
     WHERE workspace_id = $workspaceId AND wamid IN ('wamid.waits2399', 'wamid.waits2397')`,
  );
  await merge(kept, gone);
  const waiting = await rows<{ conversation_id: number; send_seq: number }>(
    `SELECT conversation_id, send_seq FROM messages
     WHERE workspace_id = $workspaceId AND delivery_state = 'queued' ORDER BY send_seq`,
  );
  expect(waiting.map((row) => row.conversation_id)).toEqual([kept.id, kept.id]);
  await allPages();
});

it('neither a merge nor an erasure waits for more than a page', async () => {
  const [kept, gone] = await twoContacts('paged');
  await merge(kept, gone);
  expect(await count('messages WHERE conversation_id = $id', { id: kept.id })).toBe(1_010);
  expect(await count(`events WHERE subject_type = 'contact' AND subject_id = $id`, { id: kept.id })).toBeLessThan(
    1_010,
  );
  const before = await count('messages WHERE workspace_id = $workspaceId');
  expect((await workspace.api.delete(`/api/v1/contacts/${kept.receiver_id}/`)).status).toBe(204);
  expect(before - (await count('messages WHERE workspace_id = $workspaceId'))).toBe(1_000);
  await allPages();
});

it('a merge during a merge goes to the last one, and an erasure during it erases all', async () => {
  const oldest = await createContact(workspace);
  const [kept, gone] = await twoContacts('chained');
  await merge(kept, gone);
  await merge(oldest, kept);
  await passLeftHistories(desk.runtime);
  const list = `/api/v1/conversations/${gone.receiver_id}/messages/`;
  expect(await walk(list)).toEqual(await idsOf('chained'));

  const file = await uploadFile(workspace, sampleFile('image').data);
  await rows(
    `UPDATE messages SET file_id = (SELECT id FROM files WHERE public_id = $file)
     WHERE workspace_id = $workspaceId AND wamid = 'wamid.chained2499'`,
    { file },
  );
  const [old] = await rows<{ id: number }>(
    `SELECT id FROM messages WHERE workspace_id = $workspaceId AND wamid = 'wamid.chained2499'`,
  );
  expect((await workspace.api.get(`/api/v1/messages/${old?.id}/media/`)).status).toBe(200);
  expect((await workspace.api.delete(`/api/v1/contacts/${gone.receiver_id}/`)).status).toBe(204);
  expect(await left()).toBeGreaterThan(0);
  for (const path of ['', 'media/'])
    expect((await workspace.api.get(`/api/v1/messages/${old?.id}/${path}`)).status).toBe(404);
  expect((await workspace.api.get('/api/v1/messages/search/?q=chained2499')).body).toMatchObject({ results: [] });

  await allPages();
  expect([await left(), await count('messages WHERE workspace_id = $workspaceId')]).toEqual([0, 0]);
  expect(await count('files WHERE workspace_id = $workspaceId')).toBe(0);
  expect(
    await rows(`SELECT kind FROM events WHERE workspace_id = $workspaceId AND subject_type <> 'workspace'`),
  ).toEqual([{ kind: 'contact_deleted' }]);
});

it('a customer whose message makes two long histories one is received at once', async () => {
  const bsuid = `DE.${unique()}`;
  const known = await createContact(workspace);
  const second = await createContact(workspace, { bsuid });
  await giveHistory(known, 'first');
  await giveHistory(second, 'second');
  const text = inboundText(known.receiver_id, 'It is me', { from_user_id: bsuid });
  const contacts = [{ wa_id: known.receiver_id, user_id: bsuid, profile: { name: 'Me' } }];
  expect((await signedWebhook(workspace, webhook(workspace, { contacts, messages: [text] }))).status).toBe(200);
  await desk.settled();
  expect(await count(`contacts WHERE workspace_id = $workspaceId`)).toBe(1);
  const { body } = await workspace.api.get(`/api/v1/conversations/${second.receiver_id}/messages/?page_size=1`);
  expect(body).toMatchObject({ count: 2 * messages + 1, results: [{ body: { text: { body: 'It is me' } } }] });
  await allPages();
  expect(await left()).toBe(0);
});

it('a message for a conversation that is gone is refused, not stored where nobody looks', async () => {
  const [kept, gone] = [await createContact(workspace), await createContact(workspace)];
  await merge(kept, gone);
  const stored = insertInbound(workspace.ctx, [
    {
      conversation_id: gone.id,
      phone_number_id: null,
      type: 'text',
      body: { type: 'text', text: { body: 'Too late' } },
      wamid: `wamid.${unique()}`,
      reply_to_wamid: '',
      referred_product: null,
      context: null,
      group_info: null,
      read: false,
      standby: false,
      at: new Date(),
    },
  ]);
  await expect(stored).rejects.toThrow('gone');
  expect(await count('messages WHERE workspace_id = $workspaceId')).toBe(0);
});
