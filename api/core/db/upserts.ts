/** SQL: columns as a list, each after a prefix. */
export function listed(columns: readonly string[], prefix = ''): string {
  return columns.map((column) => `${prefix}${column}`).join(', ');
}

/** SQL: whether a row that is there differs from what was read, so that nothing is written for the rest. */
export function differs(table: string, columns: readonly string[]): string {
  return `(${listed(columns, `${table}.`)}) IS DISTINCT FROM (${listed(columns, 'excluded.')})`;
}
