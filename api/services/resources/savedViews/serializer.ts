import type { SavedViewRow } from '../../../../models';
import { shapeOf, wire } from '../../../core/http/shapes';

/** A saved view (contract 18.3). */
export const { schema: viewShape, serialize: serializeView } = shapeOf<SavedViewRow>('SavedView').with({
  id: wire.integer(),
  name: wire.text(),
  filters: wire.map('Which list of the inbox it shows, and the filters of that list.'),
  created_at: wire.datetime(),
});
