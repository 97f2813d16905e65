import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { productListQuery } from './schema';
import { productItem, productShape } from './serializer';
import { listProducts } from './service';

/** Catalogue products over the API: read only, because they are kept at the platform. */
export const catalogueOperations = [
  operation({
    id: 'catalogue.products',
    method: 'GET',
    path: '/api/v1/catalogue/products/',
    tag: 'Catalogue',
    summary: 'List catalogue products',
    description:
      'Products of the catalogues that are connected to the business accounts, sorted by name, as of the last sync.',
    scope: 'catalogue.view',
    query: productListQuery,
    status: 200,
    output: wire.page(productShape),
    run: async (ctx, query) => {
      const page = await listProducts(ctx, query);
      return { ...page, items: page.items.map(productItem) };
    },
  }),
];
