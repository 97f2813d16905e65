import { convStatuses, priorities } from '../../../../models/enums';
import {
  boolean,
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
import { contactFilters } from '../../resources/contacts/schema';
import { conversationFilters } from '../../resources/conversations/schema';
import { ticketFilters } from '../../resources/tickets/schema';
import { maxChanged } from './batches';

const tags = list(text({ max: 255, blank: false }), { max: 20, min: 1 });

/** `POST /bulk-changes/`: a selection, or all that match. */
export const bulkChangeInput = input({
  receiver_ids: described(
    list(text({ max: 200, blank: false }), { max: maxChanged, min: 1 }),
    'The conversations; or `filters`.',
  ),
  filters: described(
    object(conversationFilters, 'BulkFilters'),
    'All conversations that match these filters of `GET /conversations/`.',
  ),
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

/** `POST /bulk-changes/contacts/`: a selection, or all that match. */
export const bulkContactsInput = input({
  receiver_ids: described(
    list(text({ max: 200, blank: false }), { max: maxChanged, min: 1 }),
    'The contacts; or `filters`.',
  ),
  filters: described(
    object(contactFilters, 'BulkContactFilters'),
    'All contacts that match these filters of `GET /contacts/`.',
  ),
  change: required(
    object(
      {
        add_tags: tags,
        remove_tags: tags,
        marketing_opt_out: described(boolean(), 'true alone: contacts opt in one by one.', true),
      },
      'BulkContactChange',
    ),
  ),
});

/** `POST /bulk-changes/tickets/`: the same for tickets. */
export const bulkTicketsInput = input({
  ticket_ids: described(list(pk(), { max: maxChanged, min: 1 }), 'The tickets; or `filters`.'),
  filters: described(
    object(ticketFilters, 'BulkTicketFilters'),
    'All tickets that match these filters of `GET /tickets/`.',
  ),
  change: required(
    object(
      {
        stage: described(pk(), 'Tickets of other pipelines refuse it. A stage that notifies sends its template.'),
        priority: choice(priorities),
        assigned_to: nullable(pk()),
        add_tags: tags,
        remove_tags: tags,
      },
      'BulkTicketChange',
    ),
  ),
});
