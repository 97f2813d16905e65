import {
  condition,
  continueAsNew,
  defineSignal,
  log,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { signals, type DeadlineCancel, type DeadlineState, type DueOutcome } from './contract';
import { refusalOf } from './failures';
import { isoTime, maxTimerMs, minWaitMs } from './time';

const deadlineSignal = defineSignal<[DeadlineState]>(signals.deadline);
/** With a version: the wait ends as of it. Without one, it was sent by an operator. */
const cancelSignal = defineSignal<[DeadlineCancel?]>(signals.cancel);

/**
 * How a wait ended: the row acted, something newer had taken its place, it was cancelled, or the service refused for
 * good.
 */
export type DeadlineEnd = 'done' | 'superseded' | 'cancelled' | 'refused';

/** The functions of a workflow that waits for a deadline. */
interface DeadlineSteps<State, Manual extends string, End extends string | object> {
  /** Asks the row, which decides. An answer that arrives after the deadline was moved is dropped, except `ended`. */
  ask(state: State): Promise<DueOutcome | { readonly kind: 'ended'; readonly end: End }>;
  /** Does what an operator asked for. With an end, the wait is over unless the deadline was moved meanwhile. */
  act?(what: Manual): Promise<End | null>;
  /** Returns the texts that operators read while it waits. */
  show(time: string, state: State): { readonly summary: string; readonly details: string };
}

/**
 * A time at which a workflow asks a row, and which signals may move. Signal handlers only store the change; the loop of
 * `wait` acts. States carry the version of the row that named them: an older one is ignored.
 */
export class Deadline<State extends DeadlineState, Manual extends string = never> {
  /** Set by every signal, even one that changes nothing; the code that waits for a signal clears it. */
  heard = false;
  private cancelled = false;
  private manual: Manual | null = null;
  /** Set by every signal that changed something, cleared before each wait. */
  private changed = false;
  /** The row answered that it is not due before this time. */
  private notBeforeMs = 0;
  /** The same deadline was named again: the row is asked at once, whatever this server's clock says. */
  private askNow = false;

  /**
   * Installs the signal handlers. `manualCancel` is the request that a cancel without a version makes; null: it ends
   * the wait.
   */
  constructor(
    public state: State,
    private readonly manualCancel: Manual | null = null,
  ) {
    setHandler(deadlineSignal, (next) => this.move(next as State), {
      description: 'The row has a newer deadline.',
    });
    setHandler(cancelSignal, (cancel) => this.cancel(cancel?.version), {
      description: 'With a version: nothing is waited for any more.',
    });
  }

  /** Stores a request of an operator. */
  request(what: Manual): void {
    this.heard = true;
    this.manual = what;
    this.changed = true;
  }

  /**
   * Waits for the deadline, also after it was moved, and lets the row decide; continues as new when its history grows
   * long.
   */
  async wait<End extends string | object = never>(
    steps: DeadlineSteps<State, Manual, End>,
  ): Promise<DeadlineEnd | End> {
    for (;;) {
      if (this.cancelled) return 'cancelled';
      const { version } = this.state;
      try {
        const end = this.manual !== null ? await this.act(steps) : await this.askOrPause(steps);
        if (end !== null) return end;
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal === null) throw error;
        log.warn('the service refuses what is due', { state: this.state, refusal });
        if (this.state.version === version) return 'refused';
      }
    }
  }

  private move(next: State): void {
    this.heard = true;
    if (next.version < this.state.version) return;
    // The same version again: only ask the row once more, even if it had answered to wait.
    this.notBeforeMs = 0;
    this.changed = true;
    this.askNow = next.version === this.state.version;
    if (this.askNow) return;
    this.state = next;
    this.cancelled = false;
    this.manual = null;
  }

  private cancel(version: number | undefined): void {
    if (version === undefined && this.manualCancel !== null) {
      this.request(this.manualCancel);
    } else if (version === undefined || version >= this.state.version) {
      this.state = { ...this.state, version: version ?? this.state.version };
      this.cancelled = true;
      this.changed = true;
    }
  }

  private async act<End extends string | object>(steps: DeadlineSteps<State, Manual, End>): Promise<End | null> {
    const { version } = this.state;
    const what = this.manual;
    this.manual = null;
    const end = what === null || !steps.act ? null : await steps.act(what);
    return this.state.version === version ? end : null;
  }

  private async askOrPause<End extends string | object>(
    steps: DeadlineSteps<State, Manual, End>,
  ): Promise<DeadlineEnd | End | null> {
    const { version } = this.state;
    const untilMs = Math.max(timeOf(this.state), this.notBeforeMs);
    const waitMs = untilMs - Date.now();
    if (waitMs > 0 && !this.askNow) {
      await this.pause(waitMs, steps.show(isoTime(untilMs), this.state));
      return null;
    }

    this.askNow = false;
    const outcome = await steps.ask(this.state);
    if (outcome.kind === 'ended') return outcome.end;
    // A newer deadline or a signal of an operator arrived while the row was read: this answer is about the older
    // deadline.
    if (this.state.version !== version || this.manual !== null) return null;
    if (outcome.kind !== 'not_due') return outcome.kind;
    this.notBeforeMs = Date.now() + Math.max(outcome.waitMs, minWaitMs);
    return null;
  }

  private async pause(waitMs: number, shown: { summary: string; details: string }): Promise<void> {
    if (workflowInfo().continueAsNewSuggested) await continueAsNew(this.state);
    this.changed = false;
    setCurrentDetails(shown.details);
    await condition(() => this.changed, Math.min(waitMs, maxTimerMs), { summary: shown.summary });
  }
}

/** Returns the deadline in milliseconds; without one, now. An invalid time ends the workflow as failed. */
function timeOf({ dueAt }: DeadlineState): number {
  const ms = dueAt === null ? 0 : Date.parse(dueAt);
  if (Number.isNaN(ms)) throw new Error(`The deadline ${JSON.stringify(dueAt)} is no time.`);
  return ms;
}
