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
    typeof schema['type'] === 'string' && !('enum' in schema)
      ? { ...schema, type: [schema['type'], 'null'] }
      : { anyOf: [schema, { type: 'null' }] },
  /** Every property is required and no other one may appear. */
  object: (properties: Properties): JsonSchema => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }),
  page: (items: JsonSchema): JsonSchema =>
    wire.object({
      count: { type: 'integer', minimum: 0 },
      next: wire.nullable({ type: 'string', format: 'uri' }),
      previous: wire.nullable({ type: 'string', format: 'uri' }),
      results: wire.list(items),
    }),
  cursorPage: (items: JsonSchema): JsonSchema =>
    wire.object({
      next: wire.nullable({ type: 'string', format: 'uri' }),
      previous: wire.nullable({ type: 'string', format: 'uri' }),
      results: wire.list(items),
    }),
};

/** ISO 8601 in UTC with milliseconds and `Z` (contract 3); null stays null. */
export function isoTime(value: Date): string;
export function isoTime(value: Date | null): string | null;
export function isoTime(value: Date | null): string | null {
  return value === null ? null : value.toISOString();
}
