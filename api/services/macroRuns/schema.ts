import { described, input, nullable, pk } from '../../core/fields';
import { pagingQuery } from '../../core/paging';

/** `POST /macros/{id}/run/`: exactly one of them (contract C10). */
export const runMacroInput = input({
  chat_id: described(nullable(pk()), 'Id of a conversation.'),
  ticket_id: described(nullable(pk()), 'Id of a ticket.'),
});

/** `GET /macros/{id}/runs/`. */
export const listRunsQuery = input({ ...pagingQuery });
