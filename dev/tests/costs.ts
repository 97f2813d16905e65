import fs from 'node:fs';
import path from 'node:path';

/** What `TEST_COSTS=1` asks for: what takes the processors, by lane, file and test. */
export const isCounted = process.env['TEST_COSTS'] === '1';

/** Seconds: by the clock, of the process that runs the tests, and of what it has started (browsers, programs). */
export interface Cost {
  readonly clock: number;
  readonly own: number;
  readonly started: number;
}

const kinds = ['lane', 'file', 'test'] as const;

/** What something took. */
interface Noted extends Cost {
  readonly kind: (typeof kinds)[number];
  readonly name: string;
}

/** Linux counts in hundredths of a second. */
const ticks = 100;

/** Processor seconds of a process, and of those that it has started and that have ended. */
interface Times {
  readonly parent: number;
  readonly own: number;
  readonly ended: number;
}

function timesOf(pid: string): Times | null {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name, in brackets, may hold spaces: fields are counted from the last bracket.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [own, ended] = [11, 13].map((at) => ((fields[at] ?? 0) + (fields[at + 1] ?? 0)) / ticks);
    return { parent: fields[1] ?? 0, own: own ?? 0, ended: ended ?? 0 };
  } catch {
    // It has ended meanwhile.
    return null;
  }
}

/** Returns the processor seconds of a process and of all that it has started; none where no Linux tells them. */
function secondsOf(pid: number): { readonly own: number; readonly started: number } {
  if (process.platform !== 'linux') return { own: 0, started: 0 };
  const all = new Map<number, Times>();
  for (const name of fs.readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? timesOf(name) : null;
    if (times) all.set(Number(name), times);
  }
  const started = (of: number): number =>
    [...all]
      .filter(([, { parent }]) => parent === of)
      .reduce((sum, [child, { own }]) => sum + own + started(child), all.get(of)?.ended ?? 0);
  return { own: all.get(pid)?.own ?? 0, started: started(pid) };
}

/** Returns the processor seconds of what this process has started and what has ended. */
export const endedSeconds = (): number => timesOf('self')?.ended ?? 0;

/** Returns all processor seconds of a server. */
export function totalOf(pid: number | undefined): number {
  const { own, started } = secondsOf(pid ?? 0);
  return own + started;
}

/** Returns what this process has taken so far. */
export function costNow(): Cost {
  return { clock: performance.now() / 1_000, ...secondsOf(process.pid) };
}

/** Returns what was taken since then. */
export function costSince(began: Cost): Cost {
  const now = costNow();
  return { clock: now.clock - began.clock, own: now.own - began.own, started: now.started - began.started };
}

const fileIn = (folder: string): string => path.join(folder, 'costs');

/** Notes what something took, for `costTable`. */
export function noteCost(folder: string, noted: Noted): void {
  fs.appendFileSync(fileIn(folder), `${JSON.stringify(noted)}\n`);
}

/** So many of a kind are named. */
const named = 40;

/** Returns what was noted as a table: of each kind what took most of the processors. */
export function costTable(folder: string): string {
  const file = fileIn(folder);
  if (!fs.existsSync(file)) return '';
  const all = fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Noted);
  const number = (seconds: number): string => seconds.toFixed(1).padStart(8);
  const lines = kinds.flatMap((kind) => [
    `\n${['   clock', '     own', ' started'].join('')}  seconds by ${kind}`,
    ...all
      .filter((noted) => noted.kind === kind)
      .sort((left, right) => right.own + right.started - left.own - left.started)
      .slice(0, named)
      .map(({ clock, own, started, name }) => `${number(clock)}${number(own)}${number(started)}  ${name}`),
  ]);
  return `${lines.join('\n')}\n`;
}
