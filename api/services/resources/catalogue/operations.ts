import { operation, type Operation } from '../../../core/operations';
import { wire } from '../../../core/shapes';
import { productListQuery } from './schema';
import { productItem, productShape } from './serializer';
import { listProducts } from './service';

/** Catalogue products over the API: read only, because they are kept at the platform. */
export const catalogueOperations: readonly Operation[] = [
  operation({
    id: 'catalogue.products',
    method: 'GET',
    path: '/api/v1/catalogue/products/',
    tag: 'Catalogue',
    summary: 'List catalogue products',
    description:
      'Products of the catalogues that are connected to the business accounts, by name, as the last sync found them.',
    scope: 'catalogue.view',
    query: productListQuery,
    status: 200,
    output: wire.page(productShape),
    examples: {
      response: {
        count: 1,
        next: null,
        previous: null,
        results: [
          {
            id: 1,
            retailer_id: 'GG-SHOVEL',
            name: 'Garden shovel',
            description: 'Steel blade, ash handle',
            price: '$24.90',
            currency: 'USD',
            availability: 'in stock',
            image_url: 'https://example.com/i/shovel.jpg',
            url: 'https://example.com/p/shovel',
            catalog_id: '194836987003835',
            updated_at: '2026-11-22T09:30:00.000Z',
            synced_at: '2026-11-22T10:00:00.000Z',
          },
        ],
      },
    },
    run: async (ctx, query) => {
      const page = await listProducts(ctx, query);
      return { ...page, items: page.items.map(productItem) };
    },
  }),
];
