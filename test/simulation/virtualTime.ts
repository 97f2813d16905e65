import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import crypto from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Chance } from './chance';
import { real } from './realTime';
import { acting, looking, startMs, type Party, type Timer, type World } from './world';

/** What stands in for a timer of Node. */
class VirtualTimer {
  private timer: Timer | null = null;

  constructor(private readonly begin: () => Timer) {
    this.timer = begin();
  }

  get current(): Timer | null {
    return this.timer;
  }

  refresh(): this {
    this.timer = this.begin();
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

type Callback = (...args: unknown[]) => void;

let world: World | null = null;
/** Each process draws by itself: what one does changes nothing for the others. */
let draws = new WeakMap<Party, Chance>();
let others = new Chance(0, 'values');
const fills = new Chance(0, 'fills');

function drawn(): Chance {
  const owner = acting.getStore();
  if (!owner) return others;
  const known = draws.get(owner) ?? new Chance(world?.seed ?? 0, `values of ${owner.name}`);
  draws.set(owner, known);
  return known;
}

/** Time as the process that asks sees it. */
function nowMs(): number {
  return (world?.nowMs ?? startMs) + (acting.getStore()?.skewMs ?? 0);
}

class VirtualDate extends real.Date {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(Math.floor(nowMs()));
    else super(...(args as [number]));
  }

  static override now(): number {
    return Math.floor(nowMs());
  }
}

function startTimer(callback: Callback, delayMs: number, args: unknown[], repeats: boolean): VirtualTimer | null {
  const owner = acting.getStore();
  const current = world;
  if (!owner || !current) return null;
  // What repeats is a look like those of the workers' loops.
  const soft = repeats || looking.getStore() === true;
  const bound = AsyncResource.bind(() => (soft ? looking.run(true, () => callback(...args)) : callback(...args)));
  const label = `timer ${Math.round(delayMs)} ms`;
  const holder: VirtualTimer = new VirtualTimer(() =>
    current.after(
      owner,
      Math.max(1, delayMs),
      label,
      () => {
        if (repeats) holder.refresh();
        bound();
      },
      { soft },
    ),
  );
  return holder;
}

function stopTimer(handle: unknown): boolean {
  if (!(handle instanceof VirtualTimer)) return false;
  if (handle.current) world?.cancel(handle.current);
  return true;
}

/** Whoever leaves all contexts (that of a transaction, say) stays the process that it is. */
function keepActors(): void {
  const take = AsyncLocalStorage.snapshot.bind(AsyncLocalStorage);
  AsyncLocalStorage.snapshot = () => {
    const within = take();
    return (work, ...args) => {
      const [owner, isLook] = [acting.getStore(), looking.getStore() === true];
      return within(() =>
        acting.getStore() || !owner ? work(...args) : acting.run(owner, () => looking.run(isLook, () => work(...args))),
      );
    };
  };
}

/** Lets the scheduler wait for what goes on at the next turn of the event loop: a router does after many handlers. */
function countImmediates(target: Record<string, unknown>): void {
  const open = new WeakMap<object, () => void>();
  target['setImmediate'] = (callback: Callback, ...args: unknown[]) => {
    const current = world;
    if (!acting.getStore() || !current) return real.setImmediate(callback, ...args);
    current.io += 1;
    let isOpen = true;
    const close = (): void => {
      if (isOpen) current.io -= 1;
      isOpen = false;
    };
    const handle = real.setImmediate(() => {
      close();
      callback(...args);
    });
    open.set(handle, close);
    return handle;
  };
  target['clearImmediate'] = (handle: NodeJS.Immediate | undefined) => {
    if (handle) open.get(handle)?.();
    real.clearImmediate(handle);
  };
}

/** Puts clocks, timers and chance of the whole program under the simulation's; once. */
function installVirtualTime(): void {
  const target = globalThis as unknown as Record<string, unknown>;
  target['Date'] = VirtualDate;
  target['setTimeout'] = (callback: Callback, delayMs = 0, ...args: unknown[]) =>
    startTimer(callback, delayMs, args, false) ?? real.setTimeout(callback, delayMs, ...args);
  target['setInterval'] = (callback: Callback, delayMs = 0, ...args: unknown[]) =>
    startTimer(callback, delayMs, args, true) ?? real.setInterval(callback, delayMs, ...args);
  target['clearTimeout'] = target['clearInterval'] = (handle: unknown) => {
    if (!stopTimer(handle)) real.clearTimeout(handle as NodeJS.Timeout);
  };
  // Clocks jump, the time since a program's start does not.
  performance.now = () => (world?.nowMs ?? startMs) - startMs + 1_000;
  AbortSignal.timeout = (delayMs: number) => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(new DOMException('The operation timed out.', 'TimeoutError')), delayMs);
    return abort.signal;
  };
  countImmediates(target);
  keepActors();
  Math.random = () => drawn().next();
  const values = crypto as unknown as Record<string, unknown>;
  values['randomBytes'] = (size: number) => drawn().bytes(size);
  values['randomFillSync'] = (target: Uint8Array) => {
    // A library keeps some of them for the next run: nobody else's draws may depend on that.
    target.set(fills.bytes(target.length));
    return target;
  };
  const { randomInt } = crypto;
  // Before the first run it is the port of the server: of two simulations at once each has its own.
  values['randomInt'] = (min: number, max?: number) => {
    const [from, below] = max === undefined ? [0, min] : [min, max];
    return world ? from + drawn().below(below - from) : randomInt(from, below);
  };
  values['randomUUID'] = () => {
    const hex = drawn().bytes(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
}

/** Lets all clocks, timers and draws be those of one world from now on. */
export function enter(next: World): void {
  world = next;
  draws = new WeakMap();
  others = new Chance(next.seed, 'values');
}

installVirtualTime();
