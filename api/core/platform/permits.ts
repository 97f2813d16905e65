import { toldInTime, WorkspaceTurns, type Tell } from '../db/workspaceTurns';

/**
 * Whose message: a person's, an agent's or a macro's; or one of a mass send (a broadcast, a stage notification).
 * People's come first, mass sends take what they leave.
 */
export type Rank = 'people' | 'mass';

/**
 * The part of the calls that mass sends may take, so that people's messages go out even when the platform answers
 * slowly.
 */
const massPart = 5 / 6;
/**
 * The part that people's messages of one workspace may take, so that slow answers to one workspace do not hold up the
 * others.
 */
const partOfOne = 1 / 2;
/**
 * A mass send waits until this many permits are free, or all that it wants, because it claims as many recipients by one
 * statement.
 */
const worthAClaim = 16;

/** A mass send that waits. */
interface Mass {
  readonly wanted: number;
  readonly tell: Tell<number>;
}

/**
 * Limits the calls to the platform that a process makes at the same time to the connections it has for them, so that
 * none waits inside the HTTP client while its claim runs out. People's messages go first, then mass sends, the
 * workspaces in turn.
 */
export class Permits {
  private readonly people = new WorkspaceTurns<Tell<number>>();
  private readonly mass = new WorkspaceTurns<Mass>();
  /** What people of a workspace hold. */
  private readonly heldBy = new Map<number, number>();
  private readonly maxOfOne: number;
  private readonly worthAClaim: number;
  private free: number;
  private freeForMass: number;

  constructor(size: number) {
    this.free = size;
    this.maxOfOne = Math.ceil(size * partOfOne);
    this.freeForMass = Math.floor(size * massPart);
    this.worthAClaim = Math.min(worthAClaim, this.freeForMass);
  }

  /** Takes a permit for a person's call; false where none came free in time. */
  async takeOne(workspaceId: number, waitMs: number): Promise<boolean> {
    const given = await toldInTime<number>(waitMs, {
      join: (tell) => {
        this.people.add(workspaceId, tell);
        this.serve();
      },
      leave: (tell) => this.people.remove(workspaceId, tell),
    });
    return given === 1;
  }

  /** Takes up to `wanted` permits for a mass send; 0 where too few came free in time. */
  async takeMany(workspaceId: number, wanted: number, waitMs: number): Promise<number> {
    let waiter: Mass | null = null;
    const given = await toldInTime<number>(waitMs, {
      join: (tell) => {
        waiter = { wanted, tell };
        this.mass.add(workspaceId, waiter);
        this.serve();
      },
      leave: () => waiter && this.mass.remove(workspaceId, waiter),
    });
    return given ?? 0;
  }

  giveBack(rank: Rank, workspaceId: number, count = 1): void {
    this.free += count;
    if (rank === 'mass') this.freeForMass += count;
    else this.hold(workspaceId, -count);
    this.serve();
  }

  private serve(): void {
    while (this.free > 0) {
      const next = this.people.shift((workspaceId) => (this.heldBy.get(workspaceId) ?? 0) < this.maxOfOne);
      if (!next) break;
      this.free -= 1;
      this.hold(next.workspaceId, 1);
      next.waiter(1);
    }
    for (;;) {
      const free = Math.min(this.free, this.freeForMass);
      const next = this.mass.shift((_workspaceId, { wanted }) => free >= Math.min(this.worthAClaim, wanted));
      if (!next) return;
      const given = Math.min(free, next.waiter.wanted);
      this.free -= given;
      this.freeForMass -= given;
      next.waiter.tell(given);
    }
  }

  private hold(workspaceId: number, change: number): void {
    const held = (this.heldBy.get(workspaceId) ?? 0) + change;
    if (held === 0) this.heldBy.delete(workspaceId);
    else this.heldBy.set(workspaceId, held);
  }
}
