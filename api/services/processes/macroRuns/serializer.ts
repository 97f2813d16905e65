import { from, shapeOf, wire } from '../../../core/http/shapes';
import { userFromJson } from '../../identity/members/userColumns';
import { userBriefShape, userObjectBrief } from '../../identity/members/userObject';
import { whyOf, type RunView } from '../../resources/macros/runs';

const stepShape = wire.named('MacroStepResult', { type: wire.text(), detail: wire.text() });
const failedStep = { index: wire.integer('Counts from 1.'), type: wire.text(), message: wire.said() };

/** What a successful run answers (contract 3.1). */
export const ranShape = wire.named('MacroResult', { ran: wire.list(stepShape) });

/** What a refused run answers, beside the validation errors that every endpoint has. */
export const failedShape = wire.named('MacroFailure', {
  error: wire.text(),
  failed_step: wire.named('FailedMacroStep', failedStep),
});

/** The failed step as the record of a run shows it. */
const recordedStepShape = wire.named('RecordedMacroStep', {
  ...failedStep,
  code: wire.nullable(
    wire.text('Why it failed, as one of the words of `X-Error-Code`; null in records of earlier versions.'),
  ),
});

/** The record of a run (contract 10). */
export const { schema: runShape, serialize: serializeRun } = shapeOf<RunView>('MacroRun').with({
  id: wire.integer(),
  macro: from(wire.nullable(wire.integer()), ({ macro_id }) => macro_id),
  chat_id: from(wire.nullable(wire.integer()), ({ conversation_id }) => conversation_id),
  ticket_id: wire.nullable(wire.integer()),
  status: from(wire.oneOf(['pending', 'applied', 'failed', 'abandoned']), ({ state }) => state),
  ran: wire.nullable(wire.list(stepShape)),
  failed_step: from(
    wire.nullable(recordedStepShape),
    ({ failed_step: step }) =>
      step && { index: step.index, type: step.type, message: whyOf(step), code: step.code ?? null },
  ),
  actor: from(wire.nullable(userBriefShape), ({ actor }) =>
    actor === null ? null : userObjectBrief(userFromJson(actor)),
  ),
  actor_type: wire.text(),
  rule: {
    ...wire.nullable(wire.named('RuleBrief', { id: wire.integer(), name: wire.text() })),
    description: 'The rule that ran it; `actor` is the member in whose name.',
  },
  created_at: wire.datetime(),
  finished_at: wire.nullable(wire.datetime()),
});
