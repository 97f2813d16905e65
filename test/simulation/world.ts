import { AsyncLocalStorage } from 'node:async_hooks';
import { Chance } from './chance';
import { real } from './realTime';
import { Trace } from './trace';

/** Something that acts by itself: a process of the service, Temporal, the platform. */
export interface Party {
  readonly name: string;
  alive: boolean;
  /** When it died. */
  endMs: number;
  /** How far its clock is ahead of the true time. */
  skewMs: number;
  /** Until when it does nothing: a machine that was frozen, a server that is away. */
  asleepUntilMs: number;
  /** How often it is drawn, beside others: one that is slow leaves them time at each of its boundaries. */
  pace: number;
  /** How long each step takes on its way at most, where the database and all others answer it slowly; else 0. */
  dragMs: number;
  /** Whether it is of the version before (versions.ts). */
  readonly isOlder: boolean;
}

export function party(name: string, isOlder = false): Party {
  return { isOlder, name, alive: true, endMs: Infinity, skewMs: 0, asleepUntilMs: 0, pace: 1, dragMs: 0 };
}

/** Who acts: whatever a process awaits goes on in its own name. */
export const acting = new AsyncLocalStorage<Party>();
/** True while a periodic look runs: it alone keeps nothing going. */
export const looking = new AsyncLocalStorage<boolean>();

/** A boundary at which somebody is parked until the scheduler draws it. */
interface Gate {
  /** Who has to be alive and awake for it to happen. */
  readonly needs: readonly Party[];
  readonly label: string;
  readonly order: number;
  readonly notBeforeMs: number;
  /** Whether it is part of a periodic look. */
  readonly isLook: boolean;
  readonly run: () => void | Promise<void>;
}

export interface Timer {
  readonly owner: Party;
  readonly label: string;
  readonly order: number;
  readonly delayMs: number;
  dueMs: number;
  /** A periodic look: time does not stop for it where nothing is going on. */
  readonly soft: boolean;
  /** The look whose pause it is: a longer one while nothing stirs. */
  readonly look: Look | null;
  readonly run: () => void;
}

/** Something that looks at the database from time to time. */
export interface Look {
  readonly owner: Party;
  /** At which stir of the world it last found nothing to do. */
  quietSince: number;
}

/** When a run began, as all its clocks say: a Monday morning. */
export const startMs = Date.UTC(2027, 0, 4, 8);
/** Steps of the event loop without anything new, after which all wait for the scheduler. */
const quietTurns = 3;
/** The longest usual pause of a worker's loops: by then each has looked. */
const quietPauseMs = 5_000;
/** How often a periodic look is made though nothing is known to be due. */
const looksFor = 0.1;
/** A step that ends no sooner is a fault of the simulation itself. */
const maxRealWaitMs = 20_000;

/** One simulated world: its time, and who acts next. */
export class World {
  nowMs = startMs;
  boundaries = 0;
  /** Changes of who acts. */
  interleavings = 0;
  /** Real calls under way that end by themselves: connections being opened. */
  io = 0;
  readonly chance: Chance;
  readonly trace: Trace;
  readonly looks: Look[] = [];
  /** Ran when all is quiet: conditions of workflows, which may let somebody go on. True where it did. */
  onQuiet: () => boolean = () => false;
  /** Ran before something happens that is no periodic look: a fault of who is about to act. */
  onBoundary: (actors: readonly Party[], label: string) => Promise<void> = () => Promise.resolve();
  /** Ran before a step of a periodic look, which others need not fear for. */
  onLook: (actors: readonly Party[], label: string) => Promise<void> = () => Promise.resolve();
  /** How often a step on the way (a statement, its answer, a call) takes long, and how long at most. */
  lags = 0;
  maxLagMs = 1;
  private gates: Gate[] = [];
  private timers: Timer[] = [];
  private orders = 0;
  private activity = 0;
  private stirs = 1;
  private last: Party | null = null;
  private backoffMs = 0;
  /** What happens as somebody comes to a boundary, once each. */
  private met: { readonly owner: Party; readonly at: RegExp; readonly act: () => void }[] = [];
  /** Whether something waits that is due, as far as was asked last. */
  private isOverdue = false;

  constructor(
    readonly seed: number,
    options: { readonly printsTrace: boolean },
  ) {
    this.chance = new Chance(seed, 'order');
    this.trace = new Trace(options.printsTrace);
  }

  /** Says that something happened which others may have to react to. */
  stir(): void {
    this.stirs += 1;
    this.backoffMs = 0;
  }

  note(who: string, what: string): void {
    this.trace.add(this.nowMs - startMs, who, what);
  }

  /** Parks an action until it is drawn. */
  park(needs: readonly Party[], label: string, run: () => void | Promise<void>, delayMs = 0): void {
    // What is left of an earlier run, or of a process that died, changes nothing.
    if (needs.some(({ alive }) => !alive)) return;
    this.activity += 1;
    const isLook = looking.getStore() === true;
    if (!isLook) this.stir();
    this.orders += 1;
    this.gates.push({ needs, label, order: this.orders, notBeforeMs: this.nowMs + delayMs, isLook, run });
  }

  /** How long a step on the way takes beside its turn. */
  lag(): number {
    // What is left of an earlier run draws nothing.
    const { alive = true, dragMs = 0 } = acting.getStore() ?? {};
    if (!alive) return 0;
    if (dragMs > 0) return this.chance.spread(dragMs / 2, dragMs);
    return this.chance.hit(this.lags) ? this.chance.spread(1, this.maxLagMs) : 0;
  }

  /** Resolves when the scheduler draws this boundary; never, where one of the parties ends before. */
  pass(needs: readonly Party[], label: string, delayMs = 0): Promise<void> {
    return new Promise((resolve) => this.park(needs, label, resolve, delayMs));
  }

  after(
    owner: Party,
    delayMs: number,
    label: string,
    run: () => void,
    { soft = false, look = null }: { readonly soft?: boolean; readonly look?: Look | null } = {},
  ): Timer {
    this.activity += 1;
    this.orders += 1;
    const timer = {
      owner,
      label,
      order: this.orders,
      delayMs,
      dueMs: this.nowMs + Math.max(0, delayMs),
      soft,
      look,
      run,
    };
    if (owner.alive) this.timers.push(timer);
    return timer;
  }

  /** Lets something happen as the next one comes to a boundary. */
  meet(owner: Party, at: RegExp, act: () => void): void {
    this.met.push({ owner, at, act });
  }

  cancel(timer: Timer): void {
    this.timers = this.timers.filter((other) => other !== timer);
  }

  /** Forgets whatever a party was about to do. */
  end(dead: Party): void {
    dead.alive = false;
    dead.endMs = this.nowMs;
    this.gates = this.gates.filter(({ needs }) => !needs.includes(dead));
    this.timers = this.timers.filter(({ owner }) => owner !== dead);
    this.met = this.met.filter(({ owner }) => owner !== dead);
    this.looks.splice(0, this.looks.length, ...this.looks.filter(({ owner }) => owner !== dead));
    this.stir();
  }

  /** Waits until everybody is parked at a boundary, at a timer, or behind a lock. */
  async settle(): Promise<void> {
    const until = real.now() + maxRealWaitMs;
    for (let quiet = 0; quiet < quietTurns || this.io > 0;) {
      const before = this.activity;
      await new Promise<void>((resolve) => void real.setImmediate(resolve));
      quiet = before === this.activity && this.io === 0 ? quiet + 1 : 0;
      if (quiet >= quietTurns && this.onQuiet()) quiet = 0;
      if (real.now() > until) throw new Error(`the simulation hangs: ${this.io} real calls do not end`);
    }
  }

  /** Lets one thing happen. False where nothing is left to happen before `untilMs`. */
  async step(nextDueMs: () => Promise<number>, untilMs = Infinity): Promise<boolean> {
    await this.settle();
    let candidates = this.candidates();
    while (candidates.length === 0) {
      const target = await this.nextMoment(nextDueMs);
      if (target > untilMs || target === Infinity) return false;
      this.nowMs = Math.max(this.nowMs, target);
      candidates = this.candidates();
    }
    const next = this.draw(candidates);
    this.boundaries += 1;
    this.nowMs += this.chance.spread(0.05, 3);
    const who = 'needs' in next ? (next.needs[0] ?? null) : next.owner;
    if (who !== this.last) this.interleavings += 1;
    this.last = who;
    this.note(who?.name ?? 'world', next.label);
    const met = this.met.filter(({ at }) => at.test(next.label));
    this.met = this.met.filter((one) => !met.includes(one));
    for (const { act } of met) act();
    if ('needs' in next) {
      await (next.isLook ? this.onLook : this.onBoundary)(next.needs, next.label);
      const place = this.gates.indexOf(next);
      // Who was about to act is dead now, or asleep.
      if (place < 0 || next.needs.some(({ asleepUntilMs }) => asleepUntilMs > this.nowMs)) return true;
      this.gates.splice(place, 1);
    } else {
      this.timers.splice(this.timers.indexOf(next), 1);
      if (!next.soft) this.stir();
    }
    await next.run();
    return true;
  }

  /** Draws one of those that can act, by their paces. */
  private draw(candidates: readonly (Gate | Timer)[]): Gate | Timer {
    const paceOf = (one: Gate | Timer): number => ('needs' in one ? (one.needs[0]?.pace ?? 1) : one.owner.pace);
    let left = this.chance.next() * candidates.reduce((sum, one) => sum + paceOf(one), 0);
    for (const one of candidates) {
      left -= paceOf(one);
      if (left < 0) return one;
    }
    return this.chance.pick(candidates);
  }

  /** A look that found nothing since the last stir has time. */
  private dueOf({ dueMs, look }: Timer): number {
    return look?.quietSince === this.stirs ? dueMs + quietPauseMs : dueMs;
  }

  /** Whatever can happen now, in a fixed order. */
  private candidates(): (Gate | Timer)[] {
    const awake = ({ alive, asleepUntilMs }: Party): boolean => alive && asleepUntilMs <= this.nowMs;
    // Looks that would find nothing are made now and then.
    if (!this.isOverdue)
      for (const timer of this.timers)
        if (timer.soft && this.dueOf(timer) <= this.nowMs && !this.chance.hit(looksFor))
          timer.dueMs = this.nowMs + Math.max(1, timer.delayMs);
    const list: (Gate | Timer)[] = [
      ...this.gates.filter(({ needs, notBeforeMs }) => notBeforeMs <= this.nowMs && needs.every(awake)),
      ...this.timers.filter((timer) => this.dueOf(timer) <= this.nowMs && awake(timer.owner)),
    ];
    return list.sort((left, right) => left.order - right.order);
  }

  /** Returns the next time at which something can happen. */
  private async nextMoment(nextDueMs: () => Promise<number>): Promise<number> {
    const ready = (needs: readonly Party[], atMs: number): number =>
      needs.every(({ alive }) => alive) ? Math.max(atMs, ...needs.map(({ asleepUntilMs }) => asleepUntilMs)) : Infinity;
    const hard = Math.min(
      Infinity,
      ...this.gates.map(({ needs, notBeforeMs }) => ready(needs, notBeforeMs)),
      ...this.timers.filter(({ soft }) => !soft).map(({ owner, dueMs }) => ready([owner], dueMs)),
    );
    const soft = Math.min(
      Infinity,
      ...this.timers.filter(({ soft }) => soft).map((timer) => ready([timer.owner], this.dueOf(timer))),
    );
    const notYet = ({ owner, quietSince }: Look): boolean =>
      quietSince < this.stirs && owner.alive && owner.asleepUntilMs <= this.nowMs;
    const due = await nextDueMs();
    // What time alone made due is found by the next look, as soon as if somebody had done something.
    if (due <= this.nowMs && !this.isOverdue) this.stir();
    this.isOverdue = due <= this.nowMs;
    // Idle hours cost nothing: the looks of each second would find nothing.
    if (!this.isOverdue) return Math.min(hard, due);
    if (this.looks.some(notYet)) return Math.min(hard, soft);
    // Nobody took it yet: the looks come again, after a while that grows.
    this.backoffMs = Math.min(Math.max(250, this.backoffMs * 2), 600_000);
    return Math.min(hard, Math.max(soft, this.nowMs + this.backoffMs));
  }

  /** Notes that a periodic look found nothing. */
  foundNothing(look: Look): void {
    look.quietSince = this.stirs;
  }
}
