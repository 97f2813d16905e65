import type { SlaPolicyRow } from '../../../../models';
import { slaSubjects } from '../../../../models/enums';
import { shapeOf, wire } from '../../../core/http/shapes';

/** A service level policy. */
export const { schema: policyShape, serialize: serializePolicy } = shapeOf<SlaPolicyRow>('SlaPolicy').with({
  id: wire.integer(),
  name: wire.text(),
  first_response_minutes: wire.nullable(wire.integer()),
  resolution_minutes: wire.nullable(wire.integer()),
  calendar_id: wire.nullable(wire.integer()),
  applies_to: wire.list(wire.oneOf(slaSubjects)),
  is_default: wire.boolean(),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
});
