import { Runtime as TemporalRuntime, type LogMetadata } from '@temporalio/worker';
import type { Logger } from 'pino';
import { macroNotApplied } from '../workflows/contract';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** While Temporal is away the SDK reports every try of every poller: one line a minute says as much. */
const retryTarget = 'temporalio_client::retry';
const retryQuietMs = 60_000;

let installed = false;

/**
 * Sends the SDK's logs, its native part's included, through our logger, and serves its metrics at an address where one
 * is given. Once per process; it has no effect later.
 */
export function installRuntime(logger: Logger, metricsAddress?: string): void {
  if (installed) return;
  installed = true;
  let quietUntil = 0;

  function log(level: Level, message: string, meta?: LogMetadata): void {
    if (meta?.['target'] === retryTarget) {
      if (performance.now() < quietUntil) return;
      quietUntil = performance.now() + retryQuietMs;
      logger.warn(
        { event: 'temporal.workers_unanswered', reason: message },
        'Temporal does not answer the workers; they go on asking',
      );
      return;
    }
    // The SDK's messages about states repeat our own log lines; and the bulk worker has no workflows by design.
    const usual = level === 'info' || message.startsWith('No workflows registered');
    // A refused macro ends as a failed workflow: its caller was told, and nothing is broken. Only the text of the
    // failure leaves the workflow's thread, and the SDK's messages have no codes, so the text is matched.
    const why = String(meta?.['error']).replace(/^\w+: /, '');
    const refused =
      message === 'Workflow failed' && Object.values(macroNotApplied).some((word) => why.startsWith(word));
    logger[usual || refused ? 'debug' : level](plain(meta), message);
  }

  TemporalRuntime.install({
    logger: {
      log: (level, message, meta) => log(level.toLowerCase() as Lowercase<typeof level>, message, meta),
      trace: (message, meta) => log('trace', message, meta),
      debug: (message, meta) => log('debug', message, meta),
      info: (message, meta) => log('info', message, meta),
      warn: (message, meta) => log('warn', message, meta),
      error: (message, meta) => log('error', message, meta),
    },
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metricsAddress === undefined
        ? {}
        : {
            metrics: {
              prometheus: { bindAddress: metricsAddress, countersTotalSuffix: true, useSecondsForDurations: true },
            },
          }),
    },
    // The entry decides when to stop: loops and connections have their place in that order.
    shutdownSignals: [],
  });
}

/** Returns metadata as JSON can hold it, without the server's opaque token, which helps no reader. */
function plain(meta: LogMetadata | undefined): Record<string, unknown> {
  const entries = Object.entries(meta ?? {}).filter(([key]) => key !== 'taskToken');
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      typeof value === 'bigint'
        ? String(value)
        : value instanceof Error
          ? `${value.name}: ${value.message}`
          : (value as unknown),
    ]),
  );
}
