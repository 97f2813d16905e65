import type { Ctx } from '../../../core/context';

/** Stages of the pipeline that a workspace begins with. */
const stages = [
  { name: 'New', color: '#3B82F6' },
  { name: 'In progress', color: '#F59E0B' },
  { name: 'Waiting on customer', color: '#8B5CF6', pauses_sla: true },
  { name: 'Resolved', color: '#22C55E', is_terminal: true },
];

/** Gives a new workspace its default pipeline, in the surrounding transaction. */
export async function createDefaultPipeline(ctx: Ctx): Promise<void> {
  const { TicketPipeline, TicketStage } = ctx.runtime.db.models;
  const pipeline = await TicketPipeline.create({
    workspace_id: ctx.workspaceId,
    name: 'Support',
    description: 'Requests from customers.',
    position: 0,
    is_default: true,
  });
  await TicketStage.bulkCreate(
    stages.map((stage, position) => ({
      ...stage,
      workspace_id: ctx.workspaceId,
      pipeline_id: pipeline.id,
      position,
    })),
  );
}
