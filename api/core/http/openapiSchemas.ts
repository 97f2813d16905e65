import type { JsonSchema } from './shapes';

/** Keywords whose values are data and no schemas. */
const data = new Set(['const', 'default', 'enum', 'example', 'examples']);

/** `tickets.create` as `TicketsCreate`, `template_variables` as `TemplateVariables`. */
export const pascal = (name: string): string =>
  name.replace(/(?:^|[._])(.)/g, (_all, letter: string) => letter.toUpperCase());

/** The named schemas of a document, and how to refer to them. */
export interface NamedSchemas {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /**
   * Replaces each object schema inside by a reference. Its name is its `title`, else made of its path, so that no
   * client generator has to make one up.
   */
  refer(schema: JsonSchema, place?: string): JsonSchema;
  /** Stores a schema under a name, and returns the reference to it. */
  store(name: string, schema: JsonSchema): JsonSchema;
}

/** Collects named schemas: each is written once, so that a client generator makes one type of it. */
export function collectSchemas(): NamedSchemas {
  const schemas: Record<string, JsonSchema> = {};

  function store(name: string, schema: JsonSchema): JsonSchema {
    const known = schemas[name];
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`Two schemas are called ${name}.`);
    schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Puts references into the value of a keyword. */
  function within(value: unknown, place: string): unknown {
    if (Array.isArray(value)) return value.map((item) => within(item, place));
    return typeof value === 'object' && value !== null ? named(value as JsonSchema, place) : value;
  }

  /** Returns a schema with references inside; `place` names what has no name of its own. */
  function inner(schema: JsonSchema, place: string): JsonSchema {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => {
        if (data.has(keyword)) return [keyword, value];
        if (keyword !== 'properties') return [keyword, within(value, keyword === 'items' ? `${place}Item` : place)];
        const properties = Object.entries(value as Record<string, JsonSchema>);
        return [
          keyword,
          Object.fromEntries(properties.map(([name, own]) => [name, within(own, place + pascal(name))])),
        ];
      }),
    );
  }

  /** Stores a schema that is an object, and returns its reference. */
  function named(schema: JsonSchema, place: string): JsonSchema {
    const { title, description, ...rest } = schema;
    if (title === undefined && schema['properties'] === undefined) return inner(schema, place);
    const name = typeof title === 'string' ? title : place;
    return { ...store(name, inner(rest, name)), ...(description === undefined ? {} : { description }) };
  }

  const refer = (schema: JsonSchema, place = ''): JsonSchema =>
    schema['title'] === undefined ? inner(schema, place) : named(schema, place);

  return { schemas, refer, store };
}
