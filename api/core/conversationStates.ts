/** Statuses that a customer's message opens again; a snoozed conversation sleeps on. */
export const reopeningStatuses: readonly string[] = ['resolved', 'pending', 'converted', 'spam'];

/** Statuses in which a conversation is done with: its SLA clock stops. */
export const endedStatuses: readonly string[] = ['resolved', 'converted', 'spam'];

/** SQL: whether a column holds one of these statuses. */
export function isOneOfSql(column: string, statuses: readonly string[]): string {
  return `${column} IN (${statuses.map((status) => `'${status}'`).join(', ')})`;
}

/**
 * SQL: whether the customer of conversation `v` waits for an answer, as the index `conversations_waiting` has it. A
 * snoozed one waits where they wrote since it was snoozed.
 */
export const waitsSql = `(v.unanswered_since IS NOT NULL
  AND (v.conv_status IN ('open', 'pending') OR v.conv_status = 'snoozed' AND v.wrote_while_snoozed))`;
