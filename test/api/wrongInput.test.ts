import type { AnySchema } from 'yup';
import { AppError } from '../../api/core/http/errors';
import { describeObject } from '../../api/core/http/fields';
import type { Operation } from '../../api/core/http/operations';
import type { JsonSchema } from '../../api/core/http/shapes';
import { validate } from '../../api/core/http/validate';
import { operations } from '../../api/operations';
import { contentFields } from '../../api/services/resources/messages/content';
import { createCustomer } from '../factories/customers';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { queryOf } from '../support/lists';
import { targetOf, writes } from '../support/writes';
import { wrongOf } from '../support/wrongValues';

/*
 * Wrong input, from what each write of the operations table says of its fields: every one of them is refused by name.
 * What the refusals say stands in test/api/wire.test.ts; what depends on more than one field in the test of its
 * resource.
 */

type Json = Record<string, unknown>;

interface WrongField {
  readonly key: string;
  readonly values: readonly unknown[];
  readonly isRequired: boolean;
}

/** What a message says is read by its type: test/api/messageTypes.test.ts. */
const ofContent = [...Object.keys(contentFields), 'body', 'template', 'template_id', 'template_variables'];

function wrongFields({ id, body }: Operation): WrongField[] {
  if (!body) return [];
  const { properties, required = [] } = describeObject(body) as {
    properties: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).flatMap(([key, json]) => {
    if (/^messages\.(create|update)$/.test(id) && ofContent.includes(key)) return [];
    const isNullable = (body.fields[key] as AnySchema).spec.nullable;
    const values = wrongOf(json);
    return values.length === 0
      ? []
      : [{ key, values: isNullable ? values : [...values, null], isRequired: required.includes(key) }];
  });
}

/** The fields that a refusal names, or none where the input was taken. */
function refused(schema: Operation['body'], input: Json): string[] {
  try {
    if (schema) validate(schema, input);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return Object.keys(error.details.fields ?? {});
  }
}

let desk: TestApi;
let handle: string;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  const anna = createCustomer(desk.workspace);
  await anna.writes('Hi');
  handle = anna.handle;
});
afterAll(() => desk.close());

it.each(writes.map((operation) => [operation.id, operation] as const))(
  '%s refuses what its fields do not take, all of them by name',
  async (_id, operation) => {
    const fields = wrongFields(operation);
    const target = await targetOf(desk, handle, operation);
    const [sample = {}] = target.bodies;
    for (const { key, values, isRequired } of fields) {
      for (const value of values)
        expect([key, value, refused(operation.body, { ...sample, [key]: value })]).toEqual([key, value, [key]]);
      const { [key]: _without, ...rest } = sample;
      if (isRequired) expect([key, 'absent', refused(operation.body, rest)]).toEqual([key, 'absent', [key]]);
    }
    if (fields.length === 0) return;
    const body = { ...sample, ...Object.fromEntries(fields.map(({ key, values }) => [key, values[0]])) };
    const answer = await target.client.request(operation.method, target.path, body);
    expect([answer.status, Object.keys(answer.body).sort()]).toEqual([400, fields.map(({ key }) => key).sort()]);
  },
);

/** Pages of a bad size are clamped (test/api/paging.test.ts). */
const clamped = ['page', 'page_size', 'limit', 'offset'];
const filtered = operations.filter(({ method, query }) => method === 'GET' && query !== undefined);

it.each(filtered.map((operation) => [operation.id, operation] as const))(
  '%s refuses what its parameters do not take, by name',
  (_id, operation) => {
    const { parameters, required } = queryOf(operation);
    for (const [key, json] of Object.entries(parameters)) {
      if (clamped.includes(key)) continue;
      for (const value of wrongOf(json).filter((wrong) => typeof wrong === 'string'))
        expect([key, value, refused(operation.query, { [key]: value })]).toEqual([
          key,
          value,
          expect.arrayContaining([key]),
        ]);
      if (required.includes(key)) expect(refused(operation.query, {})).toContain(key);
    }
  },
);
