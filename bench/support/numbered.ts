/**
 * Returns a statement with numbers for its `$names`, as the driver wants it, and the names in the order of their
 * numbers.
 */
export function numbered(sql: string): { readonly text: string; readonly names: readonly string[] } {
  const names: string[] = [];
  const text = sql.replace(/\$([A-Za-z]\w*)/g, (_match, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text, names };
}
