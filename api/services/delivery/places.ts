import { mostOfOneWorkspace } from '../../core/sendLimits';

/** How long a workspace counts as one that sends, after its last wish for a place. */
const sendingMs = 10_000;

/**
 * What a process does at once of one kind. While other workspaces hold places, or wished for some lately, one gets only
 * a part, so that they find room; alone it may have all.
 */
export class Places {
  private readonly held = new Map<number, number>();
  /** When each workspace last wished for a place, the latest one at the end. */
  private readonly wished = new Map<number, number>();
  private free: number;
  private readonly mostOfOne: number;

  constructor(
    most: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.free = most;
    this.mostOfOne = Math.ceil(most * mostOfOneWorkspace);
  }

  /** Takes a place; false when none is left, or none for this workspace. */
  take(workspaceId: number): boolean {
    this.noteWish(workspaceId);
    const own = this.held.get(workspaceId) ?? 0;
    const shares = this.wished.size > 1 || this.held.size > (own > 0 ? 1 : 0);
    if (this.free === 0 || (own >= this.mostOfOne && shares)) return false;
    this.free -= 1;
    this.held.set(workspaceId, own + 1);
    return true;
  }

  giveBack(workspaceId: number): void {
    const own = (this.held.get(workspaceId) ?? 1) - 1;
    this.free += 1;
    if (own === 0) this.held.delete(workspaceId);
    else this.held.set(workspaceId, own);
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
