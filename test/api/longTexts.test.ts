import { createCustomer, inboundText, signedWebhook, webhook } from '../factories/customers';
import { createSession } from '../factories/members';
import { uniquePhone } from '../factories/unique';
import { startApi, type TestApi } from '../support/api';
import { expectLinear, timesIn, troublesome } from '../support/growth';
import { places, put, targetOf, writes } from '../support/writes';

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi();
});
afterAll(() => desk.close());

/** Texts of so many bytes, each of several pieces: all of them take one look at a field. */
const textsOf = (bytes: number): string[] =>
  Array.from({ length: 3 }, (_unused, round) =>
    troublesome
      .filter((_piece, index) => index % 3 === round)
      .map((piece, _index, { length }) => piece.repeat(timesIn(bytes / length, piece)))
      .join(''),
  );

describe('a text in any field of a write costs no more than its size', () => {
  let handle = '';
  beforeAll(async () => {
    const customer = createCustomer(desk.workspace);
    await customer.writes('Hi');
    handle = customer.handle;
  });

  it.each(writes.map((operation) => [operation.id, operation] as const))(
    '%s',
    async (_id, operation) => {
      const { path, client, bodies } = await targetOf(desk, handle, operation);
      const seen = new Set<string>();
      for (const body of bodies)
        for (const at of places(body).filter((place) => typeof valueAt(body, place) === 'string')) {
          const field = at.filter((key) => typeof key === 'string').join('.');
          if (seen.has(field)) continue;
          seen.add(field);
          const send = async (text: string): Promise<number> => {
            const { status } = await client.request(operation.method, path, put(body, at, text));
            expect(status).toBeLessThan(500);
            return status;
          };
          const name = `${operation.id} ${field}`;
          await expectLinear(name, 60_000, async (bytes) => {
            for (const text of textsOf(bytes)) await send(text);
          });
          // A field that takes 60,000 characters is measured where both sizes are taken.
          await expectLinear(name, 15_000, async (bytes) => {
            for (const text of textsOf(bytes)) if ((await send(text)) >= 300) return;
          });
        }
    },
    300_000,
  );
});

function valueAt(value: unknown, at: readonly (string | number)[]): unknown {
  return at.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], value);
}

test('what a customer writes costs no more than its size, at the webhook and in the whole thread', async () => {
  const cookie = `token=${(await createSession(desk.workspace.owner)).token}`;
  for (const piece of troublesome)
    await expectLinear(`a text of ${JSON.stringify(piece)}`, timesIn(60_000, piece), async (times) => {
      const phone = uniquePhone();
      const text = inboundText(phone, piece.repeat(times));
      const { status } = await signedWebhook(desk.workspace, webhook(desk.workspace, { messages: [text] }));
      expect(status).toBe(200);
      await desk.settled();
      const thread = `/dashboard/inbox/${phone.replace('+', '')}/`;
      const cut = await desk.anonymous.get<string>(thread, { cookie });
      expect(cut.status).toBe(200);
      const whole = /whole=(\d+)/.exec(cut.body)?.[0] ?? '';
      const page = await desk.anonymous.get<string>(`${thread}?${whole}`, { cookie });
      expect(page.status).toBe(200);
      expect(page.body.length).toBeGreaterThan(cut.body.length);
    });
}, 300_000);
