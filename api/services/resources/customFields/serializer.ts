import type { CustomFieldRow } from '../../../../models';
import { shapeOf, wire } from '../../../core/http/shapes';
import { fieldTypes, subjects } from './schema';

/** A definition (contract 5.4). */
export const { schema: fieldShape, serialize: serializeField } = shapeOf<CustomFieldRow>('CustomField').with({
  id: wire.integer(),
  name: wire.text('Key of the values in `custom_fields`.'),
  label: wire.text(),
  field_type: wire.oneOf(fieldTypes),
  applies_to: wire.list(wire.oneOf(subjects)),
  options: wire.list(wire.text()),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
});
