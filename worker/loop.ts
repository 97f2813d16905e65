import type { Logger } from 'pino';

/** A background loop of a worker. */
export interface Loop {
  /** Makes an idle loop look at once. */
  wake(): void;
  /** Lets the step under way finish, then ends the loop. */
  stop(): Promise<void>;
  /** How it goes, for health and metrics; a loop of loops tells of each. */
  state(): LoopState[];
}

/** How a loop goes. */
export interface LoopState {
  readonly name: string;
  /** Since it last began a step or a pause: a loop that works moves every few seconds. */
  readonly idleMs: number;
  /** Failed steps in a row. */
  readonly failures: number;
  readonly steps: number;
}

interface LoopOptions {
  readonly name: string;
  readonly logger: Logger;
  /** Pause when a step found nothing more to do. */
  readonly idleMs: number;
  /** Does some work; true when there may be more right away. */
  readonly step: () => Promise<boolean>;
}

const longestBackoffMs = 10_000;

/** Repeats `step` until stopped. A failing step is logged once, then tried again with growing pauses, for ever. */
export function startLoop({ name, logger, idleMs, step }: LoopOptions): Loop {
  let stopping = false;
  let woken = false;
  let failures = 0;
  let endPause: (() => void) | null = null;
  let movedAt = Date.now();
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
      movedAt = Date.now();
      steps += 1;
      let pauseMs = 0;
      try {
        if (!(await step())) pauseMs = idleMs;
        if (failures > 0) logger.info({ event: 'loop.recovered', loop: name }, 'background loop works again');
        failures = 0;
      } catch (error) {
        failures += 1;
        pauseMs = Math.min(250 * 2 ** Math.min(failures, 10), longestBackoffMs);
        if (failures === 1)
          logger.warn(
            { event: 'loop.failed', loop: name, reason: reasonOf(error) },
            'background loop failed; it is tried again',
          );
      }
      movedAt = Date.now();
      // A wake that came during the step counts, but none shortens the pause after a failure.
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
    state: () => [{ name, idleMs: Date.now() - movedAt, failures, steps }],
  };
}

/** One line about an error, for logs. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
