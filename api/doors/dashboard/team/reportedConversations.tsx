import type { AnswerOf } from '../../../core/http/shapes';
import { episodeShape } from '../../../services/resources/reports/serializer';
import { pagerView, sentence } from '../fieldViews';
import { formatDays, linkTo } from '../formats';
import { Head } from '../headParts';
import { pathOf, withPlus } from '../inbox/load';
import type { PageAnswer, PageRequest } from '../page';
import { Empty, Errors, Pager } from '../parts';
import { readPage } from '../typedCalls';
import { words } from '../words';
import { durationText } from './reportFigures';
import { Table, type Column } from './settingsParts';

const { reports } = words;
const { figures: said, list: own } = reports;
const { statuses } = words.inbox;

export const reportsPath = '/dashboard/reports/';
export const reportedPath = `${reportsPath}conversations/`;

export type Reported = AnswerOf<typeof episodeShape>;

/** Shows the conversations that a number of a report counts: those that began on these days. */
export async function showReported(page: PageRequest): Promise<PageAnswer> {
  const { from, to } = page.query;
  const span = { from, to };
  const read = await page.attempt(() =>
    readPage(page, episodeShape, 'reports.listConversations', { page_size: 50, ...page.query }),
  );
  const list = 'value' in read ? read.value : { items: [], count: undefined, next: null, previous: null };
  const refused = 'errors' in read ? read.errors : undefined;
  const days = !refused && from && to ? [formatDays(from, to, page.now)] : [];
  const body = (
    <>
      <Head title={own.title} back={{ href: linkTo(reportsPath, refused ? {} : span), label: reports.title }} />
      <Errors errors={refused} />
      {list.count !== undefined && <p class="soft">{[own.count(list.count), ...days].join(' · ')}</p>}
      {list.items.length === 0 ? (
        !refused && <Empty icon="chart-column" {...reports.empty} />
      ) : (
        <Table label={own.title} columns={columnsFor(page)} items={list.items} />
      )}
      <Pager pager={pagerView({ next: list.next, previous: list.previous }, reportedPath, span)} />
    </>
  );
  const status = refused ? { status: 422 } : {};
  return page.page(body, { title: own.title, place: 'reports', styles: ['team.css'], ...status });
}

function columnsFor(page: PageRequest): readonly Column<Reported>[] {
  const isOpened = page.may('conversations.get');
  return [
    {
      label: own.customer,
      show: ({ receiver_id: receiver }) => {
        if (receiver === null) return own.outcomes.erased;
        const text = <bdi>{withPlus(receiver)}</bdi>;
        return isOpened ? <a href={pathOf({ receiver_id: receiver })}>{text}</a> : text;
      },
    },
    { label: said.began, class: 'whole-wide', show: ({ started_at: at }) => page.timePart(at, 'full') },
    {
      label: said.firstAnswer,
      show: ({ first_response_seconds: seconds, answered_by: by }) => (
        <>
          {durationText(seconds)}
          {by && <span class="soft">{` · ${by.name || by.email}`}</span>}
        </>
      ),
    },
    { label: own.outcome, show: outcomeOf },
    { label: said.resolution, show: ({ resolution_seconds: seconds }) => durationText(seconds) },
    { label: reports.groups.inbox, show: ({ team_inbox_name: inbox }) => inbox ?? reports.nothing },
  ];
}

/** What became of it, in words. */
function outcomeOf({ ended_as: ended }: Reported): string {
  if (ended === '') return own.outcomes.goesOn;
  return ended === 'merged' || ended === 'erased' ? own.outcomes[ended] : sentence(statuses[ended]);
}
