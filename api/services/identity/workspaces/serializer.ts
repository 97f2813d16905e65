import { isoTime, wire } from '../../../core/shapes';
import type { WorkspaceRecord } from './service';

/** A workspace as its own members see it. */
export const workspaceProperties = {
  id: wire.integer(),
  name: wire.text(),
  timezone: wire.text(),
  plan: wire.nullable(wire.text()),
  trial_ends_at: wire.nullable(wire.datetime()),
  ticketing: wire.boolean(),
  opt_out_words: wire.list(wire.text()),
  opt_in_words: wire.list(wire.text()),
};

export interface WorkspaceView {
  readonly id: number;
  readonly name: string;
  readonly timezone: string;
  readonly plan: string | null;
  readonly trial_ends_at: string | null;
  readonly ticketing: boolean;
  readonly opt_out_words: readonly string[];
  readonly opt_in_words: readonly string[];
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
    opt_out_words: row.opt_out_words,
    opt_in_words: row.opt_in_words,
  };
}
