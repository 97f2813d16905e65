import type { Ctx } from '../../../core/context';
import { ofWorkspace, type Bind } from '../../../core/db/database';
import { phoneDigits } from './identity';

/**
 * SQL: named queries for the contacts that handles name: `named(handle, contact_id, place)`, null where there is none.
 */
export const namedSql = `handles AS (
    SELECT handle, plain, digits, place
    FROM unnest($handles::text[], $plains::text[], $digits::text[]) WITH ORDINALITY AS h(handle, plain, digits, place)
  ), named AS (
    SELECT h.handle, coalesce(
      (SELECT id FROM contacts WHERE receiver_id = h.plain AND ${ofWorkspace('workspace_id')}),
      (SELECT id FROM contacts WHERE phone = h.digits AND ${ofWorkspace('workspace_id')}),
      (SELECT id FROM contacts WHERE bsuid = h.handle AND ${ofWorkspace('workspace_id')}),
      (SELECT contact_id FROM contact_aliases
       WHERE workspace_id = $workspaceId AND kind = 'receiver_id' AND value = h.plain)) AS contact_id, h.place
    FROM handles h
  )`;

/** Returns the values of `namedSql`, without the workspace. */
export function handleBind(handles: readonly string[]): Bind {
  const digits = handles.map(phoneDigits);
  return { handles, digits, plains: handles.map((handle, index) => digits[index] ?? handle) };
}

/** Returns the ids of the contacts that handles (receiver_id, phone, bsuid) name; others are missing. */
export async function contactIdsOf(ctx: Ctx, handles: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (handles.length === 0) return new Map();

  // A set of handles of three kinds, each looked up by its own index.
  const rows = await ctx.runtime.db.rows<{ handle: string; contact_id: number }>(
    `WITH ${namedSql} SELECT handle, contact_id FROM named WHERE contact_id IS NOT NULL`,
    { workspaceId: ctx.workspaceId, ...handleBind([...new Set(handles)]) },
  );
  return new Map(rows.map((row) => [row.handle, row.contact_id]));
}
