import { cut } from '../../../core/text/cut';
import type { Bind } from '../../../core/db/database';
import { AppError, invalid, invalidField, noSuchPk } from '../../../core/http/errors';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { handleBind, namedSql } from '../contacts/handles';
import { valueConditions } from '../customFields/values';
import type { Audience } from './schema';
import { after } from '../../../core/http/reasons';
import { within } from '../../../core/http/fields';
import { reason } from '../reasons';

/** The reason of recipients whom an operator left out when he ended their broadcast. */
export const endedByOperator = 'ended_by_operator';

/** The parts of a statement that select the contacts of an audience as `picked(contact_id, copy)`, and their values. */
interface AudienceSql {
  /** Named queries, the last of them `picked`; `copy` counts how often the audience named the contact before. */
  readonly sql: string;
  readonly bind: Bind;
}

/**
 * Translates an audience to SQL; the same statement previews it and freezes it. Every filter has an index or follows
 * one.
 */
export async function audienceSql(ctx: Ctx, audience: Audience): Promise<AudienceSql> {
  const bind: Bind = { workspaceId: ctx.workspaceId };
  const where = ['c.workspace_id = $workspaceId'];
  const add = (name: string, value: unknown, condition: string): void => {
    if (value === undefined) return;
    bind[name] = value;
    where.push(condition);
  };
  const tagList = (values: readonly string[] | undefined): string[] | undefined =>
    values?.map((tag) => JSON.stringify([tag]));
  add('tagsAny', tagList(audience.tags_any), 'c.tags @> ANY($tagsAny::jsonb[])');
  add(
    'tagsAll',
    audience.tags_all === undefined ? undefined : JSON.stringify(audience.tags_all),
    'c.tags @> $tagsAll::jsonb',
  );
  add('tagsNone', tagList(audience.tags_none), 'NOT c.tags @> ANY($tagsNone::jsonb[])');
  add('createdAfter', audience.created_after, 'c.created_at > $createdAfter');
  add('createdBefore', audience.created_before, 'c.created_at < $createdBefore');
  add('convStatus', audience.conv_status, 'v.conv_status = ANY($convStatus::text[])');
  add('inboundAfter', audience.last_inbound_after, 'v.last_inbound_at > $inboundAfter');
  add('inboundBefore', audience.last_inbound_before, 'v.last_inbound_at < $inboundBefore');
  add('resendOf', audience.resend_of, unreachedSql);
  if (audience.assigned_team_inbox === 'none') where.push('v.assigned_team_inbox_id IS NULL');
  else add('inbox', audience.assigned_team_inbox, 'v.assigned_team_inbox_id = $inbox');
  where.push(...(await customConditions(ctx, audience, bind)));
  const from = where.some((condition) => condition.includes('v.'))
    ? 'contacts c JOIN conversations v ON v.contact_id = c.id'
    : 'contacts c';
  if (audience.receiver_ids === undefined)
    return {
      sql: `picked AS (SELECT c.id AS contact_id, 0::bigint AS copy FROM ${from} WHERE ${where.join(' AND ')})`,
      bind,
    };
  Object.assign(bind, handleBind(audience.receiver_ids));
  return {
    sql: `${namedSql}, picked AS (
      SELECT n.contact_id, row_number() OVER (PARTITION BY n.contact_id ORDER BY n.place) - 1 AS copy
      FROM named n
      JOIN ${from.replace('contacts c', 'contacts c ON c.id = n.contact_id')}
      WHERE ${where.join(' AND ')})`,
    bind,
  };
}

/**
 * SQL: whether the broadcast `$resendOf` certainly did not reach contact `c`: it failed, waits, or was left out by the
 * operator. A failure that was only assumed may have been a send, so it does not count; nor does a contact who got it,
 * or a resend of it, also as somebody who turned out to be the same person.
 */
const unreachedSql = `c.id IN (
    SELECT coalesce(al.contact_id, r.contact_id) FROM broadcast_recipients r
    LEFT JOIN contact_aliases al
      ON al.workspace_id = r.workspace_id AND al.kind = 'id' AND al.value = r.contact_id::text
    WHERE r.workspace_id = $workspaceId AND r.broadcast_id = $resendOf
      AND (r.state = 'pending' OR r.reason = '${endedByOperator}' OR (r.state = 'failed' AND (r.error_code IS NOT NULL
        OR EXISTS (SELECT FROM messages m
          WHERE m.workspace_id = r.workspace_id AND m.id = r.message_id AND m.unknown_intake_ms IS NULL)))))
  AND NOT EXISTS (
    SELECT FROM broadcasts s JOIN broadcast_recipients g ON g.broadcast_id = s.id
    LEFT JOIN contact_aliases al
      ON al.workspace_id = g.workspace_id AND al.kind = 'id' AND al.value = g.contact_id::text
    WHERE coalesce(al.contact_id, g.contact_id) = c.id AND s.workspace_id = $workspaceId
      AND (s.id = $resendOf OR s.audience->>'resend_of' = $resendOf::text) AND g.reason <> 'duplicate'
      AND (g.state IN ('sent', 'unknown') OR (s.id <> $resendOf AND g.state = 'failed' AND g.error_code IS NULL)))`;

/** Conditions on custom fields; what is wrong with one is told as part of the audience. */
async function customConditions(ctx: Ctx, audience: Audience, bind: Bind): Promise<string[]> {
  try {
    return await valueConditions(ctx, 'contacts', audience.custom_fields, 'c.custom_fields', bind);
  } catch (error) {
    if (!(error instanceof AppError) || !error.fields) throw error;
    throw invalid({
      audience: Object.entries(error.fields).flatMap(([field, messages]) =>
        messages.map((message) => after(`${field.replace('custom_field', 'custom_fields')}: `, message)),
      ),
    });
  }
}

/** Refuses handles that name no contact of the workspace (contract 3: a reference in a body). */
export async function checkReceivers(ctx: Ctx, audience: Audience): Promise<void> {
  if (audience.receiver_ids === undefined) return;
  const missing = await ctx.runtime.db.row<{ handle: string }>(
    `WITH ${namedSql} SELECT handle FROM named WHERE contact_id IS NULL ORDER BY place LIMIT 1`,
    {
      workspaceId: ctx.workspaceId,
      ...handleBind(audience.receiver_ids),
    },
  );
  if (missing) throw invalidField('audience', within('receiver_ids', noSuchPk(cut(missing.handle, 100))));
}

/** Refuses a team inbox that the workspace does not have, which otherwise would only look like an empty audience. */
export async function checkInbox(ctx: Ctx, audience: Audience): Promise<void> {
  const id = audience.assigned_team_inbox;
  if (id === undefined || id === 'none') return;
  const found = await of(ctx, ctx.runtime.db.models.TeamInbox).count({ where: { id } });
  if (found === 0) throw invalidField('audience', within('assigned_team_inbox', noSuchPk(id)));
}

/** Refuses the repetition of a broadcast that does not exist, or has not ended: whom it will reach is not known. */
export async function checkResend(ctx: Ctx, { resend_of: id }: Audience): Promise<void> {
  if (id === undefined) return;
  const where = { id, status: ['completed', 'failed'] };
  if ((await of(ctx, ctx.runtime.db.models.Broadcast).count({ where })) === 0)
    throw invalidField('audience', within('resend_of', reason('notEnded', { id })));
}

/**
 * SQL: why a picked contact `c` is skipped: null for one who gets the message. `$authentication` says whether the
 * template needs a phone.
 */
export const skipReasonSql = `CASE WHEN p.copy > 0 THEN 'duplicate'
  WHEN c.marketing_opt_out THEN 'opted_out'
  WHEN $authentication AND c.phone IS NULL THEN 'needs_phone' END`;
