import { createHash } from 'node:crypto';
import { claimKey, fingerprint } from '../../api/core/db/idempotency';
import { operations } from '../../api/operations';
import { createCustomer } from '../factories/customers';
import { createMember } from '../factories/members';
import { unique, uniquePhone } from '../factories/unique';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiAnswer } from '../support/client';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const path = '/api/v1/contacts/';
const key = (): Record<string, string> => ({ 'idempotency-key': `key-${unique()}` });
const create = (body: unknown, headers: Record<string, string>): Promise<ApiAnswer> =>
  desk.api.post(path, body, headers);
const count = async (): Promise<number> =>
  (await desk.runtime.db.row<{ count: number }>('SELECT count(*)::int AS count FROM contacts'))?.count ?? 0;
const rows = (headers: Record<string, string>): Promise<{ status: number | null }[]> =>
  desk.runtime.db.rows('SELECT status FROM idempotency_keys WHERE key = $key', { key: headers['idempotency-key'] });

it('replays the first answer with its header, and does the work once (C3)', async () => {
  const [headers, body] = [key(), { phone: uniquePhone(), name: 'Once' }];
  const first = await create(body, headers);
  const second = await create(body, headers);
  expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
  expect([second.status, second.headers['idempotent-replayed'], second.body]).toEqual([201, 'true', first.body]);
});

it('the fingerprint is of the parsed body: order of keys, spacing and encoding do not matter', async () => {
  const [headers, phone] = [key(), uniquePhone()];
  const first = await create({ phone, name: 'Same' }, headers);
  for (const [body, type] of [
    [`{ "name" : "Same",\n "phone":"${phone}" }`, 'application/json'],
    [`name=Same&phone=${encodeURIComponent(phone)}`, 'application/x-www-form-urlencoded'],
  ]) {
    const again = await create(body, { ...headers, 'content-type': type ?? '' });
    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', first.body]);
  }
  // With or without the trailing slash it is the same path.
  expect(
    (await desk.api.post('/api/v1/contacts', { phone, name: 'Same' }, headers)).headers['idempotent-replayed'],
  ).toBe('true');
});

it('another body under the same key is a 409', async () => {
  const headers = key();
  await create({ phone: uniquePhone() }, headers);
  const before = await count();
  expect(await create({ phone: uniquePhone() }, headers)).toMatchObject({
    status: 409,
    body: { error: 'This Idempotency-Key was already used with a different request body.' },
  });
  expect(await count()).toBe(before);
});

it('of many at once one does the work, the others are told so or get its answer', async () => {
  const [headers, body] = [key(), { phone: uniquePhone() }];
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(body, headers)));
  for (const { status, body: answer } of answers) {
    if (status !== 201)
      expect([status, answer]).toEqual([409, { error: 'A request with this Idempotency-Key is still in progress.' }]);
  }
  expect(
    answers.filter(
      ({ status, headers: { 'idempotent-replayed': replayed } }) => status === 201 && replayed === undefined,
    ),
  ).toHaveLength(1);
});

it('keys belong to a credential and a path', async () => {
  const [headers, second] = [key(), await desk.workspace.key(['all'])];
  expect((await create({ phone: uniquePhone() }, headers)).status).toBe(201);
  expect((await second.api.post(path, { phone: uniquePhone() }, headers)).status).toBe(201);
  expect(
    (
      await desk.api.post(
        '/api/v1/messages/',
        { to: uniquePhone(), body: 'Hi', phone_number_id: desk.workspace.account.phoneNumberId },
        headers,
      )
    ).status,
  ).toBe(400);
});

it('a refusal gives the key back: for the same body once it may go, and for a corrected one (C3)', async () => {
  const customer = createCustomer(desk.workspace, { phone: uniquePhone() });
  const [headers, answer] = [key(), { to: customer.phone, body: 'On its way' }];
  const send = (body: unknown): Promise<ApiAnswer> => desk.api.post('/api/v1/messages/', body, headers);
  for (let time = 0; time < 2; time += 1) {
    const refused = await send(answer);
    const { 'x-error-code': code, 'idempotent-replayed': replayed } = refused.headers;
    expect([refused.status, code, replayed]).toEqual([400, 'window_closed', undefined]);
  }
  await customer.writes('Where is it?');
  expect((await send({ ...answer, to: 'nonsense' })).status).toBe(400);
  const sent = await send(answer);
  expect([sent.status, (await send(answer)).body]).toEqual([201, sent.body]);
  expect(await rows(headers)).toEqual([{ status: 201 }]);
});

it('401, 403 and 429 come before the key is looked at, and are not kept', async () => {
  const [headers, body] = [key(), { phone: uniquePhone() }];
  const member = await createMember(desk.workspace, { permissions: ['contact.view', 'contact.edit'] });
  const narrow = await desk.workspace.key(['contact.view', 'contact.edit'], { member });
  await member.update({ permissions: ['contact.view'] });
  expect((await desk.anonymous.post(path, body, headers)).status).toBe(401);
  expect((await narrow.api.post(path, body, headers)).status).toBe(403);
  expect(await rows(headers)).toEqual([]);
  await member.update({ permissions: ['contact.view', 'contact.edit'] });
  expect((await narrow.api.post(path, body, headers)).status).toBe(201);
  // The same answer is not shown to one who has lost the scope since.
  await member.update({ permissions: ['contact.view'] });
  expect((await narrow.api.post(path, body, headers)).status).toBe(403);
});

it('a fault of ours frees the key', async () => {
  const [headers, body] = [key(), { phone: uniquePhone() }];
  await desk.runtime.db.rows(`ALTER TABLE contacts ADD CONSTRAINT outage CHECK (name <> 'outage') NOT VALID`);
  const failed = await create({ ...body, name: 'outage' }, headers);
  await desk.runtime.db.rows('ALTER TABLE contacts DROP CONSTRAINT outage');
  expect([failed.status, failed.body]).toEqual([
    500,
    { error: expect.stringMatching(/^Internal server error\. Request id: \S+$/) as unknown },
  ]);
  expect(await rows(headers)).toEqual([]);
  expect((await create({ ...body, name: 'outage' }, headers)).status).toBe(201);
});

it('the claim of a process that died is free again after 60 s, for the same body only', async () => {
  const body = { phone: uniquePhone() };
  const dead = async (age: string): Promise<Record<string, string>> => {
    const headers = key();
    const print = createHash('sha256').update(`{"phone":"${body.phone}"}`).digest();
    const bucket = await desk.runtime.db.row<{ id: number }>(
      'SELECT max(id) AS id FROM api_keys WHERE workspace_id = $id AND name = $name',
      { id: desk.workspace.id, name: 'test' },
    );
    const keys = await desk.runtime.db.rows<{ id: number }>('SELECT id FROM api_keys');
    expect(bucket).not.toBeNull();
    // A claim of every key of this database: whichever makes the request finds it.
    for (const { id } of keys) {
      await desk.runtime.db.rows(
        `INSERT INTO idempotency_keys (credential, path, key, fingerprint, claim, claimed_at)
          VALUES ($credential, $path, $key, $print, gen_random_uuid(), now() - $age::interval)`,
        { credential: `key:${id}`, path, key: headers['idempotency-key'], print, age },
      );
    }
    return headers;
  };
  expect((await create(body, await dead('50 seconds'))).status).toBe(409);
  const headers = await dead('61 seconds');
  expect((await create({ phone: uniquePhone() }, headers)).status).toBe(409);
  expect((await create(body, headers)).status).toBe(201);
});

it('an erased person is in no kept answer, and a repeat does not bring them back', async () => {
  const [headers, phone] = [key(), uniquePhone()];
  const { body: contact } = await create({ phone, name: 'Erased' }, headers);
  const ticketKey = key();
  const ticket = { title: 'Kept', receiver: contact['id'] };
  await desk.api.post('/api/v1/tickets/', ticket, ticketKey);
  expect((await desk.api.delete(`${path}${String(contact['receiver_id'])}/`)).status).toBe(204);
  const kept = await desk.runtime.db.rows<{ body: string | null }>('SELECT body FROM idempotency_keys');
  expect(kept.filter(({ body }) => body?.includes(phone.slice(1)))).toEqual([]);
  const before = await count();
  const again = await create({ phone, name: 'Erased' }, headers);
  expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([
    404,
    'true',
    { error: 'Not found.' },
  ]);
  expect(await count()).toBe(before);
  // What stays is shown as it now is.
  const now = await desk.api.post('/api/v1/tickets/', ticket, ticketKey);
  expect(now).toMatchObject({
    status: 201,
    headers: { 'idempotent-replayed': 'true' },
    body: { title: 'Kept', receiver: null },
  });
});

it('an atomic answer is kept by the claim that holds the key only: a slow first request is undone', async () => {
  const { db } = desk.runtime;
  const use = {
    workspaceId: desk.workspace.id,
    credential: 'key:1',
    path,
    key: `slow-${unique()}`,
    print: fingerprint({}),
  };
  const slow = await claimKey(desk.runtime, use);
  await db.rows(`UPDATE idempotency_keys SET claimed_at = now() - interval '61 seconds' WHERE key = $key`, {
    key: use.key,
  });
  const second = await claimKey(desk.runtime, use);
  if (slow.kind !== 'claimed' || second.kind !== 'claimed') throw new Error('both should have claimed the key');
  const answer = { status: 201, body: '{}', subjectId: 1 };
  expect([await slow.finish(answer), await second.finish(answer)]).toEqual([false, true]);
  expect(await slow.release(true)).toBeNull();
  expect(await claimKey(desk.runtime, use)).toMatchObject({ kind: 'replay', ...answer });
});

it('work in steps that ended unknown is free for the same body at once, and for no other', async () => {
  const use = {
    workspaceId: desk.workspace.id,
    credential: 'key:1',
    path,
    key: `steps-${unique()}`,
    print: fingerprint({}),
  };
  const first = await claimKey(desk.runtime, use);
  if (first.kind !== 'claimed') throw new Error('the key should have been free');
  expect(await first.release(false)).toBeNull();
  await expect(claimKey(desk.runtime, { ...use, print: fingerprint({ other: 1 }) })).rejects.toThrow(
    'different request body',
  );
  expect(await claimKey(desk.runtime, use)).toMatchObject({ kind: 'claimed' });
});

it('a key lives for 24 hours', async () => {
  const headers = key();
  const first = await create({ phone: uniquePhone() }, headers);
  await desk.runtime.db.rows(`UPDATE idempotency_keys SET claimed_at = now() - interval '25 hours' WHERE key = $key`, {
    key: headers['idempotency-key'],
  });
  const second = await create({ phone: uniquePhone() }, headers);
  expect([first.status, second.status, second.headers['idempotent-replayed']]).toEqual([201, 201, undefined]);
});

it.each([['x'.repeat(256)], ['tab\there'], ['naïve']])('refuses the key %j', async (value) => {
  expect(await create({ phone: uniquePhone() }, { 'idempotency-key': value })).toMatchObject({
    status: 400,
    body: { non_field_errors: ['Idempotency-Key must be 1 to 255 printable ASCII characters.'] },
  });
});

it('takes 255 characters and spaces, and ignores the header where an operation has no use for it', async () => {
  expect((await create({ phone: uniquePhone() }, { 'idempotency-key': 'k'.repeat(255) })).status).toBe(201);
  expect((await create({ phone: uniquePhone() }, { 'idempotency-key': 'two words' })).status).toBe(201);
  const headers = key();
  const { receiver_id: handle } = (await create({ phone: uniquePhone() }, key())).body;
  await desk.api.patch(`${path}${String(handle)}/`, { name: 'A' }, headers);
  expect((await desk.api.patch(`${path}${String(handle)}/`, { name: 'B' }, headers)).body['name']).toBe('B');
});

it('every write that the contract lists takes the header', () => {
  const marked = operations.filter(({ idempotent }) => idempotent).map(({ id, idempotent }) => [id, idempotent]);
  expect(Object.fromEntries(marked)).toEqual({
    'contacts.create': 'atomic',
    'contacts.import': 'stepwise',
    'messages.create': 'atomic',
    'handovers.create': 'atomic',
    'notes.create': 'atomic',
    'tickets.create': 'atomic',
    'ticketComments.create': 'atomic',
    'broadcasts.create': 'atomic',
    'broadcasts.confirm': 'atomic',
    'broadcasts.resend': 'atomic',
    'macros.run': 'stepwise',
  });
  // What makes an object can show it again.
  for (const { id, idempotent, reread } of operations)
    expect([id, reread !== undefined]).toEqual([id, idempotent === 'atomic']);
});
