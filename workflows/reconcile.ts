import { isCancellation, log, setCurrentDetails } from '@temporalio/workflow';
import { idempotent, readOnly } from './activities';
import { failsOnErrors } from './failures';

/** Rows touched by each sweep; null where it failed. */
export type ReconcileSummary = Record<string, number | null>;

/**
 * The backstop: set-based sweeps over rows that some lost or late step left behind, one after the other. Overdue
 * wake-ups come first, because people wait for them. A failing sweep does not stop the others.
 */
export async function reconcile(): Promise<ReconcileSummary> {
  const sweeps: readonly (readonly [string, () => Promise<number>])[] = [
    ['wakeOverdueConversations', idempotent.wakeOverdueConversations],
    ['settleStaleClaims', idempotent.settleStaleClaims],
    ['rearmLostIntents', idempotent.rearmLostIntents],
    ['settleUnknownDeliveries', idempotent.settleUnknownDeliveries],
    ['removeExpiredRows', idempotent.removeExpiredRows],
    ['syncUpstream', readOnly.syncUpstream],
  ];
  const summary: ReconcileSummary = {};
  for (const [name, sweep] of sweeps) {
    try {
      summary[name] = await sweep();
    } catch (error) {
      if (isCancellation(error)) throw error;
      summary[name] = null;
      log.warn('a sweep failed', { sweep: name });
    }
    setCurrentDetails(
      Object.entries(summary)
        .map(([done, rows]) => `${done}: ${rows ?? 'failed'}`)
        .join('\n'),
    );
  }
  return summary;
}
failsOnErrors(reconcile);
