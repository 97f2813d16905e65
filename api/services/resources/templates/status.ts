import { cut } from '../../../core/text/cut';
import type { Ctx } from '../../../core/context';
import { recordEvent } from '../../../core/queue/events';

/**
 * Later states in the life of a template beat earlier ones where two words carry the same second; the upstream gives
 * no finer time.
 */
const rank = (status: string): string => `CASE ${status}
    WHEN 'PENDING' THEN 0 WHEN 'IN_APPEAL' THEN 1 WHEN 'APPROVED' THEN 2 WHEN 'PAUSED' THEN 3 WHEN 'REJECTED' THEN 4
    WHEN 'DISABLED' THEN 5 WHEN 'DELETED' THEN 9 ELSE 6 END`;

/**
 * Sets a template's status as of `at` (SQL: what is stored decides whether it is news); an older word than the newest
 * known one changes nothing. The reason is kept only while it is REJECTED (contract 6.6).
 */
export async function setTemplateStatus(
  ctx: Ctx,
  id: number,
  status: string,
  at: Date,
  rejectedReason = '',
): Promise<void> {
  const row = await ctx.runtime.db.row<{ before: string; template_id: string }>(
    `UPDATE templates t
     SET status = $status, rejected_reason = CASE WHEN $status::text = 'REJECTED' THEN $reason ELSE '' END,
       status_at = $at, updated_at = now()
     FROM (SELECT id, status FROM templates WHERE workspace_id = $workspaceId AND id = $id FOR UPDATE) old
     WHERE t.id = old.id AND (t.status_at IS NULL OR t.status_at < $at
       OR (t.status_at = $at AND ${rank('$status::text')} >= ${rank('t.status')}))
     RETURNING old.status AS before, t.template_id`,
    { workspaceId: ctx.workspaceId, id, status: status.slice(0, 32), reason: cut(rejectedReason, 255), at },
  );
  if (!row || row.before === status) return;
  await recordEvent(ctx, {
    subjectType: 'template',
    subjectId: id,
    kind: 'template_status_changed',
    changes: { status: { from: row.before, to: status } },
    data: { template_id: row.template_id },
  });
}

/** Sets the category or the quality as of `at`, the newest word counting. */
export async function setTemplateProperty(
  ctx: Ctx,
  id: number,
  property: 'category' | 'quality_score',
  value: string,
  at: Date,
): Promise<void> {
  const column = property === 'category' ? 'category_at' : 'quality_at';
  const row = await ctx.runtime.db.row<{ before: string; template_id: string }>(
    `UPDATE templates t SET ${property} = $value, ${column} = $at, updated_at = now()
     FROM (
       SELECT id, ${property} AS before FROM templates WHERE workspace_id = $workspaceId AND id = $id FOR UPDATE
     ) old
     WHERE t.id = old.id AND (t.${column} IS NULL OR t.${column} < $at
       OR (t.${column} = $at AND t.${property} < $value::text))
     RETURNING old.before, t.template_id`,
    { workspaceId: ctx.workspaceId, id, value: value.slice(0, 32), at },
  );
  if (!row || row.before === value) return;
  const kind = property === 'category' ? 'template_category_changed' : 'template_quality_changed';
  await recordEvent(ctx, {
    subjectType: 'template',
    subjectId: id,
    kind,
    changes: { [property]: { from: row.before, to: value } },
    data: { template_id: row.template_id },
  });
}
