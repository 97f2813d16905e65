import type { Message, Reason } from './reasons';

/** A JSON Schema (2020-12, the dialect of OpenAPI 3.1). */
export type JsonSchema = { readonly [keyword: string]: unknown };

declare const told: unique symbol;

/** The JSON Schema of a value of type T; the type exists for the compiler only. */
export type Wire<T> = JsonSchema & { readonly [told]?: T };

/** The type that a schema describes; `unknown` for one written without the builders. */
export type Told<S extends JsonSchema> = S extends Wire<infer T> ? T : unknown;

/** A value of the wire as it is read in an answer: moments are texts. */
export type Answer<T> = T extends Date
  ? string
  : T extends Reason
    ? T
    : T extends object
      ? { readonly [K in keyof T]: Answer<T[K]> }
      : T;

/** What an operation of a shape answers. */
export type AnswerOf<S> = S extends Wire<infer T> ? Answer<T> : never;

type Properties = Readonly<Record<string, JsonSchema>>;
type ObjectOf<P extends Properties> = { readonly [K in keyof P]: Told<P[K]> };

interface PageOf<T> {
  readonly count?: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly T[];
}

/** Builders for output schemas: each returns the JSON Schema of a value on the wire. */
export const wire = {
  integer: (description?: string): Wire<number> => ({ type: 'integer', ...(description ? { description } : {}) }),
  number: (): Wire<number> => ({ type: 'number' }),
  boolean: (description?: string): Wire<boolean> => ({ type: 'boolean', ...(description ? { description } : {}) }),
  text: (description?: string): Wire<string> => ({ type: 'string', ...(description ? { description } : {}) }),
  /** A text that pages word in the language of the member. */
  said: (description?: string): Wire<Message> => wire.text(description) as Wire<Message>,
  /** Read as a Date, written in ISO 8601 (`isoTime`). */
  datetime: (): Wire<Date> => ({ type: 'string', format: 'date-time' }),
  oneOf: <const V extends string>(values: readonly V[]): Wire<V> => ({ type: 'string', enum: [...values] }),
  any: (description?: string): Wire<unknown> => (description ? { description } : {}),
  /** An object of any names; of which type its values are, the compiler is told alone. */
  map: <T = unknown>(description?: string): Wire<Readonly<Record<string, T>>> => ({
    type: 'object',
    additionalProperties: true,
    ...(description ? { description } : {}),
  }),
  list: <T>(items: Wire<T>): Wire<readonly T[]> => ({ type: 'array', items }),
  nullable: <T>(schema: Wire<T>): Wire<T | null> =>
    typeof schema['type'] === 'string' && !('enum' in schema) && !('title' in schema)
      ? { ...schema, type: [schema['type'], 'null'] }
      : { anyOf: [schema, { type: 'null' }] },
  /** Every property is required and no other one may appear. */
  object: <P extends Properties>(properties: P): Wire<ObjectOf<P>> => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }),
  /** An object with a name of its own in the API description, to which every use refers. */
  named: <P extends Properties>(title: string, properties: P): Wire<ObjectOf<P>> => ({
    title,
    ...wire.object(properties),
  }),
  /** One of two objects, under a name of its own. */
  either: <A, B>(title: string, one: Wire<A>, other: Wire<B>): Wire<A | B> => ({ title, anyOf: [one, other] }),
  /** A named object with all of another one's properties, and more. */
  extended: <T extends object, P extends Properties>(
    title: string,
    shape: Wire<T>,
    more: P,
  ): Wire<Readonly<T> & ObjectOf<P>> =>
    wire.named(title, { ...(shape['properties'] as Properties), ...more }) as Wire<Readonly<T> & ObjectOf<P>>,
  /** A named object of the platform: its usual properties are typed, and it may have others. */
  open: (title: string, properties: Properties, required: readonly string[] = []): JsonSchema => ({
    title,
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: true,
  }),
  page: <T>(items: Wire<T>): Wire<PageOf<T>> => {
    const description = 'How many items there are on all pages; left out by `count=false`.';
    const page = wire.cursorPage(items);
    return {
      ...page,
      properties: { count: { type: 'integer', minimum: 0, description }, ...(page['properties'] as Properties) },
    };
  },
  cursorPage: <T>(items: Wire<T>): Wire<Omit<PageOf<T>, 'count'>> =>
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

/** A property that is not the row's column of the same name: its schema, and the function that reads it. */
class Reading<Row, T> {
  constructor(
    readonly schema: Wire<T>,
    readonly read: (row: Row) => T,
  ) {}
}

/** Declares a property of a shape that is read from the row by a function. */
export function from<Row, T>(schema: Wire<T>, read: (row: Row) => NoInfer<T>): Reading<Row, T> {
  return new Reading(schema, read);
}

/** The type of a value in the answer: a Date becomes its ISO text, all others stay. */
type Written<T> = T extends Date ? string : T;
type SchemaOf<F> = F extends Reading<never, infer T> ? Wire<T> : F extends JsonSchema ? F : never;
type Fields<Row> = Readonly<Record<string, JsonSchema | Reading<Row, unknown>>>;
/** Demands that each property without a function is a column of the row, of the type that its schema describes. */
export type Fits<Row, F> = {
  readonly [K in keyof F]: F[K] extends Reading<never, unknown>
    ? unknown
    : K extends keyof Row
      ? F[K] extends Wire<infer T>
        ? [Row[K]] extends [T]
          ? unknown
          : { readonly theRowHas: Row[K] }
        : never
      : { readonly theRowHas: never };
};

/** An object of the wire, declared once: its JSON Schema, and the function that writes it from a row. */
interface Shape<Row, Out> {
  readonly schema: Wire<Out>;
  readonly serialize: (row: Row) => Out;
}

/** What `shapeOf` returns: the row's type is given, that of the list is inferred. */
interface ShapeBuilder<Row> {
  with<F extends Fields<Row>>(
    fields: F & Fits<Row, F>,
  ): Shape<Row, { readonly [K in keyof F]: Written<Told<SchemaOf<F[K]>>> }>;
}

/**
 * Declares the wire form of a row in one list: each property with its schema, read from the row's property of the same
 * name or by the function of `from`. What the list names appears in the answer and in its description; nothing else
 * does.
 */
export function shapeOf<Row>(title?: string): ShapeBuilder<Row> {
  return {
    with<F extends Fields<Row>>(
      fields: F & Fits<Row, F>,
    ): Shape<Row, { readonly [K in keyof F]: Written<Told<SchemaOf<F[K]>>> }> {
      const entries = Object.entries(fields as Fields<Row>);
      const properties = Object.fromEntries(
        entries.map(([name, declared]) => [name, declared instanceof Reading ? declared.schema : declared]),
      );
      const readers = entries.map(
        ([name, declared]) => [name, declared instanceof Reading ? declared.read : null] as const,
      );
      // Begins with every property there: an object to which properties are added takes a fifth longer.
      const empty = Object.fromEntries(entries.map(([name]) => [name, null]));
      const serialize = (row: Row): Record<string, unknown> => {
        const out: Record<string, unknown> = { ...empty };
        for (const [name, read] of readers) out[name] = written(read ? read(row) : row[name as keyof Row]);
        return out;
      };
      const schema = title === undefined ? wire.object(properties) : wire.named(title, properties);
      return { schema, serialize } as Shape<Row, { readonly [K in keyof F]: Written<Told<SchemaOf<F[K]>>> }>;
    },
  };
}

/** Returns a value as the answer shows it. */
function written(value: unknown): unknown {
  return typeof value === 'object' && value instanceof Date ? isoTime(value) : value;
}

/** ISO 8601 in UTC with milliseconds and `Z` (contract 3); null stays null. */
export function isoTime(value: Date): string;
export function isoTime(value: Date | null): string | null;
export function isoTime(value: Date | null): string | null {
  return value === null ? null : value.toISOString();
}
