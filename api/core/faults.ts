import type { Logger } from 'pino';

/** Logs a fault of ours under the id of its request; its answer carries nothing but that id. */
export function reportFault(logger: Logger, requestId: string, error: unknown): void {
  logger.error({ event: 'fault.unexpected', requestId, error: describeFault(error) }, 'unexpected failure');
}

/** Returns what a log line says of a fault. Statements and their values stay out: they hold customers' data. */
function describeFault(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { parent } = error as { parent?: { code?: string; constraint?: string; table?: string } };
  return {
    name: error.name,
    message: parent ? 'database error' : error.message,
    ...(parent ? { sqlState: parent.code, constraint: parent.constraint, table: parent.table } : {}),
    stack: error.stack?.split('\n').slice(1, 8).join('\n'),
  };
}
