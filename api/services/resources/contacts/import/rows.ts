import { cut } from '../../../../core/text/cut';
import { sendAsText, unkeptIn } from '../../../../core/http/numbers';
import { Fault, isEmailAddress, isPlainObject, maxTagsBytes } from '../../../../core/http/fields';
import { readPhone, readTypedPhone } from '../../../../core/phones';
import { isBlank } from '../../../../core/http/visible';
import { bsuidPattern, parseRecipient } from '../identity';
import { coerceValue, type FieldDefinition } from '../../customFields/values';
import { reason } from '../../reasons';
import type { Message } from '../../../../core/http/reasons';

/** One entry of the answer's `errors` (contract 5). */
export interface RowError {
  /** Counts the data rows from 1. */
  readonly row: number;
  readonly receiver_id: string | null;
  readonly field: string;
  readonly value: unknown;
  readonly message: string;
  /** True: the value was dropped and the contact kept. False: the row was refused. */
  readonly dropped: boolean;
}

/** The same before it is said in a language. */
export type RowFault = Omit<RowError, 'message'> & { readonly message: Message };

/** A row as it came: keys with values, or what made it unreadable. */
export interface SourceRow {
  readonly number: number;
  readonly entries: readonly (readonly [key: string, value: unknown])[];
  readonly problem?: Message;
  /** From a file: every value is text, and a list is parted by semicolons. */
  readonly text?: boolean;
  /** The country whose a number of a file may be that names none. */
  readonly country?: string;
}

const textLimits = { name: 255, company: 255, email: 254, notes: 65_535 } as const;
type TextField = keyof typeof textLimits;

/** The values of a row for a contact; absent values are not changed. */
export interface ContactPatch {
  readonly texts: Partial<Record<TextField, string>>;
  readonly tags?: unknown;
  readonly optOut?: boolean;
  readonly custom: Readonly<Record<string, unknown>>;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface ReadRow {
  readonly number: number;
  readonly phone: string | null;
  readonly bsuid: string | null;
  readonly patch: ContactPatch;
  /** Keys that are neither a column nor a custom field, which are kept as attributes. */
  readonly otherKeys: readonly string[];
}

const maxAttributeLength = 10_000;
const maxKeyLength = 255;
/** Most keys of a row, and of an object in it. */
const maxKeys = 1_000;
/** What says whose row it is, or that there is none: a refusal is always told. */
const namingKeys: ReadonlySet<string> = new Set(['phone', 'bsuid', 'receiver_id', 'non_field_errors']);
const booleanField: FieldDefinition = { name: '', field_type: 'boolean', options: [], applies_to: [] };

/**
 * Reads one row by the coercion rules of contract 5.5. A wrong value is dropped with an error that names its field; a
 * row that names no contact is refused. An empty text or null leaves the field out. Returns at most `maxErrors` errors
 * besides those about the contact that the row names.
 */
export function readRow(
  source: SourceRow,
  definitions: ReadonlyMap<string, FieldDefinition>,
  maxErrors = Infinity,
): { readonly row: ReadRow | null; readonly errors: RowFault[]; readonly truncated: boolean } {
  const faults: { field: string; value: unknown; message: Message }[] = [];
  let truncated = false;
  let unnamed = true;
  let room = Math.max(0, maxErrors);
  const drop = (field: string, value: unknown, ...messages: readonly Message[]): void => {
    const names = namingKeys.has(field);
    if (names) unnamed = false;
    const kept = names ? messages : messages.slice(0, room);
    truncated ||= kept.length < messages.length;
    if (kept.length === 0) return;
    if (!names) room -= kept.length;
    const shown = shortened(value);
    for (const message of kept) faults.push({ field, value: shown, message });
  };
  const problem =
    source.problem ?? (source.entries.length > maxKeys ? reason('tooManyKeys', { max: maxKeys }) : undefined);
  const identity: { phone: string | null; bsuid: string | null; handle: string | null } = {
    phone: null,
    bsuid: null,
    handle: null,
  };
  const texts: Partial<Record<TextField, string>> = {};
  const custom: [string, unknown][] = [];
  const attributes: [string, unknown][] = [];
  const otherKeys: string[] = [];
  let tags: unknown;
  let optOut: boolean | undefined;

  const readCustom = (definition: FieldDefinition, raw: unknown): void => {
    const value = coerceValue(definition, raw);
    if (value instanceof Fault) drop(definition.name, raw, ...value.reasons);
    else custom.push([definition.name, value]);
  };
  const readAttribute = (key: string, value: unknown): void => {
    if (key.length > maxKeyLength) drop(cut(key, maxKeyLength), value, reason('keyTooLong', { max: maxKeyLength }));
    else if (
      typeof value === 'string' ? value.length > maxAttributeLength : JSON.stringify(value).length > maxAttributeLength
    )
      drop(key, value, reason('tooLong', { max: maxAttributeLength }));
    else attributes.push([key, value]);
  };

  const entriesOf = (key: string, raw: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] => {
    const entries = Object.entries(raw);
    if (entries.length <= maxKeys) return entries;
    drop(key, null, reason('tooManyFieldKeys', { max: maxKeys }));
    return [];
  };

  const isLeftOut = (key: string, raw: unknown): boolean => {
    const unkept = unkeptIn(raw);
    if (unkept) drop(cut(key, maxKeyLength), unkept.source, sendAsText);
    return isOmitted(raw) || unkept !== undefined;
  };

  for (const [key, raw] of problem === undefined ? source.entries : []) {
    if (!holdsKeys(key, raw) && isLeftOut(key, raw)) continue;
    switch (key) {
      case 'phone': {
        const phone = source.text ? readTypedPhone(raw, source.country ?? null) : readPhone(raw);
        if (phone instanceof Fault) drop(key, raw, ...phone.reasons);
        else identity.phone = phone;
        break;
      }
      case 'bsuid':
        identity.bsuid = typeof raw === 'string' && bsuidPattern.test(raw.trim()) ? raw.trim() : null;
        if (identity.bsuid === null) drop(key, raw, reason('noUserId'));
        break;
      case 'receiver_id':
        identity.handle = typeof raw === 'string' || Number.isSafeInteger(raw) ? String(raw) : null;
        if (identity.handle === null) drop(key, raw, reason('noText'));
        break;
      case 'name':
      case 'company':
      case 'email':
      case 'notes': {
        const value = readText(key, raw);
        if (value instanceof Fault) drop(key, raw, ...value.reasons);
        else texts[key] = value;
        break;
      }
      case 'tags':
        if (jsonBytes(raw) > maxTagsBytes) drop(key, raw, reason('tooManyBytes', { max: maxTagsBytes }));
        else tags = source.text && typeof raw === 'string' ? readTags(raw) : raw;
        break;
      case 'marketing_opt_out': {
        const value = coerceValue(booleanField, raw);
        if (value instanceof Fault) drop(key, raw, ...value.reasons);
        else optOut = value as boolean;
        break;
      }
      default: {
        const definition = definitions.get(key);
        if (definition) {
          readCustom(definition, raw);
        } else if (key === 'custom_fields' && isPlainObject(raw)) {
          for (const [name, value] of entriesOf(key, raw)) {
            const known = definitions.get(name);
            if (isLeftOut(name, value)) continue;
            if (known) readCustom(known, value);
            else drop(cut(name, maxKeyLength), value, reason('noCustomField'));
          }
        } else if (key === 'attributes' && isPlainObject(raw)) {
          for (const [name, value] of entriesOf(key, raw)) if (!isLeftOut(name, value)) readAttribute(name, value);
        } else {
          otherKeys.push(key);
          readAttribute(key, raw);
        }
      }
    }
  }

  // What an export calls the contact names it where nothing better does.
  const handle =
    identity.phone === null && identity.bsuid === null && identity.handle !== null
      ? parseRecipient(identity.handle)
      : null;
  const phone = identity.phone ?? handle?.phone ?? null;
  const bsuid = identity.bsuid ?? handle?.bsuid ?? null;
  const receiverId = phone ?? bsuid;
  const refused = problem !== undefined || receiverId === null;
  if (problem !== undefined) drop('non_field_errors', null, problem);
  else if (receiverId === null && unnamed) drop('phone', identity.handle, reason('noIdentity'));
  const errors = faults.map(({ field, value, message }) => ({
    row: source.number,
    receiver_id: receiverId,
    field,
    value,
    message,
    dropped: !refused,
  }));
  if (refused) return { row: null, errors, truncated };
  return {
    row: {
      number: source.number,
      phone,
      bsuid,
      patch: {
        texts,
        ...(tags === undefined ? {} : { tags }),
        ...(optOut === undefined ? {} : { optOut }),
        custom: Object.fromEntries(custom),
        attributes: Object.fromEntries(attributes),
      },
      otherKeys,
    },
    errors,
    truncated,
  };
}

function holdsKeys(key: string, value: unknown): value is Record<string, unknown> {
  return (key === 'custom_fields' || key === 'attributes') && isPlainObject(value);
}

/** Lists errors, refused rows before dropped values: what was not imported at all must not be missing. */
export function listErrors(all: readonly RowError[], max: number): RowError[] {
  return [...all.filter(({ dropped }) => !dropped), ...all.filter(({ dropped }) => dropped)].slice(0, max);
}

/** Returns how many keys a row has to be read by, those of its objects of keys too; an empty text is left out. */
export function keysOf(entries: SourceRow['entries']): number {
  let count = 0;
  for (const [key, value] of entries) {
    if (isOmitted(value)) continue;
    count += 1;
    if (holdsKeys(key, value)) count += Object.keys(value).length;
  }
  return count;
}

/** Returns how many bytes a value takes as JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** Returns whether a value leaves its key out (contract 5.5). */
function isOmitted(raw: unknown): boolean {
  return raw === null || raw === undefined || raw === '';
}

function readText(key: TextField, raw: unknown): string | Fault {
  if (typeof raw !== 'string' && !(typeof raw === 'number' && Number.isFinite(raw))) return new Fault(reason('noText'));
  const value = String(raw).trim();
  const max = textLimits[key];
  if (value.length > max && [...value].length > max) return new Fault(reason('tooLong', { max }));
  if (value !== '' && isBlank(value)) return new Fault(reason('blank'));
  return key !== 'email' || value === '' || isEmailAddress(value) ? value : new Fault(reason('noEmail'));
}

function readTags(raw: string): string[] {
  return [
    ...new Set(
      raw
        .split(';')
        .map((tag) => tag.trim())
        .filter((tag) => tag !== ''),
    ),
  ];
}

/** Returns a value as errors show it: at most 200 characters. */
export function shortened(value: unknown): unknown {
  const words = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  if (words.length <= 200) return value ?? null;
  return `${cut(words, 200)}…`;
}
