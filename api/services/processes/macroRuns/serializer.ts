import { isoTime, wire } from '../../../core/http/shapes';
import { userFromJson } from '../../identity/members/userColumns';
import { userBriefShape, userObjectBrief } from '../../identity/members/userObject';
import type { RunView } from '../../resources/macros/runs';

const stepShape = wire.named('MacroStepResult', { type: wire.text(), detail: wire.text() });
const failedStep = { index: wire.integer('Counts from 1.'), type: wire.text(), message: wire.text() };

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

/** Returns the record of a run (contract 10). */
export function serializeRun(row: RunView): Record<string, unknown> {
  return {
    id: row.id,
    macro: row.macro_id,
    chat_id: row.conversation_id,
    ticket_id: row.ticket_id,
    status: row.state,
    ran: row.ran,
    failed_step: row.failed_step && { ...row.failed_step, code: row.failed_step.code ?? null },
    actor: row.actor === null ? null : userObjectBrief(userFromJson(row.actor)),
    actor_type: row.actor_type,
    rule: row.rule,
    created_at: isoTime(row.created_at),
    finished_at: isoTime(row.finished_at),
  };
}

/** Wire shape of `serializeRun`. */
export const runShape = wire.named('MacroRun', {
  id: wire.integer(),
  macro: wire.nullable(wire.integer()),
  chat_id: wire.nullable(wire.integer()),
  ticket_id: wire.nullable(wire.integer()),
  status: wire.oneOf(['pending', 'applied', 'failed', 'abandoned']),
  ran: wire.nullable(wire.list(stepShape)),
  failed_step: wire.nullable(recordedStepShape),
  actor: wire.nullable(userBriefShape),
  actor_type: wire.text(),
  rule: {
    ...wire.nullable(wire.named('RuleBrief', { id: wire.integer(), name: wire.text() })),
    description: 'The rule that ran it; `actor` is the member in whose name.',
  },
  created_at: wire.datetime(),
  finished_at: wire.nullable(wire.datetime()),
});
