/** States of a message on the wire (contract 6). */
export const messageStatuses = [
  'received',
  'queued',
  'unknown',
  'sent',
  'failed',
  'delivered',
  'read',
  'played',
] as const;
/** The same, and those of messages that wait for their moment, or for a member. */
export const shownStatuses = ['scheduled', 'held', ...messageStatuses] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/** The `delivery_note` of a message that the platform has taken and holds back. */
export const heldByPlatform = 'held_by_platform';

/**
 * The order of statuses: only a higher one replaces another. `failed` is below `delivered`, because a message that
 * arrived did not fail; so webhooks in any order, even repeated, end in the same state.
 */
export const statusRank: Readonly<Record<MessageStatus, number>> = {
  received: 0,
  queued: 1,
  unknown: 2,
  sent: 3,
  failed: 4,
  delivered: 5,
  read: 6,
  played: 7,
};

/** SQL: `statusRank` of a status column. */
export function statusRankSql(column: string): string {
  return `CASE ${column} ${Object.entries(statusRank)
    .map(([status, rank]) => `WHEN '${status}' THEN ${rank}`)
    .join(' ')} ELSE 0 END`;
}

/**
 * SQL: the rank of a stored row; a failure that was only assumed counts as unknown, so that any later word replaces it.
 */
export function storedRankSql(messages: string): string {
  const assumed = `${messages}.message_status = 'failed' AND ${messages}.unknown_intake_ms IS NOT NULL
    AND ${messages}.error_code IS NULL`;
  return `CASE WHEN ${assumed} THEN ${statusRank.unknown} ELSE ${statusRankSql(`${messages}.message_status`)} END`;
}
