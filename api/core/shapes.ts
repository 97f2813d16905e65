/** A JSON Schema (2020-12, the dialect of OpenAPI 3.1). */
export type JsonSchema = { readonly [keyword: string]: unknown };

type Properties = Record<string, JsonSchema>;

/** Builders for what goes out: each gives the JSON Schema of a wire value. */
export const wire = {
  integer: (description?: string): JsonSchema => ({ type: 'integer', ...(description ? { description } : {}) }),
  number: (): JsonSchema => ({ type: 'number' }),
  boolean: (description?: string): JsonSchema => ({ type: 'boolean', ...(description ? { description } : {}) }),
  text: (description?: string): JsonSchema => ({ type: 'string', ...(description ? { description } : {}) }),
  datetime: (): JsonSchema => ({ type: 'string', format: 'date-time' }),
  oneOf: (values: readonly string[]): JsonSchema => ({ type: 'string', enum: [...values] }),
  any: (description?: string): JsonSchema => (description ? { description } : {}),
  map: (description?: string): JsonSchema => ({
    type: 'object',
    additionalProperties: true,
    ...(description ? { description } : {}),
  }),
  list: (items: JsonSchema): JsonSchema => ({ type: 'array', items }),
  nullable: (schema: JsonSchema): JsonSchema =>
    typeof schema['type'] === 'string' && !('enum' in schema) && !('title' in schema)
      ? { ...schema, type: [schema['type'], 'null'] }
      : { anyOf: [schema, { type: 'null' }] },
  /** Every property is required and no other one may appear. */
  object: (properties: Properties): JsonSchema => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }),
  /** An object with a name of its own in the API description, to which every use refers. */
  named: (title: string, properties: Properties): JsonSchema => ({ title, ...wire.object(properties) }),
  page: (items: JsonSchema): JsonSchema =>
    pageOf(items, {
      count: { type: 'integer', minimum: 0, description: 'How many items there are on all pages.' },
      next: pageLink('Address of the next page; null on the last one.'),
      previous: pageLink('Address of the previous page; null on the first one.'),
      results: wire.list(items),
    }),
  cursorPage: (items: JsonSchema): JsonSchema =>
    pageOf(items, {
      next: pageLink('Address of the next page; null on the last one.'),
      previous: pageLink('Address of the previous page; null on the first one.'),
      results: wire.list(items),
    }),
};

const pageLink = (description: string): JsonSchema => ({ type: ['string', 'null'], format: 'uri', description });

/** A page is called after its items, where these have a name. */
function pageOf(items: JsonSchema, properties: Properties): JsonSchema {
  const { title } = items;
  return typeof title === 'string' ? wire.named(`${title}Page`, properties) : wire.object(properties);
}

/** ISO 8601 in UTC with milliseconds and `Z` (contract 3); null stays null. */
export function isoTime(value: Date): string;
export function isoTime(value: Date | null): string | null;
export function isoTime(value: Date | null): string | null {
  return value === null ? null : value.toISOString();
}
