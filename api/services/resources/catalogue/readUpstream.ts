import { cut } from '../../../core/text/cut';
import type { Upstream } from '../../../core/platform/upstream';

type Json = Record<string, unknown>;

const productFields = 'id,retailer_id,name,description,price,currency,availability,image_url,url';

/** A product of the upstream in our columns. */
export interface UpstreamProduct {
  readonly catalog_id: string;
  readonly retailer_id: string;
  readonly name: string;
  readonly description: string;
  readonly price: string;
  readonly currency: string;
  readonly availability: string;
  readonly image_url: string;
  readonly url: string;
}

/** Reads the products of all catalogues of an account. */
export async function readProducts(
  upstream: Upstream,
  accessToken: string,
  accountId: string,
): Promise<UpstreamProduct[]> {
  const catalogs = await upstream.list(accessToken, `${encodeURIComponent(accountId)}/product_catalogs`, {
    fields: 'id,name',
  });
  const products: UpstreamProduct[] = [];
  for (const catalog of catalogs) {
    const catalogId = text(catalog['id'], 64);
    if (catalogId === '') continue;
    const items = await upstream.list(accessToken, `${encodeURIComponent(catalogId)}/products`, {
      fields: productFields,
    });
    products.push(...items.map((item) => productOf(catalogId, item)).filter((product) => product.retailer_id !== ''));
  }
  return products;
}

function productOf(catalogId: string, item: Json): UpstreamProduct {
  return {
    catalog_id: catalogId,
    retailer_id: text(item['retailer_id'], 200),
    name: text(item['name'], 512),
    description: text(item['description'], 10_000),
    price: text(item['price'], 64),
    currency: text(item['currency'], 8),
    availability: text(item['availability'], 64).toLowerCase(),
    image_url: link(item['image_url']),
    url: link(item['url']),
  };
}

/** Returns a web address; half of one leads nowhere, and one of another kind is not for a browser. */
function link(value: unknown): string {
  const url = text(value, 4_097);
  return url.length <= 4_096 && /^https?:\/\//i.test(url) ? url : '';
}

function text(value: unknown, max: number): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? cut(value.replaceAll('\0', ''), max) : '';
}
