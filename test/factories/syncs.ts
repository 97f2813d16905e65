import { syncRequested } from '../../api/services/processes/upstreamSync/service';
import type { TestWorkspace } from './workspaces';

/**
 * Reads all accounts that were asked for, of every workspace of the server, and returns how many of them are this
 * workspace's: other tests may have asked for theirs.
 */
export async function syncAsked(workspace: TestWorkspace): Promise<number> {
  const { runtime } = workspace.ctx;
  const asked = async (): Promise<number> => {
    const [row] = await runtime.db.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM business_accounts
       WHERE workspace_id = $id AND resync_at <= now()::timestamptz(3)`,
      { id: workspace.ctx.workspaceId },
    );
    return row?.count ?? 0;
  };
  const before = await asked();
  // Ten at a time.
  while ((await syncRequested(runtime)) > 0);
  return before - (await asked());
}
