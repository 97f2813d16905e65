import { broadcastStatuses } from '../../../../models/enums';
import type { AnswerOf } from '../../../core/http/shapes';
import { broadcastShape } from '../../../services/resources/broadcasts/serializer';
import { pagerView, sentence, statusTag, type TabView } from '../fieldViews';
import { linkTo, numberText } from '../formats';
import type { Html } from '../html';
import type { PageAnswer, PageRequest } from '../page';
import { Empty, Pager, Tabs, Tag } from '../parts';
import { readPage } from '../typedCalls';
import { words } from '../words';
import { Head, NewLink } from '../headParts';

const { broadcasts } = words;

export type Broadcast = AnswerOf<typeof broadcastShape>;

/** Where the broadcasts are. */
export const path = '/dashboard/broadcasts/';
/** Their place in the navigation. */
export const place = 'broadcasts';
/** The page of one. */
export const addressOf = ({ id }: Pick<Broadcast, 'id'>): string => `${path}${id}/`;

/** Returns what a reason for leaving somebody out means to a member. */
export function reasonText(reason: string): string {
  const known: Readonly<Record<string, string>> = broadcasts.reasons;
  return known[reason] ?? reason.replaceAll('_', ' ');
}

/** Returns the ways to all of a list and to those in each state, which has a name. */
export function stateTabs<State extends string>(
  at: string,
  states: readonly State[],
  names: Readonly<Record<State, string>>,
  chosen: string | undefined,
): TabView[] {
  return [
    { label: broadcasts.all, href: at, isCurrent: chosen === undefined },
    ...states.map((status) => ({
      label: sentence(names[status]),
      href: linkTo(at, { status }),
      isCurrent: status === chosen,
    })),
  ];
}

/** Answers with the list. */
export async function listPage(page: PageRequest): Promise<PageAnswer> {
  const { status } = page.query;
  const list = await readPage(page, broadcastShape, 'broadcasts.list', { page_size: 25, ...page.query });
  const { empty } = broadcasts;
  const body = (
    <div class="column column-wide">
      <Head title={broadcasts.title}>
        {page.may('broadcasts.create') && <NewLink href={`${path}new/`} text={broadcasts.new} />}
      </Head>
      <Tabs label={broadcasts.which} tabs={stateTabs(path, broadcastStatuses, broadcasts.states, status)} />
      {list.items.length === 0 && (
        <Empty icon="megaphone" title={status === undefined ? empty.title : empty.here} text={empty.text} />
      )}
      <ul class="rows">
        {list.items.map((broadcast) => (
          <Row page={page} broadcast={broadcast} />
        ))}
      </ul>
      <Pager pager={pagerView(list, path, { status })} />
    </div>
  );
  return page.page(body, { title: broadcasts.title, place });
}

function Row({ page, broadcast }: { readonly page: PageRequest; readonly broadcast: Broadcast }): Html {
  const { name, status, paused_reason: paused, template_name: template } = broadcast;
  const [progress, at] = progressOf(broadcast);
  const state = paused ? 'paused' : status;
  return (
    <li class="row-item">
      <div>
        <a href={addressOf(broadcast)}>
          <strong>{name}</strong>
        </a>
        <br />
        <span class="soft small">
          {template ?? broadcasts.row.gone} · {progress} {page.timePart(at, 'full')}
        </span>
      </div>
      <Tag {...statusTag(status, state === 'paused' ? broadcasts.paused : broadcasts.states[state])} />
    </li>
  );
}

/** Returns how far it is, and since when. */
function progressOf(broadcast: Broadcast): readonly [progress: string, at: string | null] {
  const { status, stats, started_at: began } = broadcast;
  const { row } = broadcasts;
  if (status === 'scheduled') return [row.at, broadcast.scheduled_at];
  if (status === 'draft') return [row.changed, broadcast.updated_at];
  const failed = stats.failed > 0 ? row.failed(numberText(stats.failed)) : '';
  const sent = row.sent(numberText(stats.sent), numberText(stats.audience)) + failed;
  return [began === null ? sent : `${sent} ·`, began];
}
