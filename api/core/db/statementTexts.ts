import { createHash } from 'node:crypto';

interface Compiled {
  readonly text: string;
  /** The text of which a plan is kept. */
  readonly kept: string;
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
  const result = { text, kept: withoutLengths(text), names, uses: 0 };
  compiled.set(sql, result);
  return result;
}

/**
 * Hides from PostgreSQL how many values an array has, where a column is one of them. Otherwise a plan for the one value
 * that is given looks cheaper to it than the kept plan, which is made for ten, and it plans anew each time: for a
 * message with all that is shown of it, that takes longer than the reading.
 */
const withoutLengths = (text: string): string =>
  text.replace(/= ANY\((\$\d+::\w+\[\])\)/g, (_, array: string) => `= ANY(ARRAY(SELECT unnest(${array})))`);

/**
 * The name under which connections keep a statement's plan, for those that come again and again: parsing and planning
 * cost the server more than running most of them. None for a rare one.
 */
export function preparedName(statement: Compiled): string | undefined {
  statement.uses += 1;
  if (statement.uses < usesBeforePreparing) return undefined;
  const known = prepared.get(statement.kept);
  if (known !== undefined || prepared.size >= maxPrepared) return known;
  const name = `msgdesk_${createHash('sha256').update(statement.kept).digest('hex').slice(0, 24)}`;
  prepared.set(statement.kept, name);
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
