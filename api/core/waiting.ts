/** How somebody who waits is told what came of it. */
export type Tell<Told> = (told: Told) => void;

/** Waits to be told; undefined where that did not happen in time. `join` begins the wait, `leave` gives it up. */
export function toldInTime<Told>(
  waitMs: number,
  { join, leave }: { readonly join: (tell: Tell<Told>) => void; readonly leave: (tell: Tell<Told>) => void },
): Promise<Told | undefined> {
  return new Promise((resolve) => {
    const tell: Tell<Told> = (told) => {
      clearTimeout(timer);
      resolve(told);
    };
    const timer = setTimeout(() => {
      leave(tell);
      resolve(undefined);
    }, waitMs);
    join(tell);
  });
}

/** Who waits in one workspace, those first who go before its others. */
interface Line<Waiter> {
  readonly ahead: Set<Waiter>;
  readonly others: Set<Waiter>;
}

/** Those who wait, served in turns: each workspace gets one served, then the next workspace. */
export class WorkspaceTurns<Waiter> {
  /** By workspace; the one whose turn comes last at the end. */
  private readonly lines = new Map<number, Line<Waiter>>();

  /** How many wait. */
  get size(): number {
    return [...this.lines.values()].reduce((sum, { ahead, others }) => sum + ahead.size + others.size, 0);
  }

  /** Adds one who waits, `isAhead`: before the others of its workspace. */
  add(workspaceId: number, waiter: Waiter, isAhead = false): void {
    const line = this.lines.get(workspaceId) ?? { ahead: new Set(), others: new Set() };
    (isAhead ? line.ahead : line.others).add(waiter);
    this.lines.set(workspaceId, line);
  }

  remove(workspaceId: number, waiter: Waiter): void {
    const line = this.lines.get(workspaceId);
    if (!line) return;
    if (!line.ahead.delete(waiter)) line.others.delete(waiter);
    if (isEmpty(line)) this.lines.delete(workspaceId);
  }

  /** Takes out the one whose turn it is, among the workspaces that may be served now. */
  shift(
    mayServe: (workspaceId: number, waiter: Waiter) => boolean = () => true,
  ): { workspaceId: number; waiter: Waiter } | undefined {
    for (const [workspaceId, line] of this.lines) {
      const [waiter] = line.ahead.size > 0 ? line.ahead : line.others;
      if (waiter === undefined || !mayServe(workspaceId, waiter)) continue;
      this.remove(workspaceId, waiter);
      // Its next one waits until the other workspaces have had their turn.
      if (this.lines.delete(workspaceId)) this.lines.set(workspaceId, line);
      return { workspaceId, waiter };
    }
    return undefined;
  }
}

function isEmpty<Waiter>({ ahead, others }: Line<Waiter>): boolean {
  return ahead.size === 0 && others.size === 0;
}
