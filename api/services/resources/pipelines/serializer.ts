import type { TicketPipelineRow, TicketStageRow } from '../../../../models';
import { from, shapeOf, wire } from '../../../core/http/shapes';
import { variablesJson } from '../templates/variables';
import { stageSources } from './schema';

/** A stage with its notification template and its number of tickets. */
export interface StageView extends Pick<
  TicketStageRow,
  | 'id'
  | 'pipeline_id'
  | 'name'
  | 'position'
  | 'color'
  | 'is_terminal'
  | 'pauses_sla'
  | 'notify_template_variables'
  | 'notify_template_media_id'
> {
  readonly ticket_count: string;
  readonly notify_template_id: string | null;
  readonly notify_template_name: string | null;
}

/** A pipeline with its stages in order. */
export interface PipelineView extends Pick<
  TicketPipelineRow,
  'id' | 'name' | 'description' | 'position' | 'is_default' | 'created_at'
> {
  readonly stages: readonly StageView[];
}

/** A stage (contract 8.2). */
export const { schema: stageShape, serialize: serializeStage } = shapeOf<StageView>('Stage').with({
  id: wire.integer(),
  name: wire.text(),
  ticket_count: wire.text('How many tickets are in it.'),
  position: wire.integer('From 0, without gaps.'),
  color: wire.text('#RRGGBB'),
  is_terminal: wire.boolean(),
  pauses_sla: wire.boolean(),
  notify_template_id: wire.nullable(wire.text('Moving a ticket into the stage sends this template.')),
  notify_template_name: wire.nullable(wire.text()),
  notify_template_variables: variablesJson(stageSources),
  notify_template_media_id: wire.nullable(wire.text('The file for the header of the template.')),
});

/** A pipeline (contract 8.2). */
export const { schema: pipelineShape, serialize: serializePipeline } = shapeOf<PipelineView>('Pipeline').with({
  id: wire.integer(),
  name: wire.text(),
  description: wire.text(),
  position: wire.integer('From 0, without gaps.'),
  is_default: wire.boolean(),
  created_at: wire.datetime(),
  stages: from(wire.list(stageShape), (pipeline) => pipeline.stages.map(serializeStage)),
});
