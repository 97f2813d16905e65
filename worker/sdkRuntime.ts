import { Runtime as TemporalRuntime, type LogMetadata } from '@temporalio/worker';
import type { Logger } from 'pino';

let installed = false;

/** Sends the SDK's logs, its native part's included, through our logger. Once per process; it has no effect later. */
export function installRuntime(logger: Logger): void {
  if (installed) return;
  installed = true;
  const log = (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') => (message: string, meta?: LogMetadata) => logger[level](plain(meta), message);
  TemporalRuntime.install({
    logger: {
      log: (level, message, meta) => log(level.toLowerCase() as Lowercase<typeof level>)(message, meta),
      trace: log('trace'),
      debug: log('debug'),
      info: log('info'),
      warn: log('warn'),
      error: log('error'),
    },
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    // The entry decides when to stop: loops and connections have their place in that order.
    shutdownSignals: [],
  });
}

/** Metadata as JSON can hold it; an opaque token of the server's says nothing to anybody. */
function plain(meta: LogMetadata | undefined): Record<string, unknown> {
  const entries = Object.entries(meta ?? {}).filter(([key]) => key !== 'taskToken');
  return Object.fromEntries(entries.map(([key, value]) => [key, typeof value === 'bigint' ? String(value) : value instanceof Error ? `${value.name}: ${value.message}` : (value as unknown)]));
}
