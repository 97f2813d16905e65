import { isoTime, wire } from '../../../core/shapes';

/** A stage with what it notifies by and how many tickets it holds. */
export interface StageView {
  readonly id: number;
  readonly pipeline_id: number;
  readonly name: string;
  readonly ticket_count: string;
  readonly position: number;
  readonly color: string;
  readonly is_terminal: boolean;
  readonly pauses_sla: boolean;
  readonly notify_template_id: string | null;
  readonly notify_template_name: string | null;
  readonly notify_template_variables: Record<string, unknown>;
}

export interface PipelineView {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly position: number;
  readonly is_default: boolean;
  readonly created_at: Date;
  readonly stages: readonly StageView[];
}

/** A stage (contract 8.2). */
export function serializeStage(stage: StageView): Record<string, unknown> {
  return {
    id: stage.id,
    name: stage.name,
    ticket_count: stage.ticket_count,
    position: stage.position,
    color: stage.color,
    is_terminal: stage.is_terminal,
    pauses_sla: stage.pauses_sla,
    notify_template_id: stage.notify_template_id,
    notify_template_name: stage.notify_template_name,
    notify_template_variables: stage.notify_template_variables,
  };
}

/** Wire shape of `serializeStage`. */
export const stageShape = wire.named('Stage', {
  id: wire.integer(),
  name: wire.text(),
  ticket_count: wire.text('How many tickets are in it.'),
  position: wire.integer('From 0, without gaps.'),
  color: wire.text('#RRGGBB'),
  is_terminal: wire.boolean(),
  pauses_sla: wire.boolean(),
  notify_template_id: wire.nullable(wire.text('Moving a ticket into the stage sends this template.')),
  notify_template_name: wire.nullable(wire.text()),
  notify_template_variables: wire.map('`{"body": {"1": {"source": "ticket", "field": "id"}}}`'),
});

/** A pipeline with its stages in order (contract 8.2). */
export function serializePipeline(pipeline: PipelineView): Record<string, unknown> {
  return {
    id: pipeline.id,
    name: pipeline.name,
    description: pipeline.description,
    position: pipeline.position,
    is_default: pipeline.is_default,
    created_at: isoTime(pipeline.created_at),
    stages: pipeline.stages.map(serializeStage),
  };
}

/** Wire shape of `serializePipeline`. */
export const pipelineShape = wire.named('Pipeline', {
  id: wire.integer(),
  name: wire.text(),
  description: wire.text(),
  position: wire.integer('From 0, without gaps.'),
  is_default: wire.boolean(),
  created_at: wire.datetime(),
  stages: wire.list(stageShape),
});
