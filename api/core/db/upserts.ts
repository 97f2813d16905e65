/** SQL: a list of columns, each with the prefix. */
export function columnList(columns: readonly string[], prefix = ''): string {
  return columns.map((column) => `${prefix}${column}`).join(', ');
}

/** SQL: whether a stored row differs from the new one, so that an upsert does not write unchanged rows. */
export function differsFromNew(table: string, columns: readonly string[]): string {
  return `(${columnList(columns, `${table}.`)}) IS DISTINCT FROM (${columnList(columns, 'excluded.')})`;
}
