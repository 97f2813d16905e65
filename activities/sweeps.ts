import type { Runtime } from '../api/core/runtime';
import { expireQueued, settleStaleClaims, settleUnknown } from '../api/services/resources/messages/rows/settlement';
import { expireOverdueAnywhere, settleRunsAnywhere } from '../api/services/processes/approvals/service';
import { rearmBroadcasts } from '../api/services/processes/broadcastRuns/rearm';
import { compareDatabase } from '../api/services/processes/maintenance/resume';
import { removeExpired } from '../api/services/processes/maintenance/service';
import { reflectOverlooked } from '../api/services/processes/stageMoves/outcomes';
import { rearmSilentMoves } from '../api/services/processes/stageMoves/service';
import { syncAllDue } from '../api/services/processes/upstreamSync/service';
import { rearmWebhooks } from '../api/services/processes/webhookDelivery/deliver';
import { breachOverdue } from '../api/services/resources/sla/breaches';
import type { Activities, SweepName } from '../workflows/contract';

/** What lost or late steps left behind, and what has had its time: each sweep returns how many rows it touched. */
export function sweepActivities(runtime: Runtime): Pick<Activities, SweepName | 'witnessDatabase'> {
  return {
    witnessDatabase: ({ seen }) => compareDatabase(runtime, seen),
    settleStaleClaims: () => settleStaleClaims(runtime),
    restartSilentStageMoves: () => rearmSilentMoves(runtime),
    restartBroadcasts: () => rearmBroadcasts(runtime),
    restartWebhookDeliveries: () => rearmWebhooks(runtime),
    breachOverdueDeadlines: () => breachOverdue(runtime),
    settleApprovedMacroRuns: () => settleRunsAnywhere(runtime),
    expireOverdueApprovals: () => expireOverdueAnywhere(runtime),
    failUnknownMessages: () => settleUnknown(runtime),
    failExpiredMessages: () => expireQueued(runtime),
    reflectOverlookedOutcomes: () => reflectOverlooked(runtime),
    removeExpiredRows: () => removeExpired(runtime),
    syncUpstream: () => syncAllDue(runtime),
  };
}
