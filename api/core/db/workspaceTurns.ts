/** Tells a waiting caller the result. */
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

/** Those who wait, served in turns: each workspace gets one served, then the next workspace. */
export class WorkspaceTurns<Waiter> {
  /** The waiters of each workspace; the workspace whose turn comes last is at the end. */
  private readonly lines = new Map<number, Set<Waiter>>();

  /** How many wait. */
  get size(): number {
    return [...this.lines.values()].reduce((sum, line) => sum + line.size, 0);
  }

  add(workspaceId: number, waiter: Waiter): void {
    const line = this.lines.get(workspaceId) ?? new Set();
    line.add(waiter);
    this.lines.set(workspaceId, line);
  }

  remove(workspaceId: number, waiter: Waiter): void {
    const line = this.lines.get(workspaceId);
    line?.delete(waiter);
    if (line?.size === 0) this.lines.delete(workspaceId);
  }

  /** Removes and returns the waiter whose turn it is, among those that may be served now. */
  shift(
    mayServe: (workspaceId: number, waiter: Waiter) => boolean = () => true,
  ): { workspaceId: number; waiter: Waiter } | undefined {
    for (const [workspaceId, line] of this.lines) {
      const [waiter] = line;
      if (waiter === undefined || !mayServe(workspaceId, waiter)) continue;
      this.remove(workspaceId, waiter);
      // Its next one waits until the other workspaces have had their turn.
      if (this.lines.delete(workspaceId)) this.lines.set(workspaceId, line);
      return { workspaceId, waiter };
    }
    return undefined;
  }
}
