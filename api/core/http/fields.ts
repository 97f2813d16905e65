import * as yup from 'yup';
import { cut } from '../text/cut';
import { isCalendarDay, parseDatetime } from './datetimes';
import { noSuchPk } from './errors';
import { isBlank } from './visible';
import { isKept } from './numbers';
import { after, reason, type Message, type Reason } from './reasons';
import type { JsonSchema } from './shapes';

declare module 'yup' {
  interface CustomSchemaMetadata {
    json?: JsonSchema;
    /** The items of a comma list, for the API description. */
    items?: JsonSchema;
    /** The field reports a number that cannot be kept by itself (`UnkeptNumber`), and keeps the rest. */
    reportsNumbers?: boolean;
  }
}

/** Why a value was refused; several reasons where the value is nested. */
export class Fault {
  readonly reasons: readonly Message[];

  constructor(...reasons: Message[]) {
    this.reasons = reasons;
  }

  /** The reasons in English. */
  get messages(): readonly string[] {
    return this.reasons.map(String);
  }
}

/** Longest text that a field without its own limit takes, in characters. */
const longText = 65_535;

/** Most bytes of a contact's or ticket's tags, as JSON. */
export const maxTagsBytes = 65_536;

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const emailPattern = new RegExp(String.raw`^[^\s@"(),:;<>[\\\]]+@${label}(?:\.${label})+$`);
const truthy = ['true', 't', '1', 'yes', 'y', 'on'];
const falsy = ['false', 'f', '0', 'no', 'n', 'off'];

/** A field of an input: absent stays undefined, null is refused unless the field is `nullable`. */
export type Field<T> = yup.MixedSchema<T | undefined>;

/**
 * Returns one kind of field: `parse` returns the value or a Fault. yup's own string, number and date types roll dates
 * over, accept "Infinity" and count UTF-16 units, so each kind parses by itself and yup only combines them.
 */
export function field<T>(json: JsonSchema, parse: (raw: unknown) => T | Fault): Field<T> {
  return yup
    .mixed<NonNullable<T>>()
    .transform((_value: unknown, original: unknown) =>
      original === undefined || original === null ? original : parse(original),
    )
    .nonNullable(() => reason('null'))
    .test('field', (value, test) => {
      const parsed: unknown = value;
      if (!(parsed instanceof Fault)) return true;
      return new yup.ValidationError(parsed.reasons.map((one) => test.createError({ message: () => one })));
    })
    .meta({ json }) as unknown as Field<T>;
}

/** The field must be there. */
export function required<T>(schema: Field<T>): yup.MixedSchema<T> {
  return schema.defined(() => reason('required')) as unknown as yup.MixedSchema<T>;
}

/** The field may be null. */
export function nullable<T>(schema: Field<T>): Field<T | null> {
  const { description, ...json } = schema.spec.meta?.json ?? {};
  const type = json['type'];
  const told = description === undefined ? {} : { description };
  // An object keeps a schema of its own, which may have a name.
  const widened =
    typeof type === 'string' && !('enum' in json) && !('properties' in json)
      ? { ...json, ...told, type: [type, 'null'] }
      : { anyOf: [json, { type: 'null' }], ...told };
  return schema
    .nullable()
    .meta({ json: Object.keys(json).length === 0 ? told : widened }) as unknown as Field<T | null>;
}

/** Adds a sentence to the reference. */
export function described<S extends yup.AnySchema>(schema: S, description: string, example?: unknown): S {
  return schema.meta({
    json: { ...schema.spec.meta?.json, description, ...(example === undefined ? {} : { examples: [example] }) },
  }) as S;
}

/** Text; `max` counts characters as PostgreSQL does. Numbers are taken as their digits, like DRF's CharField. */
export function text(
  options: { max?: number; blank?: boolean; trim?: boolean; pattern?: RegExp; patternMessage?: Reason } = {},
): Field<string> {
  const max = options.max ?? longText;
  const json: JsonSchema = { type: 'string', maxLength: max, ...(options.blank === false ? { minLength: 1 } : {}) };
  return field<string>(json, (raw) => {
    if (typeof raw !== 'string' && !(typeof raw === 'number' && Number.isFinite(raw)))
      return new Fault(reason('noText'));
    const value = options.trim === false ? String(raw) : String(raw).trim();
    if (options.blank === false ? isBlank(value) : value.trim() !== '' && isBlank(value))
      return new Fault(reason('blank'));
    // Fewer UTF-16 units than the limit cannot be more characters, and a character has two at most: the slow count is
    // for what is in between.
    if (value.length > max && (value.length > 2 * max || [...value].length > max))
      return new Fault(reason('tooLong', { max }));
    if (options.pattern && value !== '' && !options.pattern.test(value))
      return new Fault(options.patternMessage ?? reason('noValue'));
    return value;
  });
}

/** Returns an email address of at most 254 characters, or an empty text. */
export function email(): Field<string> {
  const base = text({ max: 254 });
  return field<string>({ type: 'string', format: 'email', maxLength: 254 }, (raw) => {
    const value = parseWith(base, raw);
    if (value instanceof Fault || value === '') return value;
    return isEmailAddress(value) ? value : new Fault(reason('noEmail'));
  });
}

/** Returns whether the text has the form of an email address; its length is another question. */
export const isEmailAddress = (value: string): boolean => emailPattern.test(value);

/** Returns the domain of an email address in lower case; the whole text where it has no @. */
export const domainOfEmail = (address: string): string =>
  address
    .slice(address.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase();

/** Returns a whole number within bounds; a text of digits counts too. */
export function integer(options: { min?: number; max?: number } = {}): Field<number> {
  const min = options.min ?? Number.MIN_SAFE_INTEGER;
  const max = options.max ?? Number.MAX_SAFE_INTEGER;
  const json: JsonSchema = {
    type: 'integer',
    ...(options.min === undefined ? {} : { minimum: min }),
    ...(options.max === undefined ? {} : { maximum: max }),
  };
  return field<number>(json, (raw) => {
    const value = typeof raw === 'string' && /^\s*[+-]?\d{1,17}\s*$/.test(raw) ? Number(raw) : raw;
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) return new Fault(reason('noInteger'));
    if (value < min) return new Fault(reason('tooSmall', { min }));
    if (value > max) return new Fault(reason('tooLarge', { max }));
    return value;
  });
}

/** Returns the id of another object. Whether it exists in the workspace is the service's question. */
export function pk(): Field<number> {
  return field<number>({ type: 'integer' }, (raw) => {
    const value = typeof raw === 'string' && /^\s*[+-]?\d{1,17}\s*$/.test(raw) ? Number(raw) : raw;
    if (typeof value !== 'number' || !Number.isSafeInteger(value))
      return new Fault(reason('noPk', { type: typeName(raw) }));
    if (value < 1 || value > Number.MAX_SAFE_INTEGER) return new Fault(noSuchPk(raw));
    return value;
  });
}

/** Returns whether a text is a number as people and programs write it, and one that can be kept. */
export const isNumericText = (value: string): boolean =>
  /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/.test(value) && isKept(value);

/** Returns a finite number; a numeric text counts too. */
export function number(): Field<number> {
  return field<number>({ type: 'number' }, (raw) => {
    const value = typeof raw === 'string' && isNumericText(raw.trim()) ? Number(raw) : raw;
    if (typeof value !== 'number' || !Number.isFinite(value)) return new Fault(reason('noNumber'));
    return value;
  });
}

/** true or false, also as the words and digits that forms send. */
export function boolean(): Field<boolean> {
  return field<boolean>({ type: 'boolean' }, (raw) => {
    if (typeof raw === 'boolean') return raw;
    const word = typeof raw === 'string' || typeof raw === 'number' ? String(raw).trim().toLowerCase() : '';
    if (truthy.includes(word)) return true;
    if (falsy.includes(word)) return false;
    return new Fault(reason('noBoolean'));
  });
}

/** Returns one of the words. */
export function choice<const V extends string>(values: readonly V[]): Field<V> {
  return field<V>({ type: 'string', enum: [...values] }, (raw) => {
    if (typeof raw === 'string' && (values as readonly string[]).includes(raw)) return raw as V;
    return new Fault(reason('noChoice', { value: printable(raw) }));
  });
}

/**
 * Returns an instant in ISO 8601; without an offset it is UTC. Dates that do not exist are refused, not rolled over.
 */
export function datetime(): Field<Date> {
  return field<Date>(
    { type: 'string', format: 'date-time' },
    (raw) => parseDatetime(raw) ?? new Fault(reason('noDatetime')),
  );
}

/** Returns a calendar day, YYYY-MM-DD. */
export function date(): Field<string> {
  return field<string>({ type: 'string', format: 'date' }, (raw) => {
    return typeof raw === 'string' && isCalendarDay(raw) ? raw : new Fault(reason('noDate'));
  });
}

/** Any JSON value, kept as written; its text has at most `maxBytes`. */
export function json(options: { maxBytes?: number } = {}): Field<unknown> {
  const max = options.maxBytes ?? Infinity;
  return field<unknown>({}, (raw) =>
    max < Infinity && Buffer.byteLength(JSON.stringify(raw)) > max ? new Fault(reason('tooManyBytes', { max })) : raw,
  );
}

/** Tags: any JSON value of up to 64 kB. */
export function tags(): Field<unknown> {
  return json({ maxBytes: maxTagsBytes });
}

/** Returns a JSON object with any keys. */
export function jsonObject(): Field<Record<string, unknown>> {
  return field<Record<string, unknown>>({ type: 'object', additionalProperties: true }, (raw) => {
    if (!isPlainObject(raw)) return new Fault(reason('noDictionary', { type: typeName(raw) }));
    return raw;
  });
}

/** Returns a list of one kind; what is wrong in it is told with its position. */
export function list<T>(item: Field<T>, options: { max?: number; min?: number } = {}): Field<T[]> {
  const json: JsonSchema = {
    type: 'array',
    items: item.spec.meta?.json ?? {},
    ...(options.max ? { maxItems: options.max } : {}),
    ...(options.min ? { minItems: options.min } : {}),
  };
  return field<T[]>(json, (raw) => {
    if (!Array.isArray(raw)) return new Fault(reason('noList', { type: typeName(raw) }));
    if (options.min && raw.length < options.min) return new Fault(reason('emptyList'));
    if (options.max && raw.length > options.max) return new Fault(reason('tooMany', { max: options.max }));
    const values: T[] = [];
    const faults: Message[] = [];
    for (let index = 0; index < raw.length && faults.length < 20; index += 1) {
      const value = parseWith(item, raw[index] ?? null);
      if (value instanceof Fault) faults.push(...value.reasons.map((one) => within(index, one)));
      else values.push(value);
    }
    return faults.length > 0 ? new Fault(...faults) : values;
  });
}

/** As many as a workspace has stages, and more than an address holds: agents have a whole body for them. */
const maxListed = 2_500;

/** Returns a comma list of a query parameter. */
export function commaList<T>(item: Field<T>): Field<T[]> {
  const items = item.spec.meta?.json ?? {};
  const words = Array.isArray(items['enum']) ? ` of ${(items['enum'] as string[]).join(', ')}` : '';
  return field<T[]>({ type: 'string', description: `Comma-separated list${words}.` }, (raw) => {
    if (typeof raw === 'object') return new Fault(reason('noText'));
    const parts = String(raw)
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    if (parts.length > maxListed) return new Fault(reason('tooMany', { max: maxListed }));
    const values = parts.map((part) => parseWith(item, part));
    const fault = values.find((value) => value instanceof Fault);
    if (fault) return fault;
    return values.length === 0 ? new Fault(reason('blank')) : (values as T[]);
  }).meta({ items }) as Field<T[]>;
}

type Fields = yup.ObjectShape;

/**
 * Returns an object inside an input; `title` names it in the API description. Unknown keys are refused by name, so that
 * nothing that a caller meant is dropped in silence; what is wrong inside is told with its key.
 */
export function object<S extends Fields>(shape: S, title?: string): Field<ValuesOf<S>> {
  const inner = input(shape);
  const named = title === undefined ? {} : { title };
  return field<ValuesOf<S>>({ ...named, ...describeObject(inner), additionalProperties: false }, (raw) => {
    if (!isPlainObject(raw)) return new Fault(reason('noObject', { type: typeName(raw) }));
    return runClosed(inner, raw) as ValuesOf<S> | Fault;
  });
}

/** What is said of a key that a nested object does not know. */
export const notAccepted = reason('notAccepted');

/** Runs the schema of a nested object: its values, or what is wrong inside and which keys it does not know. */
export function runClosed(schema: yup.AnyObjectSchema, raw: Record<string, unknown>): Record<string, unknown> | Fault {
  const unknown = Object.keys(raw).filter((key) => !Object.hasOwn(schema.fields, key));
  const result = runSchema(schema, raw);
  const errors = 'errors' in result ? Object.entries(result.errors) : [];
  const faults = [...unknown.slice(0, 20).map((key) => [cut(key, 100), [notAccepted]] as const), ...errors];
  if (faults.length === 0 && 'value' in result) return result.value;
  return new Fault(...faults.flatMap(([key, messages]) => messages.map((message) => within(key, message))));
}

/** Puts the place before a message; a place inside a place is written as a path (`buttons.0.title: …`). */
export function within(place: string | number, message: Message): Message {
  return after(/^\w+(\.\w+)*: /.test(String(message)) ? `${place}.` : `${place}: `, message);
}

/** Runs one field by itself: its value or the Fault. Null is a Fault unless the field is nullable. */
export function parseWith<T>(schema: Field<T>, raw: unknown): T | Fault {
  try {
    return schema.validateSync(raw, { abortEarly: false }) as T;
  } catch (error) {
    if (error instanceof yup.ValidationError) return new Fault(...messagesOf(error));
    throw error;
  }
}

/** Returns what our fields gave yup to tell, which takes any words for texts. */
const messagesOf = ({ errors }: yup.ValidationError): readonly Message[] => errors as readonly Message[];

export type InputSchema = yup.ObjectSchema<yup.AnyObject>;
/** The validated values of a set of fields. */
type ValuesOf<S extends Fields> = yup.InferType<yup.ObjectSchema<yup.TypeFromShape<S, yup.AnyObject>>>;
/** The validated values of an input: `InputOf<typeof createTicketInput>`. */
export type InputOf<S extends yup.AnyObjectSchema> = Readonly<yup.InferType<S>>;

/** Returns a set of fields as one schema. */
export function input<S extends Fields>(
  shape: S,
): yup.ObjectSchema<yup.TypeFromShape<S, yup.AnyObject>, yup.AnyObject> {
  return yup.object(shape) as unknown as yup.ObjectSchema<yup.TypeFromShape<S, yup.AnyObject>, yup.AnyObject>;
}

/**
 * Checks the known keys of `raw` and gives only those. Picking own keys by name keeps `__proto__` and its like
 * away from yup, which throws a TypeError on every key that exists on Object.prototype.
 */
export function runSchema(
  schema: yup.AnyObjectSchema,
  raw: Record<string, unknown>,
): { value: Record<string, unknown> } | { errors: Record<string, Message[]> } {
  const known: Record<string, unknown> = {};
  for (const key of Object.keys(schema.fields)) if (Object.hasOwn(raw, key)) known[key] = raw[key];
  try {
    const value = schema.validateSync(known, { abortEarly: false }) as Record<string, unknown>;
    for (const key of Object.keys(value)) if (value[key] === undefined) delete value[key];
    return { value };
  } catch (error) {
    if (!(error instanceof yup.ValidationError)) throw error;
    const errors: Record<string, Message[]> = {};
    for (const inner of error.inner.length > 0 ? error.inner : [error]) {
      (errors[inner.path ?? 'non_field_errors'] ??= []).push(...messagesOf(inner));
    }
    return { errors };
  }
}

/** Returns the JSON Schema of a set of fields, for OpenAPI and the agent tools. */
export function describeObject(schema: yup.AnyObjectSchema): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const requiredKeys: string[] = [];
  for (const [key, reference] of Object.entries(schema.fields)) {
    const inner = reference as yup.AnySchema;
    properties[key] = inner.spec.meta?.json ?? {};
    if (!inner.spec.optional) requiredKeys.push(key);
  }
  return { type: 'object', properties, ...(requiredKeys.length > 0 ? { required: requiredKeys } : {}) };
}

/** Returns whether the value is a JSON object. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Returns the name DRF gives a value's type in its messages. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return (
    { string: 'str', number: Number.isInteger(value) ? 'int' : 'float', boolean: 'bool', object: 'dict' }[
      typeof value as string
    ] ?? typeof value
  );
}

/**
 * Returns a value in a message. Input is never given to `String`: an object may carry a `toString` that is no function.
 */
export function printable(raw: unknown): string {
  const words = typeof raw === 'string' ? raw : (JSON.stringify(raw) ?? '');
  return words.length > 100 ? `${cut(words, 100)}…` : words;
}
