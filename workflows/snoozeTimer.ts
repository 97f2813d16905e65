import { defineQuery, defineSignal, setHandler } from '@temporalio/workflow';
import { activities } from './activities';
import { signals, type SnoozeState } from './contract';
import { Deadline, type DeadlineEnd } from './deadline';
import { failsOnErrors } from './failures';

/** Sent by an operator: wake the conversation now. */
const wakeSignal = defineSignal(signals.wake);
const stateQuery = defineQuery<SnoozeState>('state');

/** How a snooze ended. `woken_with_others`: all that were overdue woke together, before this timer's turn came. */
type SnoozeEnd = 'woken' | 'woken_with_others' | 'reopened' | Exclude<DeadlineEnd, 'done'>;

/** Wakes one conversation when its snooze is over. The row decides; the workflow only waits for the time to ask it. */
export async function snoozeTimer(initial: SnoozeState): Promise<SnoozeEnd> {
  const deadline = new Deadline<SnoozeState, 'wake'>(initial, 'wake');
  setHandler(wakeSignal, () => deadline.request('wake'), { description: 'Reopens the conversation.' });
  setHandler(stateQuery, () => deadline.state, { description: 'Until when the conversation is snoozed.' });

  const { workspaceId, conversationId } = initial;
  let wokeWithOthers = false;
  const end = await deadline.wait<'reopened'>({
    async ask({ version }) {
      const outcome = await activities.wakeConversation({ workspaceId, conversationId, version });
      wokeWithOthers = outcome.kind === 'woken_with_others';
      return outcome.kind === 'woken_with_others' ? { kind: 'done' } : outcome;
    },
    async act() {
      await activities.reopenConversation({ workspaceId, conversationId });
      return 'reopened';
    },
    show: (time, { version }) => ({
      summary: `Snoozed until ${time}`,
      details: `Snoozed until ${time} (version ${version}). The signal "wake" reopens the conversation.`,
    }),
  });
  if (end !== 'done') return end;
  return wokeWithOthers ? 'woken_with_others' : 'woken';
}
failsOnErrors(snoozeTimer);
