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
import { idempotentLocal } from './activities';
import type { SnoozeCancel, SnoozeState } from './contract';
import { failsOnErrors, refusalOf } from './failures';

export const rescheduleSignal = defineSignal<[SnoozeState]>('reschedule');
/** With a version: the row changed already. Without one, sent by hand: reopen the conversation. */
export const cancelSignal = defineSignal<[SnoozeCancel?]>('cancel');
/** Sent by hand: wake the conversation now. */
export const wakeSignal = defineSignal('wake');
export const stateQuery = defineQuery<SnoozeState>('state');

/** How a snooze ended. */
export type SnoozeEnd = 'woken' | 'cancelled' | 'superseded' | 'reopened' | 'refused';

/** Longest single timer: the server counts durations in nanoseconds, which end at 292 years. */
const longestWaitMs = 365 * 24 * 3_600_000;

/** What the timer knows. Signal handlers only write here; the main loop acts. */
class Snooze {
  cancelled = false;
  byHand = false;
  /** Set by every signal that changed something, cleared before each wait. */
  changed = false;

  constructor(public state: SnoozeState) {}

  reschedule(next: SnoozeState): void {
    if (next.version <= this.state.version) return;
    this.state = next;
    this.cancelled = false;
    this.byHand = false;
    this.changed = true;
  }

  cancel(version: number | undefined): void {
    if (version === undefined) {
      this.wake();
    } else if (version >= this.state.version) {
      this.state = { ...this.state, version };
      this.cancelled = true;
      this.changed = true;
    }
  }

  wake(): void {
    this.byHand = true;
    this.changed = true;
  }
}

/** Wakes one conversation when its snooze is over. The row decides; this only knows when to ask it. */
export async function snoozeTimer(initial: SnoozeState): Promise<SnoozeEnd> {
  const snooze = new Snooze(initial);
  setHandler(rescheduleSignal, (next) => snooze.reschedule(next));
  setHandler(cancelSignal, (cancel) => snooze.cancel(cancel?.version));
  setHandler(wakeSignal, () => snooze.wake());
  setHandler(stateQuery, () => snooze.state);

  const { workspaceId, conversationId } = initial;
  let notBeforeMs = 0;
  for (;;) {
    if (snooze.cancelled) return 'cancelled';
    const { version, untilMs } = snooze.state;
    try {
      if (snooze.byHand) {
        snooze.byHand = false;
        await idempotentLocal.reopenConversation({ workspaceId, conversationId });
        if (snooze.state.version === version) return 'reopened';
        continue;
      }
      const waitMs = Math.max(untilMs, notBeforeMs) - Date.now();
      if (waitMs <= 0) {
        const outcome = await idempotentLocal.wakeConversation({ workspaceId, conversationId, version });
        // A newer snooze may have come while the row was asked: then this answer speaks of the older one.
        if (snooze.state.version !== version || snooze.byHand) continue;
        if (outcome.kind === 'not_due') notBeforeMs = Date.now() + Math.max(outcome.waitMs, 100);
        else return outcome.kind === 'done' ? 'woken' : 'superseded';
        continue;
      }
      if (workflowInfo().continueAsNewSuggested) return await continueAsNew<typeof snoozeTimer>(snooze.state);
      snooze.changed = false;
      setCurrentDetails(`Snoozed until ${isoTime(untilMs)} (version ${version})`);
      await condition(() => snooze.changed, Math.min(waitMs, longestWaitMs), {
        summary: `Snoozed until ${isoTime(untilMs)}`,
      });
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      log.warn('the conversation cannot be woken', { workspaceId, conversationId, version, refusal });
      if (snooze.state.version === version) return 'refused';
    }
  }
}
failsOnErrors(snoozeTimer);

/** A time that operators read; what no calendar can name is given as the number it is. */
function isoTime(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}
