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
import type { SlaCancel, SlaState } from './contract';
import { failsOnErrors, refusalOf } from './failures';

export const slaRescheduleSignal = defineSignal<[SlaState]>('reschedule');
/** With a version: nothing is waited for as of it. Without one, sent by hand: the timer ends, and a sweep does its work. */
export const slaCancelSignal = defineSignal<[SlaCancel?]>('cancel');
export const slaStateQuery = defineQuery<SlaState>('state');

/** How the wait ended. */
export type SlaEnd = 'breached' | 'cancelled' | 'superseded' | 'refused';

/** Longest single timer: the server counts durations in nanoseconds, which end at 292 years. */
const longestWaitMs = 365 * 24 * 3_600_000;

/** What the timer knows. Signal handlers only write here; the main loop acts. */
class Deadline {
  cancelled = false;
  changed = false;

  constructor(public state: SlaState) {}

  reschedule(next: SlaState): void {
    if (next.version <= this.state.version) return;
    this.state = next;
    this.cancelled = false;
    this.changed = true;
  }

  cancel(version: number | undefined): void {
    if (version !== undefined && version < this.state.version) return;
    this.state = { ...this.state, version: version ?? this.state.version };
    this.cancelled = true;
    this.changed = true;
  }
}

/** Marks one ticket or conversation when its next deadline passes. The row decides; this only knows when to ask it. */
export async function slaTimer(initial: SlaState): Promise<SlaEnd> {
  const deadline = new Deadline(initial);
  setHandler(slaRescheduleSignal, (next) => deadline.reschedule(next));
  setHandler(slaCancelSignal, (cancel) => deadline.cancel(cancel?.version));
  setHandler(slaStateQuery, () => deadline.state);

  const { workspaceId, subject, subjectId } = initial;
  let notBeforeMs = 0;
  for (;;) {
    if (deadline.cancelled) return 'cancelled';
    const { version, dueMs } = deadline.state;
    try {
      const waitMs = Math.max(dueMs, notBeforeMs) - Date.now();
      if (waitMs <= 0) {
        const outcome = await idempotentLocal.breachSla({ workspaceId, subject, subjectId, version });
        // A newer deadline may have come while the row was asked: then this answer speaks of the older one.
        if (deadline.state.version !== version) continue;
        if (outcome.kind === 'not_due') notBeforeMs = Date.now() + Math.max(outcome.waitMs, 100);
        else return outcome.kind === 'done' ? 'breached' : 'superseded';
        continue;
      }
      if (workflowInfo().continueAsNewSuggested) return await continueAsNew<typeof slaTimer>(deadline.state);
      deadline.changed = false;
      setCurrentDetails(`Due at ${isoTime(dueMs)} (version ${version})`);
      await condition(() => deadline.changed, Math.min(waitMs, longestWaitMs), { summary: `Due at ${isoTime(dueMs)}` });
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      log.warn('the deadline cannot be looked at', { workspaceId, subject, subjectId, version, refusal });
      if (deadline.state.version === version) return 'refused';
    }
  }
}
failsOnErrors(slaTimer);

/** A time that operators read; what no calendar can name is given as the number it is. */
function isoTime(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}
