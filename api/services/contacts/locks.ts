import type { Ctx } from '../../core/context';

/** Serialises everything that concerns one of these identities in this workspace until the transaction ends. */
export async function lockIdentities(ctx: Ctx, identities: readonly (string | null)[]): Promise<void> {
  const keys = [...new Set(identities.filter((value) => value !== null))].sort();
  for (const key of keys) {
    await ctx.runtime.db.rows('SELECT pg_advisory_xact_lock(hashtextextended($key, 0)) IS NULL AS locked', { key: `contact:${ctx.workspaceId}:${key}` });
  }
}
