import type { AnswerOf } from '../../../core/http/shapes';
import type { pipelineShape, stageShape } from '../../../services/resources/pipelines/serializer';
import { ticketShape } from '../../../services/resources/tickets/serializer';
import type { Confirmation } from '../fieldViews';
import type { PageRequest } from '../page';
import { readOne } from '../typedCalls';
import { words } from '../words';

const { tickets: said } = words;

export type Ticket = AnswerOf<typeof ticketShape>;
export type Pipeline = AnswerOf<typeof pipelineShape>;
export type Stage = AnswerOf<typeof stageShape>;

export const ticketsPath = '/dashboard/tickets/';

/** Address of a ticket's page. */
export const ticketPath = (id: number): string => `${ticketsPath}${id}/`;

/** Reads the ticket that the address of the page names, or another one. */
export const readTicketOf = (page: PageRequest, id: unknown = page.params['id']): Promise<Ticket> =>
  readOne(page, ticketShape, 'tickets.get', { id });

/** Returns how many contacts a move into a stage that notifies tells: each once, however they are named. */
export function countTold({ receiver, affected_contacts: affected }: Ticket): number {
  return new Set([...(receiver === null ? [] : [receiver]), ...affected.map(({ id }) => id)]).size;
}

/** Asks before a ticket moves to a stage that sends its contacts a template, which cannot be taken back. */
export function moveQuestion(ticket: Ticket, stage: Stage | undefined): Confirmation | null {
  const told = countTold(ticket);
  if (!stage?.notify_template_name || stage.id === ticket.stage || told === 0) return null;
  const { title, text, button } = said.move;
  return { title: title(stage.name), text: text(stage.notify_template_name, told), button };
}
