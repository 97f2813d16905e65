import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';
import { setImmediate as othersTurn } from 'node:timers/promises';

/** How long work goes on before others have theirs: a tenth of what contract 16 allows, for machines that are full. */
const turnMs = 20;

/**
 * The turn of a work that comes in many small steps, for example of a file's rows: it asks between two of them whether
 * the turn is over, and lets others have theirs.
 */
export class WorkTurn {
  private begun = performance.now();

  /** `resumed` is told when the work goes on. */
  constructor(private readonly resumed: () => void = () => undefined) {}

  get isOver(): boolean {
    return performance.now() - this.begun > turnMs;
  }

  /** Resolves when others have had their turn. */
  async next(): Promise<void> {
    await othersTurn();
    this.begun = performance.now();
    this.resumed();
  }
}

/** What a share is of. */
const windowSeconds = 60;

/** What was done in a second, by workspace, and how busy the loop had been until then. */
interface Second {
  readonly at: number;
  readonly spent: Map<number, number>;
  readonly until: EventLoopUtilization;
}

/**
 * Counts for whom the event loop of a process works (contract 16). Whoever begins a piece of work for a workspace says
 * so: its time counts until other work begins, or until the loop has gone round. So three places are enough: where a
 * credential is known, where a body has come, and where the database answers. Not counted are what is read before the
 * credential is known, garbage that is collected between two pieces, threads, and what the database does itself.
 */
export class LoopTime {
  private working: { readonly workspaceId: number; readonly since: number } | null = null;
  private goesRound: NodeJS.Immediate | undefined;
  private readonly seconds: Second[] = [];
  private untold = new Map<number, number>();

  constructor(private readonly clock: () => number = () => performance.now()) {}

  /** Says that what follows is done for this workspace, or for none. */
  begin(workspaceId: number | null): void {
    if (workspaceId === (this.working?.workspaceId ?? null)) return;
    const now = this.clock();
    this.end(now);
    if (workspaceId === null) return;
    this.working = { workspaceId, since: now };
    this.goesRound ??= setImmediate(() => {
      this.goesRound = undefined;
      this.end(this.clock());
    });
  }

  private end(now: number): void {
    if (!this.working) return;
    const { workspaceId, since } = this.working;
    this.working = null;
    for (const sums of [this.untold, this.second(now).spent])
      sums.set(workspaceId, (sums.get(workspaceId) ?? 0) + now - since);
  }

  private second(now: number): Second {
    const at = Math.floor(now / 1_000);
    const last = this.seconds.at(-1);
    if (last?.at === at) return last;
    const next = { at, spent: new Map<number, number>(), until: performance.eventLoopUtilization() };
    this.seconds.push(next);
    while (this.seconds[0] && this.seconds[0].at <= at - windowSeconds) this.seconds.shift();
    return next;
  }

  /** Returns in which part of the time, from 0 to 1, the loop was not idle: of a second, or since it last worked. */
  busyPart(): number {
    const now = this.clock();
    const { at } = this.second(now);
    const before = this.seconds.findLast((second) => second.at < at);
    return before ? performance.eventLoopUtilization(before.until).utilization : 0;
  }

  /** Returns after how many seconds a workspace is below its share of the last minute, `part` of it; 0: it is. */
  secondsAbove(workspaceId: number, part: number): number {
    const { at } = this.second(this.clock());
    const shareMs = windowSeconds * 1_000 * part;
    let spent = this.seconds.reduce((sum, second) => sum + (second.spent.get(workspaceId) ?? 0), 0);
    if (spent <= shareMs) return 0;
    const enough = this.seconds.find((second) => (spent -= second.spent.get(workspaceId) ?? 0) <= shareMs);
    return Math.max(1, (enough?.at ?? at) + windowSeconds - at);
  }

  /** Returns the milliseconds of each workspace since this was last asked. */
  take(): ReadonlyMap<number, number> {
    const taken = this.untold;
    this.untold = new Map();
    return taken;
  }
}
