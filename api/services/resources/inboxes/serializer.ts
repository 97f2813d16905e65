import { isoTime, wire } from '../../../core/http/shapes';
import type { TeamInboxRecord } from './service';

/** Wire shape of a team inbox (contract 15). */
export const teamInboxShape = wire.named('TeamInbox', {
  id: wire.integer(),
  name: wire.text(),
  description: wire.text(),
  member_ids: wire.list(wire.integer()),
  is_default: wire.boolean(),
  created_at: wire.datetime(),
});

export interface TeamInbox {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly member_ids: readonly number[];
  readonly is_default: boolean;
  readonly created_at: string;
}

/** Returns the wire form of a team inbox. */
export function teamInbox(row: TeamInboxRecord): TeamInbox {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    member_ids: row.member_ids,
    is_default: row.is_default,
    created_at: isoTime(row.created_at),
  };
}
