import type { CatalogueProductRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import type { Page } from '../../../core/http/operations';
import { listPage, type PagingInput } from '../../../core/http/paging';

interface ProductFilters extends PagingInput {
  readonly search?: string | undefined;
  readonly availability?: string | undefined;
}

/** Returns a page of the workspace's catalogue products by name, as the last sync found them. */
export async function listProducts(ctx: Ctx, filters: ProductFilters): Promise<Page<CatalogueProductRow>> {
  // The parting character of search_text can be in no term: a match never crosses two fields.
  const search = (filters.search ?? '').replace(/[\u0001-\u001f]/g, ' ').trim();
  const availability = (filters.availability ?? '').trim().toLowerCase();
  return listPage<CatalogueProductRow>(
    ctx,
    {
      select: `p.workspace_id, p.business_account_id, p.catalog_id, p.retailer_id, p.name, p.description, p.price,
        p.currency, p.availability, p.image_url, p.url, p.synced_at, p.created_at, p.updated_at`,
      from: 'catalogue_products p',
      where: [
        'p.workspace_id = $workspaceId',
        ...(search ? ['p.search_text LIKE fold_pattern($search)'] : []),
        ...(availability ? ['p.availability = $availability'] : []),
      ],
      bind: {
        workspaceId: ctx.workspaceId,
        ...(search ? { search } : {}),
        ...(availability ? { availability } : {}),
      },
      idSql: 'p.id',
      columns: { name: { sql: 'p.name', type: 'text' } },
      defaultOrdering: 'name',
      selective: /[\p{L}\p{N}]{3}/u.test(search),
    },
    filters,
  );
}
