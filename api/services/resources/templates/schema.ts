import { described, input, text } from '../../../core/http/fields';
import { pagingQuery } from '../../../core/http/paging';

/** Query of the template list: it walks by cursor and has no page numbers (contract 4). */
export const templateListQuery = input({
  category: described(text({ max: 32 }), 'Only templates of this category, in upper or lower case.', 'MARKETING'),
  status: described(text({ max: 32 }), 'Only templates with this status, in upper or lower case.', 'APPROVED'),
  page_size: pagingQuery.page_size,
  cursor: pagingQuery.cursor,
});
