import type { Runtime } from '../../../core/runtime';

/** Stages of the pipeline that a workspace begins with. */
const stages = [
  { name: 'New', color: '#3B82F6', is_terminal: false, pauses_sla: false },
  { name: 'In progress', color: '#F59E0B', is_terminal: false, pauses_sla: false },
  { name: 'Waiting on customer', color: '#8B5CF6', is_terminal: false, pauses_sla: true },
  { name: 'Resolved', color: '#22C55E', is_terminal: true, pauses_sla: false },
];

/** Gives a new workspace its default pipeline, in the surrounding transaction. */
export async function createDefaultPipeline(runtime: Runtime, workspaceId: number): Promise<void> {
  await runtime.db.rows(
    `WITH made AS (
       INSERT INTO ticket_pipelines (workspace_id, name, description, position, is_default) VALUES ($workspaceId, 'Support', 'Requests from customers.', 0, true) RETURNING id
     )
     INSERT INTO ticket_stages (workspace_id, pipeline_id, name, position, color, is_terminal, pauses_sla)
     SELECT $workspaceId, made.id, s.value->>'name', s.place - 1, s.value->>'color', (s.value->>'is_terminal')::boolean, (s.value->>'pauses_sla')::boolean
     FROM made, jsonb_array_elements($stages::jsonb) WITH ORDINALITY AS s(value, place)`,
    { workspaceId, stages: JSON.stringify(stages) },
  );
}
