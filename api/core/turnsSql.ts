/** Rows that wait in a table which has a partial index of them that begins with the workspace. */
interface WaitingRows {
  readonly table: string;
  /** The condition of that index. */
  readonly where: string;
  /** Which of its rows may be taken now; all of them unless given. */
  readonly due?: string;
  /** Who is first among the rows of a workspace: the rest of that index. */
  readonly order: string;
  /** What is read of each row; `turn.share` is how many of a workspace are read at most. */
  readonly columns?: string;
  /** How many are read. */
  readonly limit: number | string;
  /** How many of each workspace; an equal share of the limit unless given. */
  readonly each?: number;
  /** Locks them, and passes by those that are locked. */
  readonly lock?: boolean;
}

/**
 * SQL: waiting rows in the turns of the workspaces, the one way in which rows are taken for all of them. Each workspace
 * that has some gets an equal share of what is read, so none waits behind another one's backlog; where there are more
 * workspaces than places, chance decides. They are found by steps through the index, one step for each, however many
 * rows wait.
 */
export function inTurnsSql(rows: WaitingRows): string {
  const { table, where, due = 'true', order, columns = 'id', limit, each, lock = false } = rows;
  const first = (after: string): string =>
    `(SELECT workspace_id FROM ${table} WHERE ${where}${after} ORDER BY workspace_id LIMIT 1)`;
  return `WITH RECURSIVE waiting AS (
      ${first('')}
      UNION ALL
      SELECT n.workspace_id FROM waiting w CROSS JOIN LATERAL ${first(' AND workspace_id > w.workspace_id')} n
    ), turn AS MATERIALIZED (
      SELECT workspace_id, ${each ?? `greatest(1, ${limit} / count(*) OVER ())`} AS share
      FROM (SELECT workspace_id FROM waiting w
        WHERE EXISTS (SELECT 1 FROM ${table} WHERE ${where} AND workspace_id = w.workspace_id AND ${due})
        ORDER BY random() LIMIT ${limit}) AS served
    )
    SELECT taken.* FROM turn CROSS JOIN LATERAL (
      SELECT ${columns} FROM ${table} WHERE ${where} AND workspace_id = turn.workspace_id AND ${due}
      ORDER BY ${order} LIMIT turn.share${lock ? ' FOR UPDATE SKIP LOCKED' : ''}
    ) AS taken LIMIT ${limit}`;
}
