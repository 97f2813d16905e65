import type { RuleRow } from '../../../../models';
import { maxHeardInDay, type RuleConditions, type RuleStart, type RuleWait } from '../../../../models/ruleParts';
import { dueNow } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { AppError, invalid, noSuchPk, type FieldReasons } from '../../../core/http/errors';
import { Fault, within } from '../../../core/http/fields';
import { listHours } from '../../resources/calendars/hours';
import { isSend, parseActions, reachesCustomer, type Action } from '../../resources/macros/actions';
import { findMacro } from '../../resources/macros/service';
import { isAboutMessage } from '../../resources/rules/conditions';
import { goesByHours } from '../../resources/rules/naming';
import { changedProblem, readCondition, readNameable, readTo, type Nameable } from './fields';
import { reason } from '../../resources/reasons';
import { after, type Message } from '../../../core/http/reasons';

/** What of a rule is judged as a whole. */
export type RuleParts = Pick<RuleRow, 'starts' | 'conditions' | 'wait' | 'unless' | 'macro_id'>;

/** The parts as they are stored, and what its macro does. */
export interface CheckedRule {
  readonly parts: RuleParts;
  readonly actions: readonly Action[];
  /** It reaches a customer. */
  readonly sends: boolean;
}

/**
 * Checks a rule by what the workspace has now, in the transaction that saves it. Throws the 400 that names whatever is
 * wrong: pairs that do not fit, names of nothing, hours in which nobody works, a text that could never be sent.
 */
export async function checkRule(ctx: Ctx, parts: RuleParts): Promise<CheckedRule> {
  const nameable = await readNameable(ctx);
  const faults: FieldReasons = {};
  const starts = readStarts(parts.starts, nameable, faults);
  const conditions = readConditions(parts, nameable, faults);
  const unless = parts.unless.flatMap(({ changed }, index) => {
    const problem = changedProblem(changed, nameable);
    return problem === null ? [] : [after(`${index}.changed: `, problem)];
  });
  if (unless.length > 0) faults['unless'] = unless;
  const actions = await actionsOf(ctx, parts.macro_id);
  if (actions instanceof Fault) faults['macro_id'] = [...actions.reasons];
  else if (actions.filter(isSend).length > maxHeardInDay)
    faults['macro_id'] = [
      `It sends more than the ${maxHeardInDay} messages that rules may send to a customer in a day.`,
    ];
  const problem =
    (await hoursProblem(ctx, parts)) ?? (actions instanceof Fault ? null : textProblem(parts, conditions, actions));
  if (problem !== null) faults['wait'] = [problem];
  if (actions instanceof Fault || Object.keys(faults).length > 0) throw invalid(faults);
  return { parts: { ...parts, starts, conditions }, actions, sends: actions.some(reachesCustomer) };
}

function readStarts(starts: readonly RuleStart[], nameable: Nameable, faults: FieldReasons): RuleStart[] {
  const wrong: Message[] = [];
  const read = starts.map((start, index): RuleStart => {
    const { event, changed, to } = start;
    const problem = changedProblem(changed, nameable);
    if (problem !== null) wrong.push(after(`${index}.changed: `, problem));
    if (changed === undefined) return { event };
    if (to === undefined || problem !== null) return { event, changed };
    const value = readTo(changed, to, nameable);
    if (value instanceof Fault) wrong.push(...value.reasons.map((one) => after(`${index}.to: `, one)));
    else return { event, changed, to: value };
    return { event, changed };
  });
  if (wrong.length > 0) faults['on'] = wrong;
  return read;
}

const onlyMessages = 'Only message.received and conversation.rated have a message.';

function readConditions(
  { starts, conditions }: Pick<RuleParts, 'starts' | 'conditions'>,
  nameable: Nameable,
  faults: FieldReasons,
): RuleConditions {
  const wrong: Message[] = [];
  const hasMessage = starts.some(({ event }) => event === 'message.received' || event === 'conversation.rated');
  const group = (name: keyof RuleConditions) =>
    conditions[name].map((condition, index) => {
      const read = readCondition(condition, nameable);
      const place = `${name}.${index}`;
      if (read instanceof Fault) wrong.push(...read.reasons.map((one) => within(place, one)));
      else if (isAboutMessage(read) && !hasMessage) wrong.push(after(`${place}.field: `, onlyMessages));
      return read instanceof Fault ? condition : read;
    });
  const read = { all: group('all'), any: group('any') };
  if (wrong.length > 0) faults['conditions'] = wrong;
  return read;
}

async function actionsOf(ctx: Ctx, macroId: number | null): Promise<readonly Action[] | Fault> {
  if (macroId === null) return new Fault(reason('macroDeleted'));
  try {
    return parseActions((await findMacro(ctx, macroId)).actions);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return new Fault(noSuchPk(macroId));
    throw error;
  }
}

/** Says why the hours that a rule goes by never come. */
async function hoursProblem(ctx: Ctx, parts: RuleParts): Promise<string | null> {
  if (!goesByHours(parts)) return null;
  const now = await dueNow(ctx.runtime);
  const { wait } = parts;
  const minutes = wait === null ? 0 : 'until' in wait ? wait.plus_minutes : wait.minutes;
  for (const { calendar, time } of await listHours(ctx)) {
    if (time.nextOpening(now) === null) return `The calendar "${calendar.name}" does not open within a year.`;
    if (wait !== null && 'by' in wait && wait.by === 'hours' && time.addWorkingMinutes(now, minutes) === null)
      return `By the calendar "${calendar.name}" so much is not worked within a year.`;
  }
  return null;
}

const windowMinutes = 24 * 60;

/** Says why a free text could only be due after the window closed (contract 21, r15). */
function textProblem(
  { starts, wait, unless }: RuleParts,
  conditions: RuleConditions,
  actions: readonly Action[],
): string | null {
  if (!actions.some(({ type }) => type === 'send_message')) return null;
  const template = 'Send a template instead.';
  const isShut = conditions.all.some(
    ({ field, op, value }) => field === 'window_open' && (op === 'is') === (value === false),
  );
  if (isShut) return `Its macro sends a free text, and a condition asks for a closed window. ${template}`;
  if (leastMinutesOf(wait) < windowMinutes) return null;
  // The window is open for a day after the customer wrote; what ends the wait lets none be opened anew.
  const endsWithMessage = unless.some(({ event }) => event === 'message.received');
  const beginsWithMessage = starts.every(({ event }) => event === 'message.received');
  return endsWithMessage || beginsWithMessage
    ? `Its macro sends a free text, which can only be due after the window of 24 hours has closed. ${template}`
    : null;
}

/** The least that a wait takes by the clock: an hour of work takes an hour at least. */
function leastMinutesOf(wait: RuleWait | null): number {
  if (wait === null || 'before' in wait) return 0;
  return 'until' in wait ? wait.plus_minutes : wait.minutes;
}
