import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from './launcher';
import { hold, signal, windows } from './processes';

const leash = path.join(__dirname, 'leash.js');
const keptLines = 40;
const shownLines = 20;
const usualGraceMs = 15_000;

/** What a child says when it is ready, over IPC. */
interface Ready {
  readonly ready: true;
  /** The process of the server that it runs. */
  readonly pid?: number;
  readonly url?: string;
  readonly address?: string;
}

/** Takes a line of a child's output. */
export type OnLine = (line: string, stream: 'stdout' | 'stderr') => void;

/** What is to be started. */
interface ChildOptions {
  readonly name: string;
  /** A program, or a script for Node: that one ends by itself when this process is gone, however it ended. */
  readonly command?: string;
  readonly script?: string;
  /** What Node is told beside it. */
  readonly nodeOptions?: readonly string[];
  readonly args?: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly onLine?: OnLine;
  /** It writes straight to our own output. */
  readonly inherit?: boolean;
}

/** A long-lived child. */
export interface Child {
  readonly name: string;
  readonly pid: number | undefined;
  readonly running: boolean;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly ready: Ready | null;
  readonly exited: Promise<void>;
  /** Returns its last lines. */
  tail(): string[];
  send(name: NodeJS.Signals): void;
  /** Waits for its `{ready: true}` message; fails with its last lines when it ends first or takes too long. */
  waitReady(limitMs: number): Promise<Ready>;
  /** Asks it to stop, and ends its whole group when it does not within the grace time. */
  stop(graceMs?: number): Promise<void>;
}

/** Feeds a stream to `onLine` by whole lines. */
function eachLine(stream: Readable | null, onLine: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line.replace(/\r$/, ''));
  });
  stream?.on('end', () => {
    if (rest) onLine(rest);
  });
}

/** Returns how a child ended, in words. */
export function endOf(child: Pick<Child, 'signal' | 'code'>): string {
  return child.signal ?? `code ${child.code}`;
}

/** Returns the last lines of a child, indented, after a colon; a full stop where there are none. */
export function lastLines(child: Pick<Child, 'tail'>, count = shownLines): string {
  const lines = child.tail().slice(-count);
  return lines.length === 0 ? '.' : `:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

/**
 * Starts a child in a process group of its own, so that Ctrl-C at the terminal reaches only us and we decide the order
 * of stopping.
 */
export function startChild(options: ChildOptions): Child {
  const { name, script } = options;
  const command = script === undefined ? (options.command ?? '') : process.execPath;
  const own = script === undefined ? [] : [...(options.nodeOptions ?? []), '--require', leash, script];
  const args = [...own, ...(options.args ?? [])];
  const output = options.inherit ? 'inherit' : 'pipe';
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: script === undefined ? ['ignore', output, output] : ['ignore', output, output, 'ipc'],
    detached: !windows,
    windowsHide: true,
  });
  const held = hold(child.pid);
  const tail: string[] = [];
  const state = {
    running: true,
    code: null as number | null,
    signal: null as NodeJS.Signals | null,
    ready: null as Ready | null,
  };

  const keep: OnLine = (text, stream) => {
    tail.push(text);
    if (tail.length > keptLines) tail.shift();
    options.onLine?.(text, stream);
  };
  eachLine(child.stdout, (text) => keep(text, 'stdout'));
  eachLine(child.stderr, (text) => keep(text, 'stderr'));

  let resolveReady: (message: Ready) => void = () => undefined;
  const readiness = new Promise<Ready>((resolve) => (resolveReady = resolve));
  child.on('message', (message) => {
    if (!(message as Partial<Ready> | null)?.ready) return;
    state.ready = message as Ready;
    resolveReady(state.ready);
  });
  const exited = new Promise<void>((resolve) => {
    function ended(code: number | null, by: NodeJS.Signals | null): void {
      if (!state.running) return;
      Object.assign(state, { running: false, code, signal: by });
      held.release();
      resolve();
    }
    child.on('error', (error) => {
      keep(error.message, 'stderr');
      if (child.pid === undefined) ended(127, null);
    });
    child.on('exit', ended);
  });

  function send(by: NodeJS.Signals): void {
    if (state.running && child.pid !== undefined) signal(child.pid, by);
  }

  return {
    name,
    pid: child.pid,
    exited,
    get running() {
      return state.running;
    },
    get code() {
      return state.code;
    },
    get signal() {
      return state.signal;
    },
    get ready() {
      return state.ready;
    },
    tail: () => [...tail],
    send,
    async waitReady(limitMs) {
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<'timeout'>((resolve) => (timer = setTimeout(resolve, limitMs, 'timeout')));
      const first = await Promise.race([readiness, exited, timeout]);
      clearTimeout(timer);
      if (typeof first === 'object') return first;
      // The pipe may still hold what the child said last.
      await sleep(50);
      const what =
        first === 'timeout' ? `was not ready within ${limitMs / 1000} s` : `ended at start (${endOf(state)})`;
      throw new UserError(`${name} ${what}${lastLines({ tail: () => tail })}`);
    },
    async stop(graceMs = usualGraceMs) {
      if (!state.running || child.pid === undefined) return;
      try {
        // Only the child itself: it ends its own helpers in its own order.
        process.kill(child.pid, windows ? 'SIGKILL' : 'SIGTERM');
      } catch {
        // Already gone; its exit event is on the way.
      }
      const timer = setTimeout(() => send('SIGKILL'), graceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}
