import { convStatuses, priorities } from '../../../../models/enums';
import {
  choice,
  datetime,
  described,
  input,
  list,
  nullable,
  object,
  pk,
  required,
  text,
} from '../../../core/http/fields';
import { conversationFilters } from '../../resources/conversations/schema';

/** A request changes no more: it takes a few seconds, and its conversations are locked batch by batch. */
export const maxConversations = 1_000;

const tags = list(text({ max: 255, blank: false }), { max: 20, min: 1 });

const which = {
  receiver_ids: described(
    list(text({ max: 200, blank: false }), { max: maxConversations, min: 1 }),
    'The conversations; or `filters`.',
  ),
  filters: described(
    object(conversationFilters, 'BulkFilters'),
    'All conversations that match these filters of `GET /conversations/`.',
  ),
};

/** `POST /unread-marks/`: a selection, or all that match. */
export const whichInput = input(which);

/** `POST /bulk-changes/`: the same, and what becomes of them. */
export const bulkChangeInput = input({
  ...which,
  change: required(
    object(
      {
        conv_status: choice(convStatuses),
        snoozed_until: nullable(datetime()),
        priority: choice(priorities),
        assigned_member: nullable(pk()),
        assigned_team_inbox: nullable(pk()),
        add_tags: tags,
        remove_tags: tags,
      },
      'BulkChange',
    ),
  ),
});
