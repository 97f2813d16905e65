import { Hidden } from '../formParts';
import { Badge } from '../frameParts';
import { badgeView } from '../fieldViews';
import { Icon, type Html } from '../html';
import type { Team } from '../lookups';
import { asking, Field, Form } from '../parts';
import type { PageRequest } from '../page';
import { words } from '../words';
import { BulkForm } from './bulk';
import {
  chipsOf,
  filterFields,
  inboxPath,
  isNarrowed,
  viewActions,
  viewOf,
  type InboxFilters,
  type ViewTab,
} from './filters';
import { Conversations, type ListGiven } from './list';

const { inbox } = words;

interface FrameGiven extends ListGiven {
  readonly tabs: readonly ViewTab[];
  readonly team: Team;
  /** The conversation that is open; null: none. */
  readonly open: Html | null;
}

/** The inbox: the list with what stands around it, beside what is open. */
export function Frame({ tabs, team, open, ...list }: FrameGiven): Html {
  const { page, rows, filters } = list;
  const chips = chipsOf(page, filters, team);
  return (
    <div class="inbox">
      <h1 class="visually-hidden">{inbox.title}</h1>
      <ul id="presence" hidden></ul>
      <dialog class="dialog" id="macro-preview" aria-labelledby="macro-title"></dialog>
      <section class="list-panel" aria-label={inbox.conversations}>
        <Search filters={filters} />
        <FilterMenu filters={filters} team={team} page={page} />
        <Views tabs={tabs} counts={countsPath(page, filters)} />
        {chips.length > 0 && (
          <ul class="filter-chips" aria-label={inbox.filters.inUse}>
            {chips.map(({ href, label }) => (
              <li>
                <a class="tag tag-accent" href={href}>
                  {label}
                  <Icon name="x" label={inbox.filters.remove} />
                </a>
              </li>
            ))}
          </ul>
        )}
        <SavedView page={page} filters={filters} />
        <Conversations {...list} />
        {page.may('bulkChanges.create') && <BulkForm page={page} filters={filters} count={rows.count} team={team} />}
      </section>
      {open ?? <NothingOpen {...list} />}
    </div>
  );
}

function Search({ filters }: Pick<FrameGiven, 'filters'>): Html {
  const { search, filters: said } = inbox;
  const isOn = isNarrowed(filters);
  return (
    <form class="list-search" method="get" action={inboxPath} role="search">
      <label class="visually-hidden" for="search">
        {search.label}
      </label>
      <Icon name="search" />
      <input
        class="input"
        id="search"
        name="search"
        type="search"
        value={filters.search ?? ''}
        placeholder={search.placeholder}
        maxlength={255}
        autocomplete="off"
        hx-get={inboxPath}
        hx-trigger="input changed delay:250ms, search"
        hx-target="#list"
        hx-swap="morph:outerHTML"
        hx-sync="this:replace"
      />
      <button
        class={`button-icon${isOn ? ' is-on' : ''}`}
        type="button"
        popovertarget="filters"
        data-key="f"
        aria-label={isOn ? said.labelInUse : said.label}
        title={`${said.label} (f)`}
      >
        <Icon name="list-filter" />
      </button>
    </form>
  );
}

function FilterMenu({ page, filters, team }: Pick<FrameGiven, 'page' | 'filters' | 'team'>): Html {
  // The filters stay in their view.
  const view = viewOf(filters) || 'all';
  return (
    <div class="menu menu-form" id="filters" popover="auto">
      <form method="get" action={inboxPath} id="filter-form">
        <Hidden values={[['view', view]]} />
        {filterFields(filters, team).map((field) => (
          <Field {...field} />
        ))}
        <div class="actions">
          <a class="button button-small" href={page.link(inboxPath, { view })}>
            {inbox.filters.clear}
          </a>
          <button class="button button-small button-main" type="submit">
            {inbox.filters.show}
          </button>
        </div>
      </form>
    </div>
  );
}

interface ViewsGiven {
  readonly tabs: readonly ViewTab[];
  /** Where it is asked how many each lists, once the page is there. */
  readonly counts?: string;
}

/** The views as tabs. */
function Views({ tabs, counts }: ViewsGiven): Html {
  const asked = counts ? { 'hx-get': counts, 'hx-trigger': 'load', 'hx-swap': 'morph:outerHTML' } : {};
  return (
    <nav class="tabs list-views" id="views" aria-label={inbox.viewsLabel} {...asked}>
      {tabs.map(({ label, href, isCurrent, count }) => (
        <a href={href} aria-current={isCurrent ? 'page' : undefined}>
          {label} {count && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}

const countsPath = (page: PageRequest, filters: InboxFilters): string =>
  page.link(inboxPath, { part: 'counts', view: viewOf(filters), saved: filters.saved });

/** How many conversations each view lists, with the number of those who wait beside the inbox. */
export function Counts({ tabs, waiting }: { readonly tabs: readonly ViewTab[]; readonly waiting: number }): Html {
  return (
    <>
      <Views tabs={tabs} />
      <Badge badge={badgeView('waiting', waiting)} outOfBand />
    </>
  );
}

/** Saves the filters in use as a view, or deletes the saved one. */
function SavedView({ page, filters }: Pick<FrameGiven, 'page' | 'filters'>): Html {
  const { save, remove } = viewActions(page, filters);
  const { view } = inbox;
  if (save)
    return (
      <Form class="view-form" action={save} csrf={page.csrf}>
        <label class="visually-hidden" for="view-name">
          {view.name}
        </label>
        <input
          class="input"
          id="view-name"
          name="name"
          placeholder={view.placeholder}
          required
          maxlength={64}
          autocomplete="off"
        />
        <button class="button button-small">{view.save}</button>
      </Form>
    );
  if (!remove) return <></>;
  return (
    <Form class="view-form" action={remove} csrf={page.csrf} {...asking(view.deletion)}>
      <button class="button button-small">{view.remove}</button>
    </Form>
  );
}

/** Stands where a conversation will be open. */
function NothingOpen({ rows, filters, steps }: Pick<ListGiven, 'rows' | 'filters' | 'steps'>): Html {
  const { open } = inbox;
  const isAnswered = rows.items.length === 0 && viewOf(filters) === 'waiting' && !isNarrowed(filters);
  return (
    <div class="open" id="open">
      <div class="empty">
        <Icon name="message-square" />
        {steps.length > 0 ? (
          <>
            <h2>{open.begin.title}</h2>
            <p>{open.begin.text}</p>
          </>
        ) : isAnswered ? (
          <>
            <h2>{open.answered.title}</h2>
            <p>{open.answered.text}</p>
          </>
        ) : (
          <>
            <h2>{open.none.title}</h2>
            <p>
              {open.none.text[0]} <kbd>j</kbd> {open.none.text[1]}
            </p>
          </>
        )}
      </div>
    </div>
  );
}
