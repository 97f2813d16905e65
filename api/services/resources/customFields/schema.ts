import {
  choice,
  described,
  Fault,
  field,
  input,
  list,
  nullable,
  parseWith,
  required,
  text,
  type Field,
} from '../../../core/http/fields';
import { reason } from '../reasons';
import type { Reason } from '../../../core/http/reasons';

export const fieldTypes = ['text', 'number', 'boolean', 'date', 'select', 'multi_select'] as const;
export const subjects = ['contacts', 'conversations', 'tickets'] as const;

const maxOptions = 200;

/** Columns of an import that are fields of every contact. */
export const builtInColumns: readonly string[] = [
  'phone',
  'bsuid',
  'receiver_id',
  'name',
  'email',
  'company',
  'notes',
  'tags',
  'marketing_opt_out',
  'custom_fields',
  'attributes',
];

/** Each word once. */
function uniqueList<V extends string>(
  item: Field<V>,
  options: { min?: number; max: number },
  repeated: (value: V) => Reason,
): Field<V[]> {
  const inner = list(item, { min: options.min ?? 1, max: options.max });
  return field<V[]>(inner.spec.meta?.json ?? {}, (raw) => {
    const values = parseWith(inner, raw);
    if (values instanceof Fault) return values;
    const twice = values.filter((value, index) => values.indexOf(value) !== index);
    return twice.length > 0 ? new Fault(...[...new Set(twice)].map(repeated)) : values;
  });
}

const word = text({
  max: 64,
  blank: false,
  pattern: /^[a-z][a-z0-9_]{0,63}$/,
  patternMessage: reason('noSlug'),
});

// A column of an import with such a name is the built-in field, so that a custom one could never be imported.
const slug = field<string>(word.spec.meta?.json ?? {}, (raw) => {
  const name = parseWith(word, raw);
  return typeof name === 'string' && builtInColumns.includes(name) ? new Fault(reason('builtIn', { name })) : name;
});

// An import parts the options of one value by semicolons, and an empty text means no value.
const option = text({
  max: 255,
  blank: false,
  pattern: /^[^;]+$/,
  patternMessage: reason('noSemicolon'),
});

const options = described(
  nullable(uniqueList(option, { min: 0, max: maxOptions }, (value) => reason('twice', { value }))),
  'Only and always for select and multi_select; null and an empty list mean none.',
);
const appliesTo = described(
  uniqueList(choice(subjects), { max: subjects.length }, (value) => reason('twice', { value })),
  'Where the field is shown and can be written; contacts and conversations when left out.',
);

/** `POST /custom-fields/` (contract 5). */
export const createFieldInput = input({
  name: described(required(slug), 'Key of the values; cannot be changed later.', 'plan'),
  label: described(text({ max: 255, blank: false }), 'The name when left out.', 'Plan'),
  field_type: required(choice(fieldTypes)),
  applies_to: appliesTo,
  options,
});

/** `PATCH /custom-fields/{id}/`; the name is read-only. */
export const updateFieldInput = input({
  label: text({ max: 255, blank: false }),
  field_type: choice(fieldTypes),
  applies_to: appliesTo,
  options,
});
