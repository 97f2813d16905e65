import { printError, type Launcher } from './launcher';
import { onParentGone } from './processes';

/** What a run must undo before it ends, in the reverse order. */
export interface Cleanup {
  /** Adds a step; the returned function takes it out again. */
  add(step: () => Promise<void>): () => void;
  /** Undoes everything that is left. */
  run(): Promise<void>;
  /** Whether the run was asked to stop: what it undoes then also ends the process. */
  readonly isInterrupted: boolean;
}

/** Cleans up and ends the process when it is asked to stop, or when npm is gone. */
export function createCleanup({ log, parentPid }: Launcher): Cleanup {
  const steps: (() => Promise<void>)[] = [];
  let isInterrupted = false;

  async function run(): Promise<void> {
    for (let step = steps.pop(); step; step = steps.pop()) await step();
  }
  function interrupt(why: string): void {
    if (isInterrupted) return;
    isInterrupted = true;
    log(`Stopping (${why})`);
    run()
      .catch(printError)
      .finally(() => process.exit(130));
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupt(name));
  onParentGone(parentPid, () => interrupt('npm is gone'));

  return {
    add(step) {
      steps.push(step);
      return () => {
        const at = steps.indexOf(step);
        if (at >= 0) steps.splice(at, 1);
      };
    },
    run,
    get isInterrupted() {
      return isInterrupted;
    },
  };
}

/** Runs a command's work, undoes what it left and ends the process with the code that it gives. */
export async function runToEnd(launcher: Launcher, work: (cleanup: Cleanup) => Promise<number>): Promise<void> {
  const cleanup = createCleanup(launcher);
  const code = await work(cleanup).catch((error: unknown) => {
    if (!cleanup.isInterrupted) printError(error);
    return 1;
  });
  // The interrupt's own clean-up ends the process.
  if (cleanup.isInterrupted) return;
  await cleanup.run();
  process.exit(code);
}
