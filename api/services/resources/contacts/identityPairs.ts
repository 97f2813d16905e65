import { cut } from '../../../core/text/cut';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { lockIdentities } from './locks';
import { identityHashing } from './preference';

/** What an event taught of a contact that was known by its phone alone. */
export interface Pair {
  readonly contactId: number;
  readonly phone: string;
  readonly bsuid: string;
  /** Without the at sign; empty when the event names none. */
  readonly username: string;
  readonly at: Date;
}

/** What a contact is known by now. */
interface Learned {
  readonly bsuid: string | null;
  readonly username: string | null;
}

/**
 * Writes down many plain pairs of phone and bsuid in one transaction, by the rules of `resolveContact`. What is not
 * plain (the bsuid is or was another contact's, the phone was, an erased contact's opt-out waits, newer news) is left
 * to it. Returns those who have their pair now, by contact id: also where another event has written it meanwhile.
 */
export async function storePairs(ctx: Ctx, pairs: readonly Pair[]): Promise<ReadonlyMap<number, Learned>> {
  const { db } = ctx.runtime;

  // One word per person; a bsuid that two rows claim is no plain case.
  const byContact = new Map(
    [...pairs].sort((left, right) => left.at.getTime() - right.at.getTime()).map((pair) => [pair.contactId, pair]),
  );
  const claims = new Map<string, number>();
  for (const { bsuid } of byContact.values()) claims.set(bsuid, (claims.get(bsuid) ?? 0) + 1);
  const plain = [...byContact.values()].filter(({ bsuid }) => claims.get(bsuid) === 1);
  if (plain.length === 0) return new Map();

  const hashesOf = await identityHashing(ctx);
  const bind = { workspaceId: ctx.workspaceId, ids: plain.map(({ contactId }) => contactId) };
  const rows = await db.transaction(async () => {
    await lockIdentities(
      ctx,
      plain.flatMap(({ phone, bsuid }) => [phone, bsuid]),
    );
    const known = await db.rows<Learned & { id: number }>(
      // The order of all who lock several contacts, to avoid deadlocks.
      `SELECT id, bsuid, username FROM contacts
       WHERE ${ofWorkspace('workspace_id')} AND id = ANY($ids::bigint[])
       ORDER BY id
       FOR UPDATE`,
      bind,
    );
    const written = await db.rows<Learned & { id: number }>(
      // Set-based: the statuses of a broadcast bring thousands.
      `UPDATE contacts c SET
         bsuid = g.bsuid,
         identity_at = greatest(c.identity_at, g.at),
         username = CASE WHEN ${renames} THEN g.username ELSE c.username END,
         username_at = CASE WHEN ${renames} THEN g.at ELSE c.username_at END,
         updated_at = now()
       FROM jsonb_to_recordset($pairs::jsonb)
         AS g("contactId" bigint, phone text, bsuid text, username text, at timestamptz, marks text[])
       WHERE ${ofWorkspace('c.workspace_id')} AND c.id = ANY($ids::bigint[]) AND c.id = g."contactId"
         AND c.phone = g.phone AND c.bsuid IS NULL AND (c.identity_at IS NULL OR c.identity_at <= g.at)
         AND NOT EXISTS (SELECT 1 FROM contacts o WHERE o.bsuid = g.bsuid AND ${ofWorkspace('o.workspace_id')})
         AND NOT EXISTS (SELECT 1 FROM contact_aliases a
           WHERE a.workspace_id = c.workspace_id AND a.kind = 'bsuid' AND a.value = g.bsuid)
         AND NOT EXISTS (SELECT 1 FROM contact_aliases a
           WHERE a.workspace_id = c.workspace_id AND a.kind = 'phone' AND a.value = g.phone)
         AND NOT EXISTS (SELECT 1 FROM opt_out_marks k
           WHERE k.workspace_id = c.workspace_id
             AND k.identity_hash = ANY(SELECT decode(mark, 'hex') FROM unnest(g.marks) AS mark))
       RETURNING c.id, c.bsuid, c.username`,
      {
        ...bind,
        pairs: JSON.stringify(
          plain.map((pair) => ({
            ...pair,
            username: cut(pair.username, 64),
            marks: hashesOf(pair).map((hash) => hash.toString('hex')),
          })),
        ),
      },
    );
    return [...known.filter(({ id, bsuid }) => bsuid === byContact.get(id)?.bsuid), ...written];
  });
  return new Map(rows.map(({ id, ...learned }) => [id, learned]));
}

/** SQL: the newest word of a user name counts, as in `resolveContact`. */
const renames = `(g.username <> '' AND (c.username_at IS NULL OR c.username_at < g.at
  OR (c.username_at = g.at AND coalesce(c.username, '') COLLATE "C" < g.username COLLATE "C")))`;
