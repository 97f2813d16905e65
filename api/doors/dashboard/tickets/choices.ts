import { AppError } from '../../../core/http/errors';
import { ticketShape } from '../../../services/resources/tickets/serializer';
import { choicesShown, type Choice, type ChoiceKind } from '../choices';
import type { PageRequest } from '../page';
import { readCounted } from '../typedCalls';
import { words } from '../words';
import { readTicketOf, type Ticket } from './read';

/** Tickets, by their number or a part of their text. */
export const ticketChoices: ChoiceKind = {
  path: '/dashboard/tickets/choices/',
  scope: 'ticket.view',
  get title() {
    return words.tickets.choices.title;
  },
  get placeholder() {
    return words.tickets.choices.placeholder;
  },
  get question() {
    return words.tickets.choices.question;
  },
  find: async (page, text) => {
    const query = { search: text, limit: choicesShown };
    const [numbered, found] = await Promise.all([
      numberedTicket(page, text),
      readCounted(page, ticketShape, 'tickets.list', query, { countsUpTo: 1 }),
    ]);
    // Many texts may have the digits of the one that is meant.
    const others = found.items.filter(({ id }) => id !== numbered?.id);
    return [...(numbered ? [numbered] : []), ...others].slice(0, choicesShown).map(choiceOf);
  },
};

function choiceOf({ id, title, stage_name: stage, receiver_name: customer }: Ticket): Choice {
  return { value: String(id), name: `#${id} ${title}`, detail: [stage, customer].filter(Boolean).join(' · ') };
}

/** Returns the ticket whose number a text is, if any. */
async function numberedTicket(page: PageRequest, text: string): Promise<Ticket | null> {
  const id = /^#?(\d{1,15})$/.exec(text)?.[1];
  if (id === undefined) return null;
  try {
    return await readTicketOf(page, id);
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return null;
    throw error;
  }
}
