import type * as yup from 'yup';
import type { JsonSchema } from '../../core/http/shapes';
import type { FieldErrors } from '../../core/http/errors';
import type { InputSchema } from '../../core/http/fields';
import type { FieldGiven, Option } from './fieldViews';
import { readLines } from './forms';
import type { PageRequest } from './page';

/** What a page says of a field beside its label; kind, limits and whether it may be empty follow from the operation. */
export interface DeclaredField<Name extends string = string> {
  readonly name: Name;
  /** What may be chosen, in the words of the page. */
  readonly options?: readonly Option[];
  /** One of these, rather than what follows from the field's type: `lines` has an item of a list in each. */
  readonly as?: 'lines' | 'textarea';
  readonly rows?: number;
  /** Not there, although the operation would take it. */
  readonly hidden?: boolean;
  /** Demanded by the form, although the operation does without. */
  readonly required?: boolean;
  /** Said below the field, where it depends. */
  readonly hint?: string;
  /** Said beside the label. */
  readonly optional?: boolean;
  readonly attributes?: FieldGiven['attributes'];
}

/** The words of a field. */
export interface FieldWords {
  readonly label: string;
  readonly hint?: string;
}

/** A declared field with what its operation says of it. */
interface KnownField extends DeclaredField {
  readonly kind: 'checkbox' | 'checks' | 'fixed' | 'input' | 'lines' | 'select' | 'textarea';
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** Returns the type that a value has when it is not null, with what limits it. */
function typeOf(schema: JsonSchema): JsonSchema {
  const variants = schema['anyOf'];
  const all = Array.isArray(variants) ? (variants as readonly JsonSchema[]) : [schema];
  return all.find(({ type }) => type !== 'null') ?? schema;
}

const isType = (schema: JsonSchema, type: string): boolean => [schema['type']].flat().includes(type);

function kindOf({ as, options }: DeclaredField, schema: JsonSchema): KnownField['kind'] {
  if (as) return as;
  if (isType(schema, 'boolean')) return 'checkbox';
  if (isType(schema, 'array')) return 'checks';
  return options ? 'select' : 'input';
}

/** What an operation says of a field of its body; undefined where it takes none of this name. */
export function specOf(body: InputSchema | undefined, name: string): yup.AnySchema['spec'] | undefined {
  return (body?.fields[name] as yup.AnySchema | undefined)?.spec;
}

/**
 * Returns the declared fields that the operation takes, each with its kind. What `fresh` demands, the operation that
 * makes such an object, is demanded by a form that changes one, too; what it alone takes is fixed from then on.
 */
export function knownFields(
  declared: readonly DeclaredField[],
  taken: InputSchema | undefined,
  fresh: InputSchema | undefined = taken,
): readonly KnownField[] {
  return declared.flatMap((field) => {
    const [own, made] = [specOf(taken, field.name), specOf(fresh, field.name)];
    if ((!own && !made) || field.hidden) return [];
    const schema = typeOf((own ?? made)?.meta?.json ?? {});
    const isRequired = field.required ?? made?.optional === false;
    return [{ ...field, schema, kind: own ? kindOf(field, schema) : 'fixed', isRequired }];
  });
}

/** Returns what a field is filled with: what was typed or is stored. */
export function fieldOf(
  field: KnownField,
  { label, hint = field.hint }: FieldWords,
  value: unknown,
  errors: FieldErrors | undefined,
): FieldGiven & { readonly label: string } {
  const { kind, schema, isRequired, options, name, rows, optional } = field;
  const isNumber = isType(schema, 'integer') || isType(schema, 'number');
  const { maxLength, minimum, maximum } = schema as Readonly<Record<string, number | undefined>>;
  const limits: Record<string, number> = {};
  if (isNumber && minimum !== undefined) limits['min'] = minimum;
  if (isNumber && maximum !== undefined) limits['max'] = maximum;
  if ((kind === 'input' || kind === 'textarea') && maxLength !== undefined) limits['maxlength'] = maxLength;
  const lines = kind === 'lines' && Array.isArray(value) ? value.join('\n') : value;
  return {
    name,
    label,
    type: kind === 'lines' ? 'textarea' : kind === 'input' ? (isNumber ? 'number' : 'text') : kind,
    value: kind === 'lines' ? lines : value,
    errors,
    attributes: { ...limits, ...field.attributes },
    ...(hint === undefined ? {} : { hint }),
    ...(options ? { options } : {}),
    ...(rows === undefined ? {} : { rows }),
    ...(optional ? { optional } : {}),
    ...(isRequired && kind !== 'checkbox' && kind !== 'select' ? { required: true } : {}),
  };
}

/** Reads what was typed into the fields, as the operation takes it (`coerceForm` does the rest). */
export function readFields(page: PageRequest, fields: readonly KnownField[]): Record<string, unknown> {
  const typed = fields.filter(({ kind }) => kind !== 'fixed');
  return Object.fromEntries(
    typed.map(({ name, kind, schema }) => {
      if (kind === 'lines') return [name, readLines(page.form[name] ?? '')];
      if (kind === 'checkbox') return [name, page.form[name] ?? 'false'];
      if (kind !== 'checks') return [name, page.form[name] ?? ''];
      const chosen = page.all(name);
      return [name, isType((schema['items'] ?? {}) as JsonSchema, 'integer') ? chosen.map(Number) : chosen];
    }),
  );
}
