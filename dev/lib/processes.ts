import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './launcher';

export const windows = process.platform === 'win32';

const keptOutput = 200_000;
const tickMs = 15_000;

/** Groups of processes that we started and that have not ended. */
const alive = new Set<number>();

// Last resort: nothing that we started outlives this process.
process.on('exit', () => {
  for (const pid of alive) signal(pid, 'SIGKILL');
});

/** Ends the process with us, however we end, until it is released. */
export function hold(pid: number | undefined): { release(): void } {
  if (pid !== undefined) alive.add(pid);
  return { release: () => void (pid !== undefined && alive.delete(pid)) };
}

/**
 * Returns what tells a process from a later one with the same number: its start time. Empty when there is no such
 * process (a zombie counts as none).
 */
export function identityOf(pid: number | undefined): string {
  if (pid === undefined || !Number.isInteger(pid) || pid < 2) return '';
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return '';
  }
  try {
    if (process.platform === 'linux') {
      // The command's name, in brackets, may hold spaces: fields are counted from the last bracket.
      const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? '' : (fields[19] ?? '');
    }
    if (!windows) return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
  return 'running';
}

/** Sends a signal to a process and, where it leads a group of its own, to the whole group. */
export function signal(pid: number, name: NodeJS.Signals): void {
  for (const target of windows ? [pid] : [-pid, pid]) {
    try {
      process.kill(target, name);
      return;
    } catch {
      // No group of that number, or it ended between the look and the signal.
    }
  }
}

/** Calls `check` until it returns true; returns false after `limitMs`. */
export async function until(check: () => boolean | Promise<boolean>, limitMs: number, everyMs = 100): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    if (await check()) return true;
    if (Date.now() >= deadline) return false;
    await sleep(everyMs);
  }
}

/**
 * Calls back once when the process that started us is gone. npm runs a script through a shell, which does not pass
 * SIGTERM on: without this, ending npm would leave us running.
 */
export function onParentGone(parentPid: number, callback: () => void): void {
  if (windows || !process.env['npm_lifecycle_event']) return;
  const timer = setInterval(() => {
    if (process.ppid === parentPid) return;
    clearInterval(timer);
    callback();
  }, 500);
  timer.unref();
}

/** How a command is run. */
interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly limitMs?: number;
  /** A line every 15 s says that it still works. */
  readonly log?: Log;
  readonly label?: string;
}

/** How a command ended. */
interface RunResult {
  readonly code: number;
  /** What it wrote, to stdout and stderr. */
  readonly output: string;
  readonly timedOut: boolean;
  readonly seconds: number;
}

/** Runs a command to its end. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return new Promise((resolve) => {
    const began = Date.now();
    let output = '';
    let timedOut = false;
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: !windows,
      windowsHide: true,
    });
    const held = hold(child.pid);
    const ticker = setInterval(
      () => options.log?.(`  still ${options.label ?? command} (${Math.round((Date.now() - began) / 1000)} s)`),
      tickMs,
    );
    const limit = options.limitMs
      ? setTimeout(() => {
          timedOut = true;
          if (child.pid !== undefined) signal(child.pid, 'SIGKILL');
        }, options.limitMs)
      : undefined;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-keptOutput)));

    let isDone = false;
    function finish(code: number): void {
      if (isDone) return;
      isDone = true;
      held.release();
      clearInterval(ticker);
      clearTimeout(limit);
      resolve({ code, output, timedOut, seconds: (Date.now() - began) / 1000 });
    }
    child.on('error', (error) => {
      output += error.message;
      finish(127);
    });
    child.on('close', (code) => finish(code ?? 1));
  });
}

/** Returns the path of a program found on PATH, or an empty text. */
export function onPath(name: string): string {
  const names = windows ? [`${name}.exe`, `${name}.cmd`, name] : [name];
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    for (const candidate of names) {
      const file = path.join(folder || '.', candidate);
      try {
        if (!fs.statSync(file).isFile()) continue;
        fs.accessSync(file, fs.constants.X_OK);
        return file;
      } catch {
        // Not here.
      }
    }
  }
  return '';
}

/** Returns the first line of a program's failure that says something, short enough for one line. */
export function reasonOf(output: string): string {
  const lines = output
    .replace(/error sending request for url \(\S+\):? ?/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const telling =
    lines.find((line) => /error|fail|cannot|could not|denied|refused|not found|unable/i.test(line)) ??
    lines.at(-1) ??
    'no output';
  return telling.length > 220 ? `${telling.slice(0, 220)}…` : telling;
}
