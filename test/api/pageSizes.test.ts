import { pageText } from '../../api/doors/http/pages';
import { createContact } from '../factories/contacts';
import { inboundText, signedWebhook, webhook } from '../factories/customers';
import { uniquePhone } from '../factories/unique';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;
interface List extends Json {
  count: number;
  next: string | null;
  previous: string | null;
  results: { id: number }[];
}

const count = 14;
/** So large that ten fit into a page and no more. */
const large = `repeat('x', 1000000)`;
let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

async function walk(first: string): Promise<{ sizes: number[]; ids: number[] }> {
  const sizes: number[] = [];
  const ids: number[] = [];
  for (let path: string | null = first; path !== null;) {
    const { status, body }: { status: number; body: List } = await desk.api.get<List>(path);
    expect([status, body.count]).toEqual([200, count]);
    sizes.push(body.results.length);
    ids.push(...body.results.map(({ id }) => id));
    path = body.next;
  }
  return { sizes, ids };
}

it('a page whose rows are large ends early, and the next one goes on where it ended, in both directions', async () => {
  for (let index = 0; index < count; index += 1) await createContact(desk.workspace);
  await desk.runtime.db.rows(`UPDATE contacts SET notes = ${large} WHERE workspace_id = $id`, {
    id: desk.workspace.id,
  });
  const { sizes, ids } = await walk('/api/v1/contacts/?page_size=200');
  expect(sizes).toEqual([10, 4]);
  expect(new Set(ids).size).toBe(count);
  const second = (await desk.api.get<List>('/api/v1/contacts/?page_size=12&page=2')).body;
  expect(second.results.map(({ id }) => id)).toEqual(ids.slice(12));
  // Twelve lie before it, the ten nearest of them fit: walking on finds the other two, and none twice.
  const before = (await desk.api.get<List>(String(second.previous))).body;
  expect(before.results.map(({ id }) => id)).toEqual(ids.slice(2, 12));
  const farther = (await desk.api.get<List>(String(before.previous))).body;
  expect([farther.results.map(({ id }) => id), farther.previous]).toEqual([ids.slice(0, 2), null]);
  const again = (await desk.api.get<List>(String(before.next))).body;
  expect(again.results.map(({ id }) => id)).toEqual(ids.slice(12));
  // Where a page that was asked for by number is cut, its links do not count pages.
  const first = (await desk.api.get<List>('/api/v1/contacts/?page_size=12&page=1')).body;
  expect((await desk.api.get<List>(String(first.next))).body.results.map(({ id }) => id)).toEqual(ids.slice(10));
  for (const link of [first.next, second.previous, before.next, before.previous])
    expect(new URL(String(link)).searchParams.has('page')).toBe(false);
});

it('a list of tickets ends early, too, and its Link header goes on where it ended', async () => {
  for (let index = 0; index < count; index += 1)
    expect((await desk.api.post('/api/v1/tickets/', { title: `T${index}` })).status).toBe(201);
  const list = async (query = ''): Promise<{ ids: number[]; link: string; total: string }> => {
    const { status, body, headers } = await desk.api.get<{ id: number }[]>(`/api/v1/tickets/${query}`);
    expect(status).toBe(200);
    return {
      ids: body.map(({ id }) => id),
      link: String(headers['link']),
      total: String(headers['x-total-count']),
    };
  };
  const all = (await list()).ids;
  expect(all).toHaveLength(count);
  await desk.runtime.db.rows(`UPDATE tickets SET description = ${large} WHERE workspace_id = $id`, {
    id: desk.workspace.id,
  });
  const first = await list();
  expect([first.ids, first.total]).toEqual([all.slice(0, 10), String(count)]);
  const next = /<[^>]*(\?[^>]*)>; rel="next"/.exec(first.link)?.[1] ?? '';
  const rest = await list(next);
  expect(rest.ids).toEqual(all.slice(10));
  expect(rest.link).not.toContain('rel="next"');
});

it('one item always comes, however large it is; a list that cannot be taken up from there stays whole', () => {
  const items = ['aaaa', 'bbbb', 'cccc'];
  const page = { kind: 'page', count: 3, items, next: null, previous: null } as const;
  const link = (position: Record<string, string> | null): string | null => position?.['after'] ?? null;
  const from = (index: number, back: boolean): Record<string, string> => ({ after: `${back ? '-' : ''}${index}` });
  expect(JSON.parse(pageText({ ...page, from }, link, 1))).toEqual({
    count: 3,
    next: '0',
    previous: null,
    results: ['aaaa'],
  });
  expect(JSON.parse(pageText({ ...page, from, backwards: true }, link, 12))).toEqual({
    count: 3,
    next: null,
    previous: '-1',
    results: ['bbbb', 'cccc'],
  });
  expect(JSON.parse(pageText({ ...page, from }, link, 12))).toMatchObject({
    next: '1',
    results: ['aaaa', 'bbbb'],
  });
  expect(JSON.parse(pageText({ ...page, from }, link, 18))).toMatchObject({ next: null, results: items });
  expect(JSON.parse(pageText(page, link, 1))).toMatchObject({ next: null, results: items });
  expect(JSON.parse(pageText({ ...page, items: [] }, link))).toMatchObject({ results: [] });
});

it('a message larger than any that the platform sends is parked, whoever signed it', async () => {
  const phone = uniquePhone();
  const huge = inboundText(phone, 'x'.repeat(300_000));
  expect((await signedWebhook(desk.workspace, webhook(desk.workspace, { messages: [huge] }))).status).toBe(200);
  await desk.settled();
  expect(
    await desk.runtime.db.rows('SELECT state, error FROM inbox_events WHERE order_key = $key', { key: phone.slice(1) }),
  ).toEqual([{ state: 'parked', error: 'UnusableEvent: the message is larger than any that the platform sends' }]);
});
