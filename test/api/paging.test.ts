import { FormData } from 'undici';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { startApi, type TestApi } from '../support/api';

type Json = Record<string, unknown>;
interface Envelope extends Json {
  count: number;
  next: string | null;
  previous: string | null;
  results: Json[];
}

let desk: TestApi;
let space: TestWorkspace;
const total = 23;
beforeAll(async () => {
  desk = await startApi({ env: { BASE_URL: 'https://public.desk.test' } });
  space = await createWorkspace(desk);
  for (let index = 0; index < total; index += 1)
    await createContact(space, { name: `Name ${String(index % 5)}`, company: index % 2 ? 'Odd & Co' : 'Even' });
});
afterAll(() => desk.close());

const read = async (path: string): Promise<Envelope> => {
  const { status, body } = await space.api.get<Envelope>(path);
  expect(status).toBe(200);
  return body;
};
const ids = (page: Envelope): unknown[] => page.results.map((item) => item['id']);
async function walk(first: string, direction: 'next' | 'previous' = 'next'): Promise<unknown[][]> {
  const pages: unknown[][] = [];
  for (let link: string | null = first; link !== null;) {
    const page: Envelope = await read(link);
    pages.push(ids(page));
    link = page[direction];
  }
  return pages;
}

describe('pages by number (C4)', () => {
  it('gives 50 by default, clamps the size to 200, and ignores a bad one', async () => {
    for (const size of [
      '',
      '?page_size=0',
      '?page_size=-5',
      '?page_size=x',
      '?page_size=1e3',
      '?page_size=500',
      '?page_size=99999999999',
    ]) {
      expect((await read(`/api/v1/contacts/${size}`)).results).toHaveLength(total);
    }
    expect((await read('/api/v1/contacts/?page_size=7')).results).toHaveLength(7);
  });

  it('numbers pages from 1 to last, and none overlaps', async () => {
    const pages = await Promise.all([1, 2, 3].map((page) => read(`/api/v1/contacts/?page=${page}&page_size=10`)));
    expect(pages.map((page) => [page.count, page.results.length])).toEqual([
      [total, 10],
      [total, 10],
      [total, 3],
    ]);
    expect(new Set(pages.flatMap(ids)).size).toBe(total);
    expect(ids(await read('/api/v1/contacts/?page=last&page_size=10'))).toEqual(
      ids(pages[2] ?? (pages[0] as Envelope)),
    );
    expect([pages[0]?.previous, pages[2]?.next]).toEqual([null, null]);
  });

  it.each([['4'], ['0'], ['-1'], ['x'], ['1.5'], ['99999999999']])('page %s is not there', async (page) => {
    expect(await space.api.get(`/api/v1/contacts/?page=${page}&page_size=10`)).toMatchObject({
      status: 404,
      body: { error: 'Invalid page.' },
    });
  });

  it('an empty list has a first and a last page', async () => {
    for (const page of ['1', 'last'])
      expect(await read(`/api/v1/contacts/?search=nobody-at-all&page=${page}`)).toEqual({
        count: 0,
        next: null,
        previous: null,
        results: [],
      });
  });
});

describe('walking by links (C4)', () => {
  it.each(
    ['', 'search=Name&', 'search=na&'].flatMap((filter) =>
      ['-created_at', 'created_at', 'name', '-name', '-updated_at'].map((ordering) => [filter, ordering]),
    ),
  )('forward and back again: %sordering=%s, ties included', async (filter, ordering) => {
    // Both searches find everybody: with and without the index they walk like the list.
    const whole = ids(await read(`/api/v1/contacts/?ordering=${ordering}&page_size=200`));
    const path = `/api/v1/contacts/?${filter}ordering=${ordering}&page_size=5`;
    const forward = await walk(path);
    expect(forward.flat()).toEqual(whole);
    let last: Envelope = await read(path);
    while (last.next !== null) last = await read(last.next);
    expect((await walk(last.previous ?? '', 'previous')).reverse().flat()).toEqual(whole.slice(0, 20));
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
    expect(pages.map(ids)).toEqual(
      (await Promise.all([1, 11, 'last'].map((page) => at(`page_size=200&page=${page}`)))).map(ids),
    );
    const found = await at('search=crowd%201&page_size=200&ordering=name');
    expect([found.count, found.results[0]?.['name']]).toEqual([1_111, 'Crowd 1']);
  });

  it('links are absolute from BASE_URL, whatever the Host says, and keep the filters', async () => {
    const { body } = await space.api.get<Envelope>('/api/v1/contacts?search=Odd%20%26%20Co&page_size=3&ordering=name', {
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
    expect((await walk(body.next ?? '')).flat()).toHaveLength(body.count - 3);
  });

  it('a page by number goes on by links in both directions', async () => {
    const second = await read('/api/v1/contacts/?page=2&page_size=10');
    expect(ids(await read(second.previous ?? ''))).toEqual(ids(await read('/api/v1/contacts/?page=1&page_size=10')));
    expect(ids(await read(second.next ?? ''))).toEqual(ids(await read('/api/v1/contacts/?page=3&page_size=10')));
  });

  it('rows that come and go meanwhile neither repeat nor skip the others', async () => {
    const walked = await createWorkspace(desk);
    const handles: string[] = [];
    for (let index = 0; index < 12; index += 1) handles.push((await createContact(walked)).receiver_id);
    const stable = new Map<unknown, number>();
    const doomed = new Set([handles[10], handles[5], handles[1]]);
    let link: string | null = '/api/v1/contacts/?page_size=3';
    for (let step = 0; link !== null; step += 1) {
      const page: { body: Envelope } = await walked.api.get<Envelope>(link);
      for (const item of page.body.results) stable.set(item['receiver_id'], (stable.get(item['receiver_id']) ?? 0) + 1);
      link = page.body.next;
      await createContact(walked);
      const gone = [...doomed][step];
      if (gone) await walked.api.delete(`/api/v1/contacts/${gone}/`);
    }
    for (const handle of handles) if (!doomed.has(handle)) expect([handle, stable.get(handle)]).toEqual([handle, 1]);
    expect([...stable.values()].every((times) => times === 1)).toBe(true);
  });

  it('messages come newest first, and walk likewise', async () => {
    const customer = createCustomer(space);
    for (let index = 0; index < 7; index += 1) await customer.writes(`Text ${index}`);
    const path = `/api/v1/conversations/${customer.handle}/messages/`;
    const texts = (await read(path)).results.map((item) => (item['body'] as { text: { body: string } }).text.body);
    expect(texts).toEqual([6, 5, 4, 3, 2, 1, 0].map((index) => `Text ${index}`));
    expect((await walk(`${path}?page_size=2`)).map((page) => page.length)).toEqual([2, 2, 2, 1]);
  });

  it('templates have no count', async () => {
    const { body } = await space.api.get<Envelope>('/api/v1/templates/?page_size=4');
    expect(Object.keys(body).sort()).toEqual(['next', 'previous', 'results']);
    expect((await walk('/api/v1/templates/?page_size=4')).flat().length).toBe(6);
  });
});

describe('forged cursors are an invalid page (C4)', () => {
  const cursor = (value: unknown): string =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const time = '2026-01-01T00:00:00.000Z';
  it.each([
    ['no base64', '!!!'],
    ['no JSON', cursor('{')],
    ['null', cursor('null')],
    ['a list', cursor([])],
    ['another ordering', cursor({ o: 'name', v: 'a', i: 1 })],
    ['an unknown ordering', cursor({ o: '__proto__', v: time, i: 1 })],
    ['no such time', cursor({ o: '-created_at', v: '2026-99-99T00:00:00.000Z', i: 1 })],
    ['SQL', cursor({ o: '-created_at', v: "2026-01-01'; DROP TABLE contacts; --", i: 1 })],
    ['a number for a time', cursor({ o: '-created_at', v: 5, i: 1 })],
    ['a text for an id', cursor({ o: '-created_at', v: time, i: '1' })],
    ['a huge id', cursor({ o: '-created_at', v: time, i: 1e300 })],
    ['an object', cursor({ o: '-created_at', v: {}, i: 1 })],
  ])('%s', async (_name, value) => {
    expect(await space.api.get(`/api/v1/contacts/?cursor=${encodeURIComponent(value)}`)).toMatchObject({
      status: 404,
      body: { error: 'Invalid page.' },
    });
  });

  it('one beyond the ends is an empty page; one too long is a 400', async () => {
    expect(
      (await read(`/api/v1/contacts/?cursor=${cursor({ o: '-created_at', v: '1900-01-01T00:00:00.000Z', i: 1 })}`))
        .results,
    ).toEqual([]);
    expect((await space.api.get(`/api/v1/contacts/?cursor=${'x'.repeat(2_001)}`)).status).toBe(400);
  });

  it("another workspace's cursor shows only one's own rows", async () => {
    const foreign = (await read('/api/v1/contacts/?page_size=5')).next ?? '';
    const { body } = await desk.api.get<Envelope>(foreign);
    expect(body.results.every((item) => !JSON.stringify(item).includes('Odd & Co'))).toBe(true);
  });
});
