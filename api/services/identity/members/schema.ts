import { input } from '../../../core/http/fields';
import { pagingQuery } from '../../../core/http/paging';

/** Query of the team list. */
export const memberListQuery = input({ ...pagingQuery });
