import type { Ctx } from '../../../../core/context';
import { ofWorkspace } from '../../../../core/db/database';
import { recordEvents, recordSql } from '../../../../core/queue/events';
import { applyPreference, type OptOutSource } from '../preference';
import { freeHandles, openConversationsSql } from '../rows';
import { keyOf, optOutMarks } from './marks';
import type { Target, Update } from './merge';
import type { ContactPatch } from './rows';

/**
 * A kept plan is made for ten values and a table as it was; these statements have hundreds, of a table that grows with
 * them.
 */
export const byValues = { planned: 'anew' } as const;

/** Inserts contacts with their conversations and events; returns the keys of those that were not created meanwhile. */
export async function insertContacts(
  ctx: Ctx,
  fresh: readonly (readonly [Target, ContactPatch])[],
): Promise<Set<string>> {
  if (fresh.length === 0) return new Set();
  const targets = fresh.map(([target]) => target);
  await freeHandles(
    ctx,
    targets.map(({ phone, bsuid }) => phone ?? bsuid),
  );
  const marks = await optOutMarks(ctx, targets);
  const now = ctx.runtime.clock.now();
  const source = ctx.actor.type === 'member' ? 'member' : 'api';
  const rows = fresh.map(([target, patch]) => {
    const { phone, bsuid } = target;
    const mark = marks.get(keyOf(target));
    const optOut = patch.optOut ? { at: now, source } : mark ? { at: mark.opted_out_at, source: mark.source } : null;
    return {
      phone,
      bsuid,
      ...patch.texts,
      tags: patch.tags ?? [],
      custom: patch.custom,
      attributes: patch.attributes,
      opt_out_at: optOut?.at ?? null,
      opt_out_source: optOut?.source ?? null,
    };
  });
  // In the order of the identities, so that two imports of the same customers wait for each other without a deadlock.
  const inserted = await ctx.runtime.db.rows<{ phone: string | null; bsuid: string | null }>(
    `WITH inserted AS (
       INSERT INTO contacts (workspace_id, receiver_id, phone, bsuid, name, email, company, notes, tags,
         custom_fields, attributes, marketing_opt_out, marketing_opt_out_at, marketing_opt_out_source,
         marketing_preference_at)
       SELECT $workspaceId, coalesce(r.phone, r.bsuid), r.phone, r.bsuid, coalesce(r.name, ''),
         coalesce(r.email, ''), coalesce(r.company, ''), coalesce(r.notes, ''), r.tags,
         r.custom, r.attributes, r.opt_out_at IS NOT NULL, r.opt_out_at, r.opt_out_source,
         r.opt_out_at
       FROM json_to_recordset($rows::json)
         AS r(phone text, bsuid text, name text, email text, company text, notes text, tags jsonb, custom jsonb,
           attributes jsonb, opt_out_at timestamptz, opt_out_source text)
       ORDER BY r.phone, r.bsuid
       ON CONFLICT DO NOTHING
       RETURNING id, phone, bsuid
     ), conversation AS (${openConversationsSql('inserted')}), event AS (${recordSql('inserted', {
       workspaceId: '$workspaceId',
       subjectType: 'contact',
       subjectId: 'id',
       kind: 'contact_created',
       actor: ['$actorType', '$memberId::bigint', '$apiKeyId::bigint'],
       data: `'{"source": "import"}'`,
       requestId: '$requestId',
     })})
     SELECT phone, bsuid FROM inserted`,
    {
      workspaceId: ctx.workspaceId,
      actorType: ctx.actor.type,
      memberId: ctx.actor.memberId,
      apiKeyId: ctx.actor.apiKeyId,
      requestId: ctx.requestId,
      rows: JSON.stringify(rows),
    },
    byValues,
  );
  return new Set(inserted.map(keyOf));
}

/** Settles what known contacts got by their rows: nobody else is named by it, and an opt-out that it kept applies. */
export async function settleIdentities(ctx: Ctx, gained: readonly Target[]): Promise<void> {
  await freeHandles(
    ctx,
    gained.flatMap(({ phone, bsuid }) => [phone, bsuid]),
  );
  const marks = gained.length === 0 ? null : await optOutMarks(ctx, gained);
  for (const target of gained) {
    const mark = marks?.get(keyOf(target));
    if (mark && target.stored)
      await applyPreference(ctx, target.stored.id, true, mark.opted_out_at, mark.source as OptOutSource);
  }
}

/** Writes what differs; locked before, so the values that were compared are the ones that are replaced. */
export async function updateContacts(ctx: Ctx, updates: readonly Update[]): Promise<void> {
  if (updates.length === 0) return;
  await ctx.runtime.db.rows(
    `UPDATE contacts c SET
       phone = r.phone,
       bsuid = r.bsuid,
       name = coalesce(r.name, c.name),
       email = coalesce(r.email, c.email),
       company = coalesce(r.company, c.company),
       notes = coalesce(r.notes, c.notes),
       tags = coalesce(r.tags, c.tags),
       custom_fields = c.custom_fields || coalesce(r.custom, '{}'),
       attributes = c.attributes || coalesce(r.attributes, '{}'),
       marketing_opt_out = coalesce(r.opt_out, c.marketing_opt_out),
       marketing_opt_out_at = CASE
         WHEN r.opt_out IS NULL THEN c.marketing_opt_out_at
         WHEN r.opt_out THEN $now::timestamptz END,
       marketing_opt_out_source = CASE
         WHEN r.opt_out IS NULL THEN c.marketing_opt_out_source
         WHEN r.opt_out THEN $source::text END,
       marketing_preference_at = CASE
         WHEN r.opt_out IS NULL THEN c.marketing_preference_at
         ELSE $now::timestamptz END,
       profile_name_at = CASE WHEN r.name IS NULL THEN c.profile_name_at END,
       updated_at = now()
     FROM json_to_recordset($rows::json)
       AS r(id bigint, phone text, bsuid text, name text, email text, company text, notes text, tags jsonb,
         custom jsonb, attributes jsonb, opt_out boolean)
     WHERE ${ofWorkspace('c.workspace_id')} AND c.id = ANY($ids::bigint[]) AND c.id = r.id`,
    {
      workspaceId: ctx.workspaceId,
      now: ctx.runtime.clock.now(),
      source: ctx.actor.type === 'member' ? 'member' : 'api',
      ids: updates.map(({ id }) => id),
      rows: JSON.stringify(updates.map(({ values }) => values)),
    },
    byValues,
  );
  await recordEvents(
    ctx,
    updates.map(({ id, changes }) => ({
      subjectType: 'contact',
      subjectId: id,
      kind: 'contact_updated',
      changes,
      data: { source: 'import' },
    })),
  );
}
