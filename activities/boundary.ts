import { ApplicationFailure } from '@temporalio/common';
import { AppError, type ErrorCode } from '../api/core/errors';

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

/** A service's error in the engine's words: what is permanent is not retried, what names a time is retried then. */
export function toFailure(error: unknown): unknown {
  if (error instanceof AppError) {
    const { retryAfter } = error.details;
    return ApplicationFailure.create({
      message: error.message,
      type: error.code,
      nonRetryable: permanent.has(error.code),
      ...(retryAfter === undefined ? {} : { nextRetryDelay: retryAfter * 1_000 }),
    });
  }
  // Histories are read by operators and kept for a month: a statement, its values and a row's content stay out of them.
  if (error instanceof Error && isDatabaseError(error))
    return ApplicationFailure.create({ message: error.name, type: error.name });
  return error;
}

/** Wraps an activity so that its errors cross the boundary translated. */
export function bounded<Input extends unknown[], Output>(
  activity: (...input: Input) => Promise<Output>,
): (...input: Input) => Promise<Output> {
  return async (...input) => {
    try {
      return await activity(...input);
    } catch (error) {
      throw toFailure(error);
    }
  };
}

/** Errors of the database layer, known by form: their classes belong to modules that activities do not import. */
function isDatabaseError(error: Error): boolean {
  return error.name.startsWith('Sequelize') || 'sql' in error || ('severity' in error && 'code' in error);
}
