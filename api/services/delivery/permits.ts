import type { Runtime } from '../../core/runtime';
import { maxBroadcastCalls, maxNotificationCalls, maxNotificationSends, sendConnections } from '../../core/sendLimits';
import { reserveSlots, type Slots } from './slots';

/** How long a send waits for its permit before it is given back to whoever asked. */
const maxPermitWaitMs = 2_000;
/** How long a chunk of a broadcast waits for permits: longer, and it would hold a worker for nothing. */
const maxBulkWaitMs = 1_000;
/** Below so many free permits a caller waits for more, so that claims stay worth a statement. */
const worthwhile = 16;
const maxPauseMs = 1_000;
/**
 * While agents write, a process makes no more calls of broadcasts than the platform allows its fastest number: beyond
 * that they only take processor and database from what people wait for. Alone they go as fast as they can.
 */
const besideAgentsPerSecond = 1_000;
const maxDriftMs = 60;

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

/** The permits of one kind of mass send. */
interface MassPermits {
  /** Permits that nobody holds. */
  free: number;
  /** Whether agents write, and when the next call may be made meanwhile. */
  besideAgents: boolean;
  notBefore: number;
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

function massPermits(free: number): MassPermits {
  return { free, besideAgents: false, notBefore: 0, byNumber: new Map<number, NumberQueue>() };
}

function permitsFor(runtime: Runtime): ProcessPermits {
  const known = permitsOf.get(runtime) ?? {
    agent: new PermitPool(sendConnections.agent),
    notification: new PermitPool(maxNotificationSends),
    mass: { broadcast: massPermits(maxBroadcastCalls), notification: massPermits(maxNotificationCalls) },
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
  const permits = permitsFor(runtime).mass[kind];
  permits.free += count;
  serveWaiting(runtime, permits);
}

/** Serves the numbers that wait, those first that were served longest ago. */
function serveWaiting(runtime: Runtime, permits: MassPermits): void {
  for (const [numberPk, queue] of [...permits.byNumber]) void serve(runtime, permits, numberPk, queue);
}

/**
 * Says when the next call may be made beside agents: pauses that came out longer are made up for, and what went out
 * faster before is no debt.
 */
function paced(notBefore: number, granted: number): number {
  const now = Date.now();
  return Math.min(Math.max(notBefore, now - maxDriftMs) + (granted / besideAgentsPerSecond) * 1_000, now + maxDriftMs);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Reserves throughput for those who wait for a number and hands it out, until nobody waits or no permit is free. */
async function serve(runtime: Runtime, permits: MassPermits, numberPk: number, queue: NumberQueue): Promise<void> {
  if (queue.reserving) return;
  queue.reserving = true;
  try {
    for (let first = queue.waiting[0]; first; first = queue.waiting[0]) {
      if (permits.free < Math.min(worthwhile, first.wanted)) return;
      const pauseMs = permits.besideAgents ? permits.notBefore - Date.now() : 0;
      if (pauseMs > 0) {
        await pause(pauseMs);
        continue;
      }
      const { granted, waitMs, besideAgents } = await reserve(runtime, permits, numberPk, queue);
      permits.besideAgents = besideAgents === true;
      permits.notBefore = paced(permits.notBefore, granted);
      if (granted === 0) {
        await pause(Math.min(Math.max(waitMs, 5), maxPauseMs));
        continue;
      }
      handOut(runtime, queue, granted);
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
 * numbers at once.
 */
async function reserve(runtime: Runtime, permits: MassPermits, numberPk: number, queue: NumberQueue): Promise<Slots> {
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
      { event: 'send_slots.not_reserved', reason: error instanceof Error ? error.message : String(error) },
      'send slots could not be reserved yet',
    );
  }
  permits.free += asked - slots.granted;
  // Others found nothing free while these were held, and nothing else may come to wake them.
  if (slots.granted < asked) queueMicrotask(() => serveWaiting(runtime, permits));
  return slots;
}

function handOut(runtime: Runtime, queue: NumberQueue, granted: number): void {
  let left = granted;
  while (left > 0) {
    const next = queue.waiting.shift();
    if (!next) break;
    const share = Math.min(left, next.wanted);
    left -= share;
    next.give(share);
  }
  // Whoever asked for them has given up meanwhile.
  if (left > 0) giveBackPermits(runtime, left);
}
