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
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { root } from './settings';

/** A workspace that there is not. */
const nobody = 2_147_480_001;
/** So often a condition is tried where its table has rows: most show it the first time. */
const mostTries = 5;
/** So often it is looked at whether there are some. */
const mostLooks = 40;

/** A statement that names the workspace, and what was seen of it. */
interface WalledStatement {
  readonly text: string;
  /** Where in the product it was first made, and all places through which it was. */
  readonly from: string;
  readonly frames: string[];
  /** Whether it found or changed something in the name of nobody. */
  answersNobody: boolean;
  /** Of each condition on the workspace, whether its absence was seen: alone, or with others on the same table. */
  readonly seen: ('alone' | 'together' | null)[];
  /** Tables through whose rows it was answered although they were another workspace's. */
  readonly through: string[];
  readonly tries: number[];
  looks: number;
}

/** What PostgreSQL answers to a row that points to none. */
const foreignKey = '23503';

/** A condition on the workspace: the table's name in the statement, and the parameter or number. */
const condition = /(?:"?(\w+(?:->\w+)*)"?\.)?"?\bworkspace_id"? = (?:(\$\d+)|(\d+)\b)/g;
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

interface Condition {
  readonly at: number;
  readonly table: string | undefined;
  readonly parameter: string | undefined;
  readonly literal: string | undefined;
}

/** Returns the tables that a statement names. */
const mentionsOf = (text: string) =>
  [...text.matchAll(mention)].map((found) => ({ from: found.index, table: found[1], as: found[2] }));

/** Returns the conditions of a statement, each with the table that it is about. */
function conditionsOf(text: string): Condition[] {
  const mentions = mentionsOf(text);
  return [...text.matchAll(condition)].map(({ index: at, 1: name, 2: parameter, 3: literal }) => {
    const own = mentions.filter(({ table, as }) => name === undefined || as === name || table === name);
    return { at, parameter, literal, table: (own.findLast(({ from }) => from < at) ?? own[0])?.table };
  });
}

/** Returns the frames of the product that made a statement: those that what all share was called from. */
function framesOf(stack: string): string[] {
  const own = [...stack.matchAll(/\(?(\/[^\s():]+):(\d+):\d+\)?$/gm)]
    .map(([, file = '', line = '']) => `${path.relative(root, file)}:${line}`)
    .filter((frame) => /^(api|worker|activities|admin)\/(?!core\/db\/)/.test(frame));
  return own.filter((frame) => !frame.startsWith('api/core/')).concat(own);
}

/** Returns whether a third answer is like the first, which was given twice: what is drawn differs by itself. */
function isAlike(first: Answer | Refusal, again: Answer | Refusal, third: Answer | Refusal): boolean {
  if ('refused' in first || 'refused' in again || 'refused' in third) return true;
  const [one, two, three] = [first, again, third].map(({ rows }) => JSON.stringify(rows));
  return first.rowCount === third.rowCount && (one !== two || one === three);
}

/** Begins to watch; see the head of this file. */
export function watchWalls(): { stop(): void; statements(): readonly WalledStatement[] } {
  const original = pg.Client.prototype.query as unknown as Query;
  const known = new Map<string, WalledStatement>();
  const queues = new WeakMap<pg.Client, Promise<unknown>>();
  const depths = new WeakMap<pg.Client, number>();

  const ask = (client: pg.Client, text: string, values: Values = []): Promise<Answer> =>
    original.call(client, { text, values: [...values] }) as Promise<Answer>;

  /** Does something and undoes it; returns the code of the refusal where the database refused it. */
  async function undone<T>(client: pg.Client, work: () => Promise<T>): Promise<T | Refusal> {
    const depth = depths.get(client) ?? 0;
    const point = `wall${depth}`;
    await ask(client, depth > 0 ? `SAVEPOINT ${point}` : 'BEGIN');
    depths.set(client, depth + 1);
    try {
      return await work();
    } catch (error) {
      return { refused: String((error as { code?: unknown }).code) };
    } finally {
      depths.set(client, depth);
      await ask(client, depth > 0 ? `ROLLBACK TO SAVEPOINT ${point}; RELEASE SAVEPOINT ${point}` : 'ROLLBACK');
    }
  }

  /**
   * Returns whether a statement answers otherwise without conditions on a table, where its rows of ours are another's;
   * null: there are none.
   */
  async function isSeen(
    client: pg.Client,
    text: string,
    values: Values,
    gone: readonly Condition[],
  ): Promise<boolean | null> {
    const [{ table, parameter, literal } = {}] = gone;
    if (table === undefined) return false;
    const ours = parameter ? values[Number(parameter.slice(1)) - 1] : Number(literal);
    // A parameter that nothing else names would have no type.
    const always = parameter ? `(${parameter}::bigint IS NULL OR true)` : 'true';
    const without = text.replace(condition, (whole, ...found: unknown[]) =>
      gone.some(({ at }) => at === found[3]) ? always : whole,
    );
    const differs = await undone(client, async () => {
      const other = await strangers(client);
      const given = `UPDATE ${table} SET workspace_id = $1 WHERE workspace_id = $2`;
      if ((await withoutKeys(client, given, [other, ours])).rowCount === 0) return null;
      const [first, again, changed] = [
        await undone(client, () => ask(client, text, values)),
        await undone(client, () => ask(client, text, values)),
        await undone(client, () => ask(client, without, values)),
      ];
      // Keys of the database, which name the workspace, too, refuse what the condition would have passed by.
      if ('refused' in changed) return !('refused' in first) && changed.refused === foreignKey;
      return !isAlike(first, again, changed);
    });
    return differs === null ? null : differs === true;
  }

  /** Returns whether a statement is answered through rows of ours in a table that are another workspace's. */
  async function isThrough(client: pg.Client, text: string, values: Values, table: string, ours: unknown) {
    const answers = (work: string, bind: Values): Promise<Answer | Refusal | null> =>
      undone(client, async () => {
        if ((await withoutKeys(client, work, bind)).rowCount === 0) return null;
        return ask(client, text, values);
      }) as Promise<Answer | Refusal | null>;
    const found = await undone(client, async () => {
      const other = await strangers(client);
      const moved = `UPDATE ${table} SET workspace_id = $1 WHERE workspace_id = $2`;
      const first = await answers(moved, [other, ours]);
      if (first === null) return false;
      const again = await answers(moved, [other, ours]);
      const gone = await answers(`DELETE FROM ${table} WHERE workspace_id = $1`, [ours]);
      return again !== null && gone !== null && !isAlike(first, again, gone);
    });
    return found === true;
  }

  /** Makes another workspace. */
  const strangers = async (client: pg.Client): Promise<unknown> =>
    (await ask(client, `INSERT INTO workspaces (name) VALUES ('Wall') RETURNING id`)).rows[0]?.['id'];

  /** Makes a statement without the keys of the database, which name the workspace, too. */
  async function withoutKeys(client: pg.Client, text: string, values: Values): Promise<Answer> {
    await ask(client, 'SET LOCAL session_replication_role = replica');
    const answer = await ask(client, text, values);
    await ask(client, 'SET LOCAL session_replication_role = origin');
    return answer;
  }

  async function tryIt(client: pg.Client, text: string, values: Values, stack: string): Promise<void> {
    const conditions = conditionsOf(text);
    if (conditions.length === 0) return;
    // Sequelize writes values into the text.
    const key = /"workspace_id" = \d/.test(text) ? text.replace(/'(?:[^']|'')*'|\b\d+\b/g, '…') : text;
    const frames = framesOf(stack).slice(0, 3);
    const statement = known.get(key) ?? {
      text: key,
      from: frames[0] ?? '',
      frames: [],
      answersNobody: false,
      seen: conditions.map(() => null),
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
    const named = text.replace(condition, (whole) => whole.replace(/ = \d+$/, ` = ${nobody}`));
    const given = new Set([...swapped.flat(), nobody].map(String));
    const answer = await undone(client, () => ask(client, named, swapped));
    if (!('refused' in answer) && !isNothing(answer, given)) statement.answersNobody = true;
    const [{ parameter = '', literal } = {}] = conditions;
    const ours = literal === undefined ? values[Number(parameter.slice(1)) - 1] : Number(literal);
    for (const table of new Set(mentionsOf(text).map((found) => found.table ?? '')))
      if (statement.looks <= mostTries && !statement.through.includes(table))
        if (await isThrough(client, text, values, table, ours)) statement.through.push(table);
    for (const [index, one] of conditions.entries()) {
      if (statement.seen[index] === 'alone' || (statement.tries[index] ?? 0) >= mostTries) continue;
      const isAlone = await isSeen(client, text, values, [one]);
      if (isAlone === null) continue;
      statement.tries[index] = (statement.tries[index] ?? 0) + 1;
      const same = conditions.filter(({ table }) => table === one.table);
      if (isAlone) statement.seen[index] = 'alone';
      // Each of several on one table does for the others.
      else if (same.length > 1 && !statement.seen[index] && (await isSeen(client, text, values, same)) === true)
        statement.seen[index] = 'together';
    }
  }

  const replaced: Query = function (...args) {
    const [first] = args;
    const { text, values = args[1] } = (typeof first === 'string' ? { text: first } : first) as Record<string, unknown>;
    // What the driver queues as an object of its own.
    if (typeof text !== 'string') return original.apply(this, args);
    const { stack = '' } = new Error('made here');
    // With a callback nothing is returned: what comes behind waits in the driver's own queue.
    const run = async (): Promise<unknown> => {
      await tryIt(this, text, Array.isArray(values) ? values : [], stack).catch(() => undefined);
      if (/^\s*(START TRANSACTION|BEGIN)/i.test(text)) depths.set(this, 1);
      if (/^\s*(COMMIT|ROLLBACK)(?! TO)/i.test(text)) depths.delete(this);
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
  const walls = watchWalls();
  const file = path.join(folder, `${randomBytes(6).toString('hex')}.json`);
  reported = () => writeFileSync(file, JSON.stringify(walls.statements()));
  return reported;
}
