import { described, input, text } from '../../../core/http/fields';
import { pagingQuery } from '../../../core/http/paging';

/** Query of the product list. */
export const productListQuery = input({
  search: described(
    text({ max: 255 }),
    'Only products whose name, retailer_id or description contains this text.',
    'shovel',
  ),
  availability: described(
    text({ max: 64 }),
    'Only products with this availability as the platform words it, in upper or lower case.',
    'in stock',
  ),
  ...pagingQuery,
});
