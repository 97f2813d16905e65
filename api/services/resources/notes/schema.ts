import { described, input, required, text } from '../../../core/http/fields';
import { pagingQuery } from '../../../core/http/paging';

/** `POST …/notes/`. */
export const createNoteInput = input({
  body: described(
    required(text({ blank: false })),
    'The text. `@` and the name of a member, or their first name where nobody else has it, tells that member.',
    'Ask @Omar before you refund.',
  ),
});

/** Paging alone. */
export const notesQuery = input({ ...pagingQuery });
