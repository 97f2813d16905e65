import { FormData } from 'undici';
import type { Operation } from '../../api/core/http/operations';
import { createContact } from '../factories/contacts';
import { createCrowd, type Crowd } from '../factories/crowd';
import { createCustomer } from '../factories/customers';
import { ownerSession } from '../factories/macros';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import type { ApiClient } from '../support/client';
import { lists, pathOf, queryOf } from '../support/lists';

/*
 * Every list of the operations table is walked through, there and back, and shows nothing of another workspace. A new
 * list fails here until it has rows (test/factories/crowd.ts).
 */

type Json = Record<string, unknown>;
interface Envelope extends Json {
  count?: number;
  next: string | null;
  previous: string | null;
  results: Json[];
}

const crowdSize = 60;
const size = 9;
let desk: TestApi;
let mine: Crowd;
let theirs: Crowd;
let others: TestWorkspace;
beforeAll(async () => {
  desk = await sharedDesk('plain', { env: { BASE_URL: 'https://public.desk.test' } });
  others = await createWorkspace(desk);
  mine = await createCrowd(desk.workspace);
  theirs = await createCrowd(others);
  for (const crowd of [mine, theirs]) await crowd.grow(1, crowdSize);
});
afterAll(() => desk.close());

const clientOf = async (operation: Operation, workspace: TestWorkspace): Promise<ApiClient> =>
  operation.audience === 'session' ? (await ownerSession(workspace)).api : workspace.api;
async function ask<T = Envelope>(client: ApiClient, path: string): Promise<T> {
  const { status, body } = await client.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body as T;
}
const keyOf = (item: Json): unknown => item['id'] ?? JSON.stringify(item);
const keys = (page: Envelope): unknown[] => page.results.map(keyOf);

/** The pages from a link on. */
async function walk(client: ApiClient, first: string | null, direction: 'next' | 'previous'): Promise<Envelope[]> {
  const pages: Envelope[] = [];
  for (let link = first; link !== null;) {
    const page: Envelope = await ask(client, link);
    pages.push(page);
    link = page[direction];
  }
  return pages;
}
const wholeList = async (client: ApiClient, path: string): Promise<unknown[]> =>
  (await walk(client, `${path}page_size=200`, 'next')).flatMap(keys);

const chunks = (all: readonly unknown[]): unknown[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_none, index) => all.slice(index * size, (index + 1) * size));
const cursorOf = (link: string): string => new URL(link).searchParams.get('cursor') ?? '';
const encoded = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Cursors that nobody was given, from one that was. */
function forgeries(cursor: string): string[] {
  const { o, v, i } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Record<'o' | 'v' | 'i', unknown>;
  const values = [
    ['{', 'null', '[]'],
    ['__proto__', 'id; --', { toString: 1 }].map((ordering) => ({ o: ordering, v, i })),
    [null, {}, '\0', ...(typeof v === 'number' ? ['1', 1e300] : [5])].map((value) => ({ o, v: value, i })),
    ['1', 1e300, -1, null].map((id) => ({ o, v, i: id })),
    typeof v === 'string' && /^\d{4}-/.test(v)
      ? ['2026-99-99T00:00:00.000Z', '0001-01-01T00:00:00.000Z', "2026-01-01'; DROP TABLE contacts; --"].map(
          (time) => ({
            o,
            v: time,
            i,
          }),
        )
      : [],
  ].flat();
  return ['!!!', ...values.map(encoded)];
}

const enveloped = lists.filter(({ output }) => output?.['type'] !== 'array');

describe.each(enveloped.map((operation) => [operation.id, operation] as const))('%s (contract 4)', (id, operation) => {
  const { parameters, required } = queryOf(operation);
  const isNumbered = 'page' in parameters;
  const orderings = (parameters['ordering']?.['enum'] as string[] | undefined) ?? [''];
  const query = required.map((name) => `${name}=hello&`).join('');
  let client: ApiClient;
  let path: string;
  beforeAll(async () => {
    client = await clientOf(operation, desk.workspace);
    path = `${pathOf(operation, mine)}?${query}`;
  });

  it.each(orderings)('is walked there and back, ties included %s', async (ordering) => {
    const ordered = ordering === '' ? path : `${path}ordering=${ordering}&`;
    const all = await wholeList(client, ordered);
    expect([id, all.length > size * 2, new Set(all).size]).toEqual([id, true, all.length]);
    const there = await walk(client, `${ordered}page_size=${size}`, 'next');
    expect(there.map(keys)).toEqual(chunks(all));
    for (const page of there) expect(page.count).toBe(isNumbered ? all.length : undefined);
    const back = await walk(client, there.at(-1)?.previous ?? null, 'previous');
    expect(back.reverse().flatMap(keys)).toEqual(there.slice(0, -1).flatMap(keys));
    expect(there[0]?.previous).toBeNull();
  });

  it('has 50 items on a page unless told, and 200 at most; a bad size is ignored', async () => {
    const all = await wholeList(client, path);
    for (const bad of ['0', '-5', 'x', '1e3'])
      expect([bad, keys(await ask(client, `${path}page_size=${bad}`))]).toEqual([bad, all.slice(0, 50)]);
    for (const large of ['500', '99999999999'])
      expect(keys(await ask(client, `${path}page_size=${large}`))).toEqual(all.slice(0, 200));
  });

  if (isNumbered)
    it('is jumped into by number, from 1 to last, and goes on by links from there', async () => {
      const all = chunks(await wholeList(client, path));
      const at = (page: number | string): Promise<Envelope> => ask(client, `${path}page_size=${size}&page=${page}`);
      const second = await at(2);
      const last = await at('last');
      expect([keys(second), keys(last), last.next]).toEqual([all[1], all.at(-1), null]);
      expect(keys(await ask(client, second.previous ?? ''))).toEqual(all[0]);
      expect(keys(await ask(client, second.next ?? ''))).toEqual(all[2]);
      for (const page of [all.length + 1, 0, -1, 'x', '1.5', '99999999999'])
        expect(await client.get(`${path}page_size=${size}&page=${page}`)).toMatchObject({
          status: 404,
          body: { error: 'Invalid page.' },
        });
    });

  if (isNumbered)
    it('is the same without its count, which is then left out on every page', async () => {
      const counted = `${path}page_size=${size}`;
      const uncounted = `${counted}&count=false`;
      expect(Object.keys(await ask(client, uncounted))).toEqual(['next', 'previous', 'results']);
      expect(keys(await ask(client, `${uncounted}&page=2`))).toEqual(keys(await ask(client, `${counted}&page=2`)));
      const pages = await walk(client, uncounted, 'next');
      expect(pages.map(keys)).toEqual(chunks(await wholeList(client, path)));
      expect(pages.filter((page) => 'count' in page)).toEqual([]);
      expect((await client.get(`${uncounted}&page=${pages.length + 1}`)).status).toBe(404);
      expect(await client.get(`${uncounted}&page=last`)).toMatchObject({
        status: 400,
        body: { count: [expect.stringContaining('found by counting')] },
      });
    });

  it('takes no cursor that was forged', async () => {
    const link = (await ask(client, `${path}page_size=${size}`)).next ?? '';
    for (const cursor of forgeries(cursorOf(link)))
      expect([cursor, await client.get(`${path}cursor=${encodeURIComponent(cursor)}`)]).toEqual([
        cursor,
        expect.objectContaining({ status: 404, body: { error: 'Invalid page.' } }),
      ]);
    expect((await client.get(`${path}cursor=${'x'.repeat(2_001)}`)).status).toBe(400);
  });
});

it.each(lists.map((operation) => [operation.id, operation] as const))(
  '%s shows nothing of another workspace, by its cursor neither',
  async (_id, operation) => {
    const query = queryOf(operation)
      .required.map((name) => `${name}=hello&`)
      .join('');
    const page = async (workspace: TestWorkspace, crowd: Crowd, more: string): Promise<Envelope> => {
      const client = await clientOf(operation, workspace);
      const body = await ask<Envelope | Json[]>(client, `${pathOf(operation, crowd)}?${query}${more}`);
      return Array.isArray(body) ? { results: body, next: null, previous: null } : body;
    };
    // What has no id of its own, or that of one of several tables, shows whose it is by what it names.
    const idIsItsOwn = operation.id !== 'rescue.list';
    const idsOf = ({ results }: Envelope): unknown[] =>
      results.map((item) => (idIsItsOwn ? item['id'] : undefined) ?? JSON.stringify(item));
    const strangers = await page(others, theirs, 'page_size=200');
    expect(strangers.results.length).toBeGreaterThan(0);
    const ids = idsOf(strangers);
    const ours = idsOf(await page(desk.workspace, mine, 'page_size=200'));
    expect(ours.filter((id) => ids.includes(id))).toEqual([]);
    const { next } = await page(others, theirs, `page_size=${size}`);
    if (next === null) return;
    const taken = idsOf(await page(desk.workspace, mine, `page_size=200&cursor=${cursorOf(next)}`));
    expect(taken.filter((id) => ids.includes(id))).toEqual([]);
  },
);

describe('contacts (contract 4)', () => {
  const read = (path: string): Promise<Envelope> => ask(desk.api, path);

  it('an empty list has a first and a last page', async () => {
    for (const page of ['1', 'last'])
      expect(await read(`/api/v1/contacts/?search=nobody-at-all&page=${page}`)).toEqual({
        count: 0,
        next: null,
        previous: null,
        results: [],
      });
  });

  it('a search that finds more than the count hands on counts, numbers and walks the same', async () => {
    const crowd = await createWorkspace(desk);
    const rows = Array.from(
      { length: 2_003 },
      (_unused, index) => `+4917${String(index).padStart(9, '0')},Crowd ${index}`,
    );
    const form = new FormData();
    form.append('file', new Blob([`phone,name\n${rows.join('\n')}\n`]), 'crowd.csv');
    expect((await crowd.api.post<Json>('/api/v1/contacts/bulk/', form)).body).toMatchObject({
      created: 2_003,
      failed: 0,
    });
    const at = async (query: string): Promise<Envelope> =>
      (await crowd.api.get<Envelope>(`/api/v1/contacts/?${query}`)).body;
    const pages = await Promise.all([1, 11, 'last'].map((page) => at(`search=crowd&page_size=200&page=${page}`)));
    expect(pages.map((page) => [page.count, page.results.length])).toEqual([
      [2_003, 200],
      [2_003, 3],
      [2_003, 3],
    ]);
    expect(pages.map(keys)).toEqual(
      (await Promise.all([1, 11, 'last'].map((page) => at(`page_size=200&page=${page}`)))).map(keys),
    );
    const found = await at('search=crowd%201&page_size=200&ordering=name');
    expect([found.count, found.results[0]?.['name']]).toEqual([1_111, 'Crowd 1']);
  });

  it('links are absolute from BASE_URL, whatever the Host says, and keep the filters', async () => {
    for (let index = 0; index < 5; index += 1) await createContact(desk.workspace, { company: 'Odd & Co' });
    const { body } = await desk.api.get<Envelope>('/api/v1/contacts?search=Odd%20%26%20Co&page_size=3&ordering=name', {
      host: 'evil.test',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'http',
    });
    const link = new URL(body.next ?? '');
    expect([link.origin, link.pathname]).toEqual(['https://public.desk.test', '/api/v1/contacts/']);
    expect(Object.fromEntries(link.searchParams)).toEqual({
      search: 'Odd & Co',
      page_size: '3',
      ordering: 'name',
      cursor: expect.any(String) as unknown,
    });
    expect((await walk(desk.api, body.next, 'next')).flatMap(keys)).toHaveLength(2);
  });

  it('of messages the newest comes first', async () => {
    const customer = createCustomer(desk.workspace);
    for (let index = 0; index < 3; index += 1) await customer.writes(`Text ${index}`);
    const { results } = await read(`/api/v1/conversations/${customer.handle}/messages/`);
    const texts = results.map((item) => (item['body'] as { text: { body: string } }).text.body);
    expect(texts).toEqual(['Text 2', 'Text 1', 'Text 0']);
  });
});
