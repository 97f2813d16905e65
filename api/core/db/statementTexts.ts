import { createHash } from 'node:crypto';

interface Compiled {
  readonly text: string;
  /** Names of the values in the order of their numbers. */
  readonly names: readonly string[];
  uses: number;
}

/** A statement whose plan the connections keep under this name. */
interface Prepared {
  readonly name: string;
  readonly text: string;
}

const maxCompiled = 2_000;
/**
 * A statement is worth preparing when it comes again; so many plans a connection's process can keep without growing.
 */
const usesBeforePreparing = 5;
const maxPrepared = 300;
const prepared = new Map<string, Prepared>();
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
 * Hides from PostgreSQL how many values an array has, where a column is one of them. Else it finds a plan for the one
 * that is given cheaper than a kept one, which it makes for ten, and plans anew each time: a message with all that is
 * shown of it for longer than it reads it.
 */
const withoutLengths = (text: string): string =>
  text.replace(/= ANY\((\$\d+::\w+\[\])\)/g, (_, array: string) => `= ANY(ARRAY(SELECT unnest(${array})))`);

/**
 * Returns a statement as connections keep its plan, for those that come again and again: parsing and planning cost the
 * server more than running most of them. None for a rare one.
 */
export function preparedOf(statement: Compiled): Prepared | undefined {
  statement.uses += 1;
  if (statement.uses < usesBeforePreparing) return undefined;
  const known = prepared.get(statement.text);
  if (known !== undefined || prepared.size >= maxPrepared) return known;
  const text = withoutLengths(statement.text);
  const made = { name: `msgdesk_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`, text };
  prepared.set(statement.text, made);
  return made;
}

/**
 * A text of PostgreSQL cannot hold a NUL. Upstream events, which are not validated, may contain one: it is stored as
 * two characters.
 */
export function valueOf(name: string, value: unknown): unknown {
  if (value === undefined) throw new Error(`the statement's value $${name} is missing`);
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\\0') : value;
}
