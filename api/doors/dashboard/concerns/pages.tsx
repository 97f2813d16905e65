import { showInvisibleIn } from '../../../core/http/invisible';
import type { AnswerOf } from '../../../core/http/shapes';
import { approvalShape } from '../../../services/processes/approvals/operations';
import { concernShape } from '../../../services/resources/notices/concerns';
import { badgeView } from '../fieldViews';
import { Act, Hidden } from '../formParts';
import { Badge } from '../frameParts';
import { Icon, type Html } from '../html';
import type { IconName } from '../icons';
import { loadLookups } from '../lookups';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Empty, Tabs } from '../parts';
import { describeCall } from '../team/approvalCalls';
import { asksOf, pathOf } from '../team/approvalCard';
import { readPage } from '../typedCalls';
import { words } from '../words';
import { concernPath, readConcernsBadge } from './badges';

const { concerns: said } = words;
const path = '/dashboard/concerns/';
/** Approvals above what has happened, of the newest; the rest is on their own page. */
const [maxAsks, looked] = [5, 30];

/** What concerns the member. */
export const concernPages = definePages([
  {
    method: 'GET',
    path,
    scope: null,
    run: async (page) => (page.query['part'] === 'badge' ? page.part(await badge(page)) : list(page)),
  },
  {
    method: 'POST',
    path: `${path}read/`,
    scope: null,
    run: async (page) => {
      const { ids } = page.form;
      await page.call('concerns.read', ids === undefined ? {} : { ids: ids.split(',').map(Number) });
      // The number and the list follow the same news as those of others.
      const headers = { 'HX-Trigger': JSON.stringify({ live: { type: 'notice', id: 0 } }) };
      return page.isPartial ? { status: 204, html: '', headers } : page.redirect(page.link(path, page.query));
    },
  },
]);

async function badge(page: PageRequest): Promise<Html> {
  const { concerns = 0, unread } = await readConcernsBadge(page.ctx);
  return <Badge badge={badgeView('concerns', concerns)} workspaceId={page.workspace.id} unread={unread} />;
}

async function list(page: PageRequest): Promise<PageAnswer> {
  const { cursor, show } = page.query;
  const isUnread = show === 'unread';
  const query = { ...(cursor ? { cursor } : {}), ...(isUnread ? { unread: 'true' } : {}), page_size: 50, count: false };
  const [found, asks] = await Promise.all([
    readPage(page, concernShape, 'concerns.list', query),
    cursor === undefined && page.can('chat.view') ? asking(page) : [],
  ]);
  const tabs = [
    { label: said.all, href: path, isCurrent: !isUnread },
    { label: said.unread, href: page.link(path, { show: 'unread' }), isCurrent: isUnread },
  ];
  const isEmpty = found.items.length === 0;
  const body = (
    <div class="column" id="concerns" data-follows={`notice 0, approvals ${page.workspace.id}`}>
      <div class="page-head">
        <h1>{said.title}</h1>
        {found.items.some(({ read_at: readAt }) => readAt === null) && (
          <Act action={page.link(`${path}read/`, { show })} csrf={page.csrf}>
            <button class="button button-small">{said.readAll}</button>
          </Act>
        )}
      </div>
      <Tabs label={said.tabs} tabs={tabs} />
      {asks.length > 0 && (
        <>
          <h2>{said.asks}</h2>
          <ol class="concerns">
            {asks.map(({ href, title, by, at }) => (
              <li class="concern">
                <a class="concern-link" href={href}>
                  <Icon name="shield-check" />
                  <span class="concern-what">
                    <span class="concern-who">{title}</span> <span class="soft">{by}</span>
                  </span>
                  <span class="soft small">{page.timePart(at)}</span>
                </a>
              </li>
            ))}
          </ol>
          <p>
            <a href="/dashboard/approvals/">{said.decide}</a>
          </p>
        </>
      )}
      {isEmpty && asks.length === 0 && <Empty icon="bell" {...(isUnread ? said.noneUnread : said.none)} />}
      {!isEmpty && (
        <ol class="concerns">
          {found.items.map((concern) => (
            <Row page={page} concern={concern} />
          ))}
        </ol>
      )}
      {found.next && (
        <p class="pager">
          <a class="button button-small" href={page.link(path, { show, ...found.next })}>
            {said.older}
          </a>
        </p>
      )}
    </div>
  );
  return page.page(body, { title: said.title, place: 'concerns' });
}

interface Ask {
  readonly href: string;
  readonly title: string;
  /** The agent that asks. */
  readonly by: string;
  readonly at: string;
}

/** Returns the newest calls of agents that this member may decide. */
async function asking(page: PageRequest): Promise<readonly Ask[]> {
  const query = { status: 'pending', page_size: looked, count: false };
  const { items } = await readPage(page, approvalShape, 'approvals.list', query);
  const own = items.filter((one) => one.expires_at !== null && asksOf(page, one) === 'this member').slice(0, maxAsks);
  if (own.length === 0) return [];
  const lookups = await loadLookups(page);
  return own.map((one) => ({
    href: pathOf(one),
    title: describeCall(page, showInvisibleIn(one), lookups).title,
    by: one.connection.name,
    at: one.created_at,
  }));
}

type Concern = AnswerOf<typeof concernShape>;

const icons: Readonly<Record<Concern['kind'], IconName>> = {
  mention: 'at-sign',
  assigned: 'user-plus',
  failed: 'circle-alert',
  held: 'calendar-clock',
};

/** The place in the page that shows what happened. */
function placeOf(page: PageRequest, concern: Concern): string {
  const { kind, source_id: source } = concern;
  const base = concernPath(concern);
  if (concern.ticket_id !== null) return kind === 'mention' ? `${base}#comment-${source}` : base;
  const at = kind === 'failed' ? source : null;
  return `${page.link(base, { view: 'all', at })}${at === null ? '' : `#m-${at}`}`;
}

function Row({ page, concern }: { readonly page: PageRequest; readonly concern: Concern }): Html {
  const { id, kind, actor, title, excerpt, created_at: at, read_at: readAt, ticket_id: ticket } = concern;
  const isUnread = readAt === null;
  const { by, alone } = said.kinds[kind];
  return (
    <li class={isUnread ? 'concern is-unread' : 'concern'}>
      <a class="concern-link" href={placeOf(page, concern)}>
        <Icon name={icons[kind]} />
        <span class="concern-what">
          <span class="concern-who">{actor ? by(actor.name || actor.email) : alone}</span>{' '}
          {isUnread && <span class="visually-hidden">({said.isUnread}) </span>}
          <span class="soft" dir="auto">
            {ticket === null ? title : `${said.ticket(ticket)} ${title}`}
          </span>
          {excerpt && (
            <span class="concern-text" dir="auto">
              {excerpt}
            </span>
          )}
        </span>
        <span class="soft small">{page.timePart(at)}</span>
      </a>
      {isUnread && (
        <Act action={page.link(`${path}read/`, { show: page.query['show'] })} csrf={page.csrf}>
          <Hidden values={[['ids', String(id)]]} />
          <button class="button-icon" title={said.read}>
            <Icon name="check" label={said.read} />
          </button>
        </Act>
      )}
    </li>
  );
}
