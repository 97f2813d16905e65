import type { Ctx } from '../../../core/context';
import { ofWorkspace, type Bind } from '../../../core/db';
import { phoneDigits } from './identity';

/** Named queries that give the contacts whom handles name: `named(handle, contact_id, place)`, null for nobody. */
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

/** The values of `namedSql`, without the workspace. */
export function handleBind(handles: readonly string[]): Bind {
  const digits = handles.map(phoneDigits);
  return { handles, digits, plains: handles.map((handle, index) => digits[index] ?? handle) };
}

/** Gives the ids of the contacts whom handles (receiver_id, phone, bsuid) name; those of nobody are missing. */
export async function contactIdsOf(ctx: Ctx, handles: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (handles.length === 0) return new Map();
  const rows = await ctx.runtime.db.rows<{ handle: string; contact_id: number }>(
    `WITH ${namedSql} SELECT handle, contact_id FROM named WHERE contact_id IS NOT NULL`,
    { workspaceId: ctx.workspaceId, ...handleBind([...new Set(handles)]) },
  );
  return new Map(rows.map((row) => [row.handle, row.contact_id]));
}
