import type { MacroRow } from '../../../../models';
import { isoTime, wire } from '../../../core/http/shapes';

export type MacroView = Pick<MacroRow, 'id' | 'name' | 'description' | 'actions' | 'created_at' | 'updated_at'>;

/** Returns the wire form of a macro (contract 10.1). */
export function serializeMacro(row: MacroView): Record<string, unknown> {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    actions: row.actions,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** Wire shape of `serializeMacro`. */
export const macroShape = wire.named('Macro', {
  id: wire.integer(),
  name: wire.text(),
  description: wire.text(),
  actions: wire.list(wire.named('MacroAction', { type: wire.text(), params: wire.map() })),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
});
