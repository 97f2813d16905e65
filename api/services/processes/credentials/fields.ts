import { boolean, described } from '../../../core/http/fields';

/** Fields of a request that takes rights away: whether webhooks and broadcasts created with them stay active. */
export const keptFields = {
  keep_webhooks: described(boolean(), 'true: the webhooks that this would stop stay active.'),
  keep_broadcasts: described(boolean(), 'true: the broadcasts that this would unschedule stay scheduled.'),
};
