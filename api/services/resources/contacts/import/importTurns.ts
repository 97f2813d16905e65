import type { Ctx } from '../../../../core/context';
import { WorkspaceTurns } from '../../../../core/db/workspaceTurns';
import { WorkTurn } from '../../../../core/loopTime';
import { kept } from '../../../../core/runtime';

/** The most chunks that a process writes at the same time: imports must leave connections to other work. */
const maxAtOnce = 2;

interface Turns {
  /** Workspaces whose chunks are being written; two of one would only wait for each other in the database. */
  readonly running: Set<number>;
  readonly line: WorkspaceTurns<() => void>;
}

const turns = kept((): Turns => ({ running: new Set(), line: new WorkspaceTurns() }));

/** Runs a chunk when it is its turn: two at once in a process, one of a workspace, the workspaces in turns. */
export async function inTurn<T>(ctx: Ctx, work: () => Promise<T>): Promise<T> {
  const { running, line } = turns(ctx.runtime);
  await new Promise<void>((resolve) => {
    line.add(ctx.workspaceId, resolve);
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
      const next = line.shift((workspaceId) => !running.has(workspaceId));
      if (!next) return;
      running.add(next.workspaceId);
      next.waiter();
    }
  }
}

/** Returns the turn in which a file is read for a workspace. */
export function readingTurn({ runtime, workspaceId }: Ctx): WorkTurn {
  return new WorkTurn(() => runtime.loopTime.begin(workspaceId));
}
