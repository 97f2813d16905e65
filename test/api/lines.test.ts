import { readFileSync } from 'node:fs';
import { getCountries, getExampleNumber, type CountryCode, type Examples } from 'libphonenumber-js/max';
import { FormData } from 'undici';
import { adoptPlatformPhone } from '../../api/services/resources/contacts/aliases';
import { lineOf, otherSpelling, shownPhone, spellingsOf } from '../../api/core/phones';
import { createContact } from '../factories/contacts';
import { createCustomer, inboundText, signedWebhook, webhook } from '../factories/customers';
import { unique } from '../factories/unique';
import { createAgent } from '../support/agent';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { fc, runs } from '../support/properties';

type Json = Record<string, unknown>;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('worker');
});
afterAll(() => desk.close());

/** Returns the digits of a new mobile line of Brazil, Mexico or Argentina, in its longer spelling. */
function newLine(country = 'BR'): string {
  const rest = String(unique()).padStart(7, '0');
  return { BR: `5511998${rest.slice(-6)}`, MX: `5215${rest.padStart(9, '0')}`, AR: `5491${rest.padStart(9, '0')}` }[
    country
  ] as string;
}
const userId = (): string => `BR.${unique()}7`;
const contact = async (handle: string): Promise<Json> => (await desk.api.get(`/api/v1/contacts/${handle}/`)).body;
const idOf = async (handle: string): Promise<unknown> => (await contact(handle))['id'];
async function play(value: Json, field?: string): Promise<void> {
  expect((await signedWebhook(desk.workspace, webhook(desk.workspace, value, field))).status).toBe(200);
  await desk.settled();
}
let clock = Math.floor(Date.now() / 1000) - 10_000;
/** Lets somebody write, each time a second later than before. */
function writes(phone: string, bsuid?: string): Promise<void> {
  clock += 1;
  const named = bsuid ? { user_id: bsuid } : {};
  const message = {
    ...inboundText(phone, 'Hello', { timestamp: String(clock) }),
    ...(bsuid ? { from_user_id: bsuid } : {}),
  };
  return play({ contacts: [{ wa_id: phone, profile: {}, ...named }], messages: [message] });
}
async function rowsOf(line: string): Promise<Json[]> {
  return desk.runtime.db.rows(
    `SELECT id, phone, receiver_id FROM contacts
     WHERE workspace_id = $workspaceId AND (phone = ANY($all::text[]) OR receiver_id = ANY($all::text[]))`,
    { workspaceId: desk.workspace.id, all: spellingsOf(line) },
  );
}

/** Ways by which a number comes to us; each may make its contact. */
const doors: Readonly<Record<string, (phone: string) => Promise<unknown>>> = {
  rest: (phone) => desk.api.post('/api/v1/contacts/', { phone: `+${phone}` }),
  rows: (phone) => desk.api.post('/api/v1/contacts/bulk/', [{ phone, name: 'Ana' }]),
  file: (phone) => {
    const form = new FormData();
    form.append('file', new Blob([`phone\n${phone}.0\n`], { type: 'text/csv' }), 'contacts.csv');
    return desk.api.post('/api/v1/contacts/bulk/', form);
  },
  message: (phone) => writes(phone),
  person: (phone) => writes(phone, `BR.${lineOf(phone)}`),
  echo: (phone) =>
    play(
      { message_echoes: [{ ...inboundText('15550100100', 'Hi', { timestamp: String((clock += 1)) }), to: phone }] },
      'smb_message_echoes',
    ),
  stop: (phone) =>
    play(
      {
        contacts: [{ wa_id: phone }],
        user_preferences: [
          { wa_id: phone, category: 'marketing_messages', value: 'stop', timestamp: String((clock += 1)) },
        ],
      },
      'user_preferences',
    ),
};

test('all spellings of a line meet in one contact, whatever the order of doors', async () => {
  const step = fc.tuple(fc.constantFrom(...Object.keys(doors)), fc.boolean());
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('BR', 'MX', 'AR'),
      fc.array(step, { minLength: 2, maxLength: 5 }),
      async (country, steps) => {
        const line = newLine(country);
        const spelling = (isOther: boolean): string => (isOther ? (otherSpelling(line) ?? '') : line);
        for (const [door, isOther] of steps) await doors[door]?.(spelling(isOther));
        const rows = await rowsOf(line);
        expect(rows).toHaveLength(1);
        for (const isOther of [true, false]) {
          expect(await idOf(spelling(isOther))).toBe(rows[0]?.['id']);
          expect((await desk.api.post('/api/v1/contacts/', { phone: spelling(isOther) })).status).toBe(400);
        }
        const told = steps.filter(([door]) => ['message', 'person', 'echo', 'stop'].includes(door)).at(-1);
        if (told) expect(rows[0]?.['phone']).toBe(spelling(told[1]));
      },
    ),
    { numRuns: runs(25) },
  );
});

const mobiles = JSON.parse(readFileSync(require.resolve('libphonenumber-js/examples.mobile.json'), 'utf8')) as Examples;
const exampleOf = (country: CountryCode): string => getExampleNumber(country, mobiles)?.number.slice(1) ?? '';

test('what an answer shows of a number names the same person in every door, over all countries', async () => {
  const agent = createAgent(desk.api);
  const known = getCountries().filter((country) => exampleOf(country) !== '');
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...known), async (country) => {
      const digits = exampleOf(country);
      if ((await desk.api.get(`/api/v1/contacts/${digits}/`)).status === 404)
        await createContact(desk.workspace, { phone: digits });
      const { id, receiver_id: handle, phone } = await contact(digits);
      for (const shown of [handle, phone, shownPhone(digits), `\u202a${shownPhone(digits)}\u202c`].map(String)) {
        expect([shown, await idOf(encodeURIComponent(shown))]).toEqual([shown, id]);
        expect((await desk.api.post('/api/v1/contacts/', { phone: shown })).status).toBe(400);
        const rows = await desk.api.post('/api/v1/contacts/bulk/', [{ phone: shown, name: 'Ana' }]);
        expect([shown, rows.body]).toMatchObject([shown, { created: 0, updated: 1 }]);
        for (const list of ['contacts', 'conversations']) {
          const path = `/api/v1/${list}/?search=${encodeURIComponent(shown)}`;
          const { body: found } = await desk.api.get<{ results: Json[] }>(path);
          expect([shown, found.results.map((one) => one['receiver_id'])]).toContainEqual(
            expect.arrayContaining([handle]),
          );
        }
        const told = await agent.call('update_contact', { receiver_id: shown, name: 'Ana' });
        expect([shown, JSON.stringify(told)]).toEqual([shown, expect.stringContaining(String(handle))]);
      }
    }),
    { numRuns: runs(6) },
  );
});

test('a window is open for both spellings, and sends use the one that the platform used last', async () => {
  const line = newLine();
  const short = otherSpelling(line) ?? '';
  await createContact(desk.workspace, { phone: `+${line}`, name: 'Ana' });
  const ana = createCustomer(desk.workspace, { phone: `+${short}` });
  await ana.writes('Oi');
  expect(await contact(line)).toMatchObject({ receiver_id: line, phone: `+${short}`, name: 'Ana' });
  for (const to of [line, short]) {
    expect((await desk.api.post('/api/v1/messages/', { to, body: 'Hi' })).status).toBe(201);
    await desk.work();
  }
  const sent = desk.sandbox.state.sent.filter(({ to }) => [line, short].includes(to.replace('+', '')));
  expect(sent.map(({ to }) => to)).toEqual([short, short]);
});

test('the answer to a send joins two contacts that turn out to be one line', async () => {
  // As where a country gives its numbers more digits: no rule of ours knows it.
  const [dialled, platform] = [`2250${unique()}1`, `22507${unique()}10`];
  await createContact(desk.workspace, { phone: `+${dialled}`, notes: 'from a list' });
  await writes(platform);
  const { id } = await contact(dialled);
  await desk.runtime.db.transaction(() => adoptPlatformPhone(desk.workspace.ctx, Number(id), dialled, platform));
  await desk.settled();
  expect(await contact(platform)).toMatchObject({ id, notes: 'from a list', phone: `+${platform}` });
  expect(await idOf(dialled)).toBe(id);
});

/** Makes two contacts of one line, as they could be made before spellings were known. */
async function twoRows(more: readonly [Json, Json] = [{}, {}]): Promise<{ line: string; short: string }> {
  const line = newLine();
  const short = otherSpelling(line) ?? '';
  await createContact(desk.workspace, { phone: `+${line}`, ...more[0] });
  const { body } = await createContact(desk.workspace, { ...more[1] });
  await desk.runtime.db.models.Contact.update(
    { phone: short, receiver_id: short },
    { where: { id: Number(body['id']) } },
  );
  return { line, short };
}

test('two contacts of one line are one from the next event of either', async () => {
  const { line, short } = await twoRows();
  await writes(line);
  expect(await rowsOf(line)).toHaveLength(1);
  expect(await idOf(short)).toBe(await idOf(line));
});

test('two user ids are two people', async () => {
  const { line, short } = await twoRows([{ bsuid: userId() }, { bsuid: userId() }]);
  await writes(line);
  await writes(short);
  expect(await idOf(short)).not.toBe(await idOf(line));
  // A line whose number comes with another user id was given to another person.
  const [first, second, number] = [userId(), userId(), newLine()];
  await writes(number, first);
  await writes(otherSpelling(number) ?? '', second);
  expect(await idOf(first)).not.toBe(await idOf(second));
  for (const handle of spellingsOf(number)) expect(await contact(handle)).toMatchObject({ bsuid: second });
});

test('two people who share a name stay two, whatever they write', async () => {
  const [one, two] = [newLine(), newLine('AR')];
  for (const phone of [one, two, one, two]) {
    clock += 1;
    const message = inboundText(phone, 'Hello', { timestamp: String(clock) });
    await play({ contacts: [{ wa_id: phone, profile: { name: 'Maria Silva' } }], messages: [message] });
  }
  expect(await idOf(one)).not.toBe(await idOf(two));
  for (const line of [one, two]) expect(await contact(line)).toMatchObject({ name: 'Maria Silva', phone: `+${line}` });
});

test.each([
  ['a landline of Brazil', '551131', '5511931'],
  ['a leading zero of Italy', '3906', '396'],
  ['numbers of Canada', '1604', '604'],
  ['a longer number', '49151', '491519'],
])('what is not one line stays two: %s', async (_what, first, second) => {
  const rest = String(unique()).padStart(6, '0');
  await createContact(desk.workspace, { phone: `+${first}${rest}`, name: 'Maria Silva' });
  await writes(`${second}${rest}`);
  expect(await idOf(`${first}${rest}`)).not.toBe(await idOf(`${second}${rest}`));
  expect(await contact(`${first}${rest}`)).toMatchObject({ phone: `+${first}${rest}` });
});

test('who was erased after an opt-out is remembered in both spellings', async () => {
  const line = newLine();
  await createContact(desk.workspace, { phone: `+${line}`, marketing_opt_out: true });
  expect((await desk.api.delete(`/api/v1/contacts/${otherSpelling(line)}/`)).status).toBe(204);
  await writes(otherSpelling(line) ?? '');
  expect(await contact(line)).toMatchObject({ marketing_opt_out: true });
});

test('two messages at once from a line that nobody knows make one contact', async () => {
  const line = newLine();
  const texts = spellingsOf(line).map((phone) => inboundText(phone, 'Hello'));
  await play({ contacts: spellingsOf(line).map((wa_id) => ({ wa_id, profile: {} })), messages: texts });
  expect(await rowsOf(line)).toHaveLength(1);
});
