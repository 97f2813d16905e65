import { isDatabaseAway, isDatabaseBusy } from '../../../core/db/database';
import { AppError, isTemporary } from '../../../core/http/errors';

/** Returns whether another try of work that failed may meet better times. */
export function mayPass(error: unknown): boolean {
  if (error instanceof AppError) return isTemporary(error);
  return isDatabaseAway(error) || isDatabaseBusy(error);
}
