import { isoTime, wire } from '../../core/shapes';
import type { WorkspaceRecord } from './service';

/** A workspace as its own members see it. */
export const workspaceShape = wire.object({
  id: wire.integer(),
  name: wire.text(),
  timezone: wire.text(),
  plan: wire.nullable(wire.text()),
  trial_ends_at: wire.nullable(wire.datetime()),
  ticketing: wire.boolean(),
});

export interface WorkspaceView {
  readonly id: number;
  readonly name: string;
  readonly timezone: string;
  readonly plan: string | null;
  readonly trial_ends_at: string | null;
  readonly ticketing: boolean;
}

/** The wire form of a workspace. */
export function workspaceView(row: WorkspaceRecord): WorkspaceView {
  return {
    id: row.id,
    name: row.name,
    timezone: row.timezone,
    plan: row.plan,
    trial_ends_at: isoTime(row.trial_ends_at),
    ticketing: row.ticketing,
  };
}
