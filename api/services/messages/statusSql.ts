import { statusRank } from './status';

/** `statusRank` as SQL over a status column. */
export function statusRankSql(column: string): string {
  return `CASE ${column} ${Object.entries(statusRank).map(([status, rank]) => `WHEN '${status}' THEN ${rank}`).join(' ')} ELSE 0 END`;
}

/** Rank of a stored row: a failure that was only assumed counts as unknown, so that any later word replaces it. */
export const storedRankSql = `CASE WHEN message_status = 'failed' AND unknown_intake_ms IS NOT NULL AND error_code IS NULL THEN ${statusRank.unknown} ELSE ${statusRankSql('message_status')} END`;
