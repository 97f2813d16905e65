import { createHash } from 'node:crypto';

interface Compiled {
  readonly text: string;
  /** Names of the values in the order of their numbers. */
  readonly names: readonly string[];
  uses: number;
}

const maxCompiled = 2_000;
/**
 * A statement is worth preparing when it comes again; so many plans a connection's process can keep without growing.
 */
const usesBeforePreparing = 5;
const maxPrepared = 300;
const prepared = new Map<string, string>();
const compiled = new Map<string, Compiled>();

/**
 * Returns the statement with numbered instead of named parameters, as the server takes it. Each text is parsed once.
 */
export function compile(sql: string): Compiled {
  const known = compiled.get(sql);
  if (known) return known;
  const names: string[] = [];
  const text = sql.replace(/\B\$([A-Za-z_]\w*)/g, (_match, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  // The texts of lists contain offsets and sizes, so there is no limit to their number.
  if (compiled.size >= maxCompiled) compiled.clear();
  const result = { text, names, uses: 0 };
  compiled.set(sql, result);
  return result;
}

/**
 * The name under which connections keep a statement's plan, for those that come again and again: parsing and planning
 * cost the server more than running most of them. None for a rare one.
 */
export function preparedName(statement: Compiled): string | undefined {
  statement.uses += 1;
  if (statement.uses < usesBeforePreparing) return undefined;
  const known = prepared.get(statement.text);
  if (known !== undefined || prepared.size >= maxPrepared) return known;
  const name = `msgdesk_${createHash('sha256').update(statement.text).digest('hex').slice(0, 24)}`;
  prepared.set(statement.text, name);
  return name;
}

/**
 * A text of PostgreSQL cannot hold a NUL. Upstream events, which are not validated, may contain one: it is stored as
 * two characters.
 */
export function valueOf(name: string, value: unknown): unknown {
  if (value === undefined) throw new Error(`the statement's value $${name} is missing`);
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\\0') : value;
}
