import type { Ctx } from '../../../core/context';
import { recordEvents } from '../../../core/queue/events';
import { of } from '../../../core/db/scoped';
import { columnList, differsFromNew } from '../../../core/db/upserts';
import type { UpstreamTemplate } from '../accounts/readUpstream';
import { readMark } from '../accounts/syncs';

/** The columns of a template that every read from the upstream renews. */
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
    `INSERT INTO templates AS t (workspace_id, business_account_id, template_id, ${columnList(templateColumns)},
       status_at)
     SELECT DISTINCT ON (n.template_id) $workspaceId, $businessAccountPk, n.template_id,
       ${columnList(templateColumns, 'n.')}, ${readMark}
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
     WHERE ${differsFromNew('t', templateColumns)}
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
