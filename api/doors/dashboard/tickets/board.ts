import {
  filterView,
  optionsOf,
  pagerView,
  peopleOptions,
  type FilterView,
  type Option,
  type TabView,
  type TagView,
} from '../fieldViews';
import type { FieldErrors } from '../../../core/http/errors';
import type { WireMember, WirePage } from '../contacts/wire';
import { initialOf } from '../formats';
import type { PageAnswer, PageRequest, Toast } from '../page';
import { choices, clocksOf } from './labels';
import { changedAgain, isSilentMove, refuseMoveBack } from './undo';
import { countTold, ticketPath, ticketsPath, type WirePipeline, type WireStage, type WireTicket } from './wire';

/** Cards of a column; the list shows the rest. */
const columnSize = 40;
const listSize = 50;
const noTickets: WirePage<WireTicket> = { items: [], count: 0, next: null, previous: null };
const filterNames = [
  'search',
  'assigned_to',
  'priority',
  'severity',
  'type',
  'tag',
  'sla_breached',
  'escalated',
  'open',
  'stage',
  'ordering',
] as const;
type Filters = Readonly<Record<string, string>>;

/** Shows that the workspace or the member is without tickets. */
export function withoutTicketing(page: PageRequest, place: string): PageAnswer | null {
  if (page.workspace.ticketing) return null;
  const text = 'Tickets, pipelines and stages come with the Ticketing add-on, which this workspace does not have.';
  return page.page(
    '/partials/unavailable',
    { icon: 'ticket', title: 'Ticketing is not part of this workspace', text },
    { title: 'Ticketing', place },
  );
}

/** Returns the tickets as a board by stage, or as a list. */
export async function showTickets(page: PageRequest): Promise<PageAnswer> {
  const refusal = withoutTicketing(page, 'tickets');
  if (refusal) return refusal;
  if (page.query['view'] === 'list') return showList(page);
  const data = await loadBoard(page, page.query);
  if (page.isPartial) return page.part('/tickets/columns', data);
  return page.page('/tickets/board', data, {
    title: 'Tickets',
    place: 'tickets',
    styles: ['desk.css'],
    scripts: ['board.js'],
    keys: [
      ['n', 'New ticket'],
      ['← ↑ → ↓', 'Go from card to card'],
      ['Shift+← Shift+→', 'Move the card to the next stage'],
      ['m', 'Choose a stage for the card'],
    ],
    status: Object.keys(data.errors).length > 0 ? 422 : 200,
  });
}

/** Moves a ticket into a stage, and answers with the board as it is then. */
export async function moveTicket(page: PageRequest): Promise<PageAnswer> {
  const { view } = page.form;
  const query = Object.fromEntries(new URLSearchParams(view ?? ''));
  const toast = await tryMove(page);
  if (!page.isPartial) return page.redirect(page.link(ticketsPath, query), toast);
  return page.part('/tickets/columns', await loadBoard(page, query), { toast });
}

async function tryMove(page: PageRequest): Promise<Toast> {
  const { ticket, stage, view = '', from } = page.form;
  const before = await page.call<WireTicket>('tickets.get', { id: ticket });
  if (from !== undefined) {
    // An undo, which neither overrules a later move nor sends what nobody asked for.
    const refusal = String(before.stage) === from ? await refuseMoveBack(page, stage) : changedAgain;
    if (refusal) return refusal;
  }
  const moved = await page.attempt(() => page.call<WireTicket>('tickets.update', { id: ticket, stage }));
  if ('errors' in moved) return { text: Object.values(moved.errors).flat().join(' '), kind: 'bad' };
  const { id, stage_name: name } = moved.value;
  return { text: `#${id} is in ${name} now.`, ...(await undoMove(page, before, moved.value, view)) };
}

/** Returns the undo of a move into another stage; undefined when either move notifies a customer. */
async function undoMove(
  page: PageRequest,
  before: WireTicket,
  after: WireTicket,
  view: string,
): Promise<Pick<Toast, 'undo'>> {
  if (before.stage === after.stage || !(await isSilentMove(page, before, after))) return {};
  const fields = { ticket: String(before.id), stage: String(before.stage), from: String(after.stage), view };
  return { undo: { action: `${ticketsPath}move/`, fields, target: '#board' } };
}

/** What board and list have above them. */
interface HeadView {
  readonly filters: Filters;
  /** The page without filters; null: none is in use. */
  readonly clear: string | null;
  readonly shown: readonly FilterView[];
  readonly errors: FieldErrors;
  readonly views: readonly TabView[];
  readonly isList: boolean;
}

/** The tickets of a pipeline by their stages. */
interface BoardView extends HeadView {
  readonly columns: readonly ColumnView[];
  /** What an empty column says. */
  readonly none: string;
  /** The query of the board, for the forms that come back to it. */
  readonly view: string;
}

interface ColumnView {
  readonly stage: WireStage;
  /** The template that its tickets send; null: none. */
  readonly sends: { readonly label: string; readonly hint: string } | null;
  readonly count: string;
  readonly tickets: readonly CardView[];
  /** The list of all of its tickets; null: they are all here. */
  readonly whole: string | null;
}

async function loadBoard(page: PageRequest, query: Filters): Promise<BoardView> {
  const [pipelines, members] = await Promise.all([page.call<WirePipeline[]>('ticketPipelines.list'), membersOf(page)]);
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
          : page.call<WirePage<WireTicket>>('tickets.list', {
              ordering: '-updated_at',
              ...filters,
              stage: String(stage.id),
              limit: columnSize,
            }),
      );
      if ('errors' in found) errors = found.errors;
      const tickets = 'value' in found ? found.value : noTickets;
      return {
        stage,
        sends: stage.notify_template_name
          ? {
              label: `Sends ${stage.notify_template_name}`,
              hint: `Tickets that come here send “${stage.notify_template_name}” to their contacts`,
            }
          : null,
        count: isFiltered ? String(tickets.count) : stage.ticket_count,
        tickets: tickets.items.map((ticket) => cardView(page, ticket, stage.is_terminal)),
        whole: tickets.next ? page.link(ticketsPath, { ...filters, view: 'list', stage: stage.id }) : null,
      };
    }),
  );
  return {
    columns,
    filters,
    none: isFiltered ? 'No ticket fits.' : 'No tickets.',
    clear: isFiltered ? page.link(ticketsPath, { pipeline: pipeline?.id }) : null,
    shown: filterViews(page, { pipelines, pipeline, members, filters }, false),
    errors,
    view: viewOf(query),
    views: viewTabs(query, false),
    isList: false,
  };
}

/** Returns the ways to the board and to the list, with the filters of the one that is shown. */
function viewTabs(query: Filters, isList: boolean): readonly TabView[] {
  const href = `${ticketsPath}?${viewOf(query)}`;
  return [
    { label: 'Board', href, isCurrent: !isList },
    { label: 'List', href: `${href}&view=list`, isCurrent: isList },
  ];
}

/** The tickets as a table. */
interface ListView extends HeadView {
  readonly tickets: readonly CardView[];
  /** The query of the list, for the forms that come back to it. */
  readonly view: string;
  readonly pager: ReturnType<typeof pagerView>;
}

async function showList(page: PageRequest): Promise<PageAnswer> {
  const filters = filtersOf(page.query);
  const offset = Math.max(0, Number(page.query['offset'] ?? 0) || 0);
  const [pipelines, members, found] = await Promise.all([
    page.call<WirePipeline[]>('ticketPipelines.list'),
    membersOf(page),
    page.attempt(() =>
      page.call<WirePage<WireTicket>>('tickets.list', {
        ...filters,
        pipeline: page.query['pipeline'],
        limit: listSize,
        offset,
      }),
    ),
  ]);
  const closing = new Set(
    pipelines.flatMap(({ stages }) => stages.filter((stage) => stage.is_terminal).map(({ id }) => id)),
  );
  const tickets = 'value' in found ? found.value : noTickets;
  const pipeline = pipelines.find(({ id }) => String(id) === page.query['pipeline']);
  const isFiltered = Object.keys(filters).some((name) => name !== 'ordering') || page.query['pipeline'] !== undefined;
  const query = { ...filters, pipeline: page.query['pipeline'], view: 'list' };
  const data: ListView = {
    tickets: tickets.items.map((ticket) => cardView(page, ticket, closing.has(ticket.stage))),
    view: new URL(page.link(ticketsPath, { ...query, offset: page.query['offset'] }), 'http://list').search.slice(1),
    pager: pagerView(tickets, ticketsPath, query),
    filters,
    shown: filterViews(page, { pipelines, pipeline, members, filters }, true),
    clear: isFiltered ? page.link(ticketsPath, { view: 'list' }) : null,
    errors: 'errors' in found ? found.errors : {},
    views: viewTabs(page.query, true),
    isList: true,
  };
  return page.page('/tickets/list', data, {
    title: 'Tickets',
    place: 'tickets',
    styles: ['desk.css'],
    status: 'errors' in found ? 422 : 200,
  });
}

/** Returns the selects above the board or the list. */
function filterViews(page: PageRequest, data: FilterData, isList: boolean): FilterView[] {
  const { pipelines, pipeline, members, filters } = data;
  const view = (name: string, label: string, options: readonly Option[]): FilterView =>
    filterView(name, label, options, name === 'pipeline' ? String(pipeline?.id ?? '') : filters[name]);
  const any = (label: string): Option => ({ value: '', label });
  const me = page.member.id;
  return [
    ...(pipelines.length > 1
      ? [
          view('pipeline', 'Pipeline', [
            ...(isList ? [any('All pipelines')] : []),
            ...pipelines.map(({ id, name }) => ({ value: id, label: name })),
          ]),
        ]
      : []),
    ...(isList
      ? [
          view('open', 'State', [
            any('Open and closed'),
            { value: 'true', label: 'Open' },
            { value: 'false', label: 'Closed' },
          ]),
        ]
      : []),
    view('assigned_to', 'Assigned to', [
      any('Any assignee'),
      { value: 'none', label: 'Unassigned' },
      { value: me, label: 'Me' },
      ...peopleOptions(members.filter(({ id }) => id !== me)),
    ]),
    view('priority', 'Priority', [any('Any priority'), ...choices.priority]),
    view('severity', 'Severity', [any('Any severity'), ...choices.severity]),
    view('type', 'Type', [any('Any type'), ...choices.type]),
    view('sla_breached', 'Deadlines', [
      any('Any deadline'),
      { value: 'true', label: 'Deadline missed' },
      { value: 'false', label: 'No deadline missed' },
    ]),
    ...(isList ? [view('ordering', 'Order', orders)] : []),
  ];
}

const orders = optionsOf([
  ['', 'Newest first'],
  ['-updated_at', 'Last changed first'],
  ['due_at', 'Due first'],
  ['-priority', 'Most urgent first'],
  ['severity', 'Most severe first'],
  ['title', 'By title'],
]);

interface FilterData {
  readonly pipelines: readonly WirePipeline[];
  readonly pipeline: WirePipeline | undefined;
  readonly members: readonly WireMember[];
  readonly filters: Readonly<Record<string, string>>;
}

/** A ticket as its card and its row show it. */
interface CardView extends Pick<WireTicket, 'id' | 'title' | 'stage_name' | 'stage_color' | 'updated_at'> {
  readonly path: string;
  readonly customer: string;
  readonly priority: TagView;
  /** The labels of a card that need attention. */
  readonly tags: readonly TagView[];
  readonly deadline: DeadlineView | null;
  /** The assignee; null when there is none. */
  readonly owner: { readonly name: string; readonly initial: string } | null;
  /** What the button of one without an assignee says. */
  readonly take: string;
  /** How many contacts a move into a stage that notifies tells. */
  readonly told: number;
}

/** What comes first: a promised time, else the day on which it is due. */
interface DeadlineView {
  readonly icon: 'timer' | 'calendar-clock';
  readonly text: string;
  readonly isMissed: boolean;
}

const noticed: Readonly<Record<string, string>> = {
  urgent: 'tag-bad',
  high: 'tag-warn',
  sev1: 'tag-bad',
  sev2: 'tag-warn',
};

function cardView(page: PageRequest, ticket: WireTicket, isClosed: boolean): CardView {
  const { id, title, stage_name, stage_color, updated_at, priority, severity, assigned_to_name: owner } = ticket;
  const tag = (text: string): TagView => ({ text, style: noticed[text] ?? '' });
  return {
    id,
    title,
    stage_name,
    stage_color,
    updated_at,
    path: ticketPath(id),
    customer: ticket.receiver_name || ticket.receiver_phone || '',
    priority: tag(priority),
    tags: [
      ...[tag(priority), tag(severity)].filter(({ style }) => style !== ''),
      ...(ticket.escalated_at === null ? [] : [{ text: 'escalated', style: 'tag-accent' }]),
    ],
    deadline: deadlineView(page, ticket, isClosed),
    owner: owner === null ? null : { name: owner, initial: initialOf(owner) },
    take: `Take #${id}`,
    told: countTold(ticket),
  };
}

function deadlineView(page: PageRequest, ticket: WireTicket, isClosed: boolean): DeadlineView | null {
  const clock = clocksOf(page, ticket, isClosed).find(({ state }) => state !== 'met' && state !== 'ended');
  if (clock) return { icon: 'timer', text: `${clock.label}: ${clock.text}`, isMissed: clock.state === 'missed' };
  const { due_at: due } = ticket;
  if (due === null) return null;
  return {
    icon: 'calendar-clock',
    text: `Due ${page.moment(due, 'short')}`,
    isMissed: !isClosed && new Date(due) < page.now,
  };
}

async function membersOf(page: PageRequest): Promise<readonly WireMember[]> {
  const none: WirePage<WireMember> = { items: [], next: null, previous: null };
  return (await page.callIfPermitted('teamMembers.list', { page_size: 200 }, none)).items;
}

function filtersOf(query: Filters): Record<string, string> {
  const known = filterNames as readonly string[];
  return Object.fromEntries(Object.entries(query).filter(([name, value]) => known.includes(name) && value !== ''));
}

/** Returns the query of the board, for the forms that come back to it. */
function viewOf(query: Filters): string {
  return new URLSearchParams({
    ...filtersOf(query),
    ...(query['pipeline'] ? { pipeline: query['pipeline'] } : {}),
  }).toString();
}
