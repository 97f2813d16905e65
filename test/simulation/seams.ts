/*
 * Where the simulation takes hold of the service: all that it imports of it by name. What is renamed or goes there is
 * changed here and nowhere else.
 */
import type { Runtime } from '../../api/core/runtime';
import { startDirectSends } from '../../api/services/delivery/direct';
import { startLoops } from '../../worker/loops';

export { allScopes } from '../../api/core/http/access';
export { createApp } from '../../api/app';
export { createKey } from '../../api/services/identity/apiKeys/service';
export { createMacro } from '../../api/services/resources/macros/service';
export { runMacro } from '../../api/services/processes/macroRuns/service';
export { createMember } from '../../api/services/identity/members/service';
export { createActivities } from '../../activities';
export { loadConfig, type Config } from '../../api/core/config';
export { systemCtx, type Ctx } from '../../api/core/context';
export { AppError } from '../../api/core/http/errors';
export { hmacHex } from '../../api/core/secrets';
export { createRuntime, type Runtime } from '../../api/core/runtime';
export { receiveWebhook } from '../../api/services/processes/events/intake';
export { drainInbox } from '../../api/services/processes/events/service';
export { stoppedSql } from '../../api/services/resources/accounts/stops';
export { holdSending } from '../../api/services/resources/accounts/fence';
export { resumeSending } from '../../api/services/processes/maintenance/resumeSending';
export { createMessage } from '../../api/services/processes/outbound/service';
export { changeLater, discardLater, sendNow } from '../../api/services/processes/outbound/sendLater';
export { setBrake } from '../../api/services/processes/ruleSettings/brake';
export { rehearseRule } from '../../api/services/processes/ruleRehearsal/service';
export { updateRule } from '../../api/services/processes/ruleSettings/service';
export { syncAccount, syncWorkspace } from '../../api/services/processes/upstreamSync/service';
export { createWorkspace } from '../../api/services/processes/workspaceSetup/service';
export { createPipeline } from '../../api/services/resources/pipelines/service';
export { createTicket, updateTicket } from '../../api/services/resources/tickets/service';
export { confirmBroadcast, createBroadcast } from '../../api/services/resources/broadcasts/service';
export { createWebhook } from '../../api/services/resources/webhooks/service';
export { connectAccount } from '../../api/services/resources/accounts/service';
export { updateConversation } from '../../api/services/resources/conversations/service';
export { tickIntakeClock } from '../../api/services/resources/messages/rows/settlement';
export { ensureSweeps } from '../../worker/sweeps';
export type { Activities } from '../../workflows/activityTypes';
export * as workflows from '../../workflows';
export { snoozeIntent } from '../../workflows/starts';

/**
 * Starts what a process of a kind runs beside the requests and activities that it is given; returns what ends it in
 * order, as `api/index` and `worker/index` do.
 */
export function startParts(kind: 'api' | 'worker', runtime: Runtime): () => Promise<void> {
  const sends = startDirectSends(runtime);
  const loops = kind === 'worker' ? startLoops(runtime) : [];
  return async () => {
    await Promise.all([sends.stop(), ...loops.map((loop) => loop.stop())]);
    await runtime.outbox.drain();
  };
}
