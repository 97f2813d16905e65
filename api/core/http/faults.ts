import type { Logger } from 'pino';

/** Logs an unexpected error under the id of its request; the answer contains only that id. */
export function reportFault(logger: Logger, requestId: string, error: unknown): void {
  logger.error({ event: 'fault.unexpected', requestId, error: describeFault(error) }, 'unexpected failure');
}

/** Returns the details of an error for the log, without statements and their values: they hold customers' data. */
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

/** Matches a SQLSTATE, but no error code of Node.js such as EPIPE. */
const sqlState = /^(?:\d[0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/;
/** Classes of SQLSTATE whose messages are about the server: connections, transactions, resources, the system. */
const serverClasses = ['08', '25', '40', '53', '55', '57', '58'];

/** Causes of causes end here: an error may be its own cause. */
const maxCauses = 5;

/**
 * Returns an error as one line with what caused it, for logs and for rows that operators read. The database's messages
 * about data and statements quote values, so only their code and constraint are returned.
 */
export function reasonOf(error: unknown, causesLeft = maxCauses): string {
  if (!(error instanceof Error)) return String(error);
  const { code, constraint } = ((error as { parent?: unknown }).parent ?? error) as Record<string, unknown>;
  const isOfDatabase = typeof code === 'string' && sqlState.test(code);
  if (isOfDatabase && !serverClasses.includes(code.slice(0, 2)))
    return `database error ${code}${typeof constraint === 'string' ? ` at ${constraint}` : ''}`;
  const first = error instanceof AggregateError ? (error.errors as unknown[])[0] : undefined;
  const message = error.message || (first instanceof Error ? first.message : '') || error.name;
  if (isOfDatabase) return `${message} (${code})`;
  const cause = error.cause instanceof Error && causesLeft > 0 ? reasonOf(error.cause, causesLeft - 1) : '';
  return message.includes(cause) ? message : `${message}: ${cause}`;
}
