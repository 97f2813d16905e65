import { describeObject } from '../../api/core/http/fields';
import { operations } from '../../api/operations';
import { createCustomer } from '../factories/customers';
import { ownerSession } from '../factories/macros';
import { unique, uniquePhone } from '../factories/unique';
import { writeSamples } from '../factories/writeSamples';
import { createAgent } from '../support/agent';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

/** Texts longer than any limit of a refusal, whose characters are halved by a cut at an odd or at an even place. */
const longTexts = ['😀'.repeat(300), `a${'👨‍👩‍👧'.repeat(200)}`];
/** Halves of characters: as JSON they are the only ones that are escaped. */
const halves = (answer: unknown): unknown =>
  JSON.stringify(answer).match(/.{0,40}\\ud[89a-f][0-9a-f]{2}/i)?.[0] ?? null;

/** Returns a value for each field that a schema names, and one for a field that it does not know. */
function filled(schema: unknown, text: string): Json {
  const { properties = {} } = schema as { properties?: Json };
  return Object.fromEntries([...Object.keys(properties), text.slice(0, 80).toWellFormed()].map((key) => [key, text]));
}

it.each(operations.map((operation) => [operation.id, operation] as const))(
  'no answer of %s carries half a character',
  async (id, { method, path, query, body }) => {
    const { api } = await ownerSession(desk.workspace);
    for (const text of longTexts)
      for (const client of [desk.api, api]) {
        const word = text.slice(0, 21).toWellFormed();
        const target = path.replace(/\{\w+\}/g, encodeURIComponent(word));
        const asked = query ? new URLSearchParams(filled(describeObject(query), word) as Record<string, string>) : '';
        const answer = await client.request(
          method,
          `${target}?${String(asked)}`,
          body ? JSON.stringify(filled(describeObject(body), text)) : undefined,
          { 'content-type': 'application/json' },
        );
        expect([id, halves(answer.body)]).toEqual([id, null]);
      }
  },
);

it('no list carries half of what was stored, and no tool does', async () => {
  const { api } = await ownerSession(desk.workspace);
  const agent = createAgent(desk.api);
  const places = (value: unknown, at: readonly string[] = []): (readonly string[])[] =>
    typeof value === 'string'
      ? [at]
      : typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([key, inner]) => places(inner, [...at, key]))
        : [];
  const put = (value: unknown, [key = '', ...rest]: readonly string[], text: string): unknown =>
    rest.length === 0 && key === ''
      ? text
      : Array.isArray(value)
        ? value.map((item: unknown, index) => (String(index) === key ? put(item, rest, text) : item))
        : { ...(value as Json), [key]: put((value as Json)[key], rest, text) };
  let stored = 0;
  for (const operation of operations.filter(
    ({ id }) => id in writeSamples && !/^(oauth|sso|password|webhooks)/.test(id),
  )) {
    const sample = await writeSamples[operation.id]?.(desk.workspace, `h${unique()}`, uniquePhone());
    for (const place of places(sample?.body)) {
      const path = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) => String(sample?.params?.[name] ?? ''));
      for (const length of [241, 31]) {
        const { status, body: answer } = await (operation.audience === 'session' ? api : desk.api).request(
          operation.method,
          path,
          JSON.stringify(put(sample?.body, place, longTexts[1]?.slice(0, length).toWellFormed() ?? '')),
          { 'content-type': 'application/json' },
        );
        expect([operation.id, place, halves(answer)]).toEqual([operation.id, place, null]);
        if (status >= 300) continue;
        stored += 1;
        break;
      }
    }
  }
  expect(stored).toBeGreaterThan(40);
  for (const { id, method, path } of operations.filter((one) => one.method === 'GET' && !one.path.includes('{')))
    expect([id, halves((await api.request(method, path)).body)]).toEqual([id, null]);
  for (const tool of ['search_contacts', 'read_conversations', 'list_tickets', 'get_templates'])
    expect([tool, halves(await agent.call(tool, {}))]).toEqual([tool, null]);
});

it('no result of a tool does', async () => {
  const agent = createAgent(desk.api);
  for (const { name, inputSchema } of await agent.tools())
    for (const text of longTexts) {
      const found = await agent
        .call(String(name), filled(inputSchema, text))
        .catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
      expect([name, halves(found)]).toEqual([name, null]);
    }
});

it.each([128, 200, 255, 300])(
  'a profile name of %i emoji is cut between them, and the message arrives',
  async (count) => {
    for (const before of ['', 'a']) {
      const customer = createCustomer(desk.workspace, { name: before + '👨'.repeat(count) });
      await customer.writes('Hi');
      const { status, body } = await desk.api.get(`/api/v1/contacts/${customer.handle}/`);
      expect([status, halves(body)]).toEqual([200, null]);
      expect(body['name']).toBe(before + '👨'.repeat(Math.min(count, 255 - before.length)));
    }
  },
);
