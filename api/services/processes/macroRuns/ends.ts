import { AsyncLocalStorage } from 'node:async_hooks';
import type { Ctx } from '../../../core/context';
import { reasonOf } from '../../../core/faults';
import type { Runtime } from '../../../core/runtime';
import { toldInTime, type Tell } from '../../../core/waiting';
import { readEndedRuns, type RunRecord } from '../../resources/macros/runs';
import { glanceMs, LookTimes } from './lookTimes';

/** The callers' transactions and turns are not those of the looks, which serve all of them. */
const outsideRequests = AsyncLocalStorage.snapshot();

/** A run as its callers hear of its end; null: it is gone. */
type Ended = RunRecord | null;

interface Waiting {
  readonly workspaceId: number;
  readonly sinceMs: number;
  lookAtMs: number;
  readonly callers: Set<Tell<Ended>>;
}

/**
 * What a process waits for. The record says what became of a run, so it is what is looked at, by one statement for all
 * callers of the process: to wait for the engine's word costs it, and this process, several times as much for each run.
 */
class Ends {
  private readonly waiting = new Map<number, Waiting>();
  private readonly times = new LookTimes();
  private looking = false;

  constructor(private readonly runtime: Runtime) {}

  add(workspaceId: number, runId: number, caller: Tell<Ended>): void {
    const known = this.waiting.get(runId) ?? this.begin(workspaceId);
    known.callers.add(caller);
    this.waiting.set(runId, known);
    if (this.looking) return;
    this.looking = true;
    void outsideRequests(() => this.look());
  }

  remove(runId: number, caller: Tell<Ended>): void {
    const known = this.waiting.get(runId);
    known?.callers.delete(caller);
    if (known?.callers.size === 0) this.waiting.delete(runId);
  }

  private begin(workspaceId: number): Waiting {
    const now = performance.now();
    return { workspaceId, sinceMs: now, lookAtMs: now + this.times.firstMs(), callers: new Set() };
  }

  private async look(): Promise<void> {
    while (this.waiting.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, glanceMs));
      const now = performance.now();
      const due = [...this.waiting.values()].filter(({ lookAtMs }) => lookAtMs <= now);
      if (due.length === 0) continue;
      for (const run of due) run.lookAtMs = now + this.times.againMs(now - run.sinceMs);
      const runs = [...this.waiting].map(([id, { workspaceId }]) => ({ id, workspaceId }));
      try {
        for (const [id, ended] of await readEndedRuns(this.runtime, runs)) this.tell(id, ended);
      } catch (error) {
        const reason = reasonOf(error);
        this.runtime.logger.debug({ event: 'macro_run.look_failed', reason }, 'macro runs could not be looked at yet');
      }
    }
    this.looking = false;
  }

  private tell(runId: number, ended: Ended): void {
    const known = this.waiting.get(runId);
    if (!known) return;
    this.waiting.delete(runId);
    if (ended?.finished_at) this.times.learn(ended.finished_at.getTime() - ended.created_at.getTime());
    for (const caller of known.callers) caller(ended);
  }
}

const endsOf = new WeakMap<Runtime, Ends>();

/** Waits until a run has ended, and gives its record, null where it is gone; undefined where it has not in time. */
export function awaitEndOfRun(
  { runtime, workspaceId }: Pick<Ctx, 'runtime' | 'workspaceId'>,
  runId: number,
  timeoutMs: number,
): Promise<Ended | undefined> {
  const ends = endsOf.get(runtime) ?? new Ends(runtime);
  endsOf.set(runtime, ends);
  return toldInTime<Ended>(timeoutMs, {
    join: (caller) => ends.add(workspaceId, runId, caller),
    leave: (caller) => ends.remove(runId, caller),
  });
}
