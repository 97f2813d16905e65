import { input } from '../../../core/fields';
import { pagingQuery } from '../../../core/paging';

/** Query of the team list. */
export const memberListQuery = input({ ...pagingQuery });
