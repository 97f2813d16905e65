import type { FieldErrors } from '../../../core/http/errors';
import { invalidField } from '../../../core/http/errors';
import type { Confirmation } from '../fieldViews';
import { definePages, type PageRequest, type PageRoute, type Undo } from '../page';
import { readChosen } from '../choices';
import { moveTicket, showTickets, withoutTicketing } from './board';
import { readTicket } from './form';
import { answerProperty } from './properties';
import { showNew, showTicket } from './show';
import { undoEdit, undoTicket } from './undo';
import { moveQuestion, ticketPath, ticketsPath, type WireComment, type WirePipeline, type WireTicket } from './wire';

const one = `${ticketsPath}:id/`;

/**
 * Makes a route for an action of a ticket's page, which shows the page again with errors if the action is refused.
 * `place` names the part of the page that is then shown.
 */
function action(
  name: string,
  done: string,
  run: (page: PageRequest, id: number, before: WireTicket) => Promise<unknown>,
  undo: (page: PageRequest, before: WireTicket) => Promise<Undo | undefined> = () => Promise.resolve(undefined),
  confirm?: (page: PageRequest) => Promise<Confirmation | null>,
  place: (result: unknown) => string = () => '',
): PageRoute {
  return {
    method: 'POST',
    path: `${one}${name}/`,
    scope: 'ticket.manage',
    ...(confirm ? { confirm } : {}),
    run: async (page) => {
      const ticket = await readOne(page);
      const isPart = name === 'edit' && page.isPartial;
      const result = await page.attempt(() => run(page, ticket.id, ticket));
      if ('errors' in result) {
        const errors = inWords(result.errors);
        return isPart ? answerProperty(page, ticket, errors) : showTicket(page, ticket, name, errors);
      }
      const back = await undo(page, ticket);
      // Without a way back nothing changed.
      if (isPart) return answerProperty(page, await readOne(page), {}, back && { text: done, undo: back });
      const { view } = page.form;
      const address =
        view === undefined ? `${ticketPath(ticket.id)}${place(result.value)}` : page.link(ticketsPath, queryOf(view));
      return page.redirect(address, { text: done, ...(back ? { undo: back } : {}) });
    },
  };
}

/** Reads a new ticket with the pipeline of its stage: the form offers those of all pipelines. */
async function readNew(page: PageRequest): Promise<Record<string, unknown>> {
  const ticket = await readTicket(page);
  const pipelines =
    ticket['stage'] === undefined ? [] : await page.callIfPermitted<WirePipeline[]>('ticketPipelines.list', {}, []);
  const own = pipelines.find(({ stages }) => stages.some(({ id }) => String(id) === ticket['stage']));
  return own ? { ...ticket, pipeline: own.id } : ticket;
}

/** Tickets: board and list, one ticket with all that can be done with it, creating and deleting. */
export const ticketPages = definePages([
  { method: 'GET', path: ticketsPath, scope: 'ticket.view', run: showTickets },
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
      const { once = '' } = page.form;
      const saved = await page.attempt(async () =>
        page.callOnce<WireTicket>('tickets.create', once, await readNew(page)),
      );
      if ('errors' in saved) return showNew(page, inWords(saved.errors));
      return page.redirect(ticketPath(saved.value.id), { text: `Ticket #${saved.value.id} is created.` });
    },
  },
  {
    method: 'GET',
    path: one,
    scope: 'ticket.view',
    run: async (page) => withoutTicketing(page, 'tickets') ?? showTicket(page, await readOne(page)),
  },
  action(
    'edit',
    'The ticket is saved.',
    async (page, id, before) => page.call('tickets.update', { id, ...(await readTicket(page, before)) }),
    async (page, before) => undoEdit(page, before, await readOne(page)),
    askToTell,
  ),
  {
    method: 'POST',
    path: `${one}undo/`,
    scope: 'ticket.manage',
    run: async (page) => {
      const ticket = await readOne(page);
      return page.redirect(ticketPath(ticket.id), await undoTicket(page, ticket));
    },
  },
  action(
    'comments',
    'The comment is added.',
    (page, id) =>
      page.callOnce('ticketComments.create', page.form['once'] ?? '', {
        ticket_id: id,
        body: page.form['body'],
        is_internal: page.form['answered'] !== 'true',
      }),
    undefined,
    undefined,
    (comment) => `#comment-${(comment as WireComment).id}`,
  ),
  action('escalate', 'The ticket is escalated.', (page, id) =>
    page.call('tickets.escalate', {
      ticket_id: id,
      escalated_to: page.form['escalated_to'],
      reason: page.form['reason'],
    }),
  ),
  action(
    'contacts',
    'The affected contacts are changed.',
    async (page, id) => {
      const { affected_contacts: affected, receiver_phone: customer } = await readOne(page);
      const removed = page.form['remove'];
      if (removed !== undefined)
        return page.call('tickets.update', {
          id,
          affected_contact_ids: affected.map((contact) => contact.id).filter((contact) => String(contact) !== removed),
        });
      const added = readChosen(page, 'add');
      if (customer !== null && handleOf(added) === handleOf(customer))
        throw invalidField('add', 'This is the customer of the ticket already.');
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
  action('watch', 'Saved.', async (page, id) => {
    const { watchers } = await readOne(page);
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
    confirm: {
      title: 'Delete this ticket?',
      text: 'The ticket and its comments are deleted. This cannot be undone.',
      button: 'Delete',
    },
    run: async (page) => {
      await page.call('tickets.delete', { id: page.params['id'] });
      return page.redirect(ticketsPath, { text: `Ticket #${page.params['id']} is deleted.` });
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

/** Asks before a ticket moves to a stage that sends its contacts a template, because a message cannot be taken back. */
async function askToTell(page: PageRequest): Promise<Confirmation | null> {
  const { pipeline, stage: wanted } = page.form;
  const ticket = await readOne(page);
  const pipelines = await page.call<WirePipeline[]>('ticketPipelines.list');
  const stage =
    pipeline === undefined || pipeline === String(ticket.pipeline)
      ? pipelines.flatMap(({ stages }) => stages).find(({ id }) => String(id) === wanted)
      : pipelines.find(({ id }) => String(id) === pipeline)?.stages[0];
  return moveQuestion(ticket, stage);
}

async function readOne(page: PageRequest): Promise<WireTicket> {
  return page.call<WireTicket>('tickets.get', { id: page.params['id'] });
}

/** Says in words for people that something named does not exist. */
function inWords(errors: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(errors).map(([field, messages]) => [
      field,
      messages.map((message) =>
        message.replace(/^(?:\d+: )?Invalid pk (".*") - object does not exist\.$/s, 'Nothing was found for $1.'),
      ),
    ]),
  );
}
