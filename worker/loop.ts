import { reasonOf } from '../api/core/http/faults';
import type { Runtime } from '../api/core/runtime';
import type { Logger } from 'pino';
import { backoffAfter } from '../api/core/queue/retry';

/** A background loop of a worker. */
export interface Loop {
  /** Ends the pause of an idle loop. */
  wake(): void;
  /** Ends the loop after the current step. */
  stop(): Promise<void>;
  /** The state of the loop, or of each loop behind this one, for health and metrics. */
  state(): LoopState[];
}

/** The state of a loop. */
export interface LoopState {
  readonly name: string;
  /** Time since the last step or pause began; a few seconds in a healthy loop. */
  readonly idleMs: number;
  /** Failed steps in a row. */
  readonly failures: number;
  readonly steps: number;
}

/** Does some work of a process; returns true when there may be more at once. */
export type Step = (runtime: Runtime) => Promise<boolean>;

interface LoopOptions {
  readonly name: string;
  readonly logger: Logger;
  /** The pause after a step that found nothing to do. */
  readonly idleMs: number;
  /** The limit up to which the pause doubles while nothing is found. Default: the pause does not grow. */
  readonly maxIdleMs?: number;
  /** Does some work; returns true when there may be more at once. */
  readonly step: () => Promise<boolean>;
}

/** One line a minute for a cause, whichever loops meet it. */
const sameCauseMs = 60_000;
const toldAt = new Map<string, number>();

/**
 * Repeats `step` until stopped. Failures in a row are logged once, and for several loops of one cause once; the pauses
 * between them grow.
 */
export function startLoop({ name, logger, idleMs, maxIdleMs = idleMs, step }: LoopOptions): Loop {
  let stopping = false;
  let woken = false;
  let failures = 0;
  let told = false;
  let restMs = idleMs;
  let endPause: (() => void) | null = null;
  let movedAt = performance.now();
  let steps = 0;

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function run(): Promise<void> {
    while (!stopping) {
      woken = false;
      movedAt = performance.now();
      steps += 1;
      let pauseMs = 0;
      try {
        if (await step()) {
          restMs = idleMs;
        } else {
          pauseMs = restMs;
          restMs = Math.min(2 * restMs, maxIdleMs);
        }
        if (told) logger.info({ event: 'loop.recovered', loop: name }, `the loop "${name}" works again`);
        failures = 0;
        told = false;
      } catch (error) {
        failures += 1;
        pauseMs = backoffAfter(failures);
        const reason = reasonOf(error);
        if (failures === 1 && performance.now() - (toldAt.get(reason) ?? -sameCauseMs) >= sameCauseMs) {
          told = true;
          toldAt.set(reason, performance.now());
          logger.warn({ event: 'loop.failed', loop: name, reason }, `the loop "${name}" failed; it is tried again`);
        }
      }
      movedAt = performance.now();
      // A wake during the step counts, but does not shorten the pause after a failure.
      if (!stopping && pauseMs > 0 && !(woken && failures === 0)) await pause(pauseMs);
      endPause = null;
    }
  }
  const ended = run();

  return {
    wake() {
      woken = true;
      if (failures === 0) endPause?.();
    },
    async stop() {
      stopping = true;
      endPause?.();
      await ended;
    },
    state: () => [{ name, idleMs: Math.round(performance.now() - movedAt), failures, steps }],
  };
}
