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
 * Returns a service's error as a failure for Temporal: a permanent one is not retried, one that names a time is retried
 * then.
 */
export function toFailure(error: unknown): unknown {
  if (error instanceof AppError) {
    const { retryAfter } = error.details;
    return ApplicationFailure.create({
      message: error.message,
      type: error.code,
      nonRetryable: permanent.has(error.code),
      // Waiting for a time is no error: operators see it, metrics do not count it.
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

/** Wraps activities so that each runs in the turns of its workspace, and throws its errors as failures for Temporal. */
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

/**
 * Recognises errors of the database layer by their form: their classes belong to modules that activities do not import.
 */
function isDatabaseError(error: Error): boolean {
  return error.name.startsWith('Sequelize') || 'sql' in error || ('severity' in error && 'code' in error);
}
