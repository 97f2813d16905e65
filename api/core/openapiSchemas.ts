import type { JsonSchema } from './shapes';

/** Keywords whose values are data and no schemas. */
const data = new Set(['const', 'default', 'enum', 'example', 'examples']);

/** The named schemas of a document, and how to refer to them. */
export interface NamedSchemas {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Returns the schema with a reference in the place of every schema that has a name (its `title`). */
  refer(schema: JsonSchema): JsonSchema;
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

  function walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(walk);
    return typeof value === 'object' && value !== null ? refer(value as JsonSchema) : value;
  }

  function refer(schema: JsonSchema): JsonSchema {
    const { title, ...rest } = Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [keyword, data.has(keyword) ? value : walk(value)]),
    );
    // A property may be called `title`: then it is a schema and no text.
    if (typeof title !== 'string') return title === undefined ? rest : { title, ...rest };
    const { description, ...named } = rest;
    return { ...store(title, named), ...(description === undefined ? {} : { description }) };
  }

  return { schemas, refer, store };
}
