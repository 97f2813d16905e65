import type { Runtime } from '../../core/runtime';
import { reserveSlots } from '../../core/sendSlots';

/** Calls of mass sends that one process has under way; the upstream client's other connections are the agents'. */
const processCalls = 56;
/** Below so many free calls a caller waits for more, so that claims stay worth a statement. */
const worthwhile = 16;
const longestPauseMs = 1_000;
/**
 * While agents write, a process makes no more calls of mass sends than the platform allows its fastest number: beyond
 * that they only take processor and database from what people wait for. Alone they go as fast as they can.
 */
const besideAgentsPerSecond = 1_000;
const agentsWriteForMs = 2_000;
const longestDriftMs = 60;

interface Waiting {
  readonly wanted: number;
  readonly give: (granted: number) => void;
}

/** The mass sends of one process by one phone number: they reserve together and share fairly. */
interface Line {
  readonly waiting: Waiting[];
  pumping: boolean;
}

interface Lines {
  free: number;
  /** Until when agents count as writing, and when the next call of a mass send may be made meanwhile. */
  agentsUntil: number;
  notBefore: number;
  readonly byNumber: Map<number, Line>;
}

const linesOf = new WeakMap<Runtime, Lines>();

function linesFor(runtime: Runtime): Lines {
  const known = linesOf.get(runtime) ?? {
    free: processCalls,
    agentsUntil: 0,
    notBefore: 0,
    byNumber: new Map<number, Line>(),
  };
  linesOf.set(runtime, known);
  return known;
}

/** An agent's message goes out from this process. */
export function noteAgentSend(runtime: Runtime): void {
  linesFor(runtime).agentsUntil = Date.now() + agentsWriteForMs;
}

/** Waits for the right to make up to `wanted` calls now; each must be given back by `giveBackCalls` when it has ended. */
export function takeCalls(runtime: Runtime, numberPk: number, wanted: number): Promise<number> {
  const lines = linesFor(runtime);
  const line = lines.byNumber.get(numberPk) ?? { waiting: [], pumping: false };
  lines.byNumber.set(numberPk, line);
  return new Promise((resolve, reject) => {
    line.waiting.push({ wanted, give: resolve });
    pump(runtime, lines, numberPk, line).catch(reject);
  });
}

/** Calls that ended, or were never made. */
export function giveBackCalls(runtime: Runtime, count: number): void {
  const lines = linesFor(runtime);
  lines.free += count;
  for (const [numberPk, line] of lines.byNumber)
    pump(runtime, lines, numberPk, line).catch((error: unknown) =>
      runtime.logger.warn({ reason: String(error) }, 'send slots could not be reserved'),
    );
}

/** When the next call may be made beside agents: pauses that came out longer are made up for, and what went out faster before is no debt. */
function paced(notBefore: number, granted: number): number {
  const now = Date.now();
  return Math.min(
    Math.max(notBefore, now - longestDriftMs) + (granted / besideAgentsPerSecond) * 1_000,
    now + longestDriftMs,
  );
}

async function pump(runtime: Runtime, lines: Lines, numberPk: number, line: Line): Promise<void> {
  if (line.pumping) return;
  line.pumping = true;
  try {
    for (let first = line.waiting[0]; first; first = line.waiting[0]) {
      if (lines.free < Math.min(worthwhile, first.wanted)) return;
      const pauseMs = Date.now() < lines.agentsUntil ? lines.notBefore - Date.now() : 0;
      if (pauseMs > 0) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        continue;
      }
      const asked = Math.min(
        lines.free,
        line.waiting.reduce((sum, { wanted }) => sum + wanted, 0),
      );
      lines.free -= asked;
      let granted = 0;
      let waitMs = 250;
      try {
        ({ granted, waitMs } = await reserveSlots(runtime, numberPk, asked, 'bulk'));
      } catch (error) {
        // Whoever waits here holds no row; the database will be back.
        runtime.logger.debug(
          { reason: error instanceof Error ? error.message : String(error) },
          'send slots could not be reserved yet',
        );
      }
      lines.free += asked - granted;
      lines.notBefore = paced(lines.notBefore, granted);
      if (granted === 0) {
        await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(waitMs, 5), longestPauseMs)));
        continue;
      }
      while (granted > 0) {
        const next = line.waiting.shift();
        if (!next) break;
        const share = Math.min(granted, next.wanted);
        granted -= share;
        next.give(share);
      }
      lines.free += granted;
    }
  } finally {
    line.pumping = false;
    if (line.waiting.length === 0) lines.byNumber.delete(numberPk);
  }
}
