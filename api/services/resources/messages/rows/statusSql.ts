import { statusRank } from './status';

/** `statusRank` as SQL over a status column. */
export function statusRankSql(column: string): string {
  return `CASE ${column} ${Object.entries(statusRank)
    .map(([status, rank]) => `WHEN '${status}' THEN ${rank}`)
    .join(' ')} ELSE 0 END`;
}

/** Rank of a stored row of messages: a failure that was only assumed counts as unknown, so that any later word replaces it. */
export function storedRankSql(messages: string): string {
  return `CASE WHEN ${messages}.message_status = 'failed' AND ${messages}.unknown_intake_ms IS NOT NULL AND ${messages}.error_code IS NULL THEN ${statusRank.unknown} ELSE ${statusRankSql(`${messages}.message_status`)} END`;
}
