import fs from 'node:fs';
import path from 'node:path';
import { readJson, writePrivate } from './files';
import { UserError, type Log } from './launcher';
import { identityOf, signal, until } from './processes';

/** A process of a run, and what tells it from a later one with the same number. */
export interface KnownProcess {
  readonly name: string;
  readonly pid: number;
  readonly identity: string;
}

/** What a run writes about itself for the next one and for `npm run admin` beside it. */
interface Running {
  readonly pid: number;
  readonly identity: string;
  readonly children: readonly KnownProcess[];
  readonly secrets_key?: string;
  readonly msgapp_api_url?: string;
  readonly webhook_allow_private?: string;
}

const fileIn = (dataDir: string): string => path.join(dataDir, 'running.json');
const isAlive = ({ pid, identity }: Pick<KnownProcess, 'pid' | 'identity'>): boolean =>
  identity !== '' && identityOf(pid) === identity;

/** Returns what the `npm start` that runs on this data folder wrote about itself, or null when none does. */
export function readRunning(dataDir: string): Running | null {
  const found = readJson<Running>(fileIn(dataDir));
  return found && isAlive(found) ? found : null;
}

/**
 * Refuses when another launcher runs on this data folder. One that was killed may have left children, which stop by
 * themselves when they notice; those that did not are ended here, by number and start time.
 */
export async function clearPrevious(dataDir: string, log: Log): Promise<void> {
  const running = readRunning(dataDir);
  if (running)
    throw new UserError(
      `Msgdesk already runs on ${dataDir} (process ${running.pid}). ` +
        'Stop it first, or choose another folder with DATA_DIR=<folder> and other ports.',
    );
  const left = (readJson<Partial<Running>>(fileIn(dataDir))?.children ?? []).filter(isAlive);
  if (left.length > 0) {
    const names = left.map((child) => `${child.name} (${child.pid})`).join(', ');
    log(`The last run did not stop in order; ending what it left: ${names}`);
    for (const child of left) {
      try {
        process.kill(child.pid, child.name === 'postgres server' ? 'SIGINT' : 'SIGTERM');
      } catch {
        // It ended in this moment.
      }
    }
    await until(() => !left.some(isAlive), 15_000);
    for (const child of left) if (isAlive(child)) signal(child.pid, 'SIGKILL');
    await until(() => !left.some(isAlive), 5_000);
  }
  fs.rmSync(fileIn(dataDir), { force: true });
  fs.rmSync(path.join(dataDir, 'dev.json'), { force: true });
}

/** Writes down this launcher, its children and what `npm run admin` needs beside it. */
export function writeRunning(dataDir: string, values: Omit<Running, 'pid' | 'identity'>): void {
  writePrivate(fileIn(dataDir), { pid: process.pid, identity: identityOf(process.pid), ...values });
}

/** Removes what this launcher wrote about itself. */
export function removeRunning(dataDir: string): void {
  if (readJson<Running>(fileIn(dataDir))?.pid === process.pid) fs.rmSync(fileIn(dataDir), { force: true });
}
