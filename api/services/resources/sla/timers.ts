import type { SlaSubject } from '../../../../workflows/contract';
import { slaIntent } from '../../../../workflows/starts';
import type { Runtime } from '../../../core/runtime';

/** What a timer is told: the next deadline, or null when nothing is waited for any more. */
export interface SlaDue {
  readonly id: number;
  readonly due: Date | null;
  readonly version: number;
}

/** Tells each subject's timer its next deadline, whatever it was told before; commits with the rows. */
export async function armSla(
  runtime: Runtime,
  workspaceId: number,
  subject: SlaSubject,
  rows: readonly SlaDue[],
): Promise<void> {
  await runtime.outbox.addMany(
    workspaceId,
    rows.map(({ id, due, version }) => slaIntent(workspaceId, subject, id, due, version)),
  );
}
