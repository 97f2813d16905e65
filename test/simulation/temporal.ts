import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ActivityFailure,
  ApplicationFailure,
  RetryState,
  TimeoutFailure,
  TimeoutType,
  type Duration,
  type RetryPolicy,
} from '@temporalio/common';
import { msOptionalToNumber } from '@temporalio/common/lib/time';
import { acting, looking, party, type Party, type Timer, type World } from './world';

/** How an activity is tried, as workflow code says it. */
export interface ActivityOptions {
  readonly startToCloseTimeout?: Duration;
  readonly scheduleToCloseTimeout?: Duration;
  readonly heartbeatTimeout?: Duration;
  readonly retry?: RetryPolicy;
  readonly local?: boolean;
}

/** A worker process as Temporal sees it. */
interface WorkerParty {
  readonly party: Party;
  /** Runs an activity in the name of the process. */
  perform(name: string, input: unknown[], signal: AbortSignal): Promise<unknown>;
}

interface Condition {
  readonly holds: () => boolean;
  readonly resolve: (held: boolean) => void;
  readonly timer: Timer | null;
}

type Handler = (...args: unknown[]) => unknown;

/** One run of a workflow. It belongs to Temporal: what happens to workers does not end it. */
export class Run {
  readonly signals = new Map<string, Handler>();
  readonly queries = new Map<string, Handler>();
  readonly conditions = new Set<Condition>();
  /** Signals that came before their handler. */
  readonly early: { readonly name: string; readonly args: unknown[] }[] = [];
  readonly ended: Promise<unknown>;
  end: (result: unknown, error?: unknown) => void = () => undefined;
  steps = 0;

  constructor(
    readonly type: string,
    readonly id: string,
  ) {
    this.ended = new Promise((resolve, reject) => {
      this.end = (result, error) => (error === undefined ? resolve(result) : reject(error as Error));
    });
    this.ended.catch(() => undefined);
  }
}

/** Thrown by workflow code that goes on as a new run. */
export class ContinuedAsNew extends Error {
  constructor(readonly args: unknown[]) {
    super('continued as new');
  }
}

/** The run that the code at hand belongs to. */
export const running = new AsyncLocalStorage<Run>();

/** A call to start or to signal a workflow that arrived, with the version of the state that it brought. */
interface Taken {
  readonly id: string;
  readonly version: number;
  readonly atMs: number;
}

type Workflow = (...args: unknown[]) => Promise<unknown>;

/**
 * Begins calls for less time than it takes Temporal to miss its heartbeats (workflows/activities.ts), which is when
 * another worker gets it while the first one lives. All others may run twice from the beginning.
 */
const notAtOnce: ReadonlySet<string> = new Set(['deliverWebhooks']);
/** After a worker died inside of a workflow's task, Temporal gives the task to another one. */
const taskTimeoutMs = 10_000;

/** Stands in for Temporal, by its contract: at least once, late, in any order; runs the service's own workflows. */
export class Temporal {
  readonly party = party('temporal');
  readonly runs = new Map<string, Run>();
  readonly taken: Taken[] = [];
  hasForgotten = false;
  private workers: WorkerParty[] = [];
  /** Runs that ended, and when. */
  readonly ended: { readonly id: string; readonly atMs: number }[] = [];
  /** What ended otherwise than by returning. */
  readonly failed: string[] = [];
  /** What workers of the version before were to start, and do not know. */
  readonly unknown: string[] = [];
  /** How often an activity's result is lost on its way, so that it runs again. */
  losesResults = 0;
  /** How often a call to it does not arrive. */
  losesCalls = 0;
  /** How often an activity is given to two workers: the first one was taken for dead, and was not. */
  doubles = 0;
  private readonly waitingForWorkers = new Set<() => void>();
  /** What is to be done for each activity under way when nothing more is heard of its worker. */
  private readonly watches = new Map<() => void, Party>();

  constructor(
    private readonly world: World,
    private readonly workflows: Readonly<Record<string, unknown>>,
  ) {
    world.onQuiet = () => this.look();
  }

  get isAway(): boolean {
    return this.party.asleepUntilMs > this.world.nowMs;
  }

  register(worker: WorkerParty): void {
    this.workers.push(worker);
    for (const wake of [...this.waitingForWorkers]) wake();
    this.waitingForWorkers.clear();
  }

  /** Notes that a call of a process arrived. */
  take(id: string, [state]: readonly unknown[]): void {
    const { version = 0 } = (state ?? {}) as { readonly version?: number };
    this.taken.push({ id, version, atMs: this.world.nowMs });
  }

  start(type: string, id: string, args: unknown[]): Run {
    const known = this.runs.get(id);
    if (known) return known;
    const run = new Run(type, id);
    this.runs.set(id, run);
    this.world.note('temporal', `begins ${id}`);
    this.begin(run, args);
    return run;
  }

  signal(id: string, name: string, args: unknown[]): boolean {
    const run = this.runs.get(id);
    if (!run) return false;
    this.world.stir();
    const handler = run.signals.get(name);
    if (handler) this.within(run, () => void handler(...args));
    else run.early.push({ name, args });
    return true;
  }

  /** Does something in the name of a run. */
  within<T>(run: Run, work: () => T): T {
    // Whoever asked for it: only the sweeps are looks.
    return looking.run(run.type === 'reconcile', () => acting.run(this.party, () => running.run(run, work)));
  }

  /** Forgets everything: Temporal came back with empty hands. What workers have begun they go on with. */
  forgetAll(): void {
    this.hasForgotten = true;
    for (const run of this.runs.values()) {
      for (const { timer } of run.conditions) if (timer) this.world.cancel(timer);
      run.end(null, new Error('forgotten'));
    }
    this.runs.clear();
    this.world.stir();
  }

  /** Nothing more is heard of a process, for a while or for ever. */
  missHeartbeats(worker: Party): void {
    for (const [notice, watched] of [...this.watches]) if (watched === worker) notice();
  }

  /** Gives a worker nothing more. */
  unregister(worker: Party): void {
    this.workers = this.workers.filter(({ party: other }) => other !== worker);
  }

  waitFor(run: Run, holds: () => boolean, timeoutMs: number | undefined): Promise<boolean> {
    if (holds()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer =
        timeoutMs === undefined
          ? null
          : this.world.after(
              this.party,
              timeoutMs,
              `timer of ${run.id}`,
              () => {
                run.conditions.delete(condition);
                if (this.runs.get(run.id) === run) resolve(false);
              },
              { soft: run.type === 'reconcile' },
            );
      const condition: Condition = { holds, resolve, timer };
      run.conditions.add(condition);
    });
  }

  private begin(run: Run, args: unknown[]): void {
    const workflow = this.workflows[run.type] as Workflow | undefined;
    if (!workflow) throw new Error(`there is no workflow ${run.type}`);
    this.within(run, () => {
      workflow(...args).then(
        (result) => this.finish(run, result),
        (error: unknown) => {
          if (error instanceof ContinuedAsNew) this.continueAsNew(run, error.args);
          else this.finish(run, null, error);
        },
      );
    });
  }

  private continueAsNew(run: Run, args: unknown[]): void {
    if (this.runs.get(run.id) !== run) return;
    run.signals.clear();
    run.conditions.clear();
    run.steps = 0;
    this.world.note('temporal', `continues ${run.id}`);
    this.begin(run, args);
  }

  private finish(run: Run, result: unknown, error?: unknown): void {
    if (this.runs.get(run.id) !== run) return;
    this.runs.delete(run.id);
    this.ended.push({ id: run.id, atMs: this.world.nowMs });
    for (const { timer } of run.conditions) if (timer) this.world.cancel(timer);
    // A macro that was refused ends its run so.
    if (error !== undefined && run.type !== 'macroRun') this.failed.push(`${run.id}: ${describe(error)}`);
    this.world.note('temporal', `ends ${run.id} ${error === undefined ? JSON.stringify(result) : describe(error)}`);
    run.end(result, error);
  }

  /** Lets go on whose condition holds; true where somebody did. */
  private look(): boolean {
    let some = false;
    for (const run of this.runs.values())
      for (const condition of run.conditions)
        if (condition.holds()) {
          run.conditions.delete(condition);
          if (condition.timer) this.world.cancel(condition.timer);
          condition.resolve(true);
          some = true;
        }
    return some;
  }

  /** Runs an activity until it succeeds, or its policy gives it up. */
  async perform(
    run: Run,
    name: string,
    input: unknown[],
    options: ActivityOptions,
    cancelled: AbortSignal,
  ): Promise<unknown> {
    const { retry = {} } = options;
    const first = msOptionalToNumber(retry.initialInterval) ?? 1_000;
    const longest = msOptionalToNumber(retry.maximumInterval) ?? first * 100;
    const giveUpMs = msOptionalToNumber(options.scheduleToCloseTimeout) ?? Infinity;
    const beganMs = this.world.nowMs;
    for (let attempt = 1; ; attempt += 1) {
      run.steps += 1;
      try {
        return await this.attemptOnceOrTwice(name, input, options);
      } catch (error) {
        if (this.runs.get(run.id) !== run) return new Promise(() => undefined);
        // Whoever asked hears of the cancellation by itself.
        if (cancelled.aborted) return new Promise(() => undefined);
        const refused = error instanceof ApplicationFailure && error.nonRetryable === true;
        const pause =
          (error instanceof ApplicationFailure ? msOptionalToNumber(error.nextRetryDelay ?? undefined) : undefined) ??
          Math.min(first * 2 ** (attempt - 1), longest);
        const isOver = attempt >= (retry.maximumAttempts ?? Infinity) || this.world.nowMs + pause - beganMs > giveUpMs;
        if (refused || isOver)
          throw new ActivityFailure(
            'Activity task failed',
            name,
            '1',
            refused ? RetryState.NON_RETRYABLE_FAILURE : RetryState.MAXIMUM_ATTEMPTS_REACHED,
            'simulated',
            error instanceof Error ? asFailure(error) : new ApplicationFailure(String(error)),
          );
        await new Promise<void>((resolve) => void this.world.after(this.party, pause, `pause of ${name}`, resolve));
      }
    }
  }

  /** Whichever of two attempts ends first counts, as where one was given up that went on. */
  private attemptOnceOrTwice(name: string, input: unknown[], options: ActivityOptions): Promise<unknown> {
    let isHeard = true;
    const first = this.attempt(name, input, options, () => isHeard);
    const isDoubled = this.world.chance.hit(this.doubles);
    isHeard = !(isDoubled && notAtOnce.has(name));
    if (!isDoubled || !isHeard) return first;
    const second = new Promise<void>((resolve) => {
      this.world.after(this.party, this.world.chance.spread(1, 3_000), `gives ${name} to another one, too`, resolve);
    }).then(() => this.attempt(name, input, options));
    first.catch(() => undefined);
    second.catch(() => undefined);
    return Promise.race([first, second]);
  }

  /** Gives an activity to one worker; rejects when it fails, or nobody hears of it any more. */
  private async attempt(
    name: string,
    input: unknown[],
    options: ActivityOptions,
    isHeard = (): boolean => true,
  ): Promise<unknown> {
    let worker: WorkerParty | undefined;
    for (;;) {
      const task = `task ${name} ${JSON.stringify(input[0] ?? null).slice(0, 80)}`;
      await this.world.pass([this.party], task, this.world.lag());
      const awake = this.workers.filter(
        ({ party: { alive, asleepUntilMs } }) => alive && asleepUntilMs <= this.world.nowMs,
      );
      if (awake.length > 0) {
        worker = this.world.chance.pick(awake);
        break;
      }
      await new Promise<void>((resolve) => {
        this.waitingForWorkers.add(resolve);
        this.world.after(this.party, 1_000, 'looks for a worker', resolve);
      });
    }
    const chosen = worker;
    this.world.note(chosen.party.name, `takes ${name}`);
    const abort = new AbortController();
    const limitMs = msOptionalToNumber(options.startToCloseTimeout) ?? 60_000;
    const deadMs = options.local ? taskTimeoutMs : (msOptionalToNumber(options.heartbeatTimeout) ?? limitMs);
    return new Promise((resolve, reject) => {
      const timers: Timer[] = [];
      const settle = (end: () => void): void => {
        for (const timer of timers) this.world.cancel(timer);
        this.watches.delete(notice);
        end();
      };
      const timeOut = (after: number, isOver: () => boolean): void => {
        timers.push(
          this.world.after(this.party, after, `limit of ${name}`, () => {
            if (!isOver()) return;
            abort.abort(new Error('TIMEOUT'));
            settle(() => reject(new TimeoutFailure('activity timed out', undefined, TimeoutType.START_TO_CLOSE)));
          }),
        );
      };
      timeOut(limitMs, () => true);
      // Heartbeats end with their process, and pause with it.
      const notice = (): void =>
        timeOut(deadMs, () => !chosen.party.alive || chosen.party.asleepUntilMs > this.world.nowMs);
      if (deadMs < limitMs) this.watches.set(notice, chosen.party);
      const performed = chosen.perform(name, input, abort.signal);
      if (!isHeard()) {
        this.world.note('temporal', `hears no heartbeat of ${name}`);
        performed.catch(() => undefined);
        const unheard = new TimeoutFailure('activity Heartbeat timeout', undefined, TimeoutType.HEARTBEAT);
        timers.push(this.world.after(this.party, deadMs, `misses ${name}`, () => settle(() => reject(unheard))));
        return;
      }
      performed.then(
        (result) => this.report(chosen, name, () => settle(() => resolve(result))),
        (error: unknown) =>
          this.report(chosen, `${name} (failed: ${describe(error)})`, () => settle(() => reject(error as Error))),
      );
    });
  }

  /** Brings the end of an activity to Temporal, if it arrives. */
  private report(worker: WorkerParty, what: string, arrive: () => void): void {
    this.world.park([worker.party, this.party], `reports ${what}`, () => {
      if (!this.world.chance.hit(this.losesResults)) return arrive();
      this.world.note('temporal', 'does not hear of it');
    });
  }
}

function asFailure(error: Error): Error {
  if (error instanceof ApplicationFailure || error instanceof TimeoutFailure) return error;
  return ApplicationFailure.create({ message: error.message, type: error.name, cause: error });
}

function describe(error: unknown): string {
  if (error instanceof ActivityFailure) return `${error.message}: ${describe(error.cause)}`;
  return error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 160) : String(error);
}
