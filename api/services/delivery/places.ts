import { mostOfOneWorkspace } from '../../core/sendLimits';

/** What a process does at once of one kind; a single workspace gets only a part of it, so that others find room. */
export class Places {
  private readonly held = new Map<number, number>();
  private free: number;
  private readonly mostOfOne: number;

  constructor(most: number) {
    this.free = most;
    this.mostOfOne = Math.ceil(most * mostOfOneWorkspace);
  }

  /** Takes a place; false when none is left, or none for this workspace. */
  take(workspaceId: number): boolean {
    const own = this.held.get(workspaceId) ?? 0;
    if (this.free === 0 || own >= this.mostOfOne) return false;
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
}
