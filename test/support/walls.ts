/*
 * The wall between tenants, tried at every statement that is made and names the workspace.
 *
 * - It is asked again in the name of a workspace that there is not, and has to find and change nothing.
 * - Each of its conditions on the workspace is tried alone: the rows of ours in its table are given to another
 *   workspace, where only a fault could have brought them, and the statement is made with and without the condition. If
 *   both answer alike, the absence of this condition would not be seen.
 * - Likewise for each table that it names: with rows that are another workspace's it has to answer as without them,
 *   or it goes `through` them by a reference that nothing checks.
 *
 * All of it is undone before the statement itself is made.
 *
 *   const walls = watchWalls();      // from here on, for all connections of the process
 *   …                                // whatever the product does
 *   walls.stop();
 *   walls.statements()               // what was seen of each
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { root } from './settings';

/** A workspace that there is not. */
const nobody = 2_147_480_001;
/** So often a condition is tried where its table has rows: most show it the first time. */
const mostTries = 5;
/** So often it is looked at whether there are some. */
const mostLooks = 40;

/**
 * What a connection is called while it tries: who counts those that wait for a lock does not mean it. It gives up soon,
 * and the statement itself waits in its turn.
 */
export const trying = 'walls';
const patience = `SET LOCAL application_name = '${trying}'; SET LOCAL lock_timeout = 1000`;

/** A statement that names the workspace, and what was seen of it. */
interface WalledStatement {
  readonly text: string;
  /** Where in the product it was first made, and all places through which it was. */
  readonly from: string;
  readonly frames: string[];
  /** Whether it found or changed something in the name of nobody. */
  answersNobody: boolean;
  /**
   * Of each condition on the workspace, whether its absence was seen: alone, together with others on the same table, or
   * where the rows of the other tables were another workspace's, too.
   */
  readonly seen: ('alone' | 'together' | 'with others' | null)[];
  /** Tables through whose rows it was answered although they were another workspace's. */
  readonly through: string[];
  readonly tries: number[];
  looks: number;
}

/** What PostgreSQL's refusals begin with where keys or checks do not hold. */
const integrity = '23';

/** A condition on the workspace: the table's name in the statement, and the parameter or number. */
const condition = /(?:"?(\w+(?:->\w+)*)"?\.)?"?\bworkspace_id"? = (?:(\$\d+)(?:::bigint)?|(\d+)\b)/g;
/** What names the workspace at all; a list of none finds nothing of anybody. */
const naming = /^(?![^]*\bIN \(NULL\))[^]*\bworkspace_id"? = [$\d]/;
/** A table in a statement, and what it is called there. */
const mention =
  /\b(?:FROM|JOIN|UPDATE|USING)\s+"?([a-z_]+)"?(?:\s+(?:AS\s+)?"?(?!(?:SET|WHERE|ON|JOIN|LEFT)\b)(\w[\w>-]*)"?)?/gi;

type Values = readonly unknown[];
type Query = (this: pg.Client, ...args: unknown[]) => unknown;
interface Refusal {
  readonly refused: string;
}
interface Answer {
  readonly rows: readonly Record<string, unknown>[];
  readonly rowCount: number | null;
  readonly command: string;
}

/** Returns whether a value says nothing of a row: what was given comes back, or a count of nothing. */
function saysNothing(value: unknown, given: ReadonlySet<string>): boolean {
  if (value === null || value === undefined || value === false || value === '' || Number(value) === 0) return true;
  if (value instanceof Date) return given.has(String(value));
  if (typeof value === 'object') return Object.values(value).every((item) => saysNothing(item, given));
  return given.has(String(value));
}

function isNothing({ rows, rowCount, command }: Answer, given: ReadonlySet<string>): boolean {
  if (rows.length === 0) return command === 'SELECT' || (rowCount ?? 0) === 0;
  return rows.every((row) => Object.values(row).every((value) => saysNothing(value, given)));
}

/** One time that a statement is made and tried: in the name of which workspace, with what. */
interface Look {
  readonly text: string;
  readonly values: Values;
  readonly conditions: readonly Condition[];
  /** Those that it names, of which each row is a workspace's. */
  readonly tables: readonly string[];
  readonly ours: number;
  /** What comes back of the question itself says nothing. */
  readonly given: ReadonlySet<string>;
  readonly statement: WalledStatement;
}

interface Condition {
  readonly at: number;
  readonly table: string | undefined;
  readonly parameter: string | undefined;
  readonly literal: string | undefined;
}

interface Mention {
  readonly from: number;
  readonly table: string;
  readonly as: string | undefined;
}

/** Returns those of some tables that a statement names. */
const mentionsOf = (text: string, tables: ReadonlySet<string>): Mention[] =>
  [...text.matchAll(mention)]
    .map((found) => ({ from: found.index, table: found[1] ?? '', as: found[2] }))
    .filter(({ table }) => tables.has(table));

/** Returns the conditions of a statement, each with the table that it is about. */
function conditionsOf(text: string, mentions: readonly Mention[]): Condition[] {
  return [...text.matchAll(condition)].map(({ index: at, 1: name, 2: parameter, 3: literal }) => {
    const own = mentions.filter(({ table, as }) => name === undefined || as === name || table === name);
    // Of a table that is made within brackets, the last that is named there.
    const derived = text.search(new RegExp(`\\) (?:AS )?"?${name}\\b`));
    const inner = mentions.findLast(({ from }) => from < derived);
    return { at, parameter, literal, table: (own.findLast(({ from }) => from < at) ?? own[0] ?? inner)?.table };
  });
}

/** Returns the frames of the product that made a statement: those that what all share was called from. */
function framesOf(stack: string): string[] {
  const own = [...stack.matchAll(/\(?(\/[^\s():]+):(\d+):\d+\)?$/gm)]
    .map(([, file = '', line = '']) => `${path.relative(root, file)}:${line}`)
    .filter((frame) => /^(api|worker|activities|admin)\/(?!core\/db\/)/.test(frame));
  return own.filter((frame) => !frame.startsWith('api/core/')).concat(own);
}

/** Returns whether another answer differs from the first in more than in what is drawn anew each time. */
async function differs(
  first: Answer | Refusal,
  other: Answer | Refusal,
  repeat: () => Promise<Answer | Refusal | null>,
): Promise<boolean> {
  if ('refused' in first || 'refused' in other) return false;
  if (first.rowCount !== other.rowCount) return true;
  const places = (answer: Answer): string[] =>
    answer.rows.flatMap((row, index) => Object.entries(row).map((cell) => `${index} ${JSON.stringify(cell)}`));
  const [one, two] = [places(first), places(other)];
  if (one.join() === two.join()) return false;
  const again = await repeat();
  if (again === null || 'refused' in again) return false;
  const three = new Set(places(again));
  // It says more: of what the other one says besides, the first has nothing to compare.
  if (two.length > one.length && three.size === one.length) return true;
  return one.some((cell, index) => cell !== two[index] && three.has(cell));
}

/** Returns a statement without some of its conditions. */
function without(text: string, gone: readonly Condition[]): string {
  return text.replace(condition, (whole, ...found: unknown[]) => {
    const one = gone.find(({ at }) => at === found[3]);
    if (!one) return whole;
    // A parameter that nothing else names would have no type.
    return one.parameter ? `(${one.parameter}::bigint IS NULL OR true)` : 'true';
  });
}

/** What processes, and runs one after the other, know of each other's statements: a file for each that is done with. */
class Shared {
  constructor(private readonly folder: string) {}

  private fileOf(key: string): string {
    return path.join(this.folder, `${createHash('sha256').update(key).digest('hex')}.seen`);
  }

  /** Returns what others have seen of a statement whose conditions they have all seen. */
  seenOf(key: string): WalledStatement['seen'] | undefined {
    const file = this.fileOf(key);
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as WalledStatement['seen']) : undefined;
  }

  tell(key: string, seen: WalledStatement['seen']): void {
    // Under its name at once: somebody may read it.
    const written = path.join(this.folder, randomBytes(6).toString('hex'));
    writeFileSync(written, JSON.stringify(seen));
    renameSync(written, this.fileOf(key));
  }
}

/** Begins to watch; see the head of this file. */
export function watchWalls(shared?: Shared): { stop(): void; statements(): readonly WalledStatement[] } {
  const original = pg.Client.prototype.query as unknown as Query;
  const known = new Map<string, WalledStatement>();
  const queues = new WeakMap<pg.Client, Promise<unknown>>();
  const depths = new WeakMap<pg.Client, number>();
  let knownTables: ReadonlySet<string> | undefined;

  const ask = (client: pg.Client, text: string, values: Values = []): Promise<Answer> =>
    original.call(client, { text, values: [...values] }) as Promise<Answer>;
  /** Returns the tables whose rows are of workspaces. */
  const walled = async (client: pg.Client): Promise<ReadonlySet<string>> => {
    const columns = `SELECT table_name FROM information_schema.columns WHERE column_name = 'workspace_id'`;
    return (knownTables ??= new Set((await ask(client, columns)).rows.map(({ table_name: name }) => String(name))));
  };
  /** Makes several statements at once, which takes the time of one; returns the answer of each. */
  const askAll = async (client: pg.Client, ...texts: readonly string[]): Promise<readonly Answer[]> =>
    [(await original.call(client, texts.join(';'))) as Answer | readonly Answer[]].flat();

  /**
   * Makes statements at once, then does something, and undoes it all; returns the code of the refusal where the
   * database refused it.
   */
  async function undone<T>(
    client: pg.Client,
    texts: readonly string[],
    work: (answers: readonly Answer[]) => Promise<T>,
  ): Promise<T | Refusal> {
    const depth = depths.get(client) ?? 0;
    const point = `wall${depth}`;
    depths.set(client, depth + 1);
    try {
      const [, , , ...answers] = await askAll(client, depth > 0 ? `SAVEPOINT ${point}` : 'BEGIN', patience, ...texts);
      return await work(answers);
    } catch (error) {
      return { refused: String((error as { code?: unknown }).code) };
    } finally {
      depths.set(client, depth);
      await askAll(client, ...(depth > 0 ? [`ROLLBACK TO ${point}`, `RELEASE ${point}`] : ['ROLLBACK']));
    }
  }

  /** Returns how many rows of each table this transaction has written, with those that were undone. */
  const written = async (client: pg.Client): Promise<Answer['rows']> => {
    const counts = 'n_tup_ins::int AS inserted, n_tup_upd::int AS updated, n_tup_del::int AS deleted';
    return (await ask(client, `SELECT relname AS name, ${counts} FROM pg_stat_xact_user_tables ORDER BY 1`)).rows;
  };

  /** Makes a statement and undoes it; the answer of one that writes beside ends with what it has written. */
  const tried = (client: pg.Client, text: string, values: Values): Promise<Answer | Refusal> =>
    undone(client, [], async () => {
      if (!/^\s*WITH\b[^]*\b(INSERT INTO|UPDATE|DELETE FROM)\b/.test(text)) return ask(client, text, values);
      const before = new Map((await written(client)).map((row) => [row['name'], row]));
      const answer = await ask(client, text, values);
      const changed = (await written(client)).map((row) => {
        const was = before.get(row['name']) ?? {};
        const more = (what: string): number => Number(row[what]) - Number(was[what] ?? 0);
        return [row['name'], more('inserted'), more('updated'), more('deleted')];
      });
      const beside = changed.filter(([, ...counts]) => counts.some(Boolean)).join(' ');
      return { ...answer, rows: [...answer.rows, ...(beside === '' ? [] : [{ beside }])] };
    });

  /** Does something while rows of ours are changed; null where there are none. */
  async function where<T extends object>(client: pg.Client, change: string, work: () => Promise<T>): Promise<T | null> {
    // Without the keys of the database, which name the workspace, too.
    const texts = [
      'SET LOCAL session_replication_role = replica',
      change,
      'SET LOCAL session_replication_role = origin',
    ];
    const found = await undone(client, texts, async ([, changed]) => (changed?.rowCount === 0 ? null : work()));
    return found !== null && 'refused' in found ? null : found;
  }

  /** Returns the statement that gives the rows of a workspace in some tables to another one, the last one's last. */
  const moving = (ours: number, tables: readonly string[]): string => {
    const moves = tables.map(
      (table) => `UPDATE ${table} SET workspace_id = other.id FROM other WHERE workspace_id = ${ours}`,
    );
    const before = moves.slice(0, -1).map((move, index) => `moved${index} AS (${move})`);
    const other = `other AS (INSERT INTO workspaces (name) VALUES ('Wall') RETURNING id)`;
    return `WITH ${[other, ...before].join(', ')} ${moves.at(-1)}`;
  };

  /** Tries the conditions on one table, and whether the statement goes through it; see the head of this file. */
  async function tryTable(client: pg.Client, look: Look, table: string): Promise<void> {
    const { text, values, conditions, tables, ours, given, statement } = look;
    const mayBeThrough = statement.looks <= mostTries && !statement.through.includes(table);
    const same = conditions.filter((one) => one.table === table);
    const open = [...conditions.entries()].filter(
      ([index, one]) => one.table === table && !statement.seen[index] && (statement.tries[index] ?? 0) < mostTries,
    );
    if (open.length === 0 && !mayBeThrough) return;
    const make = (changed = text): Promise<Answer | Refusal> => tried(client, changed, values);
    /** Returns whether the absence of conditions is seen; null: there was nothing to find with or without them. */
    const isSeen = async (answer: Answer | Refusal, gone: readonly Condition[]): Promise<boolean | null> => {
      const changed = await make(without(text, gone));
      // Keys and checks of the database refuse what the condition would have passed by.
      if ('refused' in changed) return !('refused' in answer) && changed.refused.startsWith(integrity);
      if (await differs(answer, changed, make)) return true;
      return isNothing(changed, given) ? null : false;
    };
    const first = await where(client, moving(ours, [table]), async () => {
      const answer = await make();
      for (const [index, one] of open) {
        const isAlone = await isSeen(answer, [one]);
        if (isAlone !== null) statement.tries[index] = (statement.tries[index] ?? 0) + 1;
        if (isAlone === true) statement.seen[index] = 'alone';
        // Each of several on one table does for the others.
        else if (same.length > 1 && (await isSeen(answer, same)) === true) statement.seen[index] = 'together';
      }
      return { answer };
    });
    if (!first) return;
    const left = open.filter(([index]) => !statement.seen[index]);
    const others = tables.filter((other) => other !== table);
    // Where others are joined by the workspace of this one's row, nothing is found unless they are as strange.
    if (left.length > 0 && others.length > 0)
      await where(client, moving(ours, [...others, table]), async () => {
        const answer = await make();
        for (const [index, one] of left)
          if ((await isSeen(answer, [one])) === true || (await isSeen(answer, conditions)) === true)
            statement.seen[index] = 'with others';
        return {};
      });
    if (!mayBeThrough) return;
    const gone = await where(client, `DELETE FROM ${table} WHERE workspace_id = ${ours}`, make);
    if (gone && (await differs(first.answer, gone, () => where(client, moving(ours, [table]), make))))
      statement.through.push(table);
  }

  async function tryIt(client: pg.Client, text: string, values: Values, stack: string): Promise<void> {
    const ofWorkspaces = await walled(client);
    const conditions = conditionsOf(text, mentionsOf(text, ofWorkspaces));
    // Sequelize writes values into the text.
    const isWritten = /"workspace_id" = /.test(text);
    const inText = /'(?:[^']|'')*'|(?<![$\w])\d+\b/g;
    const key = isWritten ? text.replace(inText, '…').replace(/…(?:, …)+/g, '…') : text;
    const frames = framesOf(stack).slice(0, 3);
    const statement = known.get(key) ?? {
      text: key,
      from: frames[0] ?? '',
      frames: [],
      answersNobody: false,
      seen: shared?.seenOf(key) ?? conditions.map(() => null),
      through: [],
      tries: conditions.map(() => 0),
      looks: 0,
    };
    known.set(key, statement);
    for (const frame of frames) if (!statement.frames.includes(frame)) statement.frames.push(frame);
    if (statement.looks >= mostLooks || statement.seen.every(Boolean)) return;
    statement.looks += 1;
    const numbers = new Set(conditions.map(({ parameter }) => Number(parameter?.slice(1))));
    const swapped = values.map((value, index) => (numbers.has(index + 1) ? nobody : value));
    const asked = text.replace(condition, (whole) => whole.replace(/ = \d+$/, ` = ${nobody}`));
    const given = new Set([...swapped.flat(), nobody].map(String));
    const answer = await tried(client, asked, swapped);
    if (!('refused' in answer) && !isNothing(answer, given)) statement.answersNobody = true;
    const [{ parameter = '', literal } = {}] = conditions;
    const ours = Number(literal ?? values[Number(parameter.slice(1)) - 1]);
    if (!Number.isSafeInteger(ours)) return;
    // The same each time that it is made here.
    const still = text.replaceAll('clock_timestamp()', 'now()').replaceAll('random()', '0.5');
    const mentions = mentionsOf(still, ofWorkspaces);
    const tables = [...new Set(mentions.map(({ table }) => table))];
    const look = { text: still, values, conditions: conditionsOf(still, mentions), tables, ours, given, statement };
    for (const table of tables) await tryTable(client, look, table);
    if (statement.seen.every(Boolean)) shared?.tell(key, statement.seen);
  }

  const replaced: Query = function (...args) {
    const [first] = args;
    const { text, values = args[1] } = (typeof first === 'string' ? { text: first } : first) as Record<string, unknown>;
    // What the driver queues as an object of its own.
    if (typeof text !== 'string') return original.apply(this, args);
    const { stack = '' } = naming.test(text) ? new Error('made here') : {};
    // With a callback nothing is returned: what comes behind waits in the driver's own queue.
    const run = async (): Promise<unknown> => {
      if (stack !== '') await tryIt(this, text, Array.isArray(values) ? values : [], stack).catch(() => undefined);
      if (/^\s*(START TRANSACTION|BEGIN)/i.test(text)) depths.set(this, 1);
      if (/^\s*(COMMIT|ROLLBACK)(?! TO)/i.test(text)) depths.delete(this);
      // Where nothing may be written, nothing could be given to anybody else.
      if (/^SET TRANSACTION .*, READ ONLY$/.test(text)) args[0] = text.replace(', READ ONLY', '');
      return original.apply(this, args);
    };
    const turn = (queues.get(this) ?? Promise.resolve()).then(run, run);
    queues.set(this, turn);
    return turn;
  };

  const limit = Error.stackTraceLimit;
  // The product's own frames lie below those of Sequelize and the driver.
  Error.stackTraceLimit = 60;
  Object.assign(pg.Client.prototype, { query: replaced });
  return {
    stop() {
      Object.assign(pg.Client.prototype, { query: original });
      Error.stackTraceLimit = limit;
    },
    statements: () => [...known.values()],
  };
}

let reported: (() => void) | undefined;

/**
 * Watches all that the tests of this file do where `TEST_WALLS` names a folder; what is returned writes there what was
 * seen so far.
 */
export function reportWalls(): () => void {
  const folder = process.env['TEST_WALLS'];
  if (!folder) return () => undefined;
  if (reported) return reported;
  const walls = watchWalls(new Shared(folder));
  const file = path.join(folder, `${randomBytes(6).toString('hex')}.json`);
  reported = () => writeFileSync(file, JSON.stringify(walls.statements()));
  return reported;
}
