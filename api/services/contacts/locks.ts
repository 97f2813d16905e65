import type { Ctx } from '../../core/context';

/** Serialises everything that concerns one of these identities in this workspace until the transaction ends. */
export async function lockIdentities(ctx: Ctx, identities: readonly (string | null)[]): Promise<void> {
  const keys = [...new Set(identities.filter((value) => value !== null))].sort();
  if (keys.length === 0) return;
  // In the order of the array: everybody takes them in the same one, so nobody waits in a circle.
  await ctx.runtime.db.rows(
    'SELECT count(pg_advisory_xact_lock(hashtextextended(key, 0)) IS NULL) AS locked FROM unnest($keys::text[]) AS key',
    {
      keys: keys.map((key) => `contact:${ctx.workspaceId}:${key}`),
    },
  );
}
