import { boolean, described } from '../../../core/http/fields';

/** What goes on although the credential that made it is gone. */
export const keptFields = {
  keep_webhooks: described(boolean(), 'true: webhooks that were made with what is taken go on.'),
  keep_broadcasts: described(boolean(), 'true: broadcasts that were scheduled with what is taken stay scheduled.'),
};
