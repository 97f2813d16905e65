import { ticketShape } from '../../../services/resources/tickets/serializer';
import { Pick } from '../bulkParts';
import { pagerView } from '../fieldViews';
import { Hidden, Was } from '../formParts';
import { Icon, type Html } from '../html';
import { loadMembers } from '../lookups';
import type { PageAnswer, PageRequest } from '../page';
import { Empty, Errors, Form, Pager, Tag } from '../parts';
import { Face } from '../people';
import { readCounted, type Counted } from '../typedCalls';
import { words } from '../words';
import { bulkForm } from './bulk';
import { customerOf, deadlineOf, noticedTags } from './cards';
import { TicketFilterBar, filtersOf, viewTabs } from './filters';
import { Assignee, Head } from './parts';
import { readPipelines, ticketPath, ticketsPath, type Ticket } from './read';

const { tickets: all } = words;
const { list: said } = all;

const listSize = 50;
const noTickets: Counted<Ticket> = { items: [], count: 0, next: null, previous: null };

/** Returns the tickets as a list. */
export async function showList(page: PageRequest): Promise<PageAnswer> {
  const filters = filtersOf(page.query);
  const { pipeline: chosen, offset: from } = page.query;
  const offset = Math.max(0, Number(from ?? 0) || 0);
  const asked = { ...filters, pipeline: chosen, limit: listSize, offset };
  const [pipelines, members, found] = await Promise.all([
    readPipelines(page),
    loadMembers(page),
    page.attempt(() => readCounted(page, ticketShape, 'tickets.list', asked)),
  ]);
  const closing = new Set(
    pipelines.flatMap(({ stages }) => stages.filter((stage) => stage.is_terminal).map(({ id }) => id)),
  );
  const tickets = 'value' in found ? found.value : noTickets;
  const pipeline = pipelines.find(({ id }) => String(id) === chosen);
  const isFiltered = Object.keys(filters).some((name) => name !== 'ordering') || chosen !== undefined;
  const clear = isFiltered ? page.link(ticketsPath, { view: 'list' }) : null;
  const query = { ...filters, pipeline: chosen, view: 'list' };
  const view = new URL(page.link(ticketsPath, { ...query, offset: from }), 'http://list').search.slice(1);
  const isPicked = tickets.items.length > 0 && page.may('bulkChanges.tickets');
  const offered = { query, count: tickets.count, pipelines: pipeline ? [pipeline] : pipelines };
  const bulk = isPicked ? await bulkForm({ page, ...offered }) : <></>;
  const body = (
    <div class="work">
      <Head page={page} views={viewTabs(page.query, true)} />
      <TicketFilterBar
        page={page}
        pipelines={pipelines}
        pipeline={pipeline}
        members={members}
        filters={filters}
        isList
      />
      <Errors errors={'errors' in found ? found.errors : {}} />
      {tickets.items.length === 0 ? (
        <Nothing page={page} clear={clear} />
      ) : (
        <>
          <Rows page={page} tickets={tickets.items} closing={closing} view={view} />
          <Pager pager={pagerView(tickets, ticketsPath, query)} />
          {bulk}
        </>
      )}
    </div>
  );
  const status = 'errors' in found ? 422 : 200;
  const keys = [['n', all.new] as const, ['x', said.select] as const];
  return page.page(body, {
    title: all.title,
    place: 'tickets',
    styles: ['desk.css'],
    scripts: ['longPress.js', 'bulk.js'],
    keys,
    status,
  });
}

/** What an empty list says. */
function Nothing({ page, clear }: { readonly page: PageRequest; readonly clear: string | null }): Html {
  const { none, noneFits } = said;
  if (clear)
    return (
      <Empty icon="ticket" title={noneFits.title} text={noneFits.text}>
        <p>
          <a class="button" href={clear}>
            {noneFits.all}
          </a>
        </p>
      </Empty>
    );
  return (
    <Empty icon="ticket" title={none.title} text={none.text}>
      {page.may('tickets.create') && (
        <p>
          <a class="button button-main" href={`${ticketsPath}new/`}>
            {all.new}
          </a>
        </p>
      )}
    </Empty>
  );
}

interface RowsGiven {
  readonly page: PageRequest;
  /** The query of the list, for the forms that come back to it. */
  readonly view: string;
}

interface ListGiven extends RowsGiven {
  readonly tickets: readonly Ticket[];
  /** The stages that close a ticket. */
  readonly closing: ReadonlySet<number>;
}

function Rows({ page, tickets, closing, view }: ListGiven): Html {
  return (
    <ol class="rows">
      {tickets.map((ticket) => (
        <Row page={page} ticket={ticket} isClosed={closing.has(ticket.stage)} view={view} />
      ))}
    </ol>
  );
}

interface RowGiven extends RowsGiven {
  readonly ticket: Ticket;
  readonly isClosed: boolean;
}

/** A ticket: whose it is, what it is about, and its marks, each in its place. */
function Row({ page, ticket, isClosed, view }: RowGiven): Html {
  const { id, title, receiver, stage_name: stage, stage_color: color } = ticket;
  const customer = customerOf(ticket);
  const deadline = deadlineOf(page, ticket, isClosed);
  return (
    <li>
      {page.may('bulkChanges.tickets') && <Pick id={id} name="ticket" value={id} label={all.bulk.select(id)} />}
      <span class="row-face">
        {customer ? (
          <Face id={receiver ?? 0} name={customer} />
        ) : (
          <span class="avatar" aria-hidden="true">
            <Icon name="ticket" />
          </span>
        )}
      </span>
      <span class="row-text">
        <a class="row-link cut" href={ticketPath(id)} dir="auto">
          <span class="soft">#{id}</span> {title}
        </a>
        <span class="row-more soft cut" dir="auto">
          {customer}
        </span>
      </span>
      <span class="row-tags">
        {noticedTags(ticket).map((tag) => (
          <Tag {...tag} />
        ))}
      </span>
      <span class={`row-deadline ${deadline?.isMissed ? 'bad' : 'soft'}`}>{deadline?.text}</span>
      <span class="row-state">
        <span class="tag">
          <span class="dot" data-color={color}></span>
          <span class="cut">{stage}</span>
        </span>
      </span>
      <Owner page={page} ticket={ticket} view={view} />
      <span class="row-time soft">{page.timePart(ticket.updated_at)}</span>
    </li>
  );
}

/** Whose a ticket is, or the circle that takes it. */
function Owner({ page, ticket, view }: Omit<RowGiven, 'isClosed'>): Html {
  const { id, assigned_to: owner } = ticket;
  if (owner !== null || !page.may('tickets.update'))
    return (
      <span class="row-who">
        <Assignee ticket={ticket} />
      </span>
    );
  return (
    <Form class="row-who" action={`${ticketPath(id)}edit/`} csrf={page.csrf}>
      <Hidden values={[['view', view]]} />
      <Was was={[['assigned_to', '']]} />
      <button class="avatar avatar-none" name="assigned_to" value={page.member.id} title={said.take}>
        <Icon name="plus" label={said.takeThis(id)} />
      </button>
    </Form>
  );
}
