import type { FieldErrors } from '../../../core/http/errors';
import { commentShape, ticketShape } from '../../../services/resources/tickets/serializer';
import { Act, Hidden, Once, Was } from '../formParts';
import { Icon, type Html } from '../html';
import { definePages, type PageAnswer, type PageRequest, type PageRoute, type Toast } from '../page';
import { asking, Errors } from '../parts';
import {
  readPipelines,
  moveQuestion,
  readTicketOf,
  ticketPath,
  ticketsPath,
  type Pipeline,
  type Ticket,
} from '../tickets/read';
import { Mentioning } from '../tickets/mentions';
import { titledBy, titledByNewest, type Suggested } from '../tickets/suggest';
import { askToTell, undoEdit, undoTicket } from '../tickets/undo';
import { callOnce, readCounted, readOne } from '../typedCalls';
import { words } from '../words';
import { inboxPath } from './filters';
import { pathOf, type WireConversation } from './load';

const { ticketsPanel: said, tickets: texts, common } = words;

const panelPath = `${inboxPath}:receiver/tickets/`;
const ticketsShown = 5;

/*
 * The tickets of a customer, beside their conversation: made, moved and commented without leaving it. Without scripts
 * the links lead to the tickets' own pages.
 *
 * A link of the inbox that makes a ticket from a message leads to `/dashboard/tickets/new/?receiver_id=…&message=ID`,
 * and asks for `/dashboard/inbox/RECEIVER/tickets/?new=1&message=ID` (hx-get) into `#panel-tickets`
 * (`hx-swap="morph:outerHTML"`): the panel opens with the message's words as the title.
 */
export const panelTicketPages = definePages([
  {
    method: 'GET',
    path: panelPath,
    scope: 'ticket.view',
    run: async (page) => {
      const conversation = await conversationOf(page);
      if (!page.isPartial) return page.redirect(pathOf(conversation));
      const { new: isNew, ticket, message } = page.query;
      const first = isNew === undefined ? undefined : await suggested(page, conversation, message);
      return page.part(await ticketsSection(page, conversation, { first, open: Number(ticket) || null }));
    },
  },
  { method: 'POST', path: panelPath, scope: 'ticket.manage', run: makeTicket },
  act('move', (page, { id }) => readOne(page, ticketShape, 'tickets.update', { id, stage: page.form['stage'] })),
  act('comments', (page, { id }) =>
    callOnce(page, commentShape, 'ticketComments.create', { ticket_id: id, body: page.form['body'] }),
  ),
  {
    method: 'POST',
    path: `${panelPath}:id/undo/`,
    scope: 'ticket.manage',
    run: async (page) => {
      const ticket = await readTicketOf(page);
      return answer(page, ticket.id, await undoTicket(page, ticket));
    },
  },
]);

const conversationOf = (page: PageRequest): Promise<WireConversation> =>
  page.call<WireConversation>('conversations.get', { receiver_id: page.params['receiver'] });

/** What a new ticket begins with: a message that the address names, else the customer's newest. */
function suggested(page: PageRequest, { receiver_id: receiver }: WireConversation, id?: string): Promise<Suggested> {
  return id === undefined ? titledByNewest(page, receiver) : titledBy(page, receiver, id);
}

/** Makes a route for what is done with a ticket of the panel, which is shown again with what was refused. */
function act(name: 'move' | 'comments', run: (page: PageRequest, ticket: Ticket) => Promise<unknown>): PageRoute {
  return {
    method: 'POST',
    path: `${panelPath}:id/${name}/`,
    scope: 'ticket.manage',
    ...(name === 'move' ? { confirm: askToTell } : {}),
    run: async (page) => {
      const before = await readTicketOf(page);
      const done = await page.attempt(() => run(page, before));
      if ('errors' in done) return answer(page, before.id, refusalOf(done.errors), done.errors);
      if (name === 'comments') return answer(page, before.id, { text: texts.done.commented });
      const after = await readTicketOf(page);
      const path = `${inboxPath}${encodeURIComponent(page.params['receiver'] ?? '')}/tickets/${after.id}/`;
      const undo = await undoEdit(page, before, after, path);
      const text = texts.board.moved(after.id, after.stage_name);
      return answer(page, after.id, { text, ...(undo ? { undo: { ...undo, target: '#panel-tickets' } } : {}) });
    },
  };
}

const refusalOf = (errors: FieldErrors): Toast => ({ text: Object.values(errors).flat().join(' '), kind: 'bad' });

/** Answers with the tickets as they are then, one of them open. */
async function answer(page: PageRequest, open: number, toast: Toast, errors: FieldErrors = {}): Promise<PageAnswer> {
  const conversation = await conversationOf(page);
  if (!page.isPartial) return page.redirect(pathOf(conversation), toast);
  const status = Object.keys(errors).length > 0 ? 422 : 200;
  return page.part(await ticketsSection(page, conversation, { open, errors }), { status, toast });
}

async function makeTicket(page: PageRequest): Promise<PageAnswer> {
  const conversation = await conversationOf(page);
  const { title, description } = page.form;
  const input = { title, receiver_id: conversation.receiver_id, ...(description ? { description } : {}) };
  const made = await page.attempt(() => callOnce(page, ticketShape, 'tickets.create', input));
  if ('errors' in made && page.isPartial) {
    const first = { title, description };
    return page.part(await ticketsSection(page, conversation, { first, errors: made.errors }), { status: 422 });
  }
  if ('errors' in made) return page.redirect(pathOf(conversation), refusalOf(made.errors));
  const { id } = made.value;
  return answer(page, id, { text: said.created(id), href: ticketPath(id) });
}

interface SectionShown {
  /** What a new ticket begins with; left out: none is being made. */
  readonly first?: Suggested | undefined;
  /** The ticket that is open. */
  readonly open?: number | null;
  readonly errors?: FieldErrors;
}

/** Draws the newest tickets of a customer, one of them open, or the form of a new one. */
export async function ticketsSection(
  page: PageRequest,
  conversation: Pick<WireConversation, 'receiver_id' | 'contact_id'>,
  { first, open = null, errors = {} }: SectionShown = {},
): Promise<Html> {
  if (!page.workspace.ticketing || !page.may('tickets.list')) return <></>;
  const path = `${pathOf(conversation)}tickets/`;
  const asked = { receiver: conversation.contact_id, limit: ticketsShown };
  const [{ items, count }, pipelines] = await Promise.all([
    readCounted(page, ticketShape, 'tickets.list', asked),
    open === null || !page.may('tickets.update') ? [] : readPipelines(page),
  ]);
  // One that was opened from elsewhere stands with the newest.
  const isShown = open === null || items.some(({ id }) => id === open);
  const shown = isShown ? items : [await readTicketOf(page, open), ...items];
  const { receiver_id: receiver } = conversation;
  return (
    <section id="panel-tickets">
      <h3>{said.title}</h3>
      {first && <NewTicket page={page} path={path} receiver={receiver} first={first} errors={errors} />}
      {shown.length > 0 && (
        <ul class="details-tickets">
          {shown.map((ticket) => (
            <Row
              page={page}
              path={path}
              ticket={ticket}
              pipelines={pipelines}
              isOpen={ticket.id === open}
              errors={errors}
            />
          ))}
        </ul>
      )}
      {!first && (
        <p class="row">
          {page.may('tickets.create') && (
            <a
              class="button button-small"
              href={page.link(`${ticketsPath}new/`, { receiver_id: receiver })}
              {...inPanel(`${path}?new=1`)}
            >
              <Icon name="plus" />
              {said.new}
            </a>
          )}
          {count > items.length && (
            <a class="small" href={page.link(ticketsPath, { view: 'list', receiver_id: receiver })}>
              {said.all(count)}
            </a>
          )}
        </p>
      )}
    </section>
  );
}

/** What is answered into the panel; without scripts the link of the same element is followed. */
const inPanel = (address: string): Readonly<Record<string, string>> => ({
  'hx-get': address,
  'hx-target': '#panel-tickets',
  'hx-swap': 'morph:outerHTML',
});

interface NewGiven {
  readonly page: PageRequest;
  readonly path: string;
  readonly receiver: string;
  readonly first: Suggested;
  readonly errors: FieldErrors;
}

function NewTicket({ page, path, receiver, first, errors }: NewGiven): Html {
  const { message } = page.query;
  return (
    <Act class="panel-ticket" action={path} csrf={page.csrf} {...panelSwap}>
      <Once />
      {first.description && <Hidden values={[['description', first.description]]} />}
      <Errors errors={errors} />
      <label class="visually-hidden" for="panel-ticket-title">
        {said.name}
      </label>
      <textarea
        class="input"
        id="panel-ticket-title"
        name="title"
        rows={2}
        maxlength={255}
        required
        placeholder={said.name}
        dir="auto"
        autofocus
        data-sends=""
      >
        {first.title ?? ''}
      </textarea>
      <p class="row">
        <button class="button button-small button-main">{said.create}</button>
        <a class="small" href={page.link(`${ticketsPath}new/`, { receiver_id: receiver, message })}>
          {said.allFields}
        </a>
        <a class="small" href={path} {...inPanel(path)}>
          {common.cancel}
        </a>
      </p>
    </Act>
  );
}

const panelSwap = { 'hx-target': '#panel-tickets', 'hx-swap': 'morph:outerHTML', 'hx-sync': 'this:drop' };

interface RowGiven {
  readonly page: PageRequest;
  readonly path: string;
  readonly ticket: Ticket;
  readonly pipelines: readonly Pipeline[];
  readonly isOpen: boolean;
  readonly errors: FieldErrors;
}

function Row(given: RowGiven): Html {
  const { page, path, ticket, isOpen } = given;
  const { id, title, stage_name: stage, stage_color: color } = ticket;
  return (
    <li id={`panel-ticket-${id}`}>
      <a
        id={`panel-open-${id}`}
        href={ticketPath(id)}
        dir="auto"
        {...inPanel(isOpen ? path : page.link(path, { ticket: id }))}
        aria-expanded={String(isOpen)}
      >
        #{id} {title}
      </a>{' '}
      {!isOpen && (
        <span class="tag">
          <span class="dot" data-color={color}></span>
          {stage}
        </span>
      )}
      {isOpen && <Open {...given} />}
    </li>
  );
}

/** A ticket of the panel that is open: its stage, a comment, and the way to its page. */
function Open({ page, path, ticket, pipelines, errors }: RowGiven): Html {
  const { id, stage: current, stage_name: stage, stage_color: color } = ticket;
  const stages = pipelines.find((pipeline) => pipeline.id === ticket.pipeline)?.stages ?? [];
  const menu = `panel-stages-${id}`;
  return (
    <div class="panel-ticket">
      {page.may('tickets.update') && stages.length > 0 ? (
        <Act action={`${path}${id}/move/`} csrf={page.csrf} {...panelSwap}>
          <Was was={[['stage', String(current)]]} />
          <button class="chip" type="button" popovertarget={menu} aria-label={said.stage(stage)}>
            <span class="dot" data-color={color}></span>
            {stage}
            <Icon name="chevron-down" />
          </button>
          <div class="menu" id={menu} popover="auto" aria-label={said.move}>
            {stages.map((each) => {
              const question = moveQuestion(ticket, each);
              return (
                <button
                  class="menu-item"
                  name="stage"
                  value={each.id}
                  aria-current={each.id === current ? 'true' : undefined}
                  {...(question ? asking(question) : {})}
                >
                  <span class="dot" data-color={each.color}></span>
                  {each.name}
                  {question && <Icon name="send" label={question.text} />}
                </button>
              );
            })}
          </div>
        </Act>
      ) : (
        <span class="tag">
          <span class="dot" data-color={color}></span>
          {stage}
        </span>
      )}
      {page.may('ticketComments.create') && (
        <Mentioning>
          <Act action={`${path}${id}/comments/`} csrf={page.csrf} {...panelSwap}>
            <Once />
            <Errors errors={errors} />
            <label class="visually-hidden" for={`panel-comment-${id}`}>
              {said.comment}
            </label>
            <textarea
              class="input"
              id={`panel-comment-${id}`}
              name="body"
              rows={2}
              required
              placeholder={said.comment}
              dir="auto"
              data-sends=""
              data-mentions=""
              aria-autocomplete="list"
            >
              {Object.keys(errors).length > 0 ? page.form['body'] : ''}
            </textarea>
            <button class="button button-small">{said.send}</button>
          </Act>
        </Mentioning>
      )}
      <p class="row">
        <a class="small" href={ticketPath(id)}>
          {said.open}
        </a>
        <a class="small" href={path} {...inPanel(path)}>
          {said.close}
        </a>
      </p>
    </div>
  );
}
