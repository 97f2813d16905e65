import { defineQuery, defineSignal, setHandler } from '@temporalio/workflow';
import { activities } from './activities';
import { signals, type SnoozeState } from './contract';
import { Deadline, type DeadlineEnd } from './deadline';
import { failsOnErrors } from './failures';

/** Sent by an operator: wake the conversation now. */
export const wakeSignal = defineSignal(signals.wake);
export const stateQuery = defineQuery<SnoozeState>('state');

/** How a snooze ended. */
export type SnoozeEnd = 'woken' | 'reopened' | Exclude<DeadlineEnd, 'done'>;

/** Wakes one conversation when its snooze is over. The row decides; this only knows when to ask it. */
export async function snoozeTimer(initial: SnoozeState): Promise<SnoozeEnd> {
  const deadline = new Deadline<SnoozeState, 'wake'>(initial, 'wake');
  setHandler(wakeSignal, () => deadline.request('wake'), { description: 'Reopens the conversation.' });
  setHandler(stateQuery, () => deadline.state, { description: 'Until when the conversation is snoozed.' });

  const { workspaceId, conversationId } = initial;
  const end = await deadline.wait<'reopened'>({
    ask: ({ version }) => activities.wakeConversation({ workspaceId, conversationId, version }),
    async act() {
      await activities.reopenConversation({ workspaceId, conversationId });
      return 'reopened';
    },
    show: (time, { version, lateMs }) => ({
      summary: `Snoozed until ${time}`,
      details:
        `Snoozed until ${time} (version ${version}). The signal "wake" reopens the conversation.` +
        (lateMs ? ' Many end with it: they wake together, and this timer only looks later whether it did.' : ''),
    }),
  });
  return end === 'done' ? 'woken' : end;
}
failsOnErrors(snoozeTimer);
