import { systemCtx } from '../../../core/context';
import type { Runtime } from '../../../core/runtime';
import { insertWorkspace, type WorkspaceInput, type WorkspaceRecord } from '../../identity/workspaces/service';
import { createDefaultPipeline } from '../../resources/pipelines/defaults';

/** Creates a tenant together with its default ticket pipeline. */
export async function createWorkspace(runtime: Runtime, input: WorkspaceInput): Promise<WorkspaceRecord> {
  return runtime.db.transaction(async () => {
    const workspace = await insertWorkspace(runtime, input);
    await createDefaultPipeline(systemCtx(runtime, workspace.id, 'workspace-setup'));
    return workspace;
  });
}
