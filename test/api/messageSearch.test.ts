import { fc } from '../support/properties';
import { foldWords } from '../../api/core/text/fold';
import { highlightOf } from '../../api/services/resources/messages/search';
import { createCustomer, insertEarlier, type TestCustomer } from '../factories/customers';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;
interface Found extends Json {
  readonly id: number;
  readonly body: Json;
  readonly text: string;
  readonly highlight: readonly [number, number][];
}
interface Answer {
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly Found[];
}

const path = '/api/v1/messages/search/';

/** Contract 18: search in the words of messages. */
describe('search in messages', () => {
  let desk: TestApi;
  let workspace: TestWorkspace;
  let lena: TestCustomer;
  beforeAll(async () => {
    desk = await sharedDesk('plain');
    workspace = await createWorkspace(desk);
    lena = createCustomer(workspace, { name: 'Lena' });
    // A while ago: the platform tells whole seconds, and others write in the same one.
    await lena.writes('Where is my Café order, number 4711?', { timestamp: Math.floor(Date.now() / 1_000) - 60 });
    await lena.writes({
      type: 'image',
      image: { id: 'm1', mime_type: 'image/png', caption: 'The broken Crème-brûlée' },
    });
    await lena.writes({
      type: 'interactive',
      interactive: {
        type: 'list_reply',
        list_reply: { id: 'hidden', title: 'Zurück', description: 'Refund by Friday' },
      },
    });
  });
  afterAll(() => desk.close());

  const search = async (query: Record<string, string>, who: TestWorkspace = workspace): Promise<Answer> => {
    const answer = await who.api.get<Answer>(`${path}?${new URLSearchParams(query).toString()}`);
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({ results: expect.anything() as unknown }),
    ]);
    return answer.body;
  };
  const textsOf = async (query: Record<string, string>, who?: TestWorkspace): Promise<readonly string[]> =>
    (await search(query, who)).results.map(({ text }) => text);

  it.each([
    ['one word, whatever its case', 'ORDER', 'Where is my Café order, number 4711?'],
    ['a word without its accent', 'cafe', 'Where is my Café order, number 4711?'],
    ['a word with an accent of its own', 'ordér', 'Where is my Café order, number 4711?'],
    ['all words in any order, the last one begun', 'order whe', 'Where is my Café order, number 4711?'],
    ['a number', '4711', 'Where is my Café order, number 4711?'],
    ['words that a sign joins', 'creme-brulee', 'The broken Crème-brûlée'],
    ['what was chosen from a list', 'zuruck', 'Zurück\nRefund by Friday'],
  ])('finds %s', async (_what, q, text) => {
    expect(await textsOf({ q })).toEqual([text]);
  });

  it.each([
    ['a word that is only begun, before the last one', 'whe order'],
    ['a word that one of two lacks', 'order refund'],
    ['what people cannot read', 'hidden'],
  ])('does not find %s', async (_what, q) => {
    expect(await textsOf({ q })).toEqual([]);
  });

  it('gives the message as its conversation lists it, and where the words stand', async () => {
    const [{ text, highlight, ...message } = {} as Found] = (await search({ q: 'café num' })).results;
    expect(highlight.map(([start, end]) => text.slice(start, end))).toEqual(['Café', 'number']);
    expect((await workspace.api.get(`/api/v1/messages/${message.id}/`)).body).toEqual(message);
  });

  it('is narrowed by customer, direction and time', async () => {
    const other = createCustomer(workspace);
    await other.writes('Another order');
    expect(await textsOf({ q: 'order' })).toEqual(['Another order', 'Where is my Café order, number 4711?']);
    expect(await textsOf({ q: 'order', receiver: other.handle })).toEqual(['Another order']);
    expect(await textsOf({ q: 'order', direction: 'outbound' })).toEqual([]);
    const [newest] = (await search({ q: 'order' })).results;
    const at = String(newest?.['created_at']);
    expect(await textsOf({ q: 'order', before: at })).toEqual(['Where is my Café order, number 4711?']);
    expect(await textsOf({ q: 'order', after: at })).toEqual([]);
    expect((await workspace.api.get(`${path}?q=x&receiver=4900000`)).status).toBe(404);
  });

  it('refuses a text without a word', async () => {
    expect((await workspace.api.get(`${path}?q=%21%21`)).body).toEqual({ q: ['Enter a word to search for.'] });
  });

  it('walks by cursor, whether a word is common or rare, beyond the newest ten thousand as well', async () => {
    const busy = await createWorkspace(desk);
    const customer = createCustomer(busy);
    await customer.writes('The first');
    await insertEarlier(busy, customer.handle, 10_300);
    for (const [q, size, texts] of [
      ['before', '200', 10_300],
      // Of the three one is among the newest ten thousand.
      ['before 10250', '2', 1],
      ['1025', '3', 11],
    ] as const) {
      const seen: string[] = [];
      let walked: Answer | null = await search({ q, page_size: size }, busy);
      const pages: Answer[] = [];
      while (walked) {
        pages.push(walked);
        seen.push(...walked.results.map(({ text }) => text));
        walked = walked.next ? (await busy.api.get<Answer>(walked.next)).body : null;
        if (pages.length >= 5 && q === 'before') break;
      }
      expect(new Set(seen).size).toBe(seen.length);
      if (q !== 'before') expect(seen).toHaveLength(texts);
      const [last, before] = [pages.at(-1), pages.at(-2)];
      if (last?.previous && before)
        expect((await busy.api.get<Answer>(last.previous)).body.results).toEqual(before.results);
    }
    expect(await textsOf({ q: 'before' })).toEqual([]);
  });

  it('knows the words that the database knows', async () => {
    const pieces = [
      'Straße',
      'naïve',
      'ÉCOLE',
      'été',
      'हिन्दी',
      'Привет',
      'İstanbul',
      'ﬁne',
      '３',
      'שָׁלוֹם',
      '…',
      '-',
      '@',
      ' ',
      '👍',
      "'",
      '😀a',
      '1.5',
      'a/b',
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), async (parts) => {
        const text = parts.join('');
        const row = await desk.runtime.db.row<{ words: string }>('SELECT trim(fold_words($text)) AS words', { text });
        expect(foldWords(text).join(' ')).toBe(row?.words);
      }),
    );
  });

  it('marks each word that a search finds, and no other', () => {
    expect(highlightOf('Her order; HER ordering', 'her ord')).toEqual([
      [0, 3],
      [4, 9],
      [11, 14],
      [15, 23],
    ]);
    expect(highlightOf('order', 'her')).toEqual([]);
  });
});
