import { namesOf } from '../../../services/identity/members/service';
import { markedUnread } from '../../../services/resources/conversations/unreadMarks';
import { Pick } from '../bulkParts';
import { formatDuration } from '../formats';
import { tagsOf } from '../forms';
import { Icon, type Html } from '../html';
import type { IconName } from '../icons';
import type { PageRequest } from '../page';
import { Face } from '../people';
import { words } from '../words';
import { inboxPath, isNarrowed, listQuery, searchPath, viewOf, type InboxFilters } from './filters';
import { FirstSteps, type FirstStep } from './firstSteps';
import { tomorrowPreset } from './snooze';
import { titleOf, type List, type WireConversation } from './load';
import { snippetOf } from '../snippets';

const { list: said, priorities, statuses, views } = words.inbox;

/** More unread messages than this are not counted for the eye. */
const maxUnreadShown = 99;
const tagsShown = 2;

interface RowGiven {
  readonly page: PageRequest;
  readonly item: WireConversation;
  readonly filters: InboxFilters;
  /** What those who have conversations are called, by their ids. */
  readonly owners: ReadonlyMap<number, string>;
  /** Those that the member has marked as unread. */
  readonly marked: ReadonlySet<number>;
  /** Several can be selected. */
  readonly isPicked: boolean;
}

/** A conversation as a row of the list. */
function Row(given: RowGiven): Html {
  const { page, item, filters, marked, isPicked } = given;
  const { id, receiver_id: receiver, unread_count: unread } = item;
  const title = titleOf(item);
  const tags = (tagsOf(item.tags) ?? []).slice(0, tagsShown);
  return (
    <li id={`item-${id}`}>
      {isPicked && <Pick id={id} name="receiver" value={receiver} label={said.select(title)} />}
      <a
        class={`conversation ${unread > 0 || marked.has(id) ? 'is-unread' : ''}`}
        id={`conversation-${id}`}
        href={page.link(`${inboxPath}${encodeURIComponent(receiver)}/`, filters)}
        aria-current={page.params['receiver'] === receiver ? 'true' : undefined}
      >
        <Face id={item.contact_id} name={title} />
        <span class="conversation-top">
          <span class="conversation-name cut" dir="auto">
            {title}
          </span>
          <span class="conversation-time">
            {viewOf(filters) === 'waiting' ? (
              <Wait page={page} item={item} />
            ) : (
              page.timePart(item.last_exchange_at ?? item.last_message_at)
            )}
          </span>
        </span>
        <span class="conversation-bottom">
          <span class="conversation-text cut" dir="auto">
            <Last item={item} />
          </span>
          <span class="conversation-marks">
            <Marks {...given} />
          </span>
        </span>
        {tags.length > 0 && (
          <span class="conversation-tags">
            {tags.map((tag) => (
              <span class="tag cut" dir="auto">
                {tag}
              </span>
            ))}
          </span>
        )}
      </a>
    </li>
  );
}

/** How long its customer has waited for an answer: in the view that is ordered by it, its time; elsewhere a mark. */
function Wait({ page, item }: Pick<RowGiven, 'page' | 'item'>): Html {
  const { waiting_since: since, sla_breached: isLate } = item;
  if (since === null) return <></>;
  const waited = page.now.getTime() - new Date(since).getTime();
  return (
    <span class={`wait ${isLate ? 'is-late' : ''}`} title={said.waitsSince(page.moment(since))}>
      <Icon name="timer" label={said.waits} />
      {waited < 60_000 ? said.now : formatDuration(waited)}
    </span>
  );
}

/** The last message, in one line. */
function Last({ item: { last_message: last } }: Pick<RowGiven, 'item'>): Html {
  if (!last) return <>{said.noMessages}</>;
  return (
    <>
      {last.direction === 'outbound' &&
        (last.message_status === 'failed' ? (
          <span class="bad">{said.failed} </span>
        ) : (
          <>
            <span class="visually-hidden">{said.you} </span>
            <Icon name="reply" />{' '}
          </>
        ))}
      {snippetOf(last)}
    </>
  );
}

function Marks({ page, item, filters, owners, marked }: RowGiven): Html {
  const { id, priority, conv_status: status, snoozed_until: until, unread_count: unread } = item;
  const owner = ownerOf(page, item, owners);
  return (
    <>
      <span class="presence-mark" data-present={id} hidden>
        <Icon name="eye" />
        <span class="presence-words visually-hidden"></span>
      </span>
      {viewOf(filters) !== 'waiting' && <Wait page={page} item={item} />}
      {(priority === 'urgent' || priority === 'high') && (
        <Mark style={`mark-${priority}`} icon="flag" text={said.priority(priorities[priority])} />
      )}
      {item.sla_breached && <Mark style="mark-urgent" icon="timer" text={said.missed} />}
      {status === 'snoozed' &&
        (item.waiting_since === null ? (
          <Mark style="" icon="clock" text={said.snoozed(page.moment(until))} />
        ) : (
          <span class="tag tag-warn" title={said.snoozed(page.moment(until))}>
            {said.wroteWhileSnoozed}
          </span>
        ))}
      {(status === 'resolved' || status === 'converted') && <Mark style="" icon="check" text={statuses[status]} />}
      {owner && (
        <span role="img" title={owner.text} aria-label={owner.text}>
          <Face id={owner.id} name={owner.name} size="small" />
        </span>
      )}
      {unread > 0 ? (
        <span class="unread">
          {unread > maxUnreadShown ? `${maxUnreadShown}+` : unread}
          <span class="visually-hidden"> {said.unread}</span>
        </span>
      ) : (
        marked.has(id) && (
          <span class="unread is-marked" role="img" title={said.markedUnread} aria-label={said.markedUnread}></span>
        )
      )}
    </>
  );
}

interface MarkGiven {
  readonly style: string;
  readonly icon: IconName;
  readonly text: string;
}

/** A sign at a row of the list. */
function Mark({ style, icon, text }: MarkGiven): Html {
  return (
    <span class={`mark ${style}`} title={text}>
      <Icon name={icon} label={text} />
    </span>
  );
}

/** Whose a conversation is, and in words; null: nobody's. */
function ownerOf(
  page: PageRequest,
  { assigned_member: id }: WireConversation,
  owners: ReadonlyMap<number, string>,
): { readonly id: number; readonly name: string; readonly text: string } | null {
  if (id === null) return null;
  // Who may not read the team sees that it is somebody's.
  const name = owners.get(id) ?? '';
  if (id !== page.member.id) return { id, name: name || '?', text: said.assigned(name) };
  return { id, name: page.member.name || page.member.email, text: said.assignedToYou };
}

/** The conversations that the filters ask for. */
interface ListRows {
  readonly items: readonly WireConversation[];
  readonly owners: ReadonlyMap<number, string>;
  readonly marked: ReadonlySet<number>;
  /** How many there are, as it is shown. */
  readonly count: string;
  readonly older: string | null;
  readonly newer: string | null;
}

const listSize = 40;
/** The inbox counts no further: larger numbers help no reader, and every page and change would have to count. */
const maxCounted = 1_000;

/** Loads the conversations that the filters ask for. */
export async function loadList(page: PageRequest, filters: InboxFilters): Promise<ListRows> {
  const { cursor: _cursor, ...kept } = filters;
  const query = { ...listQuery(page, filters), page_size: listSize };
  const list = await page.call<List<WireConversation>>('conversations.list', query, { countsUpTo: maxCounted });
  const ids = new Set(list.items.flatMap(({ assigned_member: id }) => id ?? []));
  const [owners, marked] = await Promise.all([
    page.can('team.view') ? namesOf(page.ctx, [...ids]) : new Map<number, string>(),
    markedUnread(page.ctx),
  ]);
  const neighbour = (cursor: Record<string, string> | null): string | null =>
    cursor && page.link(inboxPath, { ...kept, cursor: cursor['cursor'] });
  return {
    items: list.items,
    owners,
    marked: new Set(marked),
    count: countText(list.count),
    older: neighbour(list.next),
    newer: neighbour(list.previous),
  };
}

/** What stands in the list, and what it was asked for. */
export interface ListGiven {
  readonly page: PageRequest;
  readonly rows: ListRows;
  readonly filters: InboxFilters;
  /** What a workspace without a conversation needs. */
  readonly steps: readonly FirstStep[];
}

/** The list beside the thread. */
export function Conversations({ page, rows, filters, steps }: ListGiven): Html {
  const { items, owners, marked, older, newer, count } = rows;
  const { search } = filters;
  const isPicked = page.may('bulkChanges.create');
  return (
    <div class="list" id="list">
      {search && (
        <p class="in-messages">
          <a href={page.link(searchPath, { q: search })}>
            <Icon name="search" />
            {said.inMessages(search)}
          </a>
        </p>
      )}
      {steps.length > 0 ? (
        <FirstSteps steps={steps} />
      ) : items.length === 0 ? (
        <NothingHere filters={filters} />
      ) : (
        <>
          <ol
            class="conversations"
            hx-boost="true"
            hx-target="#open"
            hx-swap="outerHTML"
            hx-sync="this:replace"
            {...swipesOf(page)}
          >
            {items.map((item) => (
              <Row key={item.id} {...{ page, item, filters, owners, marked, isPicked }} />
            ))}
          </ol>
          {(older || newer) && (
            <p class="pager list-pager">
              {newer && (
                <a class="button button-small" href={newer}>
                  {said.newer}
                </a>
              )}
              <span>{words.common.inAll(count)}</span>
              {older && (
                <a class="button button-small" href={older}>
                  {said.older}
                </a>
              )}
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** What a swipe over a row does, and says beneath (swipe.js). */
function swipesOf(page: PageRequest): Readonly<Record<string, string>> {
  const tomorrow = tomorrowPreset(page.now, page.workspace.timezone);
  if (!tomorrow || !page.may('conversations.update')) return {};
  const { end, snooze } = words.inbox.head;
  return {
    'data-done': end.resolved.label,
    'data-snooze': `${snooze}: ${tomorrow.label}`,
    'data-until': tomorrow.value,
  };
}

/** What an empty list says. */
function NothingHere({ filters }: Pick<ListGiven, 'filters'>): Html {
  const { nothing } = said;
  const view = viewOf(filters);
  const all = (name: string): string => `${inboxPath}?view=${name}`;
  return (
    <div class="empty list-empty">
      {filters.search || isNarrowed(filters) ? (
        <>
          <h2>{nothing.found.title}</h2>
          <p>
            {nothing.found.text} <a href={all('all')}>{nothing.found.all}</a>
          </p>
        </>
      ) : view === 'waiting' ? (
        <>
          <h2>{nothing.waiting.title}</h2>
          <p>{nothing.waiting.text}</p>
        </>
      ) : view === 'mine' ? (
        <>
          <h2>{nothing.mine.title}</h2>
          <p>
            {nothing.mine.text} <a href={all('unassigned')}>{views.unassigned}</a>.
          </p>
        </>
      ) : view === 'snoozed' ? (
        <>
          <h2>{nothing.snoozed.title}</h2>
          <p>
            {nothing.snoozed.text[0]} <kbd>s</kbd> {nothing.snoozed.text[1]}
          </p>
        </>
      ) : (
        <>
          <h2>{nothing.here.title}</h2>
          <p>{nothing.here.text}</p>
        </>
      )}
    </div>
  );
}

/** Counts what a view lists. */
export async function countListed(page: PageRequest, view: string): Promise<number> {
  const query = { ...listQuery(page, { view }), page_size: 1 };
  const { count } = await page.call<List<unknown>>('conversations.list', query, { countsUpTo: maxCounted });
  return count ?? 0;
}

/** Writes a number that is not counted further than it is read. */
export function countText(count = 0): string {
  return count < maxCounted ? String(count) : `${maxCounted - 1}+`;
}
