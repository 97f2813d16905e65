import type { Runtime } from '../api/core/runtime';
import { roundMs, type IsOver } from '../api/core/queue/sweep';
import { expireQueued, settleStaleClaims, settleUnknown } from '../api/services/resources/messages/rows/settlement';
import { expireOverdueAnywhere, settleRunsAnywhere } from '../api/services/processes/approvals/service';
import { restartAssignments } from '../api/services/resources/inboxes/assignment/service';
import { restartBroadcasts } from '../api/services/resources/broadcasts/runs/restart';
import { compareDatabase } from '../api/services/processes/maintenance/resumeSending';
import { removeExpired } from '../api/services/processes/maintenance/service';
import { reflectOverlooked } from '../api/services/resources/tickets/stageMoves/outcomes';
import { restartSilentStageMoves } from '../api/services/resources/tickets/stageMoves/service';
import { syncAllDue } from '../api/services/processes/upstreamSync/service';
import { restartWebhookDeliveries } from '../api/services/processes/webhookDelivery/deliver';
import { breachOverdue } from '../api/services/resources/sla/breaches';
import type { Activities } from '../workflows/activityTypes';
import type { SweepName, SweepResult } from '../workflows/contract';
import { withHeartbeat } from './heartbeat';

/** Runs a sweep until nothing is left, its time is over, or the activity is cancelled. */
const swept = (sweep: (isOver: IsOver) => Promise<number>) => (): Promise<SweepResult> =>
  withHeartbeat(async ({ cancellationSignal }) => {
    const until = performance.now() + roundMs;
    let more = false;
    const rows = await sweep(() => (more = cancellationSignal.aborted || performance.now() >= until));
    return { rows, more };
  });

/** The sweeps: repairs after lost or late steps, and removal of expired rows. */
export function sweepActivities(runtime: Runtime): Pick<Activities, SweepName | 'witnessDatabase'> {
  return {
    witnessDatabase: ({ seen }) => withHeartbeat(() => compareDatabase(runtime, seen)),
    settleStaleClaims: swept((isOver) => settleStaleClaims(runtime, isOver)),
    restartSilentStageMoves: swept((isOver) => restartSilentStageMoves(runtime, isOver)),
    restartBroadcasts: swept((isOver) => restartBroadcasts(runtime, {}, isOver)),
    restartWebhookDeliveries: swept((isOver) => restartWebhookDeliveries(runtime, isOver)),
    restartAssignments: swept((isOver) => restartAssignments(runtime, isOver)),
    breachOverdueDeadlines: swept((isOver) => breachOverdue(runtime, isOver)),
    settleApprovedMacroRuns: swept((isOver) => settleRunsAnywhere(runtime, isOver)),
    expireOverdueApprovals: swept((isOver) => expireOverdueAnywhere(runtime, isOver)),
    failUnknownMessages: swept((isOver) => settleUnknown(runtime, isOver)),
    failExpiredMessages: swept((isOver) => expireQueued(runtime, isOver)),
    reflectOverlookedOutcomes: swept((isOver) => reflectOverlooked(runtime, isOver)),
    removeExpiredRows: swept((isOver) => removeExpired(runtime, isOver)),
    syncUpstream: swept((isOver) => syncAllDue(runtime, isOver)),
  };
}
