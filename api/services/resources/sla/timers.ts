import type { SlaSubject } from '../../../../workflows/contract';
import { slaIntent } from '../../../../workflows/starts';
import type { Ctx } from '../../../core/context';

/** The next deadline of a ticket or conversation; null when there is none any more. */
export interface SlaDue {
  readonly id: number;
  readonly due: Date | null;
  readonly version: number;
}

/**
 * Sets the timers of tickets or conversations to their next deadlines. The intents commit with the rows; the workflow
 * `slaTimer` of each calls `breachIfDue` when the time has come.
 */
export async function armSla(ctx: Ctx, subject: SlaSubject, rows: readonly SlaDue[]): Promise<void> {
  await ctx.runtime.outbox.addMany(
    ctx.workspaceId,
    rows.map(({ id, due, version }) => slaIntent(ctx.workspaceId, subject, id, due, version)),
  );
}
