/** Waiting rows of a table that has a partial index of them, whose first column names the owner of the turn. */
interface WaitingRows {
  readonly table: string;
  /** The condition of that index. */
  readonly where: string;
  /** Its first column, who has the turns: workspaces unless given. */
  readonly of?: string;
  /** Which of these have one, as a condition on an expression; all of them unless given. */
  readonly served?: (whose: string) => string;
  /** Which of their rows may be taken now; all of them unless given. */
  readonly due?: string;
  /** Who is first among the rows of one: the rest of that index. */
  readonly order: string;
  /** Which of these are free, where other rows say so; a turn looks at a limited number of them. */
  readonly free?: (row: string) => string;
  /** What is read of each row; `turn.share` is how many of one turn are read at most. */
  readonly columns?: string;
  /** How many are read. */
  readonly limit: number | string;
  /** How many of each turn; an equal share of the limit unless given. */
  readonly each?: number;
  /** Locks them, and passes by those that are locked. */
  readonly lock?: boolean;
}

/** How many rows that are not free a turn passes by at most: as many as it takes a millisecond to look at. */
const passedBy = 100;

/**
 * SQL: waiting rows in the turns of the workspaces, the one way in which rows are taken for all of them. Each workspace
 * that has some gets an equal share of what is read, so none waits behind another one's backlog; where there are more
 * workspaces than places, chance decides. They are found by steps through the index, one step for each, however many
 * rows wait.
 */
export function inTurnsSql(rows: WaitingRows): string {
  const { table, where, of = 'workspace_id', served, due = 'true', order, free, columns = 'id', limit, each } = rows;
  const first = (after: string): string =>
    `(SELECT ${of} AS whose FROM ${table} WHERE ${where}${after} ORDER BY ${of} LIMIT 1)`;
  const own = `${table} WHERE ${where} AND ${of} = turn.whose AND ${due} ORDER BY ${order} LIMIT turn.share`;
  const taken = free ? `(SELECT * FROM ${own} + ${passedBy}) AS near WHERE ${free('near')} LIMIT turn.share` : own;
  return `WITH RECURSIVE waiting AS (
      ${first('')}
      UNION ALL
      SELECT n.whose FROM waiting w CROSS JOIN LATERAL ${first(` AND ${of} > w.whose`)} n
    ), turn AS MATERIALIZED (
      SELECT whose, ${each ?? `greatest(1, ${limit} / count(*) OVER ())`} AS share
      FROM (SELECT whose FROM waiting w
        -- In the order of the index, which the planner then uses whatever it believes of the table.
        WHERE (SELECT true FROM ${table} WHERE ${where} AND ${of} = w.whose AND ${due} ORDER BY ${order} LIMIT 1)
          ${served ? `AND ${served('w.whose')}` : ''}
        ORDER BY random() LIMIT ${limit}) AS chosen
    )
    SELECT taken.* FROM turn CROSS JOIN LATERAL (
      SELECT ${columns} FROM ${taken}${rows.lock === true ? ' FOR UPDATE SKIP LOCKED' : ''}
    ) AS taken LIMIT ${limit}`;
}
