import { fold } from '../../api/core/text/fold';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createTicket } from '../factories/tickets';
import { createAgent } from '../support/agent';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { fc, runs } from '../support/properties';

type Json = Record<string, unknown>;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

const folded = async (texts: readonly string[]): Promise<string[]> =>
  (
    await desk.runtime.db.rows<{ text: string }>(
      'SELECT fold(t) AS text FROM unnest($texts::text[]) WITH ORDINALITY AS g(t, place) ORDER BY place',
      { texts },
    )
  ).map(({ text }) => text);

/** Spellings that people take for one and the same. */
const alike: readonly (readonly string[])[] = [
  ['José', 'Jose', 'JOSE', 'Jose\u0301', 'ＪＯＳＥ', 'Jo\u200bse', '\u202aJosé\u202c', 'Jo\u00adsé'],
  ['O’Neil', "O'Neil", 'o‘neil', 'O\u02bcNEIL', 'O´Neil'],
  ['Jean‐Luc', 'Jean-Luc', 'JEAN–LUC', 'jean\u2011luc', 'Jean\u2212Luc'],
  ['Straße', 'STRASSE', 'strasse', 'STRAẞE'],
  ['Σίσυφος', 'ΣΙΣΥΦΟΣ', 'σίσυφοσ', 'Σισυφος'],
  ['İstanbul', 'ISTANBUL', 'istanbul', 'ıstanbul'],
  ['ﬁne', 'fine', 'FINE'],
  ['Anna\u00a0Maria', 'Anna Maria', 'anna\u2003maria', 'ANNA\u2028MARIA'],
  ['Łódź', 'Lodz', 'łódź'],
  ['Søren', 'Soren'],
  ['مُحَمَّد', 'محمد', 'محـمد'],
  ['שָׁלוֹם', 'שלום'],
  ['１２３', '123'],
  ['«да»', '"да"', '„ДА“'],
];

it.each(alike.map((spellings) => [spellings[0] ?? '', spellings] as const))(
  '%s is one word',
  async (_first, spellings) => {
    expect(new Set(await folded(spellings)).size).toBe(1);
  },
);

it('leaves letters apart that are not the same', async () => {
  const words = ['Anna', 'Anne', 'कि', 'की', 'が', 'か', 'ж', 'з', 'α', 'ά2', '1', 'l'];
  expect(new Set(await folded(words)).size).toBe(words.length);
});

it('is the same in the database and here, for all characters that both know', async () => {
  const characters = Array.from({ length: 0x11_0000 - 1 }, (_none, index) => index + 1)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((character) => /\P{Cn}/u.test(character));
  const differ: string[] = [];
  for (let from = 0; from < characters.length; from += 20_000) {
    const some = characters.slice(from, from + 20_000);
    const theirs = await folded(some);
    const known = await desk.runtime.db.rows<{ is: boolean }>(
      'SELECT unicode_assigned(t) AS is FROM unnest($some::text[]) WITH ORDINALITY AS g(t, place) ORDER BY place',
      { some },
    );
    some.forEach((character, place) => {
      if (known[place]?.is && fold(character) !== theirs[place])
        differ.push((character.codePointAt(0) ?? 0).toString(16));
    });
  }
  expect(differ).toEqual([]);
});

it('every search finds every spelling', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...alike), fc.nat(), fc.nat(), async (spellings, one, other) => {
      const [written, asked] = [one, other].map((place) => spellings[place % spellings.length] ?? '');
      const customer = createCustomer(desk.workspace, { name: `A ${written} B` });
      await customer.writes(`Say ${written} now`);
      const ticket = await createTicket(desk.workspace, { title: `About ${written}` });
      const q = encodeURIComponent(asked ?? '');
      const ids = async (path: string, key: string): Promise<unknown[]> => {
        const { body } = await desk.api.get<{ results?: Json[] }>(path);
        return (body.results ?? (body as unknown as Json[])).map((item) => (key === '' ? item : item[key]));
      };
      expect(await ids(`/api/v1/contacts/?search=${q}`, 'receiver_id')).toContain(customer.handle);
      expect(await ids(`/api/v1/conversations/?search=${q}`, 'receiver_id')).toContain(customer.handle);
      expect(await ids(`/api/v1/tickets/?search=${q}`, 'id')).toContain(ticket.id);
      const found = (await ids(`/api/v1/messages/search/?q=${q}`, 'receiver')) as { receiver_id: string }[];
      expect(found.map((receiver) => receiver.receiver_id)).toContain(customer.handle);
    }),
    { numRuns: runs(8) },
  );
});

it.each(['0151 65626407', '0049 151 65626407', '(0151) 656-264', '+49 151/65626407', '15165626407', '0151‑6562'])(
  'finds a number as customers say it: %s',
  async (asked) => {
    const { body } = await desk.api.get<{ count: number }>(`/api/v1/contacts/?search=4915165626407`);
    if (body.count === 0) await createContact(desk.workspace, { phone: '+4915165626407' });
    const { body: found } = await desk.api.get<{ results: Json[] }>(
      `/api/v1/contacts/?search=${encodeURIComponent(asked)}`,
    );
    expect(found.results.map((contact) => contact['receiver_id'])).toContain('4915165626407');
  },
);

it.each([
  ['551181073044', ['+55 11 98107-3044', '5511981073044', '00 55 (11) 98107 3044', '11 98107-3044', '011 8107-3044']],
  ['5511981073055', ['+55 11 8107-3055', '551181073055', '11 8107-3055', '98107-3055']],
  ['5215512340001', ['+52 55 1234 0001', '55 1234-0001', '1 55 1234 0001', '0052 1 55 1234 0001']],
  ['525512340002', ['+52 1 55 1234 0002', '5215512340002', '1 55 1234 0002']],
  ['541123450003', ['+54 9 11 2345-0003', '5491123450003', '9 11 2345 0003', '+54 11 2345-0003']],
  ['5491123450004', ['+54 11 2345-0004', '11 2345-0004']],
])('finds a line in each spelling: %s', async (handle, spellings) => {
  await createCustomer(desk.workspace, { phone: `+${handle}` }).writes('Oi');
  const agent = createAgent(desk.api);
  for (const spelling of spellings) {
    const q = encodeURIComponent(spelling);
    for (const list of ['contacts', 'conversations']) {
      const { body } = await desk.api.get<{ results: Json[] }>(`/api/v1/${list}/?search=${q}`);
      expect([list, spelling, body.results.map((one) => one['receiver_id'])]).toEqual([list, spelling, [handle]]);
    }
    expect(JSON.stringify(await agent.call('search_contacts', { search: spelling }))).toContain(handle);
    expect((await desk.api.get(`/api/v1/tickets/?search=${q}`)).status).toBe(200);
  }
});

it('a landline, and numbers of other countries, are found as they are written alone', async () => {
  for (const phone of ['551131073066', '390612340007', '16045550008', '6045550008'])
    await createContact(desk.workspace, { phone: `+${phone}` });
  for (const [asked, found] of [
    ['+55 11 93107-3066', []],
    ['+55 11 3107-3066', ['551131073066']],
    ['+39 6 1234 0007', []],
    ['+39 06 1234 0007', ['390612340007']],
    ['+1 604 555-0008', ['16045550008']],
  ] as const) {
    const { body } = await desk.api.get<{ results: Json[] }>(`/api/v1/contacts/?search=${encodeURIComponent(asked)}`);
    expect([asked, body.results.map((one) => one['receiver_id'])]).toEqual([asked, found]);
  }
});

it('finds all that a template says, as it was sent, and shows where', async () => {
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hi');
  const template = {
    name: 'ticket_update',
    language: 'en_US',
    components: [
      { type: 'body', parameters: ['Q-47 \\1 & {{2}}', 'Quinceañera'].map((text) => ({ type: 'text', text })) },
    ],
  };
  const { body: sent } = await desk.api.post('/api/v1/messages/', { to: customer.phone, template });
  const { components } = (await desk.runtime.db.row<{ components: { type: string; text?: string }[] }>(
    `SELECT components FROM templates WHERE workspace_id = $w AND name = 'ticket_update'`,
    { w: desk.workspace.id },
  )) ?? { components: [] };
  const said = components.find(({ type }) => type === 'BODY')?.text ?? '';
  await desk.runtime.db.rows(
    `UPDATE templates SET components = replace(components::text, 'ticket', 'matter')::jsonb WHERE workspace_id = $w`,
    { w: desk.workspace.id },
  );
  const find = async (q: string): Promise<Json[]> =>
    (await desk.api.get<{ results: Json[] }>(`/api/v1/messages/search/?q=${encodeURIComponent(q)}`)).body.results;
  const fixed = said.replace(/\{\{.*?\}\}/g, ' ').match(/\p{L}{4,}/gu) ?? [];
  expect(fixed.length).toBeGreaterThan(1);
  for (const word of [...fixed, 'quinceanera', `${fixed[0]} quinceanera`]) {
    const found = await find(word);
    expect([word, found.map(({ id }) => id)]).toEqual([word, [sent['id']]]);
    expect(found[0]?.['highlight']).not.toEqual([]);
  }
  expect((await find('quinceanera'))[0]?.['text']).toContain(
    said.replace('{{1}}', () => 'Q-47 \\1 & Quinceañera').replace('{{2}}', 'Quinceañera'),
  );
});

it('wildcards of a term are plain characters, in full width, too', async () => {
  await createContact(desk.workspace, { name: 'Hundred % sure' });
  await createContact(desk.workspace, { name: 'Hundred per sure' });
  for (const asked of ['d % s', 'd ％ s'])
    expect((await desk.api.get(`/api/v1/contacts/?search=${encodeURIComponent(asked)}`)).body['count']).toBe(1);
});

it('finds answers of a form, and the note and products of an order', async () => {
  const customer = createCustomer(desk.workspace);
  const response = JSON.stringify({ flow_token: 'tokenword', colour: 'Turquoise', sizes: ['Extralarge'], count: 4711 });
  await customer.writes({
    type: 'interactive',
    interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: response } },
  });
  await customer.writes({
    type: 'interactive',
    interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{broken' } },
  });
  await customer.writes({
    type: 'order',
    order: {
      catalog_id: '1',
      text: 'Leave it at the neighbour',
      product_items: [{ product_retailer_id: 'LAVENDERBAG' }],
    },
  });
  const count = async (q: string): Promise<number> =>
    (await desk.api.get<{ results: Json[] }>(`/api/v1/messages/search/?q=${q}`)).body.results.length;
  expect(
    await Promise.all(['turquoise', 'extralarge', '4711', 'tokenword', 'neighbour', 'lavenderbag'].map(count)),
  ).toEqual([1, 1, 1, 0, 1, 1]);
});
