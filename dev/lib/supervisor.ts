import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endOf, lastLines, type Child, type OnLine } from './children';
import { UserError, type Log } from './launcher';
import { identityOf } from './processes';
import type { KnownProcess } from './running';

const maxLogBytes = 20 * 1024 * 1024;
/** Lines of a child that the console shows in one window. */
const maxShown = 20;
const windowMs = 10_000;
const maxRestartMs = 30_000;
/** Who lived so long has not crashed in a row. */
const stableMs = 60_000;

/** How a service is kept. */
interface ServiceSettings {
  readonly start: (onLine: OnLine) => Child;
  /** Nothing of it on the console. */
  readonly quiet?: boolean;
  /** Crashes in a row before all is given up. */
  readonly patience?: number;
  readonly graceMs?: number;
}

interface Service extends ServiceSettings {
  readonly name: string;
  readonly onLine: OnLine;
  crashes: number;
  settling: boolean;
  child: Child;
}

/** Keeps children running. */
export interface Supervisor {
  /**
   * Starts a service. Until `settle` is called its end is the caller's business: a failed start is an error, not
   * something to try again.
   */
  add(name: string, settings: ServiceSettings): Child;
  /** From now on a child that ends is started again; one that has ended meanwhile is an error. */
  settle(): void;
  /** Stops all in the reverse order of their start. */
  stop(): Promise<void>;
  /** Ends everything at once; PostgreSQL's data is safe, it only has to recover at the next start. */
  force(): void;
}

/** Opens a log file, which is put aside as `.1` at the start when it has grown large. */
function openLog(file: string): fs.WriteStream {
  if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) fs.renameSync(file, `${file}.1`);
  const stream = fs.createWriteStream(file, { flags: 'a', mode: 0o600 });
  stream.on('error', () => undefined);
  return stream;
}

/** Returns what of a child's output is worth the console: its warnings and errors, and what is no log record at all. */
function warningIn(line: string, stream: 'stdout' | 'stderr'): string {
  if (line.startsWith('{')) {
    try {
      const record = JSON.parse(line) as { level?: string; msg?: string; reason?: string; err?: { message?: string } };
      const label = { warn: 'warning: ', error: 'error: ', fatal: 'error: ' }[record.level ?? ''];
      if (!label) return '';
      const cause = record.reason ?? record.err?.message;
      return `${label}${record.msg ?? ''}${cause && cause !== record.msg ? `: ${cause}` : ''}`;
    } catch {
      // Not a log record after all.
    }
  }
  return stream === 'stderr' && line.trim() ? line : '';
}

/** Makes a supervisor that writes logs, shows warnings and starts again what crashed. */
export function createSupervisor(options: {
  readonly logsDir: string;
  readonly log: Log;
  readonly onChange: (children: KnownProcess[]) => void;
  readonly onGiveUp: (error: UserError) => void;
}): Supervisor {
  const { logsDir, log } = options;
  const services: Service[] = [];
  let isStopping = false;
  let isForced = false;

  function changed(): void {
    const list: KnownProcess[] = [];
    for (const { name, child } of services) {
      if (!child.running || child.pid === undefined) continue;
      list.push({ name, pid: child.pid, identity: identityOf(child.pid) });
      const server = child.ready?.pid;
      if (server) list.push({ name: `${name} server`, pid: server, identity: identityOf(server) });
    }
    options.onChange(list);
  }

  function watchOutput(name: string, quiet: boolean): OnLine {
    const target = path.join(logsDir, `${name}.log`);
    const file = openLog(target);
    let shown = 0;
    let hidden = 0;
    let windowEnds = 0;
    return (line, stream) => {
      file.write(`${line}\n`);
      const warning = quiet || isStopping ? '' : warningIn(line, stream);
      if (!warning) return;
      if (Date.now() > windowEnds) {
        if (hidden > 0) log(`[${name}] … and ${hidden} more lines in ${target}`);
        shown = 0;
        hidden = 0;
        windowEnds = Date.now() + windowMs;
      }
      shown += 1;
      if (shown <= maxShown) log(`[${name}] ${warning}`);
      else hidden += 1;
    };
  }

  function watchEnd(service: Service): void {
    const startedAt = Date.now();
    const { child, name } = service;
    void child.exited.then(async () => {
      changed();
      if (isStopping || service.settling) return;
      service.crashes = Date.now() - startedAt > stableMs ? 1 : service.crashes + 1;
      if (service.crashes > (service.patience ?? Infinity)) {
        options.onGiveUp(
          new UserError(`${name} keeps ending (${endOf(child)}). Its last lines${lastLines(child, 15)}`),
        );
        return;
      }
      const delayMs = Math.min(maxRestartMs, 500 * 2 ** service.crashes);
      log(`${name} ended (${endOf(child)}); starting it again in ${delayMs / 1000} s`);
      await sleep(delayMs);
      if (isStopping) return;
      service.child = service.start(service.onLine);
      watchEnd(service);
      changed();
    });
  }

  return {
    add(name, settings) {
      const onLine = watchOutput(name, settings.quiet === true);
      const child = settings.start(onLine);
      const service: Service = { ...settings, name, onLine, child, crashes: 0, settling: true };
      services.push(service);
      watchEnd(service);
      changed();
      return child;
    },
    settle() {
      for (const service of services) {
        if (!service.child.running)
          throw new UserError(`${service.name} ended at start${lastLines(service.child, 15)}`);
        service.settling = false;
      }
      changed();
    },
    async stop() {
      isStopping = true;
      for (const { name, child, graceMs } of [...services].reverse()) {
        if (child.running && !isForced) log(`Stopping ${name}`);
        await child.stop(isForced ? 0 : graceMs);
      }
    },
    force() {
      isForced = true;
      for (const { child } of services) child.send('SIGKILL');
    },
  };
}
