import type { FormField } from '../fieldViews';
import { choicesOf, formField, type FieldDefinition, type Typed } from '../forms';
import { words } from '../words';

const inputTypes: Readonly<Record<string, string>> = {
  number: 'number',
  date: 'date',
  select: 'select',
  boolean: 'select',
};

/** Returns the field of a custom field in the panel, with what was typed or is stored. */
export function customField(form: Typed['form'], definition: FieldDefinition, stored: unknown): FormField {
  const { name, label, field_type: type } = definition;
  const isSelect = inputTypes[type] === 'select';
  return formField(
    { form },
    {
      name: `custom.${name}`,
      label: label || name,
      type: inputTypes[type] ?? 'text',
      options: isSelect ? [{ value: '', label: '–' }, ...choicesOf(definition, stored)] : [],
      hint: type === 'multi_select' ? words.details.fields.several : '',
      attributes: { 'data-submit': '', ...(type === 'number' ? { step: 'any' } : {}) },
    },
    Array.isArray(stored) ? stored.join('; ') : stored,
  );
}
