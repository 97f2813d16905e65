import { createCustomer } from '../factories/customers';
import type { TestApi } from './api';
import { expectLinear, timesIn, troublesome } from './growth';
import { places, put, targetOf, writes } from './writes';

/** Texts of so many bytes, each of several pieces: all of them take one look at a field. */
const textsOf = (bytes: number): string[] =>
  Array.from({ length: 3 }, (_unused, round) =>
    troublesome
      .filter((_piece, index) => index % 3 === round)
      .map((piece, _index, { length }) => piece.repeat(timesIn(bytes / length, piece)))
      .join(''),
  );

/** Writes whose texts are read in the most ways. */
const fewOfAll = ['messages.create', 'contacts.update', 'macros.create', 'tickets.create'];

/** Declares that a text in any field costs no more than its size, of a few writes or of all others. */
export function longTextsIn(which: 'few' | 'others', deskOf: () => TestApi): void {
  let handle = '';
  beforeAll(async () => {
    const customer = createCustomer(deskOf().workspace);
    await customer.writes('Hi');
    handle = customer.handle;
  });

  it.each(
    writes
      .filter(({ id }) => fewOfAll.includes(id) === (which === 'few'))
      .map((operation) => [operation.id, operation] as const),
  )(
    'a text in any field of a write costs no more than its size: %s',
    async (_id, operation) => {
      const { path, client, bodies } = await targetOf(deskOf(), handle, operation);
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
}

function valueAt(value: unknown, at: readonly (string | number)[]): unknown {
  return at.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], value);
}
