import { systemCtx } from '../api/core/context';
import type { Runtime } from '../api/core/runtime';
import { applyMacroRun } from '../api/services/processes/macroRuns/apply';
import type { Activities } from '../workflows/contract';

/** The activity that runs the one transaction of a macro run. */
export function macroActivities(runtime: Runtime): Pick<Activities, 'applyMacroRun'> {
  return {
    applyMacroRun: (input) =>
      applyMacroRun(systemCtx(runtime, input.workspaceId, `macro-run/${input.runId}`), input.runId),
  };
}
