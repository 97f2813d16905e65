import { createInbox } from '../../api/services/resources/inboxes/service';
import { unique } from './unique';
import type { TestWorkspace } from './workspaces';

/** Makes a team inbox; gives its id. */
export async function createTeamInbox(workspace: TestWorkspace, memberIds: readonly number[] = []): Promise<number> {
  return (await createInbox(workspace.ctx, { name: `Inbox ${unique()}`, memberIds })).id;
}
