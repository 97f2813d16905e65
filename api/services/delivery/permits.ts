import { reasonOf } from '../../core/faults';
import type { Runtime } from '../../core/runtime';
import { maxBroadcastCalls, maxNotificationCalls, maxNotificationSends, sendConnections } from '../../core/sendLimits';
import { agentsWrite, reserveSlots, type Slots } from './slots';

/** How long a send waits for its permit before it is given back to whoever asked. */
const maxPermitWaitMs = 2_000;
/** How long a chunk of a broadcast waits for permits: longer, and it would hold a worker for nothing. */
const maxBulkWaitMs = 1_000;
/** Below so many free permits a caller waits for more, so that claims stay worth a statement. */
const worthwhile = 16;
const maxPauseMs = 1_000;
/**
 * While people write, whoever they write for, a process makes no more calls of broadcasts than the platform allows its
 * fastest number: all share the database, and beyond that broadcasts only take it from what people wait for. A single
 * number never goes faster, so this holds back many at once, and those share it in turn. Alone they go as fast as they
 * can.
 */
const besideAgentsPerSecond = 1_000;
const maxDriftMs = 60;
/** How long a process goes by what it knows of people who write. */
const agentsKnownForMs = 250;

/** Permits of one kind of single send, given in the order of asking. */
class PermitPool {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Takes a permit; false when none came free in time. */
  async take(waitMs: number): Promise<boolean> {
    if (this.free > 0) {
      this.free -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const grant = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(grant), 1);
        resolve(false);
      }, waitMs);
      this.waiting.push(grant);
    });
  }

  giveBack(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}

interface Waiting {
  readonly wanted: number;
  readonly give: (granted: number) => void;
}

/** The mass sends of one kind and process by one phone number: they reserve together and share fairly. */
interface NumberQueue {
  readonly waiting: Waiting[];
  reserving: boolean;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How fast the mass sends of one kind may reserve: one number after the other, and no faster, while people write. */
class Pace {
  private known: { readonly until: number; readonly agentsWrite: Promise<boolean> } | null = null;
  private lastTurn: Promise<unknown> = Promise.resolve();
  private notBefore = 0;

  constructor(private readonly runtime: Runtime) {}

  /** Reserves at once, or in the order of asking while people write; gives what `reserve` did. */
  async take(reserve: () => Promise<Slots | null>): Promise<Slots | null> {
    if (!(await this.isBesideAgents())) return reserve();
    const turn = this.lastTurn.then(async () => {
      const pauseMs = this.notBefore - Date.now();
      if (pauseMs > 0) await pause(pauseMs);
      const slots = await reserve();
      this.charge(slots?.granted ?? 0);
      return slots;
    });
    // Who comes next waits for the end of this turn, not for what came of it.
    this.lastTurn = turn.catch(() => undefined);
    return turn;
  }

  /** Pauses that came out longer are made up for, within limits. */
  private charge(granted: number): void {
    const ms = (granted / besideAgentsPerSecond) * 1_000;
    this.notBefore = Math.max(this.notBefore, Date.now() - maxDriftMs) + ms;
  }

  private isBesideAgents(): Promise<boolean> {
    if (this.known === null || this.known.until < Date.now()) {
      // While the database cannot be asked nothing is reserved either.
      const asked = agentsWrite(this.runtime).catch(() => false);
      this.known = { until: Date.now() + agentsKnownForMs, agentsWrite: asked };
    }
    return this.known.agentsWrite;
  }
}

/** The permits of one kind of mass send. */
interface MassPermits {
  /** Permits that nobody holds. */
  free: number;
  readonly pace: Pace;
  readonly byNumber: Map<number, NumberQueue>;
}

/** What sends to many at once; each has permits of its own, so that neither waits for the other. */
type MassKind = 'broadcast' | 'notification';

interface ProcessPermits {
  readonly agent: PermitPool;
  readonly notification: PermitPool;
  readonly mass: Readonly<Record<MassKind, MassPermits>>;
}

const permitsOf = new WeakMap<Runtime, ProcessPermits>();

function massPermits(runtime: Runtime, free: number): MassPermits {
  return { free, pace: new Pace(runtime), byNumber: new Map<number, NumberQueue>() };
}

function permitsFor(runtime: Runtime): ProcessPermits {
  const known = permitsOf.get(runtime) ?? {
    agent: new PermitPool(sendConnections.agent),
    notification: new PermitPool(maxNotificationSends),
    mass: {
      broadcast: massPermits(runtime, maxBroadcastCalls),
      notification: massPermits(runtime, maxNotificationCalls),
    },
  };
  permitsOf.set(runtime, known);
  return known;
}

/** Does a single send under a permit, which stands for a free connection; null when none came free in time. */
export async function withSendPermit<T>(
  runtime: Runtime,
  kind: 'agent' | 'notification',
  send: () => Promise<T>,
): Promise<T | null> {
  const permits = permitsFor(runtime);
  if (!(await permits[kind].take(maxPermitWaitMs))) return null;
  try {
    return await send();
  } finally {
    permits[kind].giveBack();
  }
}

/**
 * Waits for the right to make up to `wanted` calls of a mass send now; each must be given back by `giveBackPermits`
 * when it has ended. Zero when none came in time.
 */
export function takePermits(
  runtime: Runtime,
  numberPk: number,
  wanted: number,
  { kind = 'broadcast', waitMs = maxBulkWaitMs }: { readonly kind?: MassKind; readonly waitMs?: number } = {},
): Promise<number> {
  const permits = permitsFor(runtime).mass[kind];
  const queue = permits.byNumber.get(numberPk) ?? { waiting: [], reserving: false };
  permits.byNumber.set(numberPk, queue);
  return new Promise((resolve) => {
    const waiting: Waiting = {
      wanted,
      give: (granted) => {
        clearTimeout(timer);
        resolve(granted);
      },
    };
    const timer = setTimeout(() => {
      queue.waiting.splice(queue.waiting.indexOf(waiting), 1);
      if (queue.waiting.length === 0 && !queue.reserving) permits.byNumber.delete(numberPk);
      resolve(0);
    }, waitMs);
    queue.waiting.push(waiting);
    void serve(runtime, permits, numberPk, queue);
  });
}

/** Gives back permits of calls that ended, or were never made. */
export function giveBackPermits(runtime: Runtime, count: number, kind: MassKind = 'broadcast'): void {
  giveBack(runtime, permitsFor(runtime).mass[kind], count);
}

function giveBack(runtime: Runtime, permits: MassPermits, count: number): void {
  permits.free += count;
  serveWaiting(runtime, permits);
}

/** Serves the numbers that wait, those first that were served longest ago. */
function serveWaiting(runtime: Runtime, permits: MassPermits): void {
  for (const [numberPk, queue] of [...permits.byNumber]) void serve(runtime, permits, numberPk, queue);
}

/** Returns whether so many are free that a statement for them is worth it, or all that are wanted. */
function isWorthwhile(permits: MassPermits, { wanted }: Waiting): boolean {
  return permits.free >= Math.min(worthwhile, wanted);
}

/** Reserves throughput for those who wait for a number and hands it out, until nobody waits or no permit is free. */
async function serve(runtime: Runtime, permits: MassPermits, numberPk: number, queue: NumberQueue): Promise<void> {
  if (queue.reserving) return;
  queue.reserving = true;
  try {
    for (let first = queue.waiting[0]; first; first = queue.waiting[0]) {
      // Whoever gives some back looks for those who wait.
      if (!isWorthwhile(permits, first)) return;
      const slots = await permits.pace.take(() => reserve(runtime, permits, numberPk, queue));
      if (slots === null) continue;
      if (slots.granted === 0) {
        await pause(Math.min(Math.max(slots.waitMs, 5), maxPauseMs));
        continue;
      }
      handOut(runtime, permits, queue, slots.granted);
      // Whoever was served goes to the end of the numbers.
      permits.byNumber.delete(numberPk);
      permits.byNumber.set(numberPk, queue);
    }
  } finally {
    queue.reserving = false;
    if (queue.waiting.length === 0 && permits.byNumber.get(numberPk) === queue) permits.byNumber.delete(numberPk);
  }
}

/**
 * Holds the permits that could be used while the database decides how many may be; the others may be taken by other
 * numbers at once. Null where too few are free, or nobody waits any more.
 */
async function reserve(
  runtime: Runtime,
  permits: MassPermits,
  numberPk: number,
  queue: NumberQueue,
): Promise<Slots | null> {
  const [first] = queue.waiting;
  if (!first || !isWorthwhile(permits, first)) return null;
  const asked = Math.min(
    permits.free,
    queue.waiting.reduce((sum, { wanted }) => sum + wanted, 0),
  );
  permits.free -= asked;
  let slots: Slots = { granted: 0, waitMs: 250 };
  try {
    slots = await reserveSlots(runtime, numberPk, asked, 'bulk');
  } catch (error) {
    // Whoever waits here holds no row; the database will be back.
    runtime.logger.debug(
      { event: 'send_slots.not_reserved', reason: reasonOf(error) },
      'send slots could not be reserved yet',
    );
  }
  permits.free += asked - slots.granted;
  // Others found nothing free while these were held, and nothing else may come to wake them.
  if (slots.granted < asked) queueMicrotask(() => serveWaiting(runtime, permits));
  return slots;
}

function handOut(runtime: Runtime, permits: MassPermits, queue: NumberQueue, granted: number): void {
  let left = granted;
  while (left > 0) {
    const next = queue.waiting.shift();
    if (!next) break;
    const share = Math.min(left, next.wanted);
    left -= share;
    next.give(share);
  }
  // Whoever asked for them has given up meanwhile.
  if (left > 0) giveBack(runtime, permits, left);
}
