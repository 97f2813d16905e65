import { isoTime, wire } from '../../../core/http/shapes';
import type { MemberRecord } from './service';

/** Wire properties of a member in the team list (contract 15). */
export const teamMemberProperties = {
  id: wire.integer(),
  name: wire.text(),
  email: wire.text(),
  role: wire.oneOf(['owner', 'admin', 'agent']),
  is_active: wire.boolean(),
  team_inboxes: wire.list(wire.integer()),
  profile_picture: wire.text(),
  created_at: wire.datetime(),
};

export const teamMemberShape = wire.named('TeamMember', teamMemberProperties);

export interface TeamMember {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly is_active: boolean;
  readonly team_inboxes: readonly number[];
  readonly profile_picture: string;
  readonly created_at: string;
}

/** Returns the wire form of a member. */
export function teamMember(row: MemberRecord): TeamMember {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    role: row.role,
    is_active: row.is_active,
    team_inboxes: row.team_inboxes,
    profile_picture: row.profile_picture,
    created_at: isoTime(row.created_at),
  };
}
