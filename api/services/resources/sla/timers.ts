import type { SlaSubject } from '../../../../workflows/contract';
import { slaIntent } from '../../../../workflows/starts';
import type { Ctx } from '../../../core/context';

/** What a timer is told: the next deadline, or null when nothing is waited for any more. */
export interface SlaDue {
  readonly id: number;
  readonly due: Date | null;
  readonly version: number;
}

/** Tells each subject's timer its next deadline, whatever it was told before; commits with the rows. */
export async function armSla(ctx: Ctx, subject: SlaSubject, rows: readonly SlaDue[]): Promise<void> {
  await ctx.runtime.outbox.addMany(
    ctx.workspaceId,
    rows.map(({ id, due, version }) => slaIntent(ctx.workspaceId, subject, id, due, version)),
  );
}
