import type { Ctx } from '../../../core/context';
import { kept } from '../../../core/runtime';

/** The most chunks that a process writes at the same time: imports must leave connections to other work. */
const maxAtOnce = 2;

interface Waiting {
  readonly workspaceId: number;
  readonly begin: () => void;
}

interface Turns {
  /** Workspaces whose chunks are being written; two of one would only wait for each other in the database. */
  readonly running: Set<number>;
  readonly waiting: Waiting[];
}

const turns = kept((): Turns => ({ running: new Set(), waiting: [] }));

/** Runs a chunk when it is its turn: two at once in a process, one of a workspace, in the order in which they came. */
export async function inTurn<T>(ctx: Ctx, work: () => Promise<T>): Promise<T> {
  const { running, waiting } = turns(ctx.runtime);
  await new Promise<void>((resolve) => {
    waiting.push({ workspaceId: ctx.workspaceId, begin: resolve });
    beginNext();
  });
  try {
    return await work();
  } finally {
    running.delete(ctx.workspaceId);
    beginNext();
  }

  function beginNext(): void {
    while (running.size < maxAtOnce) {
      const place = waiting.findIndex(({ workspaceId }) => !running.has(workspaceId));
      const next = place < 0 ? undefined : waiting.splice(place, 1)[0];
      if (!next) return;
      running.add(next.workspaceId);
      next.begin();
    }
  }
}
