import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { ceilingConflict } from '../../identity/workspaces/objectLimits';
import { createPipelineInput, createStageInput, moveToQuery, updatePipelineInput, updateStageInput } from './schema';
import { pipelineShape, serializePipeline, serializeStage, stageShape } from './serializer';
import { findPipeline, findStage, listPipelines } from './queries';
import { createPipeline, deletePipeline, updatePipeline } from './service';
import { createStage, deleteStage, updateStage } from './stages';

const pipelines = '/api/v1/ticket-pipelines/';
const notification =
  'When a ticket moves into a stage with `notify_template_id`, this template is sent to its primary contact and all ' +
  'affected contacts. null or an empty text removes the template and its variables. Fields that are left out stay ' +
  'as they are.';
const stageParams = { stage_id: 'An `id` from the `stages` of the pipeline.' };
const stageExample = {
  name: 'Resolved',
  color: '#22C55E',
  is_terminal: true,
  notify_template_id: '564750795574598',
  notify_template_variables: {
    body: { '1': { source: 'ticket', field: 'id' }, '2': { source: 'ticket', field: 'stage' } },
  },
};

/** Ticket pipelines and stages (contract 8.2, 3.1; contract 8). */
export const pipelineOperations = [
  operation({
    id: 'ticketPipelines.list',
    method: 'GET',
    path: pipelines,
    tag: 'Ticket pipelines',
    summary: 'List pipelines with their stages',
    description: 'All pipelines of the workspace with their stages in order, as a plain array.',
    scope: 'ticket.view',
    status: 200,
    output: wire.list(pipelineShape),
    tools: [
      {
        name: 'list_ticket_pipelines',
        title: 'List ticket pipelines',
        description:
          'Lists the ticket pipelines with their stages in order. Use the ids of pipelines and stages in ' +
          'create_ticket and update_ticket.',
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
        addon: 'ticketing',
      },
    ],
    run: async (ctx) => (await listPipelines(ctx)).map(serializePipeline),
  }),
  operation({
    id: 'ticketPipelines.create',
    method: 'POST',
    path: pipelines,
    tag: 'Ticket pipelines',
    summary: 'Create a pipeline',
    description: 'Without `stages` it gets one stage, "New".',
    scope: 'ticket.manage',
    body: createPipelineInput,
    status: 201,
    output: pipelineShape,
    conflicts: ceilingConflict('pipelines'),
    examples: { request: { name: 'Refunds', stages: [{ name: 'New' }, { name: 'Approved', is_terminal: true }] } },
    run: async (ctx, input) => serializePipeline(await createPipeline(ctx, input)),
  }),
  operation({
    id: 'ticketPipelines.get',
    method: 'GET',
    path: `${pipelines}{id}/`,
    intParams: ['id'],
    tag: 'Ticket pipelines',
    summary: 'Read a pipeline',
    description: 'One pipeline with its stages in order.',
    scope: 'ticket.view',
    status: 200,
    tagged: true,
    output: pipelineShape,
    run: async (ctx, input) => serializePipeline(await findPipeline(ctx, input.id)),
  }),
  operation({
    id: 'ticketPipelines.update',
    method: 'PATCH',
    path: `${pipelines}{id}/`,
    intParams: ['id'],
    tag: 'Ticket pipelines',
    summary: 'Update a pipeline',
    description:
      'Fields that are left out stay as they are. If you make it the default, it replaces the previous ' + 'one.',
    scope: 'ticket.manage',
    body: updatePipelineInput,
    status: 200,
    examples: { params: { id: 2 }, request: { name: 'Returns and refunds' } },
    output: pipelineShape,
    locate: (ctx, params) => findPipeline(ctx, params.id),
    run: async (ctx, input) => serializePipeline(await updatePipeline(ctx, input.id, input)),
  }),
  operation({
    id: 'ticketPipelines.delete',
    method: 'DELETE',
    path: `${pipelines}{id}/`,
    intParams: ['id'],
    tag: 'Ticket pipelines',
    summary: 'Delete a pipeline',
    description:
      'A pipeline that holds tickets needs `move_to`: open tickets go to the first stage of that pipeline, closed ' +
      'ones to its first terminal stage.',
    scope: 'ticket.manage',
    query: moveToQuery,
    status: 204,
    output: null,
    examples: { params: { id: 2 } },
    conflicts: {
      when: 'It is the default pipeline, or holds tickets and `move_to` is not given.',
      example: 'This pipeline holds tickets. Say where they go with ?move_to=<pipeline id>.',
    },
    locate: (ctx, params) => findPipeline(ctx, params.id),
    run: async (ctx, input) => deletePipeline(ctx, input.id, input.move_to),
  }),
  operation({
    id: 'ticketStages.create',
    method: 'POST',
    path: `${pipelines}{pipeline_id}/stages/`,
    intParams: ['pipeline_id'],
    tag: 'Ticket pipelines',
    summary: 'Add a stage',
    description: notification,
    scope: 'ticket.manage',
    body: createStageInput,
    status: 201,
    output: stageShape,
    conflicts: ceilingConflict('stages'),
    examples: { request: { name: 'Waiting for the customer', color: '#EAB308', pauses_sla: true } },
    locate: (ctx, params) => findPipeline(ctx, params.pipeline_id),
    run: async (ctx, input) => serializeStage(await createStage(ctx, input.pipeline_id, input)),
  }),
  operation({
    id: 'ticketStages.get',
    method: 'GET',
    path: `${pipelines}{pipeline_id}/stages/{stage_id}/`,
    intParams: ['pipeline_id', 'stage_id'],
    params: stageParams,
    tag: 'Ticket pipelines',
    summary: 'Read a stage',
    description: 'As the pipeline shows it.',
    scope: 'ticket.view',
    status: 200,
    tagged: true,
    output: stageShape,
    examples: { params: { stage_id: 4 } },
    run: async (ctx, input) => serializeStage(await findStage(ctx, input.pipeline_id, input.stage_id)),
  }),
  operation({
    id: 'ticketStages.update',
    method: 'PATCH',
    path: `${pipelines}{pipeline_id}/stages/{stage_id}/`,
    intParams: ['pipeline_id', 'stage_id'],
    params: stageParams,
    tag: 'Ticket pipelines',
    summary: 'Update a stage',
    description: notification,
    scope: 'ticket.manage',
    body: updateStageInput,
    status: 200,
    output: stageShape,
    examples: { params: { stage_id: 4 }, request: stageExample },
    locate: (ctx, params) => findStage(ctx, params.pipeline_id, params.stage_id),
    run: async (ctx, input) => serializeStage(await updateStage(ctx, input.pipeline_id, input.stage_id, input)),
  }),
  operation({
    id: 'ticketStages.delete',
    method: 'DELETE',
    path: `${pipelines}{pipeline_id}/stages/{stage_id}/`,
    intParams: ['pipeline_id', 'stage_id'],
    params: stageParams,
    tag: 'Ticket pipelines',
    summary: 'Delete a stage',
    description: 'A stage that holds tickets needs `move_to`, another stage of the pipeline. No customer is notified.',
    scope: 'ticket.manage',
    query: moveToQuery,
    status: 204,
    output: null,
    examples: { params: { pipeline_id: 2, stage_id: 6 } },
    conflicts: {
      when:
        'It is the last stage of its pipeline, or holds tickets and `move_to` (another stage of the pipeline) is ' +
        'not given.',
      example: 'This stage holds tickets. Say where they go with ?move_to=<stage id>.',
    },
    locate: (ctx, params) => findStage(ctx, params.pipeline_id, params.stage_id),
    run: async (ctx, input) => deleteStage(ctx, input.pipeline_id, input.stage_id, input.move_to),
  }),
];
