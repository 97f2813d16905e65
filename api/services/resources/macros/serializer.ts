import type { MacroRow } from '../../../../models';
import { shapeOf, wire } from '../../../core/http/shapes';

export type MacroView = Pick<MacroRow, 'id' | 'name' | 'description' | 'actions' | 'created_at' | 'updated_at'>;

const actionShape = wire.named('MacroAction', { type: wire.text(), params: wire.map() });

/** A macro (contract 10.1). */
export const { schema: macroShape, serialize: serializeMacro } = shapeOf<MacroView>('Macro').with({
  id: wire.integer(),
  name: wire.text(),
  description: wire.text(),
  actions: wire.list(actionShape),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
});
