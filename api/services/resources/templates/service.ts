import { Op } from 'sequelize';
import type { TemplateRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import type { InputOf } from '../../../core/http/fields';
import type { Page } from '../../../core/http/operations';
import { listPage } from '../../../core/http/paging';
import { of } from '../../../core/db/scoped';
import type { templateListQuery } from './schema';

/** A template with the account that has it. */
export interface TemplateRecord extends Pick<
  TemplateRow,
  | 'id'
  | 'workspace_id'
  | 'business_account_id'
  | 'template_id'
  | 'name'
  | 'language'
  | 'status'
  | 'category'
  | 'components'
  | 'parameter_format'
  | 'rejected_reason'
  | 'source_library_template'
> {
  /** The upstream's id of the business account. */
  readonly account_id: string;
}

const columns = `t.workspace_id, t.business_account_id, a.account_id, t.template_id, t.name, t.language, t.status,
  t.category, t.components, t.parameter_format, t.rejected_reason, t.source_library_template`;
const joins = 'JOIN business_accounts a ON a.id = t.business_account_id AND (a.workspace_id = t.workspace_id) IS TRUE';

/** Lists the workspace's templates by name; those that the upstream no longer has are hidden. */
export async function listTemplates(
  ctx: Ctx,
  filters: InputOf<typeof templateListQuery>,
): Promise<Page<TemplateRecord>> {
  // Both are stored in upper case, so that the filter is an equality that an index serves.
  const category = filters.category?.toUpperCase();
  const status = filters.status?.toUpperCase();

  return listPage<Omit<TemplateRecord, 'id'>>(
    ctx,
    {
      select: columns,
      from: 'templates t',
      joins,
      where: [
        't.workspace_id = $workspaceId',
        `t.status <> 'DELETED'`,
        ...(category ? ['t.category = $category'] : []),
        ...(status ? ['t.status = $status'] : []),
      ],
      bind: { workspaceId: ctx.workspaceId, ...(category ? { category } : {}), ...(status ? { status } : {}) },
      idSql: 't.id',
      columns: { name: { sql: 't.name', type: 'text' } },
      defaultOrdering: 'name',
      withoutCount: true,
    },
    { page_size: filters.page_size, cursor: filters.cursor },
  );
}

/** Returns what the templates that `listTemplates` shows are called. */
export function templateNames(ctx: Ctx): Promise<Pick<TemplateRow, 'template_id' | 'name' | 'language' | 'status'>[]> {
  return of(ctx, ctx.runtime.db.models.Template).findAll({
    attributes: ['template_id', 'name', 'language', 'status'],
    where: { status: { [Op.ne]: 'DELETED' } },
    order: ['name', 'id'],
    raw: true,
  });
}

/** Returns templates by their ids, those that exist. */
export async function templatesByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, TemplateRecord>> {
  const rows = await ctx.runtime.db.rows<TemplateRecord>(
    `SELECT t.id, ${columns} FROM templates t ${joins}
     WHERE ${ofWorkspace('t.workspace_id')} AND t.id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** How a request names a template. */
type TemplateReference = { readonly templateId: string } | { readonly name: string; readonly language: string };

/**
 * Finds the template that a request names, in whatever status, or null. `businessAccountPk` narrows to the sender's
 * account; without it an APPROVED one is preferred where several accounts have the name.
 */
export async function findTemplate(
  ctx: Ctx,
  reference: TemplateReference,
  businessAccountPk?: number,
): Promise<TemplateRecord | null> {
  const byId = 'templateId' in reference;
  return ctx.runtime.db.row<TemplateRecord>(
    `SELECT t.id, ${columns} FROM templates t ${joins}
     WHERE t.workspace_id = $workspaceId
       AND ${byId ? 't.template_id = $templateId' : 't.name = $name AND t.language = $language'}
       ${businessAccountPk === undefined ? '' : 'AND t.business_account_id = $businessAccountPk'}
     ORDER BY t.status = 'APPROVED' DESC, t.status <> 'DELETED' DESC, t.id LIMIT 1`,
    { workspaceId: ctx.workspaceId, ...reference, ...(businessAccountPk === undefined ? {} : { businessAccountPk }) },
  );
}
