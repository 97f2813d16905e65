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

/** Gives the statement with numbers for names, as the server knows it; each text is read once. */
export function compile(sql: string): Compiled {
  const known = compiled.get(sql);
  if (known) return known;
  const names: string[] = [];
  const text = sql.replace(/\B\$([A-Za-z_]\w*)/g, (_match, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  // Offsets and sizes stand in the text of lists: there is no end of different ones.
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
 * PostgreSQL's text cannot hold a NUL; what came past the doors with one (upstream events) keeps it as two characters.
 */
export function valueOf(name: string, value: unknown): unknown {
  if (value === undefined) throw new Error(`the statement's value $${name} is missing`);
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\\0') : value;
}
