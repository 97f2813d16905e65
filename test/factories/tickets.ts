import type { AnswerAt } from '../support/typedAnswers';
import { unique } from './unique';
import type { TestWorkspace } from './workspaces';

type Json = Record<string, unknown>;

export interface TestStage {
  readonly id: number;
  readonly name: string;
}

/** A pipeline as the API returned it, its stages in order. */
export interface TestPipeline {
  readonly id: number;
  readonly stages: readonly TestStage[];
}

export const ticketsPath = '/api/v1/tickets/';
export const pipelinesPath = '/api/v1/ticket-pipelines/';

/** Creates a ticket over REST. */
export async function createTicket(
  workspace: TestWorkspace,
  fields: Json = {},
): Promise<AnswerAt<'POST', typeof ticketsPath>> {
  const { status, body } = await workspace.api.post(ticketsPath, { title: `Ticket ${unique()}`, ...fields });
  if (status !== 201) throw new Error(`the ticket was refused: ${JSON.stringify(body)}`);
  return body;
}

/** Creates a pipeline with these stages: a text is a name, an object the whole stage. */
export async function createPipeline(
  workspace: TestWorkspace,
  stages: readonly (string | Json)[] = ['New', 'Done'],
  fields: Json = {},
): Promise<TestPipeline> {
  const { status, body } = await workspace.api.post(pipelinesPath, {
    name: `Pipeline ${unique()}`,
    stages: stages.map((stage) => (typeof stage === 'string' ? { name: stage } : stage)),
    ...fields,
  });
  if (status !== 201) throw new Error(`the pipeline was refused: ${JSON.stringify(body)}`);
  return body;
}

/** Deletes the pipelines that have no ticket: a workspace has at most fifty, and samples make many. */
export const makeRoomForPipelines = ({ id, server }: TestWorkspace): Promise<unknown> =>
  server.runtime.db.rows(
    `DELETE FROM ticket_pipelines p WHERE workspace_id = $id AND NOT is_default
       AND NOT EXISTS (SELECT 1 FROM tickets t WHERE t.pipeline_id = p.id)`,
    { id },
  );

/** Returns the workspace's default pipeline. */
export async function defaultPipeline(workspace: TestWorkspace): Promise<TestPipeline> {
  const { body } = await workspace.api.get(pipelinesPath);
  const found = body.find((pipeline) => pipeline.is_default);
  if (!found) throw new Error('the workspace has no default pipeline');
  return found;
}

/** Lets a stage tell by a template of an account of its own, where the desk has none. */
export async function tellInStage(workspace: TestWorkspace, stage: number): Promise<void> {
  await workspace.server.runtime.db.rows(
    `WITH account AS (
       INSERT INTO business_accounts (workspace_id, account_id, access_token, app_secret, verify_token_hash)
       VALUES ($workspaceId, 'told ' || $stage::bigint, '', '', '') RETURNING id
     ), template AS (
       INSERT INTO templates (workspace_id, business_account_id, template_id, name, language, status, category)
       SELECT $workspaceId, id, 'told ' || $stage::bigint, 'told', 'en_US', 'APPROVED', 'UTILITY' FROM account
       RETURNING id
     )
     UPDATE ticket_stages s SET notify_template_pk = template.id FROM template
     WHERE s.workspace_id = $workspaceId AND s.id = $stage::bigint`,
    { workspaceId: workspace.id, stage },
  );
}

/** Returns the ticket's activity feed, newest first. */
export async function activityOf(
  workspace: TestWorkspace,
  ticketId: number,
): Promise<AnswerAt<'GET', `${typeof ticketsPath}1/activity/`>['results']> {
  return (await workspace.api.get(`${ticketsPath}${ticketId}/activity/?page_size=200`)).body.results;
}
