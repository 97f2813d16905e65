import fc from 'fast-check';
import { createCustomer } from '../factories/customers';
import { operations } from '../../api/operations';
import { describeObject } from '../../api/core/http/fields';
import { startApi, type TestApi } from '../support/api';
import { runs } from '../support/runs';

let desk: TestApi;
let handle: string;
beforeAll(async () => {
  desk = await startApi();
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hi');
  handle = customer.handle;
});
afterAll(() => desk.close());

// An upload is no body of values: test/api/media.test.ts has it.
const writes = operations.filter((operation) => operation.body !== undefined && !operation.uploads);
const names = [
  ...new Set(
    writes.flatMap((operation) =>
      Object.keys(operation.body ? (describeObject(operation.body)['properties'] as object) : {}),
    ),
  ),
];
const nasty = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '',
  ' ',
  'a.b',
  'a[0]',
  '$where',
  'then',
  'toJSON',
  '0',
  '-1',
];
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.constantFrom(
    '',
    'NaN',
    'Infinity',
    '1e999',
    '-0',
    'null',
    '2026-02-31',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '99999999999999999999',
    '\u0000',
    '\ud800',
    '%',
    '\\',
    "'",
    '{"a":1}',
    '\u202e',
    'x'.repeat(70_000),
  ),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom(Number.MAX_SAFE_INTEGER, -1, 0, 2_147_483_648, 1e308),
    fc.array(tie('any'), { maxLength: 4 }),
    fc
      .array(
        fc.tuple(
          fc.oneof(
            fc.constantFrom(...nasty),
            fc.constantFrom(
              ...names,
              'name',
              'language',
              'components',
              'type',
              'parameters',
              'body',
              'header',
              'source',
              'value',
              'field',
              '1',
            ),
            fc.string({ maxLength: 5 }),
          ),
          tie('any'),
        ),
        { maxLength: 4 },
      )
      .map(objectOf),
  ),
})).any;
const body = fc.array(
  fc.tuple(
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: fc.constantFrom(...nasty) }),
    value,
  ),
  { maxLength: 6 },
);

/** Own keys, `__proto__` among them. */
function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries);
}

const target = (path: string): string => path.replace(/\{receiver_id\}/g, handle).replace(/\{\w+\}/g, '1');

// Every row of the table, later ones included: what comes in may be refused, never a fault of ours.
it.each(writes.map((operation) => [operation.id, operation] as const))(
  '%s answers hostile bodies with its documented refusals',
  async (_id, operation) => {
    await fc.assert(
      fc.asyncProperty(body, fc.boolean(), async (entries, keyed) => {
        const answer = await desk.api.request(
          operation.method,
          target(operation.path),
          objectOf(entries),
          keyed ? { 'idempotency-key': `fuzz-${Math.random()}` } : {},
        );
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: runs(4), endOnFailure: true },
    );
  },
);

it.each(writes.map((operation) => [operation.id, operation] as const))(
  '%s answers hostile forms likewise',
  async (_id, operation) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...names, ...nasty), text), { maxLength: 6 }),
        async (entries) => {
          const form = entries
            .map(
              ([key, given]) => `${encodeURIComponent(key.toWellFormed())}=${encodeURIComponent(given.toWellFormed())}`,
            )
            .join('&');
          const answer = await desk.api.request(operation.method, target(operation.path), form, {
            'content-type': 'application/x-www-form-urlencoded',
          });
          expect(answer.status).toBeLessThan(500);
        },
      ),
      { numRuns: runs(3), endOnFailure: true },
    );
  },
);

it('a handle of any text is found or not, nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(
      // Clients take `.` and `..` out of a path before it is sent.
      text.filter((given) => given.length < 5_000 && !['', '.', '..'].includes(given)),
      async (given) => {
        const answer = await desk.api.get(`/api/v1/contacts/${encodeURIComponent(given.toWellFormed())}/`);
        expect([200, 404]).toContain(answer.status);
      },
    ),
    { numRuns: runs(30) },
  );
});
