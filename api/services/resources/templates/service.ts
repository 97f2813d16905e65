import { col, literal, Op, type FindOptions } from 'sequelize';
import type { TemplateRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { notFound } from '../../../core/http/errors';
import type { InputOf } from '../../../core/http/fields';
import type { Page } from '../../../core/http/operations';
import { listPage } from '../../../core/http/paging';
import { joined, of, recordsOf } from '../../../core/db/scoped';
import type { templateListQuery } from './schema';

/** A template, with the business account that it belongs to. */
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

const ownColumns = [
  ...['workspace_id', 'business_account_id', 'template_id', 'name', 'language', 'status', 'category', 'components'],
  ...['parameter_format', 'rejected_reason', 'source_library_template'],
];
const columns = `${ownColumns.map((column) => `t.${column}`).join(', ')}, a.account_id`;
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

/** Returns the names of the templates that `listTemplates` shows. */
export function templateNames(ctx: Ctx): Promise<Pick<TemplateRow, 'template_id' | 'name' | 'language' | 'status'>[]> {
  return of(ctx, ctx.runtime.db.models.Template).findAll({
    attributes: ['template_id', 'name', 'language', 'status'],
    where: { status: { [Op.ne]: 'DELETED' } },
    order: ['name', 'id'],
    raw: true,
  });
}

/** Returns the templates with these ids, those that exist, by id. */
export async function templatesByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, TemplateRecord>> {
  const rows = await findRecords(ctx, { where: { id: [...ids] } });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Finds templates of the workspace's accounts, each with the upstream's id of its account. */
function findRecords(ctx: Ctx, options: FindOptions): Promise<TemplateRecord[]> {
  return recordsOf<TemplateRecord>(ctx, ctx.runtime.db.models.Template, {
    ...options,
    attributes: ['id', ...ownColumns, [col('account.account_id'), 'account_id']],
    include: [joined('account', true)],
  });
}

/** How a request names a template. */
type TemplateReference = { readonly templateId: string } | { readonly name: string; readonly language: string };

/**
 * Finds the template that a request names, in any status, or null. `businessAccountPk` narrows to the sender's account;
 * without it an APPROVED one is preferred where several accounts have the name.
 */
export async function findTemplate(
  ctx: Ctx,
  reference: TemplateReference,
  businessAccountPk?: number,
): Promise<TemplateRecord | null> {
  const [found] = await findRecords(ctx, {
    where: {
      ...('templateId' in reference
        ? { template_id: reference.templateId }
        : { name: reference.name, language: reference.language }),
      ...(businessAccountPk === undefined ? {} : { business_account_id: businessAccountPk }),
    },
    order: [
      [literal(`"Template"."status" = 'APPROVED'`), 'DESC'],
      [literal(`"Template"."status" <> 'DELETED'`), 'DESC'],
      ['id', 'ASC'],
    ],
    limit: 1,
  });
  return found ?? null;
}

/** Returns a template by the platform's id. Throws 404, also for one that the platform no longer has. */
export async function getTemplate(ctx: Ctx, templateId: string): Promise<TemplateRecord> {
  const template = await findTemplate(ctx, { templateId });
  if (!template || template.status === 'DELETED') throw notFound();
  return template;
}
