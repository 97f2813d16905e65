import type { CustomFieldRow } from '../../../../models';
import { isoTime, wire } from '../../../core/http/shapes';
import { fieldTypes, subjects } from './schema';

/** Returns the wire form of a definition (contract 5.4). */
export function serializeField(row: CustomFieldRow): Record<string, unknown> {
  return {
    id: row.id,
    name: row.name,
    label: row.label,
    field_type: row.field_type,
    applies_to: row.applies_to,
    options: row.options,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** Wire shape of `serializeField`. */
export const fieldShape = wire.named('CustomField', {
  id: wire.integer(),
  name: wire.text('Key of the values in `custom_fields`.'),
  label: wire.text(),
  field_type: wire.oneOf(fieldTypes),
  applies_to: wire.list(wire.oneOf(subjects)),
  options: wire.list(wire.text()),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
});
