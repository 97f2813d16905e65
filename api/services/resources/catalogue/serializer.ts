import type { CatalogueProductRow } from '../../../../models';
import { isoTime, wire } from '../../../core/http/shapes';

/** A catalogue product. */
export const productShape = wire.named('Product', {
  id: wire.integer('Id of the stored copy.'),
  retailer_id: wire.text("The seller's own id of the product, which messages take as `product_retailer_id`."),
  name: wire.text('Name of the product.'),
  description: wire.text('Description of the product.'),
  price: wire.text('Price as the platform writes it, for example `$24.90`.'),
  currency: wire.text('Currency of the price, for example `USD`.'),
  availability: wire.text('Whether it can be had, as the platform words it: `in stock`, `out of stock`, …'),
  image_url: wire.text('Address of the picture; empty when there is none.'),
  url: wire.text('Address of the product in the shop; empty when there is none.'),
  catalog_id: wire.text("The platform's id of the catalogue, which messages take as `catalog_id`."),
  updated_at: { ...wire.datetime(), description: 'When the product last changed here.' },
  synced_at: { ...wire.datetime(), description: 'When a sync last found the product.' },
});

/** Returns the wire form of a product. */
export function productItem(row: CatalogueProductRow): Record<string, unknown> {
  return {
    id: row.id,
    retailer_id: row.retailer_id,
    name: row.name,
    description: row.description,
    price: row.price,
    currency: row.currency,
    availability: row.availability,
    image_url: row.image_url,
    url: row.url,
    catalog_id: row.catalog_id,
    updated_at: isoTime(row.updated_at),
    synced_at: isoTime(row.synced_at),
  };
}
