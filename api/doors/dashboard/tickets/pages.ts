import { invalidField } from '../../../core/http/errors';
import { ticketShape } from '../../../services/resources/tickets/serializer';
import { readChosen } from '../choices';
import type { Confirmation } from '../fieldViews';
import { definePages, type PageRequest, type PageRoute, type Undo } from '../page';
import { callOnce } from '../typedCalls';
import { words } from '../words';
import { moveTicket, showTickets, withoutTicketing } from './board';
import { readTicket } from './form';
import { peoplePage } from './mentions';
import { showNew } from './new';
import { answerProperty } from './properties';
import { readPipelines, readTicketOf, ticketPath, ticketsPath, type Ticket } from './read';
import { showTicket } from './show';
import type { Comment } from './stream';
import { askToTell, undoEdit, undoTicket } from './undo';

const { done: said, page: texts } = words.tickets;
const one = `${ticketsPath}:id/`;

/**
 * Makes a route for an action of a ticket's page, which shows the page again with errors if the action is refused.
 * `place` names the part of the page that is then shown.
 */
function action(
  name: string,
  done: 'saved' | 'commented' | 'escalated' | 'contacts' | 'watched',
  run: (page: PageRequest, id: number, before: Ticket) => Promise<unknown>,
  undo: (page: PageRequest, before: Ticket) => Promise<Undo | undefined> = () => Promise.resolve(undefined),
  confirm?: (page: PageRequest) => Promise<Confirmation | null>,
  place: (result: unknown) => string = () => '',
): PageRoute {
  return {
    method: 'POST',
    path: `${one}${name}/`,
    scope: 'ticket.manage',
    ...(confirm ? { confirm } : {}),
    run: async (page) => {
      const ticket = await readTicketOf(page);
      const isPart = name === 'edit' && page.isPartial;
      const result = await page.attempt(() => run(page, ticket.id, ticket));
      if ('errors' in result) {
        const { errors } = result;
        return isPart ? answerProperty(page, ticket, errors) : showTicket(page, ticket, name, errors);
      }
      const back = await undo(page, ticket);
      // Without a way back nothing changed.
      if (isPart) return answerProperty(page, await readTicketOf(page), {}, back && { text: said[done], undo: back });
      const { view } = page.form;
      const address =
        view === undefined ? `${ticketPath(ticket.id)}${place(result.value)}` : page.link(ticketsPath, queryOf(view));
      return page.redirect(address, { text: said[done], ...(back ? { undo: back } : {}) });
    },
  };
}

/** Reads a new ticket with the pipeline of its stage: the form offers those of all pipelines. */
async function readNew(page: PageRequest): Promise<Record<string, unknown>> {
  const ticket = await readTicket(page);
  const isLeft = ticket['stage'] === undefined || !page.may('ticketPipelines.list');
  const pipelines = isLeft ? [] : await readPipelines(page);
  const own = pipelines.find(({ stages }) => stages.some(({ id }) => String(id) === ticket['stage']));
  return own ? { ...ticket, pipeline: own.id } : ticket;
}

/** Tickets: board and list, one ticket with all that can be done with it, creating and deleting. */
export const ticketPages = definePages([
  { method: 'GET', path: ticketsPath, scope: 'ticket.view', run: showTickets },
  peoplePage,
  { method: 'POST', path: `${ticketsPath}move/`, scope: 'ticket.manage', run: moveTicket },
  {
    method: 'GET',
    path: `${ticketsPath}new/`,
    scope: 'ticket.manage',
    run: async (page) => withoutTicketing(page, 'tickets') ?? showNew(page),
  },
  {
    method: 'POST',
    path: `${ticketsPath}new/`,
    scope: 'ticket.manage',
    run: async (page) => {
      const saved = await page.attempt(async () => callOnce(page, ticketShape, 'tickets.create', await readNew(page)));
      if ('errors' in saved) return showNew(page, saved.errors);
      return page.redirect(ticketPath(saved.value.id), { text: said.created(saved.value.id) });
    },
  },
  {
    method: 'GET',
    path: one,
    scope: 'ticket.view',
    run: async (page) => withoutTicketing(page, 'tickets') ?? showTicket(page, await readTicketOf(page)),
  },
  action(
    'edit',
    'saved',
    async (page, id, before) => page.call('tickets.update', { id, ...(await readTicket(page, before)) }),
    async (page, before) => undoEdit(page, before, await readTicketOf(page)),
    askToTell,
  ),
  {
    method: 'POST',
    path: `${one}undo/`,
    scope: 'ticket.manage',
    run: async (page) => {
      const ticket = await readTicketOf(page);
      return page.redirect(ticketPath(ticket.id), await undoTicket(page, ticket));
    },
  },
  action(
    'comments',
    'commented',
    (page, id) =>
      page.callOnce('ticketComments.create', page.form['once'] ?? '', {
        ticket_id: id,
        body: page.form['body'],
        is_internal: page.form['answered'] !== 'true',
      }),
    undefined,
    undefined,
    (comment) => `#comment-${(comment as Comment).id}`,
  ),
  action('escalate', 'escalated', (page, id) =>
    page.call('tickets.escalate', {
      ticket_id: id,
      escalated_to: page.form['escalated_to'],
      reason: page.form['reason'],
    }),
  ),
  action(
    'contacts',
    'contacts',
    async (page, id) => {
      const { affected_contacts: affected, receiver_phone: customer } = await readTicketOf(page);
      const removed = page.form['remove'];
      if (removed !== undefined)
        return page.call('tickets.update', {
          id,
          affected_contact_ids: affected.map((contact) => contact.id).filter((contact) => String(contact) !== removed),
        });
      const added = readChosen(page, 'add');
      if (customer !== null && handleOf(added) === handleOf(customer)) throw invalidField('add', said.isCustomer);
      return page.call('tickets.update', {
        id,
        affected_receiver_ids: [...affected.map(({ phone }) => phone), added],
      });
    },
    (page, { id, affected_contacts: affected }) => {
      const removed = affected.find((contact) => String(contact.id) === page.form['remove']);
      return Promise.resolve(removed && { action: `${ticketPath(id)}contacts/`, fields: { add: removed.phone } });
    },
  ),
  action('watch', 'watched', async (page, id) => {
    const { watchers } = await readTicketOf(page);
    const others = watchers.map((watcher) => watcher.id).filter((watcher) => watcher !== page.member.id);
    return page.call('tickets.update', {
      id,
      watcher_ids: page.form['watch'] === 'true' ? [...others, page.member.id] : others,
    });
  }),
  {
    method: 'POST',
    path: `${one}delete/`,
    scope: 'ticket.manage',
    confirm: texts.deletion,
    run: async (page) => {
      await page.call('tickets.delete', { id: page.params['id'] });
      return page.redirect(ticketsPath, { text: said.deleted(page.params['id'] ?? '') });
    },
  },
]);

/** Reads the query of the list that a form comes back to. */
function queryOf(view: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(view));
}

/** Returns what a contact is found by: the digits of a number, else the user id. */
function handleOf(text: string): string {
  return /^[+\d\s().-]+$/.test(text) ? text.replace(/\D/g, '') : text.trim();
}
