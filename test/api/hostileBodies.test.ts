import { maxImportBytes } from '../../api/services/resources/contacts/import/schema';
import { createMember, createSession } from '../factories/members';
import { hostileBodies, hostileFiles } from '../hostile/bodies';
import type { TestApi } from '../support/api';
import type { ApiClient } from '../support/client';
import { createCustomer } from '../factories/customers';
import { ownerSession } from '../factories/macros';
import { sharedDesk } from '../support/sharedDesk';
import { targetOf, writes } from '../support/writes';

/*
 * Bodies that cost nothing to send, to every write: none is a fault of ours, and none is answered at length. How long
 * others wait for them is a figure: `npm run bench -- --only hostile`.
 */

let desk: TestApi;
let handle: string;
let owner: ApiClient;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  const anna = createCustomer(desk.workspace);
  await anna.writes('Hi');
  handle = anna.handle;
  owner = (await ownerSession(desk.workspace)).api;
});
afterAll(() => desk.close());

/** Most bytes of an answer: a refusal names a hundred places at most, an import a thousand. */
const maxAnswer = 512 * 1024;

async function send(client: ApiClient, method: string, path: string, body: Buffer, type: string): Promise<number> {
  const answer = await client.request(method, path, body, { 'content-type': type });
  expect(answer.status).toBeLessThan(500);
  expect(JSON.stringify(answer.body ?? null).length).toBeLessThan(maxAnswer);
  return answer.status;
}

describe('every write, and every body in small', () => {
  it.each(writes.map((operation) => [operation.id, operation] as const))('%s', async (_id, operation) => {
    const target = await targetOf(desk, handle, operation);
    const [field = 'name'] = Object.keys(operation.body?.fields ?? {});
    for (const { build, type } of hostileBodies(field))
      await send(target.client, operation.method, target.path, build(16 * 1024), type);
  });
});

it('each body as large as an import takes it', async () => {
  for (const { build, type } of hostileBodies('contacts'))
    await send(desk.api, 'POST', '/api/v1/contacts/bulk/', build(maxImportBytes), type);
});

it.each([
  ['a list of objects', 413, 'list of objects in contacts'],
  ['keys', 413, 'unknown keys'],
  ['an array of arrays', 413, 'a wide array'],
  ['a form of +', 413, 'a form of +'],
])('%s of 10 MB is refused unread', async (_name, status, wanted) => {
  const body = hostileBodies('contacts').find(({ name }) => name === wanted);
  if (!body) throw new Error(`there is no body ${wanted}`);
  expect(await send(desk.api, 'POST', '/api/v1/contacts/bulk/', body.build(maxImportBytes), body.type)).toBe(status);
});

it('a refusal names a hundred fields at most', async () => {
  const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_unused, index) => [`k${index}`, 1]));
  const { status, body } = await owner.post('/api/v1/api-keys/', keys);
  expect(status).toBe(400);
  expect(Object.keys(body).length).toBeLessThanOrEqual(100);
});

describe('a file of nine megabytes', () => {
  it.each(hostileFiles.map((file) => [file.name, file] as const))(
    '%s: the preview is a short page',
    async (_name, file) => {
      const session = await createSession(await createMember(desk.workspace, { role: 'owner' }));
      const headers = { cookie: `token=${session.token}`, origin: desk.url };
      const page = await (await fetch(`${desk.url}/dashboard/contacts/import/`, { headers })).text();
      const form = new FormData();
      form.set('csrf', /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '');
      form.set('file', new Blob([new Uint8Array(file.build(9_000_000))]), 'people.csv');
      const answer = await fetch(`${desk.url}/dashboard/contacts/import/preview/`, {
        method: 'POST',
        headers,
        body: form,
      });
      expect([200, 422]).toContain(answer.status);
      expect((await answer.text()).length).toBeLessThan(maxAnswer);
    },
  );

  it('a row of more columns than a header may have is told as that', async () => {
    const form = new FormData();
    form.set('file', new Blob([`phone\n${','.repeat(900_000)}\n+4915112345678\n`]), 'people.csv');
    const answer = await fetch(`${desk.url}/api/v1/contacts/bulk/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${desk.workspace.token}` },
      body: form,
    });
    expect(await answer.json()).toMatchObject({
      received: 2,
      failed: 1,
      errors: [{ row: 1, message: 'The row has more than 1000 columns, the header has 1.' }],
    });
  });
});
