import type { Ctx } from '../../../core/context';
import { lineOf } from '../../../core/phones';
import { sha256 } from '../../../core/secrets';

/**
 * Locks per workspace. The server has some thousands for all its clients: with one lock for each contact of an import,
 * a dozen imports would use them all.
 */
const buckets = 256;

/**
 * Serialises everything that concerns one of these identities in this workspace until the transaction ends. Two
 * identities may share a lock, so unrelated people sometimes wait for each other; spellings of one line always do.
 */
export async function lockIdentities(ctx: Ctx, identities: readonly (string | null)[]): Promise<void> {
  const wanted = identities
    .filter((value) => value !== null)
    .map((value) => sha256(lineOf(value)).readUInt32BE(0) % buckets);
  const keys = [...new Set(wanted)].sort((left, right) => left - right);
  if (keys.length === 0) return;
  // In the order of the array: all take them in the same order, to avoid deadlocks.
  await ctx.runtime.db.rows(
    'SELECT count(pg_advisory_xact_lock(hashtextextended(key, 0)) IS NULL) AS locked FROM unnest($keys::text[]) AS key',
    { keys: keys.map((key) => `contact:${ctx.workspaceId}:${key}`) },
  );
}
