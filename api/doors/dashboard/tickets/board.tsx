import type { FieldErrors } from '../../../core/http/errors';
import { ticketShape } from '../../../services/resources/tickets/serializer';
import { Icon, type Html } from '../html';
import { loadMembers } from '../lookups';
import type { PageAnswer, PageRequest, Toast } from '../page';
import { Errors, Form, Tag } from '../parts';
import { Face } from '../people';
import { readCounted, readOne, type Counted } from '../typedCalls';
import { words } from '../words';
import { customerOf, deadlineOf, noticedTags } from './cards';
import { TicketFilterBar, filtersOf, viewOf, viewTabs, type TicketFilters } from './filters';
import { showList } from './list';
import { Assignee, Head } from './parts';
import {
  readPipelines,
  countTold,
  readTicketOf,
  ticketPath,
  ticketsPath,
  type Pipeline,
  type Stage,
  type Ticket,
} from './read';
import { changedAgain, isSilentMove, refuseMoveBack } from './undo';

const { tickets: said } = words;

/** Cards of a column; the list shows the rest. */
const columnSize = 40;
const noTickets: Counted<Ticket> = { items: [], count: 0, next: null, previous: null };

/** Shows that the workspace or the member is without tickets. */
export function withoutTicketing(page: PageRequest, place: string): PageAnswer | null {
  if (page.workspace.ticketing) return null;
  const { title, head, text } = said.without;
  const body = (
    <div class="empty">
      <Icon name="ticket" />
      <h1>{head}</h1>
      <p>{text}</p>
    </div>
  );
  return page.page(body, { title, place });
}

/** Returns the tickets as a board by stage, or as a list. */
export async function showTickets(page: PageRequest): Promise<PageAnswer> {
  const refusal = withoutTicketing(page, 'tickets');
  if (refusal) return refusal;
  if (page.query['view'] === 'list') return showList(page);
  const [board, members] = await Promise.all([loadBoard(page, page.query), page.isPartial ? [] : loadMembers(page)]);
  if (page.isPartial) return page.part(<Board page={page} board={board} />);
  const { columns, view, errors, filters, pipelines, pipeline } = board;
  const body = (
    <>
      <Head page={page} views={viewTabs(page.query, false)} />
      <TicketFilterBar
        page={page}
        pipelines={pipelines}
        pipeline={pipeline}
        members={members}
        filters={filters}
        isList={false}
      />
      <Errors errors={errors} />
      {page.may('tickets.update') && <MoveForms page={page} view={view} stages={columns.map(({ stage }) => stage)} />}
      <Board page={page} board={board} />
    </>
  );
  return page.page(body, {
    title: said.title,
    place: 'tickets',
    styles: ['desk.css'],
    scripts: ['longPress.js', 'board.js'],
    keys: said.keys,
    status: Object.keys(errors).length > 0 ? 422 : 200,
  });
}

/** Moves a ticket into a stage, and answers with the board as it is then. */
export async function moveTicket(page: PageRequest): Promise<PageAnswer> {
  const { view } = page.form;
  const query = Object.fromEntries(new URLSearchParams(view ?? ''));
  const toast = await tryMove(page);
  if (!page.isPartial) return page.redirect(page.link(ticketsPath, query), toast);
  return page.part(<Board page={page} board={await loadBoard(page, query)} />, { toast });
}

async function tryMove(page: PageRequest): Promise<Toast> {
  const { ticket, stage, view = '', from } = page.form;
  const before = await readTicketOf(page, ticket);
  if (from !== undefined) {
    // An undo, which neither overrules a later move nor sends what nobody asked for.
    const refusal = String(before.stage) === from ? await refuseMoveBack(page, stage) : changedAgain();
    if (refusal) return refusal;
  }
  const moved = await page.attempt(() => readOne(page, ticketShape, 'tickets.update', { id: ticket, stage }));
  if ('errors' in moved) return { text: Object.values(moved.errors).flat().join(' '), kind: 'bad' };
  const { id, stage_name: name } = moved.value;
  return { text: said.board.moved(id, name), ...(await undoMove(page, before, moved.value, view)) };
}

/** Returns the undo of a move into another stage; undefined when either move notifies a customer. */
async function undoMove(page: PageRequest, before: Ticket, after: Ticket, view: string): Promise<Pick<Toast, 'undo'>> {
  if (before.stage === after.stage || !(await isSilentMove(page, before, after))) return {};
  const fields = { ticket: String(before.id), stage: String(before.stage), from: String(after.stage), view };
  return { undo: { action: `${ticketsPath}move/`, fields, target: '#board' } };
}

interface Column {
  readonly stage: Stage;
  readonly count: string;
  readonly tickets: readonly Ticket[];
  /** The list of all of its tickets; null: they are all here. */
  readonly whole: string | null;
}

/** The tickets of a pipeline by their stages. */
interface BoardData {
  readonly pipelines: readonly Pipeline[];
  readonly pipeline: Pipeline | undefined;
  readonly columns: readonly Column[];
  readonly filters: TicketFilters;
  readonly isFiltered: boolean;
  readonly errors: FieldErrors;
  /** The query of the board, for the forms that come back to it. */
  readonly view: string;
}

async function loadBoard(page: PageRequest, query: TicketFilters): Promise<BoardData> {
  const pipelines = await readPipelines(page);
  const pipeline =
    pipelines.find(({ id }) => String(id) === query['pipeline']) ??
    pipelines.find(({ is_default: isDefault }) => isDefault) ??
    pipelines[0];
  const { stage: _stage, open: _open, ...filters } = filtersOf(query);
  const isFiltered = Object.keys(filters).some((name) => name !== 'ordering');
  let errors: FieldErrors = {};
  const columns = await Promise.all(
    (pipeline?.stages ?? []).map(async (stage) => {
      const found = await page.attempt(() =>
        // Empty stages are not asked for.
        Number(stage.ticket_count) === 0
          ? Promise.resolve(noTickets)
          : readCounted(page, ticketShape, 'tickets.list', {
              ordering: '-updated_at',
              ...filters,
              stage: String(stage.id),
              limit: columnSize,
            }),
      );
      if ('errors' in found) errors = found.errors;
      const { items, count, next } = 'value' in found ? found.value : noTickets;
      return {
        stage,
        count: isFiltered ? String(count) : stage.ticket_count,
        tickets: items,
        whole: next ? page.link(ticketsPath, { ...filters, view: 'list', stage: stage.id }) : null,
      };
    }),
  );
  return { pipelines, pipeline, columns, filters, isFiltered, errors, view: viewOf(query) };
}

/** What board.js moves a card by: a form that it fills in, and a dialog of the stages. */
function MoveForms(given: {
  readonly page: PageRequest;
  readonly view: string;
  readonly stages: readonly Stage[];
}): Html {
  const { page, view, stages } = given;
  const action = `${ticketsPath}move/`;
  return (
    <>
      <Form
        id="move"
        action={action}
        csrf={page.csrf}
        hx-post={action}
        hx-target="#board"
        hx-swap="morph:outerHTML"
        hidden
      >
        <input type="hidden" name="ticket" />
        <input type="hidden" name="stage" />
        <input type="hidden" name="view" value={view} />
      </Form>
      <dialog class="dialog" id="stages" aria-labelledby="stages-title">
        <form method="dialog">
          <h2 id="stages-title">{said.board.move}</h2>
          <div class="stage-choices">
            {stages.map(({ id, name, color }) => (
              <button class="menu-item" value={id}>
                <span class="dot" data-color={color}></span>
                {name}
              </button>
            ))}
          </div>
          <div class="actions">
            <button class="button" value="">
              {words.common.cancel}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}

interface BoardGiven {
  readonly page: PageRequest;
  readonly board: BoardData;
}

function Board({ page, board: { columns, view, isFiltered } }: BoardGiven): Html {
  return (
    <div class="board" id="board" data-view={view} role="region" aria-label={said.board.label} tabindex={0}>
      {columns.map((column) => (
        <ColumnPart page={page} column={column} none={isFiltered ? said.board.noneFits : said.board.none} />
      ))}
    </div>
  );
}

function ColumnPart({ page, column, none }: { page: PageRequest; column: Column; none: string }): Html {
  const { stage, count, tickets, whole } = column;
  const { id, name, color, notify_template_name: template, pauses_sla: pauses } = stage;
  return (
    <section
      class="column-stage"
      aria-labelledby={`stage-${id}`}
      data-stage={id}
      data-name={name}
      data-notifies={template ?? undefined}
    >
      <h2 class="stage-name" id={`stage-${id}`}>
        <span class="dot" data-color={color}></span>
        <span class="cut">{name}</span>
        <span class="count soft">{count}</span>
        {template && (
          <span title={said.board.sendsTitle(template)}>
            <Icon name="send" label={said.board.sends(template)} />
          </span>
        )}
        {pauses && (
          <span title={said.board.pausesTitle}>
            <Icon name="clock" label={said.board.pauses} />
          </span>
        )}
      </h2>
      <ol class="cards">
        {tickets.map((ticket) => (
          <Card page={page} ticket={ticket} isClosed={stage.is_terminal} />
        ))}
        {tickets.length === 0 && <li class="card-none soft small">{none}</li>}
      </ol>
      {whole && (
        <p>
          <a class="small" href={whole}>
            {said.board.whole}
          </a>
        </p>
      )}
    </section>
  );
}

function Card({ page, ticket, isClosed }: { page: PageRequest; ticket: Ticket; isClosed: boolean }): Html {
  const { id, title, receiver } = ticket;
  const customer = customerOf(ticket);
  const deadline = deadlineOf(page, ticket, isClosed);
  return (
    <li
      class="ticket-card"
      id={`ticket-${id}`}
      data-ticket={id}
      data-contacts={countTold(ticket)}
      draggable={page.may('tickets.update') ? 'true' : undefined}
    >
      <a class="row-link" id={`card-${id}`} href={ticketPath(id)} draggable="false" dir="auto">
        {title}
      </a>
      <p class="card-facts">
        <span class="soft">#{id}</span>{' '}
        {customer && (
          <>
            <Face id={receiver ?? 0} name={customer} size="small" />
            <span class="soft cut" dir="auto">
              {customer}
            </span>
          </>
        )}
      </p>
      <p class="card-facts">
        {noticedTags(ticket).map((tag) => (
          <>
            <Tag {...tag} />{' '}
          </>
        ))}
        {deadline && (
          <span class={`tag ${deadline.isMissed ? 'tag-bad' : ''}`}>
            <Icon name={deadline.icon} /> {deadline.text}
          </span>
        )}
        <span class="card-who">
          <Assignee ticket={ticket} size="small" />
        </span>
      </p>
    </li>
  );
}
