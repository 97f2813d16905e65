import { propertyTexts } from './properties';
import { schemaTexts } from './schemas';
import type { JsonSchema } from '../../../core/http/shapes';

type Json = Record<string, unknown>;

/** Keywords whose values are data and no schemas. */
const data = new Set(['const', 'default', 'enum', 'example', 'examples']);

/**
 * Adds its text to every schema and property of the document that has none; schemas are found by name, the rest as
 * `paths`. What a record shows of what was written has the text of the body that wrote it. Integers are of 64 bits:
 * where nothing is said, some languages take 32.
 */
export function describeDocument(document: Json): Json {
  const { components, ...rest } = document as { components: { schemas: Record<string, JsonSchema> } & Json };
  const schemas = Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [
      name,
      {
        description: textOf(name),
        ...withTextsOf(components.schemas[`${name}sCreateBody`], walk(schema, name) as JsonSchema),
      },
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

/** Returns what a schema is: from the list, or of what its name is made. */
function textOf(name: string): string | undefined {
  const items = /^(\w+)Page$/.exec(name)?.[1];
  return schemaTexts[name] ?? (items === undefined ? undefined : `A page of a list of \`${items}\`.`);
}

const isWhole = ({ type }: Json): boolean => type === 'integer' || (Array.isArray(type) && type.includes('integer'));

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

/** Properties and parameters that name an object by a number: ids begin with 1. Tools have no room to say it. */
const ids = /^(?:id|\w+_ids?|receiver|assigned_\w+|escalated_to|duplicate_of|move_to|parent_ticket|pipeline|stage)$/;

/** `around` is the nearest property or parameter that holds this value. */
function walk(value: unknown, place: string, around = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => walk(item, place, around));
  if (typeof value !== 'object' || value === null) return value;
  const { name } = value as Json;
  const inside = typeof name === 'string' && 'schema' in value ? name : around;
  const whole = isWhole(value as Json) ? { format: 'int64', ...(ids.test(inside) ? { minimum: 1 } : {}) } : {};
  return Object.fromEntries(
    Object.entries({ ...whole, ...value }).map(([keyword, inner]: [string, unknown]) => {
      if (data.has(keyword)) return [keyword, inner];
      return [
        keyword,
        keyword === 'properties' ? properties(inner as Json, place, inside) : walk(inner, place, inside),
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
