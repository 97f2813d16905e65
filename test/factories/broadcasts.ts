import { peopleSql } from '../../dev/makers/people';
import { ownTemplate } from '../../dev/makers/accounts';
import type { TestWorkspace } from './workspaces';

type Json = Record<string, unknown>;

/** Returns the id of a template of the workspace's account. */
export const templateId = (workspace: TestWorkspace, name: Parameters<typeof ownTemplate>[1]): string =>
  ownTemplate(workspace.account, name);

/** The two values of ticket_update. */
export const twoValues = {
  body: { '1': { source: 'field', field: 'name' }, '2': { source: 'static', value: 'today' } },
};

/** A message by it, as the platform takes it. */
export const updateMessage = {
  name: 'ticket_update',
  language: 'en_US',
  components: [{ type: 'body', parameters: ['a', 'b'].map((text) => ({ type: 'text', text })) }],
};

/** The body of a draft that is otherwise fine. */
export function broadcastBody(workspace: TestWorkspace, fields: Json = {}): Json {
  return {
    name: 'News',
    template_id: templateId(workspace, 'ticket_update'),
    phone_number_id: workspace.account.phoneNumberId,
    audience: { all: true },
    template_variables: twoValues,
    ...fields,
  };
}

/** Creates a draft over REST; gives its id. */
export async function createBroadcast(workspace: TestWorkspace, fields: Json = {}): Promise<number> {
  const { status, body } = await workspace.api.post('/api/v1/broadcasts/', broadcastBody(workspace, fields));
  if (status !== 201) throw new Error(`the broadcast was refused: ${JSON.stringify(body)}`);
  return body.id;
}

/** Inserts many contacts with conversations; phones count up from `firstPhone`. */
export async function insertContacts(workspace: TestWorkspace, count: number, firstPhone: number): Promise<void> {
  // A busy machine takes longer over all of them than a statement may last.
  const batch = 5_000;
  for (let from = 0; from < count; from += batch)
    await workspace.server.runtime.db.rows(
      `WITH ${peopleSql({ workspaceId: workspace.id, firstPhone, from, count: Math.min(batch, count - from) })} SELECT`,
    );
}

/** Lets the numbers of a workspace send so many messages a second: few until a test has done what it does meanwhile. */
export async function setThroughput(workspace: TestWorkspace, perSecond: number): Promise<void> {
  await workspace.server.runtime.db.rows(
    'UPDATE phone_numbers SET throughput_mps = $perSecond WHERE workspace_id = $id',
    { perSecond, id: workspace.id },
  );
}
