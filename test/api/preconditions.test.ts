import type { Operation } from '../../api/core/http/operations';
import { operations } from '../../api/operations';
import { createBroadcast } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { createMacro, ownerSession, step } from '../factories/macros';
import { saveRule } from '../factories/rules';
import { createPipeline, createTicket } from '../factories/tickets';
import { unique } from '../factories/unique';
import type { TestApi } from '../support/api';
import type { ApiClient } from '../support/client';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
let session: ApiClient;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  session = (await ownerSession(desk.workspace)).api;
});
afterAll(() => desk.close());

const filled = (path: string, params: Readonly<Record<string, string | number>> | undefined): string =>
  path.replace(/\{(\w+)\}/g, (_whole, name: string) => String(params?.[name]));

/** Makes one object of each kind that has a tag; returns its path. */
const objects: Readonly<Record<string, () => Promise<string>>> = {
  'contacts.get': async () => `/api/v1/contacts/${(await createContact(desk.workspace)).receiver_id}/`,
  'conversations.get': async () => `/api/v1/conversations/${(await createContact(desk.workspace)).receiver_id}/`,
  'tickets.get': async () => `/api/v1/tickets/${(await createTicket(desk.workspace)).id}/`,
  'ticketPipelines.get': async () => `/api/v1/ticket-pipelines/${(await createPipeline(desk.workspace)).id}/`,
  'ticketStages.get': async () => {
    const { id, stages } = await createPipeline(desk.workspace);
    return `/api/v1/ticket-pipelines/${id}/stages/${stages[1]?.id}/`;
  },
  'macros.get': async () =>
    `/api/v1/macros/${await createMacro(desk.workspace, [step('set_status', { status: 'open' })])}/`,
  'rules.get': async () => `/api/v1/rules/${(await saveRule(desk.workspace)).id}/`,
  'broadcasts.get': async () => `/api/v1/broadcasts/${await createBroadcast(desk.workspace)}/`,
  'cannedReplies.get': async () => {
    const { body } = await session.post('/api/v1/canned-replies/', { shortcut: `r${unique()}`, body: 'Hi' });
    return `/api/v1/canned-replies/${String(body['id'])}/`;
  },
};
const changes: Readonly<Record<string, Record<string, unknown>>> = {
  'conversations.get': { priority: 'urgent' },
  'tickets.get': { title: 'Other' },
  'cannedReplies.get': { body: 'Other' },
};
const gets = operations.filter(({ tagged }) => tagged);
const tagOf = async (path: string): Promise<string> => String((await session.get(path)).headers['etag']);
const write = async (method: string, path: string, tag: string, body?: unknown) =>
  session.request(method, path, body, { 'if-match': tag });

it('every single object that the contract names has a tag', () => {
  expect(gets.map(({ id }) => id).sort()).toEqual(Object.keys(objects).sort());
});

describe.each(gets.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  const change = changes[id] ?? { name: 'Other' };
  const removes = operations.some(({ method, path }) => method === 'DELETE' && path === operation.path);

  it('answers 304 while nothing has changed, whatever the way of naming it', async () => {
    const path = await objects[id]!();
    const tag = await tagOf(path);
    expect(tag).toMatch(/^"[\w-]{27}"$/);
    for (const named of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await session.get(path, { 'if-none-match': named });
      expect([named, answer.status, answer.body, answer.headers['etag']]).toEqual([named, 304, undefined, tag]);
    }
    expect((await session.get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    expect((await session.patch(path, change)).status).toBe(200);
    const changed = await session.get(path, { 'if-none-match': tag });
    expect([changed.status, changed.headers['etag'] === tag]).toEqual([200, false]);
  });

  it('is written only as the tag says', async () => {
    const path = await objects[id]!();
    const tag = await tagOf(path);
    for (const other of ['"other"', `W/${tag}`, 'nonsense']) {
      for (const method of removes ? ['PATCH', 'DELETE'] : ['PATCH']) {
        const refused = await write(method, path, other, method === 'PATCH' ? change : undefined);
        expect([other, method, refused.status, refused.headers['x-error-code']]).toEqual([
          other,
          method,
          412,
          'precondition_failed',
        ]);
      }
    }
    expect(await tagOf(path)).toBe(tag);
    expect((await write('PATCH', path, `"other", ${tag}`, change)).status).toBe(200);
    expect((await write('PATCH', path, tag, change)).status).toBe(412);
    expect((await write('PATCH', path, '*', change)).status).toBe(200);
    if (!removes) return;
    expect((await write('DELETE', path, tag)).status).toBe(412);
    expect((await write('DELETE', path, await tagOf(path))).status).toBe(204);
    expect((await write('DELETE', path, '*')).status).toBe(404);
  });

  it('is written by one of several at once who have seen the same', async () => {
    const path = await objects[id]!();
    const tag = await tagOf(path);
    const answers = await Promise.all([1, 2, 3, 4].map(() => write('PATCH', path, tag, change)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
  });
});

describe('a write to what has no tag', () => {
  const tagged = new Set(gets.map(({ path }) => path));
  const others = operations.filter(({ method, path }: Operation) => method !== 'GET' && !tagged.has(path));

  it.each(others.map((operation) => [operation.id, operation] as const))(
    '%s refuses If-Match',
    async (_id, operation) => {
      const params = Object.fromEntries([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, 1]));
      const answer = await write(operation.method, filled(operation.path, params), '"any"', {});
      expect([answer.status, answer.body]).toEqual([
        400,
        { non_field_errors: ['If-Match is not taken here: what this path names has no ETag.'] },
      ]);
    },
  );
});

it('other conditions are ignored', async () => {
  const path = await objects['contacts.get']!();
  const headers = { 'if-modified-since': new Date(Date.now() + 60_000).toUTCString(), 'if-match': '"other"' };
  expect((await session.get(path, headers)).status).toBe(200);
  const unmodified = { 'if-unmodified-since': new Date(0).toUTCString(), 'if-none-match': '*' };
  expect((await session.request('PATCH', path, { name: 'Other' }, unmodified)).status).toBe(200);
});
