import { ApplicationFailure, setCurrentDetails } from '@temporalio/workflow';
import { activities } from './activities';
import { macroNotApplied, type MacroRunInput, type MacroRunOutcome } from './contract';
import { failsOnErrors } from './failures';

/**
 * One run of a macro: a single transaction, whose first statement decides whether it may still happen. In a list of
 * runs the status tells how it went: Completed, everything was applied; Failed or Timed Out, nothing was.
 */
export async function macroRun(input: MacroRunInput): Promise<MacroRunOutcome> {
  setCurrentDetails('Applying');
  const outcome = await activities.applyMacroRun(input);
  if (outcome.kind === 'applied') {
    setCurrentDetails(`Applied: ${outcome.steps} steps`);
    return outcome;
  }
  if (outcome.kind === 'abandoned')
    throw notApplied(
      `${macroNotApplied.abandoned}: the caller had given up; nothing was applied`,
      'MacroAbandoned',
      outcome,
    );

  if (outcome.kind === 'skipped')
    throw notApplied(`${macroNotApplied.skipped}: ${outcome.reason}; nothing was applied`, 'MacroSkipped', outcome);

  // The reason's text is in the run's record: it may quote what a customer or member wrote.
  const { step, steps, type, code } = outcome;
  throw notApplied(
    `${macroNotApplied.refused} at step ${step} of ${steps} (${type}): ${code}; nothing was applied`,
    'MacroRefused',
    outcome,
  );
}
failsOnErrors(macroRun);

/**
 * Shows why nothing was applied, and returns the failure that ends the run. It is benign: the service did what it was
 * asked to, so neither metrics nor alerts count it.
 */
function notApplied(why: string, type: string, outcome: MacroRunOutcome): ApplicationFailure {
  setCurrentDetails(why);
  return ApplicationFailure.create({
    message: why,
    type,
    nonRetryable: true,
    details: [outcome],
    category: 'BENIGN',
  });
}
