import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  log,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { activities } from './activities';
import { signals, type AssignmentInput, type AssignmentRound } from './contract';
import { failsOnErrors, refusalOf } from './failures';

/** Something has changed, or may have: what it is, the rows know. */
const assignSignal = defineSignal(signals.assign);
const waitingQuery = defineQuery<AssignmentWait>('waiting');

/** What an operator sees of a team inbox. */
interface AssignmentWait extends Pick<AssignmentRound, 'waiting' | 'first'> {
  /** Why no member was chosen; empty while none waits. */
  why: string;
}

/** What one run did. */
interface AssignmentSummary {
  assigned: number;
}

const whyWords = Object.freeze<Record<NonNullable<AssignmentRound['why']>, string>>({
  nobody_sits_there: 'No member sits in the team inbox.',
  all_are_away: 'All members of the team inbox are away or deactivated.',
  all_are_full: 'All members who are there have as many open conversations as they are given.',
});

/**
 * Finds members for the conversations that wait in a team inbox, as often as something changes. The rows say who
 * waits, who is there and who has room; it ends once none waits.
 */
export async function assignment(input: AssignmentInput): Promise<AssignmentSummary> {
  let isChanged = false;
  let assigned = 0;
  let last: AssignmentWait = { waiting: 0, first: [], why: '' };
  setHandler(assignSignal, () => {
    isChanged = true;
  });
  setHandler(waitingQuery, () => last, { description: 'Which conversations wait, and why no member was chosen.' });

  for (;;) {
    isChanged = false;
    try {
      const round = await activities.assignConversations(input);
      assigned += round.assigned;
      last = { waiting: round.waiting, first: round.first, why: round.why === null ? '' : whyWords[round.why] };
      if (!round.more && !isChanged) {
        if (round.waiting === 0) return { assigned };
        const summary = `${round.waiting} ${round.waiting === 1 ? 'waits' : 'wait'}: ${last.why}`;
        setCurrentDetails(`${summary}\n\nFirst in the queue: conversations ${round.first.join(', ')}.`);
        await condition(() => isChanged);
      }
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      log.warn('the assignment of a team inbox was refused', { ...input, refusal });
      if (!isChanged) return { assigned };
    }
    // Between looks only. The new run begins by looking, so a signal that came just now is not lost.
    if (workflowInfo().continueAsNewSuggested) return await continueAsNew<typeof assignment>(input);
  }
}
failsOnErrors(assignment);
