import { dueNowSql } from '../../../core/clock';
import { maxSweptRows, never, sweepAll, type IsOver } from '../../../core/queue/sweep';
import type { Runtime } from '../../../core/runtime';
import { isInUseSql, keptUnused, storeName } from '../../resources/files/rows';

/**
 * Removes uploads that nothing uses, and from the store the bytes of all files whose rows are gone. Returns how many.
 * Crosses workspaces on purpose.
 */
export async function removeFilesAnywhere(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  await sweepAll(isOver, () => removeUnused(runtime));
  const removed = await sweepAll(isOver, () => emptyStore(runtime));
  await runtime.files.tidy();
  return removed;
}

/** Looks at uploads whose time has come: each goes, or is looked at again when as much time has passed. */
async function removeUnused(runtime: Runtime): Promise<number> {
  const row = await runtime.db.row<{ looked: number }>(
    `WITH due AS MATERIALIZED (
       SELECT f.id, EXISTS (SELECT FROM messages m WHERE m.file_id = f.id) OR ${isInUseSql} AS used FROM files f
       WHERE f.look_at < ${dueNowSql(runtime.clock)} ORDER BY f.look_at LIMIT ${maxSweptRows}
     ), gone AS (
       -- The time again: a message that takes the file at this moment puts it off.
       DELETE FROM files f USING due d
       WHERE f.id = d.id AND NOT d.used AND f.look_at < ${dueNowSql(runtime.clock)} RETURNING 1
     ), put_off AS (
       UPDATE files f SET look_at = ${dueNowSql(runtime.clock)} + ${keptUnused} FROM due d WHERE f.id = d.id AND d.used
     )
     SELECT count(*)::int AS looked FROM due`,
  );
  return row?.looked ?? 0;
}

/** Takes the bytes of files without rows out of the store (SQL: of all workspaces, many at once). */
async function emptyStore(runtime: Runtime): Promise<number> {
  const rows = await runtime.db.rows<{ id: number; workspace_id: number; public_id: string }>(
    `SELECT id, workspace_id, public_id FROM removed_files ORDER BY id LIMIT ${maxSweptRows}`,
  );
  for (const row of rows) await runtime.files.remove(storeName(row));
  await runtime.db.rows('DELETE FROM removed_files WHERE id = ANY($ids::bigint[])', { ids: rows.map(({ id }) => id) });
  return rows.length;
}
