import type { AnswerOf } from '../../../core/http/shapes';
import { reportFigures, reportGroups } from '../../../services/resources/reports/figures';
import { episodeShape } from '../../../services/resources/reports/serializer';
import { areFiguresBehind } from '../../../services/resources/reports/service';
import { pagerView, sentence } from '../fieldViews';
import { formatDays, linkTo } from '../formats';
import { Head } from '../headParts';
import { pathOf, titlesOf, withPlus } from '../inbox/load';
import type { PageAnswer, PageRequest } from '../page';
import { Empty, Errors, Pager } from '../parts';
import { readPage } from '../typedCalls';
import { words } from '../words';
import { durationText } from './reportFigures';
import { namesOf } from './reportNames';
import { Table, type Column } from './settingsParts';

const { reports } = words;
const { figures: said, list: own } = reports;
const { statuses } = words.inbox;

export const reportsPath = '/dashboard/reports/';
export const reportedPath = `${reportsPath}conversations/`;

export type Reported = AnswerOf<typeof episodeShape>;

/** Shows the conversations that a number of a report counts. */
export async function showReported(page: PageRequest): Promise<PageAnswer> {
  const { from, to, figure: asked, group_by: askedGroup, key } = page.query;
  const figure = reportFigures.find((one) => one === asked) ?? 'started';
  const groupBy = reportGroups.find((one) => one === askedGroup);
  const query = { from, to, figure: asked, group_by: askedGroup, key };
  const [read, isBehind, nameOf] = await Promise.all([
    page.attempt(() => readPage(page, episodeShape, 'reports.listConversations', { page_size: 50, ...page.query })),
    areFiguresBehind(page.ctx),
    groupBy && namesOf(page, groupBy),
  ]);
  const list = 'value' in read ? read.value : { items: [], count: undefined, next: null, previous: null };
  const refused = 'errors' in read ? read.errors : undefined;
  const days = !refused && from && to ? [formatDays(from, to, page.now)] : [];
  const group = groupBy && nameOf ? [reports.of(reports.groups[groupBy], nameOf(key || null))] : [];
  const title = own.titles[figure];
  const back = linkTo(reportsPath, refused ? {} : { from, to, group_by: groupBy });
  const body = (
    <>
      <Head title={title} back={{ href: back, label: reports.title }} />
      <Errors errors={refused} />
      {list.count !== undefined && <p class="soft">{[own.count(list.count), ...group, ...days].join(' · ')}</p>}
      {isBehind && <p class="soft small">{own.behind}</p>}
      {list.items.length === 0 ? (
        !refused && <Empty icon="chart-column" {...reports.empty} />
      ) : (
        <Table label={title} columns={columnsFor(page, await titlesOf(page, list.items))} items={list.items} />
      )}
      <Pager pager={pagerView({ next: list.next, previous: list.previous }, reportedPath, query)} />
    </>
  );
  const status = refused ? { status: 422 } : {};
  return page.page(body, { title, place: 'reports', styles: ['team.css'], ...status });
}

function columnsFor(page: PageRequest, names: ReadonlyMap<string, string>): readonly Column<Reported>[] {
  const isOpened = page.may('conversations.get');
  return [
    {
      label: own.customer,
      show: ({ receiver_id: receiver }) => {
        if (receiver === null) return own.outcomes.erased;
        const text = <bdi>{names.get(receiver) ?? withPlus(receiver)}</bdi>;
        return isOpened ? <a href={pathOf({ receiver_id: receiver })}>{text}</a> : text;
      },
    },
    { label: said.started, class: 'whole-wide', show: ({ started_at: at }) => page.timePart(at, 'full') },
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
