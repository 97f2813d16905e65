import { Transaction } from 'sequelize';
import { cut } from '../../../core/text/cut';
import type { CustomFieldRow } from '../../../../models';
import { sameValue } from '../../../core/db/changes';
import type { Ctx } from '../../../core/context';
import { invalid, type FieldReasons } from '../../../core/http/errors';
import { isCalendarDay } from '../../../core/http/datetimes';
import { of } from '../../../core/db/scoped';
import { Fault, isNumericText, printable, typeName } from '../../../core/http/fields';
import { reason } from '../reasons';
import { after, type Message } from '../../../core/http/reasons';

/** What can have custom values. Contacts and their conversations share one set of values (contract 5). */
export type Subject = CustomFieldRow['applies_to'][number];

/** The part of a definition by which values are read. */
export type FieldDefinition = Pick<CustomFieldRow, 'name' | 'field_type' | 'options' | 'applies_to'>;

const definitionColumns = ['name', 'field_type', 'options', 'applies_to'];

/** A typed change of custom values: what is written, and what an explicit null clears. */
export interface ValuePatch {
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove: readonly string[];
}

/** Longest text value, in characters. */
const maxTextValue = 10_000;
const maxNamesPerPatch = 500;
/** Most bytes of the values that one write sets, as JSON. */
const maxPatchBytes = 65_536;

/**
 * Reads a patch of custom values by the workspace's definitions, typed as JSON says it. A field must apply to one of
 * the subjects. A value that is stored already is not judged again: its option may be gone. Must run in the transaction
 * that writes them: the definitions are held until it ends, so none changes its type or vanishes in between. Throws the
 * 400 that names every wrong key.
 */
export async function validateValues(
  ctx: Ctx,
  subjects: readonly Subject[],
  patch: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>> = {},
): Promise<ValuePatch> {
  const names = Object.keys(patch);
  if (names.length === 0) return { set: {}, remove: [] };
  if (names.length > maxNamesPerPatch) throw invalid({ custom_fields: [reason('tooMany', { max: maxNamesPerPatch })] });
  const definitions = await readDefinitions(ctx, names);
  const faults: Message[] = [];
  const set: Record<string, unknown> = {};
  const remove: string[] = [];
  for (const [name, raw] of Object.entries(patch)) {
    const definition = definitions.get(name);
    if (!definition) faults.push(reason('noFieldHere').at(`${cut(name, 100)}: `));
    else if (!subjects.some((subject) => definition.applies_to.includes(subject)))
      faults.push(reason('fieldElsewhere', { subjects: subjects.join(' or ') }).at(`${name}: `));
    else if (raw === null) remove.push(name);
    else if (Object.hasOwn(stored, name) && sameValue(raw, stored[name])) set[name] = raw;
    else {
      const value = readTyped(definition, raw);
      if (value instanceof Fault) faults.push(...value.reasons.map((one) => after(`${name}: `, one)));
      else set[name] = value;
    }
  }
  if (faults.length > 0) throw invalid({ custom_fields: faults });
  if (Buffer.byteLength(JSON.stringify(set)) > maxPatchBytes)
    throw invalid({ custom_fields: [reason('tooManyBytes', { max: maxPatchBytes })] });
  return { set, remove };
}

/** Returns definitions by name, held against change until the transaction ends. Without names: all of them. */
export async function readDefinitions(ctx: Ctx, names?: readonly string[]): Promise<Map<string, FieldDefinition>> {
  const rows = await of(ctx, ctx.runtime.db.models.CustomField).findAll({
    attributes: definitionColumns,
    where: { deleted_at: null, ...(names ? { name: [...names] } : {}) },
    order: ['name'],
    lock: Transaction.LOCK.KEY_SHARE,
    raw: true,
  });
  return new Map(rows.map((row) => [row.name, row]));
}

/** Returns the value of a field as JSON types it, or what is wrong with it. */
function readTyped(definition: FieldDefinition, raw: unknown): unknown {
  switch (definition.field_type) {
    case 'text':
      return typeof raw === 'string' ? readText(raw) : new Fault(reason('noText'));
    case 'number':
      return typeof raw === 'number' && Number.isFinite(raw) ? raw : new Fault(reason('noNumber'));
    case 'boolean':
      return typeof raw === 'boolean' ? raw : new Fault(reason('noBoolean'));
    case 'date':
      return readDate(raw);
    case 'select':
      return readOption(definition, raw);
    case 'multi_select':
      return readOptions(definition, raw);
  }
}

function readOption(definition: FieldDefinition, raw: unknown): string | Fault {
  if (typeof raw === 'string' && definition.options.includes(raw)) return raw;
  return new Fault(reason('noChoice', { value: printable(raw) }));
}

/** Returns each option once, in the order given. */
function readOptions(definition: FieldDefinition, raw: unknown): string[] | Fault {
  if (!Array.isArray(raw)) return new Fault(reason('noList', { type: typeName(raw) }));
  const unknown = raw.filter((value) => typeof value !== 'string' || !definition.options.includes(value));
  if (unknown.length > 0)
    return new Fault(...unknown.slice(0, 20).map((value) => reason('noChoice', { value: printable(value) })));
  return [...new Set(raw as string[])];
}

function readText(raw: string): string | Fault {
  return raw.length > maxTextValue && [...raw].length > maxTextValue
    ? new Fault(reason('tooLong', { max: maxTextValue }))
    : raw;
}

function readDate(raw: unknown): string | Fault {
  return typeof raw === 'string' && isCalendarDay(raw) ? raw : new Fault(reason('noDate'));
}

/**
 * Returns the value of a field from the text of a file, a form or a query (contract 5.5): numeric texts, yes and no,
 * options separated by semicolons. A value that has its JSON type already is read as that.
 */
export function coerceValue(definition: FieldDefinition, raw: unknown): unknown {
  if (definition.field_type === 'text' && (typeof raw === 'number' || typeof raw === 'boolean')) return String(raw);
  if (definition.field_type === 'boolean' && (raw === 1 || raw === 0)) return raw === 1;
  if (definition.field_type === 'select' && typeof raw === 'number') return readOption(definition, String(raw));
  if (typeof raw !== 'string') return readTyped(definition, raw);
  const trimmed = raw.trim();
  switch (definition.field_type) {
    case 'text':
      return readText(raw);
    case 'number':
      return isNumericText(trimmed) ? readTyped(definition, Number(trimmed)) : new Fault(reason('noNumber'));
    case 'boolean':
      return booleanWords.get(trimmed.toLowerCase()) ?? new Fault(reason('noBoolean'));
    case 'date':
      return readDate(trimmed);
    case 'select':
      return definition.options.includes(raw) ? raw : readOption(definition, trimmed);
    case 'multi_select':
      return readOptions(
        definition,
        trimmed
          .split(';')
          .map((part) => part.trim())
          .filter((part) => part !== ''),
      );
  }
}

const booleanWords: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

/**
 * Returns conditions on custom values, from `custom_field.<name>` parameters; adds their values to `bind`. Throws 400.
 */
export async function valueConditions(
  ctx: Ctx,
  subject: Subject,
  filters: Readonly<Record<string, unknown>> | undefined,
  column: string,
  bind: Record<string, unknown>,
): Promise<string[]> {
  const names = Object.keys(filters ?? {});
  if (!filters || names.length === 0) return [];
  if (names.length > maxNamesPerPatch) throw invalid({ custom_field: [reason('tooMany', { max: maxNamesPerPatch })] });
  const rows = await of(ctx, ctx.runtime.db.models.CustomField).findAll({
    attributes: definitionColumns,
    where: { deleted_at: null, name: names },
    raw: true,
  });

  const errors: FieldReasons = {};
  const wanted: Record<string, unknown> = {};
  for (const [name, raw] of Object.entries(filters)) {
    const definition = rows.find((row) => row.name === name && row.applies_to.includes(subject));
    const value = definition ? coerceValue(definition, raw) : new Fault(reason('noCustomField'));
    if (value instanceof Fault) errors[`custom_field.${cut(name, 100)}`] = value.reasons;
    else wanted[name] = value;
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  bind['customFields'] = JSON.stringify(wanted);
  return [`${column} @> $customFields::jsonb`];
}

/** Returns the values that a subject shows: all but those whose definitions apply elsewhere or are being deleted. */
export function shownValues(
  values: Readonly<Record<string, unknown>>,
  partial: PartialFields,
  subject: Subject,
): Record<string, unknown> {
  if (partial === null) return { ...values };
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => !Object.hasOwn(partial, name) || partial[name]?.includes(subject)),
  );
}

/** The fields that apply to contacts or conversations only, each with where it applies; null when there are none. */
export type PartialFields = Readonly<Record<string, readonly string[]>> | null;

/** SQL: the `PartialFields` of a row's workspace. */
export const partialFieldsColumn = (workspaceId: string): string => `(
    SELECT jsonb_object_agg(f.name, f.applies_to) FROM custom_fields f
    WHERE f.workspace_id = ${workspaceId} AND NOT f.applies_to @> '{contacts,conversations}'
  ) AS partial_fields`;
