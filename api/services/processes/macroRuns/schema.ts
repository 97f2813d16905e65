import { described, input, nullable, pk, text } from '../../../core/http/fields';
import { pagingQuery } from '../../../core/http/paging';

/** `POST /macros/{id}/run/`: exactly one of them (contract 10). */
export const runMacroInput = input({
  chat_id: described(nullable(pk()), 'Id of a conversation, which is the id of its contact.'),
  receiver_id: described(
    nullable(text({ max: 160, blank: false })),
    'The conversation by its receiver_id, instead of `chat_id`.',
  ),
  ticket_id: described(nullable(pk()), 'Id of a ticket.'),
});

/** `GET /macros/{id}/runs/`. */
export const listRunsQuery = input({ ...pagingQuery });
