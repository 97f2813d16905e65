import { propertyTexts } from './propertyTexts';
import type { JsonSchema } from './shapes';

type Json = Record<string, unknown>;

/** Keywords whose values are data and no schemas. */
const data = new Set(['const', 'default', 'enum', 'example', 'examples']);

/**
 * Adds its text to every property of the document that has none; schemas are found by name, the rest as `paths`. What a
 * record shows of what was written has the text of the body that wrote it.
 */
export function describeProperties(document: Json): Json {
  const { components, ...rest } = document as { components: { schemas: Record<string, JsonSchema> } & Json };
  const schemas = Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [
      name,
      withTextsOf(components.schemas[`${name}sCreateBody`], walk(schema, name) as JsonSchema),
    ]),
  );
  const described = Object.fromEntries(
    Object.entries(rest).map(([part, value]) => [
      part,
      part === 'paths' || part === 'webhooks' ? walk(value, part) : value,
    ]),
  );
  return { ...described, components: { ...components, schemas } };
}

/** Returns a record's schema; a property without a text gets that of the same name in the body. */
function withTextsOf(body: JsonSchema | undefined, schema: JsonSchema): JsonSchema {
  const shown = schema['properties'] as Record<string, Json> | undefined;
  const written = body?.['properties'] as Record<string, Json> | undefined;
  if (!shown || !written) return schema;
  const properties = Object.fromEntries(
    Object.entries(shown).map(([name, property]) => {
      const text = property['description'] ?? written[name]?.['description'];
      return [name, text === undefined ? property : { ...property, description: text }];
    }),
  );
  return { ...schema, properties };
}

/** `around` is the nearest property that holds this value. */
function walk(value: unknown, place: string, around = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => walk(item, place, around));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([keyword, inner]: [string, unknown]) => {
      if (data.has(keyword)) return [keyword, inner];
      return [
        keyword,
        keyword === 'properties' ? properties(inner as Json, place, around) : walk(inner, place, around),
      ];
    }),
  );
}

function properties(given: Json, place: string, around: string): Json {
  return Object.fromEntries(
    Object.entries(given).map(([name, schema]) => {
      const inner = walk(schema, place, name) as Json;
      const text = propertyTexts[`${place}.${name}`] ?? propertyTexts[`${around}.${name}`] ?? propertyTexts[name];
      return [name, inner['description'] !== undefined || text === undefined ? inner : { ...inner, description: text }];
    }),
  );
}
