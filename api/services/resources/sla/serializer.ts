import type { SlaPolicyRow } from '../../../../models';
import { isoTime, wire } from '../../../core/shapes';

export type PolicyView = Omit<SlaPolicyRow, 'workspace_id'>;

/** The wire form of a service level policy. */
export function serializePolicy(row: PolicyView): Record<string, unknown> {
  return {
    id: row.id,
    name: row.name,
    first_response_minutes: row.first_response_minutes,
    resolution_minutes: row.resolution_minutes,
    applies_to: row.applies_to,
    is_default: row.is_default,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** Wire shape of `serializePolicy`. */
export const policyShape = wire.named('SlaPolicy', {
  id: wire.integer(),
  name: wire.text(),
  first_response_minutes: wire.nullable(wire.integer()),
  resolution_minutes: wire.nullable(wire.integer()),
  applies_to: wire.list(wire.oneOf(['tickets', 'conversations'])),
  is_default: wire.boolean(),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
});
