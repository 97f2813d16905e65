import type { Ctx } from '../../../core/context';
import { recordEvents } from '../../../core/events';
import type { UpstreamNumber, UpstreamTemplate } from './readUpstream';

/** Refusals that speak of the access token: reading with it proves them over. */
const tokenRefusal = '(stopped_code IN (0, 3, 10, 104, 190) OR stopped_code BETWEEN 200 AND 299)';

const numberColumns =
  'display_phone_number, verified_name, quality_rating, code_verification_status, messaging_limit_tier, ' +
  'throughput_mps, status';

/** Writes the numbers of an account; those that the upstream no longer has are marked DELETED. */
export async function storeNumbers(
  ctx: Ctx,
  businessAccountPk: number,
  numbers: readonly UpstreamNumber[],
): Promise<void> {
  const bind = {
    workspaceId: ctx.workspaceId,
    businessAccountPk,
    ids: numbers.map((number) => number.phone_number_id),
    numbers: JSON.stringify(numbers),
  };
  const { db } = ctx.runtime;
  // A number belongs to one workspace (contract 7): one that another workspace holds is left where it is.
  await db.rows(
    `INSERT INTO phone_numbers AS p (workspace_id, business_account_id, phone_number_id, ${numberColumns}, business_username, business_username_status)
     SELECT $workspaceId, $businessAccountPk, n.phone_number_id, n.display_phone_number, n.verified_name, n.quality_rating, n.code_verification_status,
       n.messaging_limit_tier, n.throughput_mps, n.status, coalesce(n.business_username, k.business_username, ''), coalesce(n.business_username_status, k.business_username_status, '')
     FROM jsonb_to_recordset($numbers::jsonb) AS n(phone_number_id text, display_phone_number text, verified_name text, quality_rating text, code_verification_status text,
       messaging_limit_tier text, throughput_mps integer, status text, business_username text, business_username_status text)
     LEFT JOIN phone_numbers k ON k.phone_number_id = n.phone_number_id AND k.workspace_id = $workspaceId
     ON CONFLICT (phone_number_id) DO UPDATE SET
       business_account_id = excluded.business_account_id, display_phone_number = excluded.display_phone_number, verified_name = excluded.verified_name,
       quality_rating = excluded.quality_rating, code_verification_status = excluded.code_verification_status, messaging_limit_tier = excluded.messaging_limit_tier,
       throughput_mps = excluded.throughput_mps, status = excluded.status, business_username = excluded.business_username,
       business_username_status = excluded.business_username_status, updated_at = now()
     WHERE p.workspace_id = excluded.workspace_id
       AND (p.business_account_id, p.display_phone_number, p.verified_name, p.quality_rating, p.code_verification_status, p.messaging_limit_tier, p.throughput_mps, p.status,
            p.business_username, p.business_username_status)
         IS DISTINCT FROM (excluded.business_account_id, excluded.display_phone_number, excluded.verified_name, excluded.quality_rating, excluded.code_verification_status,
            excluded.messaging_limit_tier, excluded.throughput_mps, excluded.status, excluded.business_username, excluded.business_username_status)`,
    bind,
  );
  await db.rows(
    `UPDATE phone_numbers SET status = 'DELETED', updated_at = now()
     WHERE workspace_id = $workspaceId AND business_account_id = $businessAccountPk AND status <> 'DELETED' AND NOT phone_number_id = ANY($ids::text[])`,
    { workspaceId: bind.workspaceId, businessAccountPk, ids: bind.ids },
  );
  const foreign = await db.rows<{ phone_number_id: string }>(
    'SELECT phone_number_id FROM phone_numbers WHERE phone_number_id = ANY($ids::text[]) AND workspace_id <> ' +
      '$workspaceId',
    {
      workspaceId: bind.workspaceId,
      ids: bind.ids,
    },
  );
  if (foreign.length > 0)
    ctx.logger.warn(
      { event: 'phone_number.foreign', phoneNumberIds: foreign.map((row) => row.phone_number_id) },
      'phone numbers belong to another workspace and were not taken',
    );
}

/** Events carry whole seconds: one of the second of the read may be newer than what was read, so it keeps its word. */
const readMark = "date_trunc('second', $readAt::timestamptz) - interval '1 millisecond'";
const newerEvent = `t.status_at IS NOT NULL AND t.status_at > ${readMark}`;
const newerCategory = `t.category_at IS NOT NULL AND t.category_at > ${readMark}`;
const newerQuality = `t.quality_at IS NOT NULL AND t.quality_at > ${readMark}`;

/** Writes the templates of an account as they were read at `readAt`, and announces changes of status. */
export async function storeTemplates(
  ctx: Ctx,
  businessAccountPk: number,
  templates: readonly UpstreamTemplate[],
  readAt: Date,
): Promise<void> {
  if (templates.length === 0) return;
  const bind = { workspaceId: ctx.workspaceId, businessAccountPk };
  const known = await ctx.runtime.db.rows<{ id: number; status: string }>(
    'SELECT id, status FROM templates WHERE workspace_id = $workspaceId AND business_account_id = $businessAccountPk',
    bind,
  );
  const changed = await ctx.runtime.db.rows<{
    id: number;
    status: string;
    template_id: string;
    rejected_reason: string;
  }>(
    `INSERT INTO templates AS t (workspace_id, business_account_id, template_id, name, language, status, category, components, parameter_format, rejected_reason, quality_score, status_at)
     SELECT DISTINCT ON (n.template_id) $workspaceId, $businessAccountPk, n.template_id, n.name, n.language, n.status, n.category, n.components, n.parameter_format, n.rejected_reason,
       n.quality_score, ${readMark}
     FROM jsonb_to_recordset($templates::jsonb) AS n(template_id text, name text, language text, status text, category text, components jsonb, parameter_format text, rejected_reason text, quality_score text)
     ON CONFLICT (business_account_id, template_id) DO UPDATE SET
       name = excluded.name, language = excluded.language, category = CASE WHEN ${newerCategory} THEN t.category ELSE excluded.category END, components = excluded.components, parameter_format = excluded.parameter_format,
       quality_score = CASE WHEN ${newerQuality} THEN t.quality_score ELSE excluded.quality_score END,
       status = CASE WHEN ${newerEvent} THEN t.status ELSE excluded.status END,
       rejected_reason = CASE WHEN ${newerEvent} THEN t.rejected_reason ELSE excluded.rejected_reason END,
       status_at = CASE WHEN ${newerEvent} OR t.status = excluded.status THEN t.status_at ELSE excluded.status_at END,
       updated_at = now()
     WHERE (t.name, t.language, t.category, t.components, t.parameter_format, t.quality_score, t.status, t.rejected_reason)
       IS DISTINCT FROM (excluded.name, excluded.language, excluded.category, excluded.components, excluded.parameter_format, excluded.quality_score, excluded.status, excluded.rejected_reason)
     RETURNING t.id, t.status, t.template_id, t.rejected_reason`,
    { ...bind, readAt, templates: JSON.stringify(templates) },
  );
  await announce(ctx, known, changed);
}

async function announce(
  ctx: Ctx,
  known: readonly { id: number; status: string }[],
  changed: readonly { id: number; status: string; template_id: string }[],
): Promise<void> {
  const before = new Map(known.map((row) => [row.id, row.status]));
  await recordEvents(
    ctx,
    changed
      .filter((row) => before.has(row.id) && before.get(row.id) !== row.status)
      .map((row) => ({
        subjectType: 'template' as const,
        subjectId: row.id,
        kind: 'template_status_changed',
        changes: { status: { from: before.get(row.id), to: row.status } },
        data: { template_id: row.template_id },
      })),
  );
}

/** Marks templates that the upstream no longer has as DELETED: kept, hidden, not sendable. */
export async function dropMissingTemplates(
  ctx: Ctx,
  businessAccountPk: number,
  templates: readonly UpstreamTemplate[],
  readAt: Date,
): Promise<number> {
  // Messages, stages and broadcasts point to the row, so it stays; what an event brought after the read is left alone.
  const rows = await ctx.runtime.db.rows<{ id: number; status: string; template_id: string }>(
    `UPDATE templates t SET status = 'DELETED', rejected_reason = '', status_at = ${readMark}, updated_at = now()
     FROM templates old
     WHERE t.workspace_id = $workspaceId AND t.business_account_id = $businessAccountPk AND old.id = t.id AND t.status <> 'DELETED'
       AND NOT t.template_id = ANY($ids::text[]) AND NOT (${newerEvent})
     RETURNING t.id, old.status, t.template_id`,
    { workspaceId: ctx.workspaceId, businessAccountPk, readAt, ids: templates.map((template) => template.template_id) },
  );
  await announce(
    ctx,
    rows,
    rows.map((row) => ({ ...row, status: 'DELETED' })),
  );
  return rows.length;
}

/**
 * Lets the account and its numbers send again: after a token refusal since reading went well, or `all` stops. Returns
 * whether there was one.
 */
export async function liftStops(ctx: Ctx, businessAccountPk: number, all: boolean): Promise<boolean> {
  const bind = { workspaceId: ctx.workspaceId, businessAccountPk };
  const which = all ? 'stopped_at IS NOT NULL' : `stopped_at IS NOT NULL AND ${tokenRefusal}`;
  const clear = 'stopped_at = NULL, stopped_code = NULL, stopped_reason = NULL';
  const lifted = await ctx.runtime.db.rows(
    `UPDATE phone_numbers SET ${clear}, updated_at = now() WHERE workspace_id = $workspaceId AND business_account_id = $businessAccountPk AND ${which} RETURNING id`,
    bind,
  );
  lifted.push(
    ...(await ctx.runtime.db.rows(
      `UPDATE business_accounts SET ${clear}, updated_at = now() WHERE workspace_id = $workspaceId AND id = $businessAccountPk AND ${which} RETURNING id`,
      bind,
    )),
  );
  await ctx.runtime.db.rows(
    'UPDATE business_accounts SET synced_at = now(), resync_at = NULL WHERE workspace_id = $workspaceId AND id = ' +
      '$businessAccountPk',
    bind,
  );
  return lifted.length > 0;
}
