import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startPostgres } from '../postgres/start';
import { provideTemporalCli } from '../temporal/provide';
import { startTemporal } from '../temporal/start';
import type { Child, OnLine } from './children';
import { readJson } from './files';
import type { Log } from './launcher';
import { freePorts } from './ports';
import { identityOf } from './processes';

const ownerFile = 'owner.json';

/** A throwaway PostgreSQL and Temporal on free ports, with all their data in one temporary folder. */
export interface Stack {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly temporalCli: string;
  readonly postgresPid: number | undefined;
  readonly temporalPid: number | undefined;
  /** Stops both and removes the folder, unless KEEP=1. */
  close(): Promise<void>;
}

const keeps = (): boolean => process.env['KEEP'] === '1';

/** Removes a throwaway folder, wherever its parts lie. */
function removeFolder(folder: string): void {
  // Where root's temporary folder is closed to PostgreSQL's user, the data lies elsewhere.
  const elsewhere = path.join(folder, 'postgres', 'location');
  if (fs.existsSync(elsewhere)) fs.rmSync(fs.readFileSync(elsewhere, 'utf8').trim(), { recursive: true, force: true });
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Removes what runs that were killed could not: a folder with an owner that is gone. */
function sweepFolders(): void {
  for (const name of fs.readdirSync(os.tmpdir())) {
    if (!name.startsWith('msgdesk-')) continue;
    const folder = path.join(os.tmpdir(), name);
    // All users share the temporary folder: only folders of our own are trusted and removed.
    const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (!stat?.isDirectory() || (process.getuid && stat.uid !== process.getuid())) continue;
    const owner = readJson<{ pid: number; identity: string }>(path.join(folder, ownerFile));
    if (!owner || identityOf(owner.pid) === owner.identity) continue;
    try {
      removeFolder(folder);
    } catch {
      // Another run removes it at this moment.
    }
  }
}

function logTo(file: string): OnLine {
  const stream = fs.createWriteStream(file);
  stream.on('error', () => undefined);
  return (line) => void stream.write(`${line}\n`);
}

/** Starts a throwaway stack; `durable`: crash safe like `npm start`, for honest measurements (tests do without). */
export async function startThrowawayStack({ log, durable = false }: { log: Log; durable?: boolean }): Promise<Stack> {
  const temporalCli = await provideTemporalCli(log);
  sweepFolders();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'msgdesk-'));
  // PostgreSQL's user has to be able to pass through.
  fs.chmodSync(folder, 0o711);
  const children: Child[] = [];
  let closing: Promise<void> | null = null;

  function discard(): void {
    if (!keeps()) removeFolder(folder);
  }
  async function closeAll(): Promise<void> {
    for (const child of children.reverse()) await child.stop(15_000);
    discard();
    process.removeListener('exit', discard);
    if (keeps()) log(`Kept ${folder} (KEEP=1)`);
  }
  const close = (): Promise<void> => (closing ??= closeAll());
  // Also when the process ends by an uncaught error.
  process.on('exit', discard);

  try {
    // A kept folder has no owner, so that it is never swept.
    if (!keeps())
      fs.writeFileSync(
        path.join(folder, ownerFile),
        JSON.stringify({ pid: process.pid, identity: identityOf(process.pid) }),
      );
    const [postgresPort = 0, temporalPort = 0] = await freePorts(2);
    const postgres = startPostgres({
      dir: path.join(folder, 'postgres'),
      port: postgresPort,
      password: crypto.randomBytes(12).toString('hex'),
      database: 'postgres',
      durable,
      onLine: logTo(path.join(folder, 'postgres.log')),
    });
    children.push(postgres);
    const temporal = startTemporal({
      cli: temporalCli,
      port: temporalPort,
      dbFile: path.join(folder, 'temporal.db'),
      synchronous: durable ? 'NORMAL' : 'OFF',
      onLine: logTo(path.join(folder, 'temporal.log')),
    });
    children.push(temporal);
    const [database, engine] = await Promise.all([postgres.waitReady(90_000), temporal.waitReady(60_000)]);
    log(`PostgreSQL on port ${postgresPort}, Temporal on port ${temporalPort}, data in ${folder}`);
    return {
      folder,
      databaseUrl: database.url ?? '',
      temporalAddress: engine.address ?? '',
      temporalCli,
      postgresPid: database.pid,
      temporalPid: engine.pid,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
