import { ticketShape } from '../../../services/resources/tickets/serializer';
import { pagerView } from '../fieldViews';
import { initialOf } from '../formats';
import { Hidden, Was } from '../formParts';
import { Icon, type Html } from '../html';
import { loadMembers } from '../lookups';
import type { PageAnswer, PageRequest } from '../page';
import { Empty, Errors, Form, Pager, Tag } from '../parts';
import { readPipelines } from '../pipelines/list';
import { readCounted, type Counted } from '../typedCalls';
import { words } from '../words';
import { customerOf, deadlineOf, levelTag } from './cards';
import { FilterForm, filtersOf, viewTabs } from './filters';
import { Head } from './parts';
import { ticketPath, ticketsPath, type Ticket } from './read';

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
  const isFiltered = Object.keys(filters).some((name) => name !== 'ordering') || chosen !== undefined;
  const clear = isFiltered ? page.link(ticketsPath, { view: 'list' }) : null;
  const query = { ...filters, pipeline: chosen, view: 'list' };
  const view = new URL(page.link(ticketsPath, { ...query, offset: from }), 'http://list').search.slice(1);
  const body = (
    <>
      <Head page={page} views={viewTabs(page.query, true)} />
      <FilterForm
        page={page}
        pipelines={pipelines}
        pipeline={pipelines.find(({ id }) => String(id) === chosen)}
        members={members}
        filters={filters}
        clear={clear}
        isList
      />
      <Errors errors={'errors' in found ? found.errors : {}} />
      {tickets.items.length === 0 ? (
        <Nothing page={page} clear={clear} />
      ) : (
        <>
          <Table page={page} tickets={tickets.items} closing={closing} view={view} />
          <Pager pager={pagerView(tickets, ticketsPath, query)} />
        </>
      )}
    </>
  );
  const status = 'errors' in found ? 422 : 200;
  return page.page(body, { title: all.title, place: 'tickets', styles: ['desk.css'], status });
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

interface TableGiven extends RowsGiven {
  readonly tickets: readonly Ticket[];
  /** The stages that close a ticket. */
  readonly closing: ReadonlySet<number>;
}

function Table({ page, tickets, closing, view }: TableGiven): Html {
  const { columns } = said;
  return (
    <div class="table-scroll">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{columns.ticket}</th>
            <th scope="col">{columns.stage}</th>
            {[columns.customer, columns.assignee, columns.priority, columns.deadline, columns.changed].map((label) => (
              <th scope="col" class="wide-only">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tickets.map((ticket) => (
            <Row page={page} ticket={ticket} isClosed={closing.has(ticket.stage)} view={view} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowGiven extends RowsGiven {
  readonly ticket: Ticket;
  readonly isClosed: boolean;
}

function Row({ page, ticket, isClosed, view }: RowGiven): Html {
  const { id, title, assigned_to_name: owner, stage_name: stage, stage_color: color } = ticket;
  const deadline = deadlineOf(page, ticket, isClosed);
  return (
    <tr>
      <td>
        <a class="row-link" href={ticketPath(id)}>
          <span class="soft">#{id}</span> {title}
        </a>{' '}
        {owner !== null && <span class="narrow-only soft small">{owner}</span>}
      </td>
      <td>
        <span class="tag">
          <span class="dot" data-color={color}></span>
          {stage}
        </span>
      </td>
      <td class="wide-only cell-cut" dir="auto">
        {customerOf(ticket)}
      </td>
      <td class="wide-only">
        <Owner page={page} ticket={ticket} view={view} />
      </td>
      <td class="wide-only">
        <Tag {...levelTag(ticket.priority)} />
      </td>
      <td class="wide-only whole">
        {deadline ? <span class={deadline.isMissed ? 'bad' : undefined}>{deadline.text}</span> : '–'}
      </td>
      <td class="wide-only whole">{page.timePart(ticket.updated_at)}</td>
    </tr>
  );
}

/** Whose a ticket is, or the circle that takes it. */
function Owner({ page, ticket: { id, assigned_to_name: owner }, view }: Omit<RowGiven, 'isClosed'>): Html {
  if (owner !== null)
    return (
      <span class="row-who">
        <span class="avatar" aria-hidden="true">
          {initialOf(owner)}
        </span>
        <span class="cut">{owner}</span>
      </span>
    );
  if (!page.may('tickets.update'))
    return (
      <span class="row-who">
        <span class="avatar avatar-none" title={all.unassigned}></span>
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
