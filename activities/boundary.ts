import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { inTurnOf } from '../api/core/db/database';
import { AppError, type ErrorCode } from '../api/core/http/errors';

/** Refusals that no later attempt can change. */
const permanent: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'validation',
  'unauthorized',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'conflict',
  'too_large',
  'unsupported_media_type',
]);

/**
 * Returns a service's error as Temporal knows it: what is permanent is not retried, what names a time is retried then.
 */
export function toFailure(error: unknown): unknown {
  if (error instanceof AppError) {
    const { retryAfter } = error.details;
    return ApplicationFailure.create({
      message: error.message,
      type: error.code,
      nonRetryable: permanent.has(error.code),
      // What waits for a time is nothing that went wrong: it is told to operators, not to metrics.
      ...(retryAfter === undefined
        ? {}
        : { nextRetryDelay: retryAfter * 1_000, category: ApplicationFailureCategory.BENIGN }),
    });
  }
  // Histories are read by operators and kept for a month: a statement, its values and a row's content stay out of them.
  if (error instanceof Error && isDatabaseError(error))
    return ApplicationFailure.create({ message: error.name, type: error.name });
  return error;
}

/** Wraps activities so that each takes the turns of its workspace, and their errors cross the boundary translated. */
export function translated<Table extends object>(activities: Table): Table {
  const entries = Object.entries(activities) as [string, (...input: unknown[]) => Promise<unknown>][];
  return Object.fromEntries(
    entries.map(([name, activity]) => [
      name,
      async (...input: unknown[]) => {
        try {
          const { workspaceId } = (input[0] ?? {}) as { readonly workspaceId?: unknown };
          return await (typeof workspaceId === 'number'
            ? inTurnOf(workspaceId, () => activity(...input))
            : activity(...input));
        } catch (error) {
          throw toFailure(error);
        }
      },
    ]),
  ) as Table;
}

/** Errors of the database layer, known by form: their classes belong to modules that activities do not import. */
function isDatabaseError(error: Error): boolean {
  return error.name.startsWith('Sequelize') || 'sql' in error || ('severity' in error && 'code' in error);
}
