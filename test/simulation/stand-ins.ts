/*
 * Puts stand-ins in the place of what would leave the program: Temporal's client and workflow SDK, the connections to
 * the platform, the pauses of the workers' loops. Loaded before anything of the service.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, RetryState, type Duration } from '@temporalio/common';
import { msOptionalToNumber, msToNumber } from '@temporalio/common/lib/time';
import type { Loop } from '../../worker/loop';
import type { Handler, Platform } from './platform';
import { ContinuedAsNew, running, type ActivityOptions, type Run, type Temporal } from './temporal';
import { isNewWorkflow } from './versions';
import { acting, looking, type Look, type Party, type World } from './world';

/** What the stand-ins lead to; another one for each run. */
interface Surroundings {
  readonly world: World;
  readonly temporal: Temporal;
  readonly platform: Platform;
}

let surroundings: Surroundings | null = null;

export function surround(with_: Surroundings): void {
  surroundings = with_;
}

function here(): Surroundings {
  if (!surroundings) throw new Error('nothing is simulated at present');
  return surroundings;
}

function replace(name: string, put: (real: Record<string, unknown>) => Record<string, unknown>): void {
  const file = require.resolve(name);
  const real = require(file) as Record<string, unknown>;
  const known = require.cache[file];
  if (known) known.exports = { ...real, ...put(real) };
}

/** gRPC's word for a server that cannot be reached. */
const unavailable = (): Error => Object.assign(new Error('14 UNAVAILABLE: no connection'), { code: 14 });

/** Makes a call to Temporal: it may not arrive, or its answer may not. */
async function call<T>(what: string, arrive: (temporal: Temporal) => T): Promise<T> {
  const { world, temporal } = here();
  const caller = acting.getStore();
  if (!caller) throw new Error('Temporal is called by nobody');
  await world.pass([caller], `asks Temporal: ${what}`, world.lag());
  if (temporal.isAway || world.chance.hit(temporal.losesCalls)) throw unavailable();
  const result = arrive(temporal);
  const isLost = world.chance.hit(temporal.losesResults);
  await world.pass([caller], isLost ? 'hears nothing of Temporal' : 'hears of Temporal', world.lag());
  if (isLost) throw unavailable();
  return result;
}

/** Throws, as its own code would, where a process is of a version that does not know the workflow. */
function refuseUnknown(type: string): void {
  const caller = acting.getStore();
  if (caller?.isOlder !== true || !isNewWorkflow(type)) return;
  here().temporal.unknown.push(`${caller.name}, of the version before, was to start ${type}`);
  throw new TypeError("Cannot read properties of undefined (reading 'queue')");
}

interface StartOptions {
  readonly workflowId: string;
  readonly args?: unknown[];
  readonly signal?: string;
  readonly signalArgs?: unknown[];
}

class SimulatedClient {
  readonly workflowService = { getSystemInfo: () => call('is it there?', () => ({})) };
  readonly workflow = {
    start: async (type: string, options: StartOptions) => {
      refuseUnknown(type);
      await call(`start ${options.workflowId}`, (temporal) => {
        temporal.take(options.workflowId, options.args ?? []);
        temporal.start(type, options.workflowId, options.args ?? []);
      });
      return this.workflow.getHandle(options.workflowId);
    },
    signalWithStart: async (type: string, options: StartOptions) => {
      refuseUnknown(type);
      await call(`signal ${options.workflowId}`, (temporal) => {
        temporal.take(options.workflowId, options.signalArgs ?? []);
        temporal.start(type, options.workflowId, options.args ?? []);
        temporal.signal(options.workflowId, options.signal ?? '', options.signalArgs ?? []);
      });
      return this.workflow.getHandle(options.workflowId);
    },
    getHandle: (id: string) => ({
      workflowId: id,
      query: (name: string) =>
        call(`query ${id}`, ({ runs }) => {
          const handler = runs.get(id)?.queries.get(name);
          if (!handler) throw Object.assign(new Error('workflow not found'), { code: 5 });
          return handler();
        }),
      result: async () => {
        const run = await call(`result of ${id}`, ({ runs }) => runs.get(id));
        return run?.ended.catch((error: unknown) => {
          throw new WorkflowFailedError('the run failed', error as Error, RetryState.NON_RETRYABLE_FAILURE);
        });
      },
      signal: (name: string, ...args: unknown[]) =>
        call(`signal ${id}`, (temporal) => void temporal.signal(id, name, args)),
    }),
  };

  withDeadline<T>(_deadline: unknown, work: () => Promise<T>): Promise<T> {
    return work();
  }
}

const connection = {
  withDeadline: <T>(_deadline: unknown, work: () => Promise<T>): Promise<T> => work(),
  close: () => Promise.resolve(),
};

function current(): Run {
  const run = running.getStore();
  if (!run) throw new Error('no workflow runs here');
  return run;
}

type SignalOrQuery = { readonly type: 'signal' | 'query'; readonly name: string };

const scopes = new AsyncLocalStorage<Scope>();

/** What workflow code runs together, and may cancel together. */
class Scope {
  readonly abort = new AbortController();
  readonly cancelRequested: Promise<never>;

  constructor() {
    this.cancelRequested = new Promise((_resolve, reject) => {
      this.abort.signal.addEventListener('abort', () => reject(new CancelledFailure('cancelled')));
    });
    this.cancelRequested.catch(() => undefined);
  }

  static current(): Scope {
    return scopes.getStore() ?? new Scope();
  }

  static nonCancellable<T>(work: () => Promise<T>): Promise<T> {
    return new Scope().run(work);
  }

  static cancellable<T>(work: () => Promise<T>): Promise<T> {
    return new Scope().run(work);
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    return scopes.run(this, work);
  }

  cancel(): void {
    this.abort.abort();
  }
}

/** What workflow code asks of its SDK. */
const workflowSdk = {
  defineSignal: (name: string) => ({ type: 'signal', name }),
  defineQuery: (name: string) => ({ type: 'query', name }),
  setHandler(definition: SignalOrQuery, handler: (...args: unknown[]) => unknown) {
    const run = current();
    (definition.type === 'signal' ? run.signals : run.queries).set(definition.name, handler);
    for (const signal of run.early.filter(({ name }) => definition.type === 'signal' && name === definition.name)) {
      run.early.splice(run.early.indexOf(signal), 1);
      handler(...signal.args);
    }
  },
  condition: (holds: () => boolean, timeout?: Duration) =>
    here().temporal.waitFor(current(), AsyncLocalStorage.bind(holds), msOptionalToNumber(timeout)),
  sleep: (duration: Duration) => here().temporal.waitFor(current(), () => false, msToNumber(duration)),
  continueAsNew: (...args: unknown[]) => Promise.reject(new ContinuedAsNew(args)),
  makeContinueAsNewFunc:
    () =>
    (...args: unknown[]) =>
      Promise.reject(new ContinuedAsNew(args)),
  workflowInfo: () => {
    const run = current();
    const { world } = here();
    return {
      workflowId: run.id,
      workflowType: run.type,
      taskQueue: 'msgdesk-interactive',
      // The server suggests it when a history grows long: a few steps are as good for what follows.
      continueAsNewSuggested: run.steps > 3 && world.chance.hit(0.1),
      historyLength: run.steps,
      unsafe: { isReplaying: false },
      searchAttributes: {},
    };
  },
  setCurrentDetails: () => undefined,
  upsertMemo: () => undefined,
  setWorkflowOptions: () => undefined,
  patched: () => true,
  deprecatePatch: () => undefined,
  log: Object.fromEntries(['trace', 'debug', 'info', 'warn', 'error'].map((level) => [level, () => undefined])),
  uuid4: () => `run-${here().world.boundaries}`,
  CancellationScope: Scope,
  proxyActivities: (options: ActivityOptions) => activitiesUnder({ ...options, local: false }),
  proxyLocalActivities: (options: ActivityOptions) => activitiesUnder({ ...options, local: true }),
};

function activitiesUnder(options: ActivityOptions): object {
  return new Proxy(
    {},
    {
      get: (_target, name) =>
        typeof name === 'string'
          ? (...input: unknown[]) => {
              const scope = Scope.current();
              return Promise.race([
                here().temporal.perform(current(), name, input, options, scope.abort.signal),
                scope.cancelRequested,
              ]);
            }
          : undefined,
    },
  );
}

function process(): Party {
  const owner = acting.getStore();
  if (!owner) throw new Error('a loop needs a process');
  return owner;
}

/** The loop of a worker, whose pauses cost nothing while nothing is going on. */
function startLoop(options: {
  readonly name: string;
  readonly idleMs: number;
  readonly step: () => Promise<boolean>;
}): Loop {
  const { world } = here();
  const owner = process();
  const look: Look = { owner, quietSince: 0 };
  world.looks.push(look);
  let isStopped = false;
  let isWoken = false;
  let endPause: (() => void) | null = null;
  let steps = 0;
  let failures = 0;

  const pause = (ms: number): Promise<void> =>
    new Promise<void>((resolve) => {
      const timer = world.after(owner, ms, options.name, resolve, { soft: true, look });
      endPause = () => {
        world.cancel(timer);
        resolve();
      };
    });

  async function run(): Promise<void> {
    while (!isStopped) {
      isWoken = false;
      steps += 1;
      let more = false;
      try {
        more = await looking.run(true, options.step);
        failures = 0;
        if (more) world.stir();
        else world.foundNothing(look);
      } catch (error) {
        failures += 1;
        world.note(owner.name, `${options.name} fails: ${error instanceof Error ? error.message : String(error)}`);
      }
      if (isStopped || more || (isWoken && failures === 0)) continue;
      await pause(failures > 0 ? Math.min(250 * 2 ** failures, 10_000) : options.idleMs);
      endPause = null;
    }
  }
  const ended = run();
  return {
    wake() {
      isWoken = true;
      world.stir();
      endPause?.();
    },
    async stop() {
      isStopped = true;
      endPause?.();
      await ended;
    },
    state: () => [{ name: options.name, idleMs: 0, failures, steps }],
  };
}

replace('@temporalio/client', () => ({ Client: SimulatedClient, Connection: { lazy: () => connection } }));
replace('@temporalio/workflow', () => ({ ...workflowSdk, ApplicationFailure }));
replace('../../worker/loop', () => ({ startLoop }));
replace('undici', (real) => {
  const { Dispatcher } = real as { Dispatcher: new () => object };
  return {
    Agent: class extends Dispatcher {
      dispatch(options: unknown, handler: object): boolean {
        const { compose } = this as unknown as { compose(way: unknown): { dispatch(...args: unknown[]): boolean } };
        // Handlers of the older form are wrapped by a detour.
        if (!('onRequestStart' in handler))
          return compose
            .call(
              this,
              (dispatch: (...args: unknown[]) => boolean) => (given: unknown, by: unknown) => dispatch(given, by),
            )
            .dispatch(options, handler);
        return here().platform.dispatch(options, handler as Handler);
      }
      close(): Promise<void> {
        return Promise.resolve();
      }
      destroy(): Promise<void> {
        return Promise.resolve();
      }
    },
  };
});
// Sequelize tells of each transaction whose connection was lost: here that is a fault of the seed's.
Object.assign(console, {
  warn: (...what: unknown[]) => {
    // Ids of transactions are the library's own: other ones each time.
    const text = what
      .map(String)
      .join(' ')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…');
    surroundings?.world.note(acting.getStore()?.name ?? 'world', `warns: ${text.slice(0, 160)}`);
  },
});
