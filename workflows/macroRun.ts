import { ApplicationFailure, setCurrentDetails } from '@temporalio/workflow';
import { awaitedLocal } from './activities';
import type { MacroRunInput, MacroRunOutcome } from './contract';
import { failsOnErrors } from './failures';

/**
 * One run of a macro: a single transaction, whose first statement decides whether it may still happen. In a list of
 * runs the status tells how it went: Completed, everything was applied; Failed or Timed Out, nothing was.
 */
export async function macroRun(input: MacroRunInput): Promise<MacroRunOutcome> {
  setCurrentDetails('Applying');
  const outcome = await awaitedLocal.applyMacroRun(input);
  if (outcome.kind === 'applied') {
    setCurrentDetails(`Applied: ${outcome.steps} steps`);
    return outcome;
  }
  if (outcome.kind === 'failed') {
    setCurrentDetails(`Refused at step ${outcome.step} of ${outcome.steps} (${outcome.type}); nothing was applied`);
    // The reason is in the run's record: it may quote what a customer or member wrote.
    throw ApplicationFailure.nonRetryable(
      `Step ${outcome.step} of ${outcome.steps} (${outcome.type}) was refused; nothing was applied`,
      'MacroRefused',
      outcome,
    );
  }
  setCurrentDetails('Abandoned; nothing was applied');
  throw ApplicationFailure.nonRetryable('The caller had given up; nothing was applied', 'MacroAbandoned', outcome);
}
failsOnErrors(macroRun);
