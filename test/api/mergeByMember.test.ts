import { adoptPlatformPhone } from '../../api/services/resources/contacts/aliases';
import { deleteContact } from '../../api/services/resources/contacts/erasure';
import { readDue } from '../../api/services/resources/broadcasts/runs/claims';
import { endBroadcast, openBroadcast } from '../../api/services/resources/broadcasts/runs/run';
import { allScopes } from '../../api/core/http/access';
import { mergeByMember } from '../../api/services/processes/contactMerge/mergeByMember';
import { previewMerge } from '../../api/services/processes/contactMerge/preview';
import { serializeContact } from '../../api/services/resources/contacts/serializer';
import { createBroadcast } from '../factories/broadcasts';
import { createContact, createConversation } from '../factories/contacts';
import { createCustomer, inboundText, signedWebhook, webhook } from '../factories/customers';
import { createMember, createSession, type TestSession } from '../factories/members';
import { createTicket } from '../factories/tickets';
import { unique, uniquePhone } from '../factories/unique';
import { createWorkspace } from '../factories/workspaces';
import { createAgent } from '../support/agent';
import type { ApiAnswer } from '../support/client';
import type { TestApi } from '../support/api';
import { fc, runs } from '../support/properties';
import { sentFrom } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

/** Contract C5: a member says that two contacts are one person. */
let desk: TestApi;
let lena: TestSession;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  lena = await sessionOf(['contact.view', 'contact.edit', 'contact.delete']);
});
afterAll(() => desk.close());

type Permissions = NonNullable<Parameters<typeof createMember>[1]>['permissions'];
const sessionOf = async (permissions: Permissions): Promise<TestSession> =>
  createSession(await createMember(desk.workspace, { permissions }));
const digits = (): string => uniquePhone().replace(/\D/g, '');
const userId = (): string => `US.${unique()}7`;
const merge = (gone: string, into: unknown, api = lena.api): Promise<ApiAnswer> =>
  api.post(`/api/v1/contacts/${encodeURIComponent(gone)}/merge/`, { into });
const contact = async (handle: string): Promise<Json> => (await desk.api.get(`/api/v1/contacts/${handle}/`)).body;
const idOf = async (handle: string): Promise<unknown> => (await contact(handle))['id'];

let second = Math.floor(Date.now() / 1000) - 10_000;
interface Who {
  readonly phone?: string;
  readonly bsuid?: string;
}
/** Lets somebody write, each time a second later than before. */
async function writes({ phone, bsuid }: Who, text = 'Hello'): Promise<void> {
  second += 1;
  const { from: _from, ...message } = inboundText(phone ?? '', text, { timestamp: String(second) });
  const value = {
    contacts: [{ profile: {}, ...(phone ? { wa_id: phone } : {}), ...(bsuid ? { user_id: bsuid } : {}) }],
    messages: [{ ...message, ...(phone ? { from: phone } : {}), ...(bsuid ? { from_user_id: bsuid } : {}) }],
  };
  expect((await signedWebhook(desk.workspace, webhook(desk.workspace, value))).status).toBe(200);
  await desk.settled();
}
async function person(): Promise<Required<Who>> {
  const who = { phone: digits(), bsuid: userId() };
  await writes(who);
  return who;
}

it('the chosen one stays, with what hangs on both', async () => {
  const kept = await createConversation(
    desk.workspace,
    { conv_status: 'resolved', priority: 'high' },
    { name: 'Ana', tags: ['vip'], notes: '' },
  );
  const older = await createConversation(
    desk.workspace,
    { conv_status: 'snoozed', snoozed_until: '2031-05-04T10:00:00Z' },
    { name: 'Ana Maria', tags: ['old'], notes: 'Rings twice', email: 'ana@desk.test', marketing_opt_out: true },
  );
  await createCustomer(desk.workspace, { phone: `+${kept.receiver_id}` }).writes('From the new one');
  await createCustomer(desk.workspace, { phone: `+${older.receiver_id}` }).writes('From the old one');
  const owner = await createSession(desk.workspace.owner);
  await owner.api.post(`/api/v1/conversations/${older.receiver_id}/notes/`, { body: 'Of the old one' });
  const ticket = await createTicket(desk.workspace, { receiver: older.id, affected_contact_ids: [kept.id, older.id] });

  const { status, body } = await merge(older.receiver_id, `+${kept.receiver_id}`);
  expect([status, body]).toMatchObject([
    200,
    { id: kept.id, receiver_id: kept.receiver_id, name: 'Ana', tags: ['vip'], notes: 'Rings twice' },
  ]);
  expect(body).toMatchObject({ email: 'ana@desk.test', marketing_opt_out: true, marketing_opt_out_source: 'api' });
  for (const handle of [older.receiver_id, `+${older.receiver_id}`]) expect(await idOf(handle)).toBe(kept.id);
  const conversation = (await desk.api.get(`/api/v1/conversations/${older.receiver_id}/`)).body;
  expect(conversation).toMatchObject({ conv_status: 'open', snoozed_until: null, priority: 'high', unread_count: 2 });
  const { body: said } = await desk.api.get<{ results: Json[] }>(`/api/v1/conversations/${kept.receiver_id}/messages/`);
  expect(said.results).toHaveLength(2);
  const { body: after } = await desk.api.get(`/api/v1/tickets/${String(ticket.id)}/`);
  expect(after).toMatchObject({ receiver: kept.id });
  const { body: notes } = await owner.api.get<{ results: Json[] }>(`/api/v1/conversations/${kept.receiver_id}/notes/`);
  expect(notes.results.map((note) => note['body'])).toEqual(['Of the old one']);
});

it('both numbers and both user ids lead to it, by every door', async () => {
  const [kept, gone] = [await person(), await person()];
  const { body } = await merge(gone.bsuid, kept.phone);
  const id = body['id'];
  for (const handle of [kept.phone, kept.bsuid, gone.phone, gone.bsuid, `+${gone.phone}`]) {
    expect([handle, await idOf(handle)]).toEqual([handle, id]);
    for (const list of ['contacts', 'conversations']) {
      const { body: found } = await desk.api.get<{ results: Json[] }>(
        `/api/v1/${list}/?search=${encodeURIComponent(handle)}`,
      );
      expect([handle, found.results.map((one) => one['receiver_id'])]).toEqual([handle, [kept.phone]]);
    }
  }
  for (const taken of [{ phone: gone.phone }, { phone: kept.phone }, { bsuid: gone.bsuid }, { bsuid: kept.bsuid }]) {
    const [field = ''] = Object.keys(taken);
    const { status, body: refusal } = await desk.api.post('/api/v1/contacts/', taken);
    expect([status, refusal]).toEqual([400, { [field]: [`contact with this ${field} already exists.`] }]);
  }
  const rows = [gone.phone, kept.phone, gone.bsuid, kept.bsuid].map((value) =>
    value.includes('.') ? { bsuid: value } : { phone: value },
  );
  expect((await desk.api.post('/api/v1/contacts/bulk/', rows)).body).toMatchObject({ created: 0, failed: 0 });
  for (const to of [gone.phone, kept.phone, gone.bsuid, kept.bsuid]) {
    const { status, body: sent } = await desk.api.post('/api/v1/messages/', { to, body: 'Hi' });
    expect([status, sent['receiver']]).toMatchObject([201, { receiver_id: kept.phone }]);
  }
  const agent = createAgent(desk.api);
  for (const handle of [gone.phone, gone.bsuid])
    expect(JSON.stringify(await agent.call('read_messages', { receiver_id: handle }))).toContain(kept.phone);
  for (const who of [gone, { phone: gone.phone }, { bsuid: gone.bsuid }, kept, { phone: kept.phone }, kept])
    await writes(who);
  const { body: conversation } = await desk.api.get(`/api/v1/conversations/${kept.phone}/`);
  expect(conversation['unread_count']).toBeGreaterThanOrEqual(6);
  for (const handle of [kept.phone, kept.bsuid, gone.phone, gone.bsuid]) expect(await idOf(handle)).toBe(id);
});

/** Returns to whom the last answer went. */
async function answered(handle: string): Promise<unknown> {
  expect((await desk.api.post('/api/v1/messages/', { to: handle, body: 'Hi' })).status).toBe(201);
  await desk.work();
  return sentFrom(desk.workspace).at(-1)?.to;
}

it('an answer goes to the number from which the customer wrote last', async () => {
  const [ana, maria] = [createCustomer(desk.workspace), createCustomer(desk.workspace)];
  await ana.writes('Hi', { timestamp: (second += 1) });
  await maria.writes('Hi', { timestamp: (second += 1) });
  await merge(maria.handle, ana.handle);
  expect(await answered(ana.handle)).toBe(maria.handle);
  await ana.writes('Back', { timestamp: (second += 1) });
  expect(await answered(maria.handle)).toBe(ana.handle);

  const [kept, gone] = [await person(), await person()];
  await merge(gone.phone, kept.phone);
  await writes({ phone: gone.phone });
  expect(await contact(kept.phone)).toMatchObject({ phone: `+${gone.phone}`, bsuid: gone.bsuid });
  await writes({ bsuid: kept.bsuid });
  expect(await contact(kept.phone)).toMatchObject({ phone: `+${kept.phone}`, bsuid: kept.bsuid });
});

it('whatever somebody writes as, and in whatever order, stays one contact with one pair', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.boolean(), fc.constantFrom('both', 'phone', 'bsuid')), { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (said, isTurned) => {
        const [kept, gone] = [await person(), await person()];
        if (isTurned) await writes(kept);
        await merge(gone.phone, kept.phone);
        const id = await idOf(kept.phone);
        for (const [isGone, as] of said) {
          const { phone, bsuid } = isGone ? gone : kept;
          await writes({ ...(as === 'bsuid' ? {} : { phone }), ...(as === 'phone' ? {} : { bsuid }) });
          const now = await contact(kept.phone);
          expect([now['phone'], now['bsuid'], now['id']]).toEqual([`+${phone}`, bsuid, id]);
        }
        for (const handle of [kept.phone, kept.bsuid, gone.phone, gone.bsuid]) expect(await idOf(handle)).toBe(id);
      },
    ),
    { numRuns: runs(15) },
  );
});

it.each([
  ['that joined it', false],
  ['by which it is named', true],
])('a number of it, %s, that comes with another user id was given to another person', async (_which, isFirst) => {
  const [kept, gone] = [await person(), await person()];
  await merge(gone.phone, kept.phone);
  const [present, given] = isFirst ? [gone, kept] : [kept, gone];
  await writes(present);
  const stranger = userId();
  await writes({ phone: given.phone, bsuid: stranger }, 'Who are you?');
  expect(await idOf(stranger)).toBe(await idOf(given.phone));
  expect(await idOf(stranger)).not.toBe(await idOf(present.phone));
  expect(await contact(present.phone)).toMatchObject({ phone: `+${present.phone}`, bsuid: present.bsuid });
  expect(await idOf(given.bsuid)).toBe(await idOf(present.phone));
});

it('a number whose user id nobody knew yet learns it', async () => {
  const [kept, phone, bsuid] = [await person(), digits(), userId()];
  await createContact(desk.workspace, { phone: `+${phone}` });
  await merge(phone, kept.phone);
  await writes({ phone, bsuid });
  for (const handle of [phone, bsuid, kept.bsuid]) expect(await idOf(handle)).toBe(await idOf(kept.phone));
});

it('an answer to a send that names its other number joins who was dialled', async () => {
  const [kept, gone, dialled] = [await person(), await person(), `2250${unique()}1`];
  await merge(gone.phone, kept.phone);
  await writes(kept);
  const { id } = await createContact(desk.workspace, { phone: `+${dialled}` });
  await desk.runtime.db.transaction(() => adoptPlatformPhone(desk.workspace.ctx, id, dialled, gone.phone));
  await desk.settled();
  for (const handle of [dialled, gone.phone, gone.bsuid]) expect(await idOf(handle)).toBe(await idOf(kept.phone));
  expect(await contact(dialled)).toMatchObject({ phone: `+${kept.phone}`, bsuid: kept.bsuid });
  await writes(gone);
  expect(await contact(dialled)).toMatchObject({ phone: `+${gone.phone}`, bsuid: gone.bsuid });
});

it('a change of the other number leaves the present one', async () => {
  const [kept, gone, next] = [await person(), await person(), digits()];
  await merge(gone.phone, kept.phone);
  await writes(kept);
  second += 1;
  const change = { type: 'user_changed_number', body: 'changed', wa_id: next, new_wa_id: next };
  const message = { from: gone.phone, id: `wamid.sys${unique()}`, timestamp: String(second), type: 'system' };
  const value = { messages: [{ ...message, system: change }] };
  expect((await signedWebhook(desk.workspace, webhook(desk.workspace, value))).status).toBe(200);
  await desk.settled();
  const id = await idOf(kept.bsuid);
  for (const handle of [kept.phone, next, gone.bsuid]) expect([handle, await idOf(handle)]).toEqual([handle, id]);
});

it('nobody of a broadcast gets it twice', async () => {
  const [kept, gone] = [await createContact(desk.workspace), await createContact(desk.workspace)];
  const audience = { receiver_ids: [gone.receiver_id, kept.receiver_id] };
  const id = await createBroadcast(desk.workspace, { audience });
  await desk.runtime.db.rows(
    `UPDATE broadcasts SET status = 'scheduled', scheduled_at = now() - interval '1 second' WHERE id = $id`,
    { id },
  );
  const { ctx } = desk.workspace;
  expect(await openBroadcast(ctx, id)).toMatchObject({ kind: 'running', audience: 2 });
  await merge(gone.receiver_id, kept.receiver_id);
  const { due } = await readDue(ctx, { broadcastId: id, from: 1, to: 2 });
  expect(due.map((one) => one.contact)).toEqual([kept.id]);
  const { body } = await desk.api.get<{ results: Json[] }>(`/api/v1/broadcasts/${id}/recipients/`);
  expect(body.results.map((row) => row['reason']).sort()).toEqual(['', 'duplicate']);
  await endBroadcast(ctx, { broadcastId: id, reason: 'The test is over.' });
});

it('who is erased after an opt-out of either is remembered by both', async () => {
  const [kept, gone] = [await person(), await person()];
  await desk.api.patch(`/api/v1/contacts/${gone.phone}/`, { marketing_opt_out: true });
  await merge(gone.phone, kept.phone);
  await desk.runtime.db.transaction(() => deleteContact(desk.workspace.ctx, kept.phone));
  for (const who of [{ phone: kept.phone }, { bsuid: kept.bsuid }, { phone: gone.phone }, { bsuid: gone.bsuid }]) {
    await writes(who);
    expect(await contact(who.phone ?? who.bsuid ?? '')).toMatchObject({ marketing_opt_out: true });
  }
});

it('is refused for itself and for who is not there, and done once where it is asked twice', async () => {
  const [kept, gone, erased] = [await person(), await person(), await person()];
  const other = await createWorkspace(desk);
  const stranger = await createContact(other);
  await desk.api.delete(`/api/v1/contacts/${erased.phone}/`);
  for (const into of [kept.phone, `+${kept.phone}`, kept.bsuid])
    expect(await merge(kept.phone, into)).toMatchObject({ status: 400, body: { into: ['This is the same contact.'] } });
  for (const into of [erased.phone, stranger.receiver_id, 'nobody'])
    expect(await merge(kept.phone, into)).toMatchObject({
      status: 400,
      body: { into: [`Invalid pk "${into}" - object does not exist.`] },
    });
  for (const path of [erased.phone, stranger.receiver_id, 'nobody'])
    expect((await merge(path, kept.phone)).status).toBe(404);
  for (const into of [undefined, null, '', 7, [kept.phone], '\u200b'])
    expect((await merge(gone.phone, into)).status).toBe(400);
  const first = await merge(gone.phone, kept.phone);
  const again = await merge(gone.phone, kept.phone);
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect((await merge(kept.phone, gone.phone)).body['id']).toBe(first.body['id']);
});

it('two at once, in both directions, make one contact', async () => {
  for (let round = 0; round < 5; round += 1) {
    const [one, two] = [await createContact(desk.workspace), await createContact(desk.workspace)];
    const answers = await Promise.all([
      merge(one.receiver_id, two.receiver_id),
      merge(two.receiver_id, one.receiver_id),
      writes({ phone: one.receiver_id }),
    ]);
    const statuses = answers.flatMap((answer) => (answer ? [answer.status] : []));
    expect(statuses).toEqual(statuses.map((status) => (status === 409 ? 409 : 200)));
    expect(await idOf(one.receiver_id)).toBe(await idOf(two.receiver_id));
  }
});

it('needs a session with both permissions, and is in the log, the trail and the webhooks', async () => {
  const [kept, gone] = [await createContact(desk.workspace), await createContact(desk.workspace)];
  expect((await merge(gone.receiver_id, kept.receiver_id, desk.api)).status).toBe(403);
  for (const permissions of [['contact.edit'], ['contact.delete']] as const) {
    const { api } = await sessionOf(['contact.view', ...permissions]);
    const { status, headers } = await merge(gone.receiver_id, kept.receiver_id, api);
    expect([status, headers['x-error-code']]).toEqual([403, 'missing_scope']);
  }
  const old = await sessionOf(['contact.edit', 'contact.delete']);
  await desk.runtime.db.rows(
    `UPDATE sessions SET verified_at = now() - interval '1 hour' WHERE token_hash =
    sha256($token::bytea)`,
    { token: Buffer.from(old.token) },
  );
  expect((await merge(gone.receiver_id, kept.receiver_id, old.api)).headers['x-error-code']).toBe(
    'reauthentication_required',
  );
  await merge(gone.receiver_id, kept.receiver_id);
  const [entry] = await desk.runtime.db.rows(
    `SELECT subject_id, member_id, given FROM security_log
     WHERE workspace_id = $w AND action = 'contacts.merge' ORDER BY id DESC LIMIT 1`,
    { w: desk.workspace.id },
  );
  expect(entry).toMatchObject({ subject_id: kept.id, given: { into: kept.receiver_id } });
  const trail = await desk.runtime.db.rows(
    `SELECT data FROM events WHERE workspace_id = $w AND subject_id = $id AND kind = 'contacts_merged'`,
    { w: desk.workspace.id, id: kept.id },
  );
  expect(trail).toMatchObject([{ data: { merged_contact_id: gone.id } }]);
});

it('a contact that was erased meanwhile is said so', async () => {
  const [kept, gone] = [await createContact(desk.workspace), await createContact(desk.workspace)];
  const ctx = { ...desk.workspace.ctx, scopes: new Set(['contact.edit', 'contact.delete'] as const) };
  const both = await Promise.allSettled([
    desk.runtime.db.transaction(() => deleteContact(desk.workspace.ctx, gone.receiver_id)),
    mergeByMember(ctx, gone.receiver_id, kept.receiver_id),
  ]);
  const [refusal] = both.flatMap((one) => (one.status === 'rejected' ? [one.reason as { status?: number }] : []));
  expect(refusal?.status ?? 404).toBe(404);
});

it('a preview shows what the merge makes of both then, and changes nothing', async () => {
  const workspace = desk.workspace;
  const kept = await createConversation(workspace, {}, { name: 'Ana', tags: ['vip'] });
  const gone = await createConversation(
    workspace,
    {},
    { name: 'Ana Maria', email: 'ana@desk.test', company: 'Rose', marketing_opt_out: true },
  );
  await createCustomer(workspace, { phone: `+${gone.receiver_id}` }).writes('From the other one');
  await createTicket(workspace, { receiver: gone.id });
  const ctx = { ...workspace.ctx, scopes: new Set(allScopes) };
  const [first, second] = [await contact(kept.receiver_id), await contact(gone.receiver_id)];
  const seen = await previewMerge(ctx, gone.receiver_id, kept.receiver_id);
  expect([await contact(kept.receiver_id), await contact(gone.receiver_id)]).toEqual([first, second]);
  expect([seen.kept, seen.gone, seen.merged].map(({ messages, tickets }) => [messages, tickets])).toEqual([
    [0, 0],
    [1, 1],
    [1, 1],
  ]);
  const { body } = await merge(gone.receiver_id, kept.receiver_id);
  const { updated_at: _then, ...shown } = serializeContact(seen.merged.contact);
  expect(body).toMatchObject(shown);
  expect(body).toMatchObject({ name: 'Ana', email: 'ana@desk.test', company: 'Rose', marketing_opt_out: true });
});
