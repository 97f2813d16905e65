import { Op } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import type { UpstreamProduct } from './readUpstream';

/** Products in one statement. */
const batch = 1_000;
const content = 'name, description, price, currency, availability, image_url, url';
const contentOf = (alias: string): string =>
  content
    .split(', ')
    .map((column) => `${alias}.${column}`)
    .join(', ');

/**
 * Replaces the stored products of an account by those that the upstream has, in the surrounding transaction. Set-based,
 * because a catalogue has up to a hundred thousand. Returns how many were removed.
 */
export async function storeProducts(
  ctx: Ctx,
  businessAccountPk: number,
  products: readonly UpstreamProduct[],
): Promise<number> {
  const row = await ctx.runtime.db.row<{ at: Date }>('SELECT clock_timestamp()::timestamptz(3) AS at');
  if (!row) throw new Error('the database told no time');
  for (let start = 0; start < products.length; start += batch)
    await ctx.runtime.db.rows(
      `INSERT INTO catalogue_products AS p (workspace_id, business_account_id, catalog_id, retailer_id, ${content},
         synced_at)
       SELECT DISTINCT ON (n.catalog_id, n.retailer_id) $workspaceId, $businessAccountPk, n.catalog_id, n.retailer_id,
         ${contentOf('n')}, $at
       FROM jsonb_to_recordset($products::jsonb) AS n(catalog_id text, retailer_id text, name text, description text,
         price text, currency text, availability text, image_url text, url text)
       ORDER BY n.catalog_id, n.retailer_id
       ON CONFLICT (workspace_id, catalog_id, retailer_id) DO UPDATE SET
         business_account_id = excluded.business_account_id, name = excluded.name, description = excluded.description,
         price = excluded.price, currency = excluded.currency, availability = excluded.availability,
         image_url = excluded.image_url, url = excluded.url, synced_at = excluded.synced_at,
         updated_at = CASE WHEN (${contentOf('p')}) IS DISTINCT FROM (${contentOf('excluded')})
           THEN now() ELSE p.updated_at END`,
      {
        workspaceId: ctx.workspaceId,
        businessAccountPk,
        at: row.at,
        products: JSON.stringify(products.slice(start, start + batch)),
      },
    );
  return of(ctx, ctx.runtime.db.models.CatalogueProduct).destroy({
    where: { business_account_id: businessAccountPk, synced_at: { [Op.lt]: row.at } },
  });
}
