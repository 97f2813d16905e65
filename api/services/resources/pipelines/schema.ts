import {
  boolean,
  described,
  Fault,
  field,
  input,
  integer,
  list,
  nullable,
  object,
  parseWith,
  pk,
  required,
  text,
  type Field,
  type InputOf,
} from '../../../core/http/fields';
import { templateVariables, type TemplateVariables } from '../templates/variables';
import { reason } from '../reasons';

/** Sources that a stage's placeholders may use (contract 8.2). */
export const stageSources = ['static', 'field', 'ticket'] as const;

/** Color of a stage that names none. */
const defaultColor = '#64748B';

const name = text({ max: 255, blank: false });
const position = integer({ min: 0, max: 2_147_483_647 });
const color = described(
  text({ pattern: /^#[0-9A-Fa-f]{6}$/, patternMessage: reason('noColor'), blank: false }),
  'As #RRGGBB.',
  defaultColor,
);

/** Reads the mapping of contract 6.6; an empty text stands for none, as null and `{}` do. */
function stageVariables(): Field<TemplateVariables> {
  const inner = templateVariables(stageSources);
  return field<TemplateVariables>(inner.spec.meta?.json ?? {}, (raw) => (raw === '' ? {} : parseWith(inner, raw)));
}

/** Reads the id of a template as text; an empty one clears, like null. */
function templateId(): Field<string> {
  const inner = text({ max: 64 });
  return field<string>(
    {
      type: 'string',
      maxLength: 64,
      description: 'Id of an APPROVED template; null or an empty text clears it, and the mapping with it.',
    },
    (raw) =>
      typeof raw === 'boolean' || typeof raw === 'object' ? new Fault(reason('noText')) : parseWith(inner, raw),
  );
}

const stageFields = {
  position: described(position, 'Place in the pipeline from 0; the others move along.'),
  color,
  is_terminal: described(boolean(), 'Tickets in it are closed.'),
  pauses_sla: described(boolean(), 'Deadlines are paused while a ticket is in it.'),
  notify_template_id: nullable(templateId()),
  notify_template_variables: nullable(stageVariables()),
  notify_template_media_id: described(
    nullable(text({ max: 64, blank: false })),
    'The uploaded file (`POST /media/`) for the header of the template; required where that is an image, video or ' +
      'document.',
  ),
};

/** `POST …/stages/`. */
export const createStageInput = input({ name: required(name), ...stageFields });
/** `PATCH …/stages/{stage_id}/`. */
export const updateStageInput = input({ name, ...stageFields });

export type NewStage = InputOf<typeof createStageInput>;
export type StagePatch = InputOf<typeof updateStageInput>;

const pipelineFields = {
  description: text(),
  position: described(position, 'Place among the pipelines from 0.'),
  is_default: described(boolean(), 'New tickets go to the default pipeline; there is always exactly one.'),
};

/** `POST /ticket-pipelines/`. */
export const createPipelineInput = input({
  name: required(name),
  ...pipelineFields,
  stages: described(
    list(object({ name: required(name), ...stageFields }, 'StageInput'), { min: 1, max: 50 }),
    'Its first stages in order, with everything that adding a stage takes; without them it begins with one stage, ' +
      '"New".',
  ),
});
/** `PATCH /ticket-pipelines/{id}/`. */
export const updatePipelineInput = input({ name, ...pipelineFields });

export type NewPipeline = InputOf<typeof createPipelineInput>;
export type PipelinePatch = InputOf<typeof updatePipelineInput>;

/** Where the tickets of something deleted go. */
export const moveToQuery = input({
  move_to: described(pk(), 'Where its tickets go. No customer is notified of this move.'),
});
