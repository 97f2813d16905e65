import { Op } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { recordEvents } from '../../../core/events';
import { of } from '../../../core/scoped';
import { dbNow } from '../../../core/stored';
import type { UpstreamNumber, UpstreamTemplate } from './readUpstream';

/** Refusals that speak of the access token, beside those from 200 to 299: reading with it proves them over. */
const tokenRefusals = [0, 3, 10, 104, 190];

/** Columns of a number that every read brings anew. */
const numberColumns = [
  'business_account_id',
  'display_phone_number',
  'verified_name',
  'quality_rating',
  'code_verification_status',
  'messaging_limit_tier',
  'throughput_mps',
  'status',
  'business_username',
  'business_username_status',
];

/** Columns of a template that every read brings anew. */
const templateColumns = [
  'name',
  'language',
  'category',
  'components',
  'parameter_format',
  'quality_score',
  'status',
  'rejected_reason',
];

const listed = (columns: readonly string[], prefix = ''): string =>
  columns.map((column) => `${prefix}${column}`).join(', ');

/** SQL: whether a row that is there differs from what was read, so that nothing is written for the rest. */
const differs = (table: string, columns: readonly string[]): string =>
  `(${listed(columns, `${table}.`)}) IS DISTINCT FROM (${listed(columns, 'excluded.')})`;

/** Writes the numbers of an account in one statement; those that the upstream no longer has are marked DELETED. */
export async function storeNumbers(
  ctx: Ctx,
  businessAccountPk: number,
  numbers: readonly UpstreamNumber[],
): Promise<void> {
  const { db } = ctx.runtime;
  const ids = numbers.map((number) => number.phone_number_id);

  // A number belongs to one workspace (contract 7): one that another workspace holds is left where it is.
  await db.rows(
    `INSERT INTO phone_numbers AS p (workspace_id, phone_number_id, ${listed(numberColumns)})
     SELECT $workspaceId, n.phone_number_id, $businessAccountPk, n.display_phone_number, n.verified_name,
       n.quality_rating, n.code_verification_status, n.messaging_limit_tier, n.throughput_mps, n.status,
       coalesce(n.business_username, k.business_username, ''),
       coalesce(n.business_username_status, k.business_username_status, '')
     FROM jsonb_to_recordset($numbers::jsonb) AS n(phone_number_id text, display_phone_number text, verified_name text,
       quality_rating text, code_verification_status text, messaging_limit_tier text, throughput_mps integer,
       status text, business_username text, business_username_status text)
     LEFT JOIN phone_numbers k ON k.phone_number_id = n.phone_number_id AND k.workspace_id = $workspaceId
     ON CONFLICT (phone_number_id) DO UPDATE
     SET (${listed(numberColumns)}) = ROW(${listed(numberColumns, 'excluded.')}), updated_at = now()
     WHERE p.workspace_id = excluded.workspace_id AND ${differs('p', numberColumns)}`,
    { workspaceId: ctx.workspaceId, businessAccountPk, numbers: JSON.stringify(numbers) },
  );
  await of(ctx, db.models.PhoneNumber).update(
    { status: 'DELETED', updated_at: dbNow },
    {
      where: {
        business_account_id: businessAccountPk,
        status: { [Op.ne]: 'DELETED' },
        phone_number_id: { [Op.notIn]: ids },
      },
    },
  );
  await warnOfForeign(ctx, ids);
}

/** Logs numbers that another workspace of the installation holds. */
async function warnOfForeign(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const foreign = await ctx.runtime.db.rows<{ phone_number_id: string }>(
    `SELECT phone_number_id FROM phone_numbers
     WHERE phone_number_id = ANY($ids::text[]) AND workspace_id <> $workspaceId`,
    { workspaceId: ctx.workspaceId, ids },
  );
  if (foreign.length === 0) return;
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
  const { db } = ctx.runtime;
  const known = await of(ctx, db.models.Template).findAll({
    attributes: ['id', 'status'],
    where: { business_account_id: businessAccountPk },
    raw: true,
  });

  const changed = await db.rows<{ id: number; status: string; template_id: string }>(
    `INSERT INTO templates AS t (workspace_id, business_account_id, template_id, ${listed(templateColumns)}, status_at)
     SELECT DISTINCT ON (n.template_id) $workspaceId, $businessAccountPk, n.template_id,
       ${listed(templateColumns, 'n.')}, ${readMark}
     FROM jsonb_to_recordset($templates::jsonb) AS n(template_id text, name text, language text, status text,
       category text, components jsonb, parameter_format text, rejected_reason text, quality_score text)
     ON CONFLICT (business_account_id, template_id) DO UPDATE SET
       name = excluded.name, language = excluded.language, components = excluded.components,
       parameter_format = excluded.parameter_format,
       category = CASE WHEN ${newerCategory} THEN t.category ELSE excluded.category END,
       quality_score = CASE WHEN ${newerQuality} THEN t.quality_score ELSE excluded.quality_score END,
       status = CASE WHEN ${newerEvent} THEN t.status ELSE excluded.status END,
       rejected_reason = CASE WHEN ${newerEvent} THEN t.rejected_reason ELSE excluded.rejected_reason END,
       status_at = CASE WHEN ${newerEvent} OR t.status = excluded.status THEN t.status_at ELSE excluded.status_at END,
       updated_at = now()
     WHERE ${differs('t', templateColumns)}
     RETURNING t.id, t.status, t.template_id`,
    { workspaceId: ctx.workspaceId, businessAccountPk, readAt, templates: JSON.stringify(templates) },
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
     WHERE t.workspace_id = $workspaceId AND t.business_account_id = $businessAccountPk AND old.id = t.id
       AND t.status <> 'DELETED' AND NOT t.template_id = ANY($ids::text[]) AND NOT (${newerEvent})
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
  const { BusinessAccount, PhoneNumber } = ctx.runtime.db.models;
  const stopped = all
    ? { stopped_at: { [Op.ne]: null } }
    : { stopped_at: { [Op.ne]: null }, stopped_code: { [Op.or]: [tokenRefusals, { [Op.between]: [200, 299] }] } };
  const lifted = { stopped_at: null, stopped_code: null, stopped_reason: null, updated_at: dbNow };

  const [numbers] = await of(ctx, PhoneNumber).update(lifted, {
    where: { business_account_id: businessAccountPk, ...stopped },
  });
  const [accounts] = await of(ctx, BusinessAccount).update(lifted, { where: { id: businessAccountPk, ...stopped } });
  await of(ctx, BusinessAccount).update({ synced_at: dbNow, resync_at: null }, { where: { id: businessAccountPk } });
  return numbers + accounts > 0;
}
