import { toldInTime, WorkspaceTurns, type Tell } from '../../core/waiting';

const mostOfOneWorkspace = 2 / 3;
/** How long a workspace counts as one that sends, after its last wish for a place. */
const sendingMs = 10_000;

/** Places change hands where at least one of so many was given back during a wait. */
const movingPart = 4;

/**
 * What becomes of a wish for a place. `later`: none came free in time, but they change hands fast enough to come again;
 * `none`: whoever holds them takes longer than the wait was.
 */
type Wish = 'given' | 'later' | 'none';

/**
 * What a process does at once of one kind. While other workspaces hold places, or wished for some lately, one gets only
 * a part, so that they find room; alone it may have all.
 */
export class Places {
  private readonly held = new Map<number, number>();
  /** When each workspace last wished for a place, the latest one at the end. */
  private readonly wished = new Map<number, number>();
  private readonly waiting = new WorkspaceTurns<Tell<Wish>>();
  private free: number;
  private readonly mostOfOne: number;
  /** How many were given back so far. */
  private returned = 0;

  constructor(
    private readonly most: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.free = most;
    this.mostOfOne = Math.ceil(most * mostOfOneWorkspace);
  }

  /** Takes a place; false when none is left, or none for this workspace. */
  take(workspaceId: number): boolean {
    this.noteWish(workspaceId);
    if (!this.hasRoomFor(workspaceId)) return false;
    this.free -= 1;
    this.held.set(workspaceId, (this.held.get(workspaceId) ?? 0) + 1);
    return true;
  }

  /** Takes a place, or the next one that comes free in the turn of its workspace. */
  async takeSoon(workspaceId: number, waitMs: number): Promise<Wish> {
    if (this.take(workspaceId)) return 'given';
    const { returned } = this;
    const wish = await toldInTime<Wish>(waitMs, {
      join: (waiter) => this.waiting.add(workspaceId, waiter),
      leave: (waiter) => this.waiting.remove(workspaceId, waiter),
    });
    return wish ?? (this.returned - returned < this.most / movingPart ? 'none' : 'later');
  }

  /** Tells everybody who waits that there will be no place. */
  refuseWaiting(): void {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) next.waiter('none');
  }

  giveBack(workspaceId: number): void {
    const own = (this.held.get(workspaceId) ?? 1) - 1;
    this.free += 1;
    this.returned += 1;
    if (own === 0) this.held.delete(workspaceId);
    else this.held.set(workspaceId, own);
    this.serveWaiting();
  }

  private hasRoomFor(workspaceId: number): boolean {
    const own = this.held.get(workspaceId) ?? 0;
    const shares = this.wished.size > 1 || this.held.size > (own > 0 ? 1 : 0);
    return this.free > 0 && (own < this.mostOfOne || !shares);
  }

  /** Gives what is free to those who wait, one workspace after the other. */
  private serveWaiting(): void {
    for (;;) {
      const next = this.waiting.shift((workspaceId) => this.hasRoomFor(workspaceId));
      if (!next) return;
      this.take(next.workspaceId);
      next.waiter('given');
    }
  }

  private noteWish(workspaceId: number): void {
    const now = this.nowMs();
    this.wished.delete(workspaceId);
    this.wished.set(workspaceId, now);
    for (const [other, at] of this.wished) {
      if (at > now - sendingMs) break;
      this.wished.delete(other);
    }
  }
}
