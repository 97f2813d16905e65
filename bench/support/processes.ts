import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { sleep } from './stats';

/** A part of the service, or a baseline, in a process of its own. */
export interface Child {
  readonly pid: number;
  readonly url: string;
  stop(): Promise<void>;
}

const dist = path.join(__dirname, '..', '..');
const keptLines = 30;

/** Starts a compiled file of this repository and waits until it says `ready` on stdout, or answers at `url`. */
export async function startProcess(
  script: string,
  env: Record<string, string>,
  ready: { readonly line: string } | { readonly url: string },
): Promise<Child> {
  const child = spawn(
    process.execPath,
    [...(process.env['BENCH_NODE_ARGS']?.split(' ') ?? []), path.join(dist, script)],
    {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const lines: string[] = [];
  let said = '';
  const keep = (chunk: Buffer): void => {
    said = `${said}${chunk.toString()}`.slice(-4_000);
    lines.push(chunk.toString());
    if (lines.length > keptLines) lines.shift();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  // However this process ends, its children end with it.
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);

  const deadline = Date.now() + 60_000;
  while (!('line' in ready ? said.includes(ready.line) : await answers(ready.url))) {
    if (!running() || Date.now() > deadline) throw new Error(`${script} did not start:\n${lines.join('')}`);
    await sleep(50);
  }
  return {
    pid: child.pid ?? 0,
    url: 'url' in ready ? new URL(ready.url).origin : '',
    async stop() {
      process.removeListener('exit', end);
      if (!running()) return;
      child.kill('SIGTERM');
      const forced = setTimeout(end, 30_000);
      await exited;
      clearTimeout(forced);
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/**
 * Resident memory of a process in MB: now and at its highest. Zero where the system does not tell (only Linux does).
 */
export function memoryOf(pid: number): { readonly nowMb: number; readonly peakMb: number } {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return { nowMb: 0, peakMb: 0 };
  }
  const of = (name: string): number =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024);
  return { nowMb: of('VmRSS'), peakMb: of('VmHWM') };
}

/**
 * Processor time that a process has used, in ms, by the system's clock of 10 ms; zero where the system does not tell.
 */
export function processorMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}

/**
 * Time of all processors together since the machine began, in ms, and how much of it nothing used; zeros where the
 * system does not tell.
 */
export function machineMs(): { readonly all: number; readonly idle: number } {
  try {
    const [, ...ticks] = readFileSync('/proc/stat', 'utf8').split('\n')[0]?.trim().split(/\s+/) ?? [];
    // The first eight; guests' time is part of user time already.
    const all = ticks.slice(0, 8).reduce((sum, tick) => sum + Number(tick), 0);
    return { all: all * 10, idle: (Number(ticks[3]) + Number(ticks[4])) * 10 };
  } catch {
    return { all: 0, idle: 0 };
  }
}

/**
 * Processor time of a server with all processes that it has started (PostgreSQL has one per connection), those that
 * have ended included.
 */
export function familyMs(pid: number): number {
  const fieldsOf = (of: number | string): readonly string[] => {
    try {
      return readFileSync(`/proc/${of}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    } catch {
      return [];
    }
  };
  const sum = (fields: readonly string[], columns: readonly number[]): number =>
    columns.reduce((total, column) => total + Number(fields[column] ?? 0) * 10, 0);
  let children: string[];
  try {
    children = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return 0;
  }
  const own = sum(fieldsOf(pid), [11, 12, 13, 14]);
  return children
    .map(fieldsOf)
    .filter((fields) => Number(fields[1]) === pid)
    .reduce((total, fields) => total + sum(fields, [11, 12]), own);
}
