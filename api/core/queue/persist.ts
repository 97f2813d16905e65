import type { Logger } from 'pino';
import { reasonOf } from '../http/faults';
import type { Runtime } from '../runtime';
import { backoffAfter } from './retry';

/**
 * Tries until the work succeeds or the process must stop. Logs what it waits for, each new reason once, and when that
 * is there.
 */
export async function persist<T>(
  { logger, stop }: { readonly logger: Logger; readonly stop: AbortSignal },
  what: string,
  work: () => Promise<T>,
): Promise<T | null> {
  let told = '';
  for (let attempt = 1; !stop.aborted; attempt += 1) {
    try {
      const result = await work();
      if (attempt > 1) logger.info({ event: 'start.found', what }, `${what} is there`);
      return result;
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== told) logger.warn({ event: 'start.waiting', what, reason }, `waiting for ${what}`);
      told = reason;
      await pause(backoffAfter(attempt), stop);
    }
  }
  return null;
}

/** Waits until the database answers and is migrated, and the process knows its installation. */
export async function awaitDatabase(
  runtime: Pick<Runtime, 'logger' | 'db' | 'installation'>,
  stop: AbortSignal,
): Promise<void> {
  const from = { logger: runtime.logger, stop };
  await persist(from, 'PostgreSQL', () => runtime.db.ping());
  await persist(from, 'the tables of this version (npm run migrate)', () => runtime.installation.prefix());
}

/** Waits for a time, or until the process is to stop. */
export function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      stop.removeEventListener('abort', done);
      resolve();
    }
    stop.addEventListener('abort', done);
    if (stop.aborted) done();
  });
}
