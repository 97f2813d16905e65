import { systemCtx, type Ctx } from '../api/core/context';
import { AppError } from '../api/core/http/errors';
import type { Runtime } from '../api/core/runtime';
import { planBroadcast } from '../api/services/resources/broadcasts/runs/plan';
import { endBroadcast, openBroadcast } from '../api/services/resources/broadcasts/runs/run';
import { sendBroadcastChunk } from '../api/services/delivery/broadcastChunk';
import { confirmBroadcast, unscheduleBroadcast } from '../api/services/resources/broadcasts/service';
import { withHeartbeat } from './heartbeat';
import type { Activities } from '../workflows/activityTypes';
import type { BroadcastTally, BroadcastTarget } from '../workflows/contract';

type Names =
  | 'openBroadcast'
  | 'planBroadcast'
  | 'sendBroadcastChunk'
  | 'endBroadcast'
  | 'unscheduleBroadcast'
  | 'confirmBroadcast';

/** Activities of a broadcast, from its start to its end. */
export function broadcastActivities(runtime: Runtime): Pick<Activities, Names> {
  const ctxOf = ({ workspaceId, broadcastId }: BroadcastTarget): Ctx =>
    systemCtx(runtime, workspaceId, `broadcast/${broadcastId}`);
  return {
    openBroadcast: (input) => withHeartbeat(() => openBroadcast(ctxOf(input), input.broadcastId)),
    planBroadcast: (input) => withHeartbeat(() => planBroadcast(ctxOf(input), input)),
    endBroadcast: (input) => withHeartbeat(() => endBroadcast(ctxOf(input), input)),
    sendBroadcastChunk(input) {
      // Shown with the pending activity in the Web UI.
      let sofar: BroadcastTally | null = null;
      return withHeartbeat(
        ({ cancellationSignal }) =>
          sendBroadcastChunk(ctxOf(input), input, {
            stopping: () => cancellationSignal.aborted,
            onTally: (tally) => (sofar = tally),
          }),
        () => sofar,
      );
    },
    unscheduleBroadcast: (input) => withHeartbeat(() => manually(runtime, input, unscheduleBroadcast)),
    confirmBroadcast: (input) => withHeartbeat(() => manually(runtime, input, (ctx, id) => confirmBroadcast(ctx, id))),
  };
}

/** Runs the endpoint's own service with the system as actor; a 409 changes nothing. */
async function manually(
  runtime: Runtime,
  { workspaceId, broadcastId }: BroadcastTarget,
  act: (ctx: Ctx, id: number) => Promise<unknown>,
): Promise<void> {
  try {
    await act(systemCtx(runtime, workspaceId, `broadcast/${broadcastId}/manual`), broadcastId);
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return;
    throw error;
  }
}
