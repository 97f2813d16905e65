import { requireRecent } from '../../../services/identity/apiKeys/authenticate';
import { daysBefore } from '../../../services/identity/workspaces/localDays';
import { recordSecurity } from '../../../services/identity/securityLog/service';
import { firstListedDay } from '../../../services/resources/reports/dailySums';
import { episodeShape, reportShape } from '../../../services/resources/reports/serializer';
import { reportGroups, type ReportFigure, type ReportGroup } from '../../../services/resources/reports/figures';
import { sendCsv } from '../csvFile';
import { formatDays, linkTo } from '../formats';
import { Icon, type Html } from '../html';
import { definePages, type Handled, type PageAnswer, type PageRequest } from '../page';
import { Empty, Errors, Field } from '../parts';
import { readList, readPage } from '../typedCalls';
import { words } from '../words';
import { Head } from '../headParts';
import { Chart } from './reportChart';
import { reportedPath, reportsPath as path, showReported, type Reported } from './reportedConversations';
import { Count, durationText, Figures, shareText, type ListOf, type Row } from './reportFigures';
import { namesOf, type NameOf } from './reportNames';
import { Table, type Column } from './settingsParts';

const { reports } = words;
const { figures: said } = reports;
const scope = 'report.view';
const pageSize = 200;
const dayMs = 86_400_000;

type Day = string | null | undefined;

/** How quickly the team answers and resolves, and how much there is to do. */
export const reportPages = definePages([
  { method: 'GET', path, scope, asksOnce: true, run: (page) => show(page) },
  { method: 'GET', path: reportedPath, scope, asksOnce: true, run: showReported },
  { method: 'GET', path: `${path}export/`, scope, run: sendExport },
]);

async function show(page: PageRequest): Promise<PageAnswer> {
  const { from, to, group_by: asked } = page.query;
  const groupBy = reportGroups.find((group) => group === asked) ?? 'day';
  const readBy = (group: ReportGroup) =>
    page.attempt(() => readList(page, reportShape, 'reports.read', { from, to, group_by: group }));
  const [days, read, nameOf] = await Promise.all([readBy('day'), readBy(groupBy), namesOf(page, groupBy)]);
  const refused = 'errors' in read ? read.errors : undefined;
  const rows = 'errors' in read ? [] : read.value;
  // Which days are meant where none are named, the days that were read tell.
  const span = 'errors' in days ? { from, to } : { from: days.value[0]?.key, to: days.value.at(-1)?.key };
  const before = 'errors' in days ? [] : await readBefore(page, span.from, span.to);
  const [start, end] = [before[0]?.key, before.at(-1)?.key];
  const shown = groupBy === 'hour' ? hoursOf(rows) : rows;
  const groups = reportGroups.map((value) => ({ value, label: reports.by(reports.groups[value]) }));
  const body = (
    <>
      <Head title={reports.title}>
        {!refused && (
          <a class="button" href={linkTo(`${path}export/`, span)}>
            <Icon name="download" />
            {reports.export}
          </a>
        )}
      </Head>
      <p class="soft">{reports.about}</p>
      <form class="filter-form" method="get" action={path}>
        <Errors errors={refused} fields={['from', 'to']} />
        <Field name="from" label={reports.from} type="date" value={span.from} errors={refused} required />
        <Field name="to" label={reports.to} type="date" value={span.to} errors={refused} required />
        <Field
          name="group_by"
          label={reports.sums}
          type="select"
          options={groups}
          value={groupBy}
          attributes={{ 'data-submit': '' }}
        />
        <button class="button" type="submit">
          {reports.show}
        </button>
      </form>
      {!('errors' in days) && <Figures days={days.value} before={before} listOf={listsOf(page, span.from, span.to)} />}
      {start && end && <p class="soft small">{reports.change.about(formatDays(start, end, page.now))}</p>}
      {(groupBy === 'day' || groupBy === 'hour') && (
        <Chart bars={shown.map(({ key, started }) => ({ name: nameOf(key), count: started ?? 0 }))} />
      )}
      {shown.length === 0 ? (
        <Empty icon="chart-column" {...reports.empty} />
      ) : (
        <Table
          label={reports.title}
          kind="report-table"
          columns={columnsOf(page, groupBy, nameOf, span)}
          // The newest day is looked for first.
          items={groupBy === 'day' ? shown.toReversed() : shown}
          row={(row) => ({ class: isIdle(row) ? 'report-idle' : undefined })}
        />
      )}
    </>
  );
  const status = refused ? { status: 422 } : {};
  return page.page(body, { title: reports.title, place: 'reports', styles: ['team.css'], ...status });
}

/** Reads as many days as a span has, right before it; none where nothing began or was open on any of them. */
async function readBefore(page: PageRequest, from: Day, to: Day): Promise<readonly Row[]> {
  if (!from || !to) return [];
  const length = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  const before = { from: daysBefore(from, length), to: daysBefore(from, 1) };
  // Days before all calendars are refused.
  const read = await page.attempt(() => readList(page, reportShape, 'reports.read', before));
  const days = 'errors' in read ? [] : read.value;
  return days.some(({ started, open }) => Boolean(started) || Boolean(open)) ? days : [];
}

/** Returns where exactly the conversations are listed that a figure of these days counts; null: they are no more. */
function listsOf(page: PageRequest, from: Day, to: Day, row: { group_by?: string; key?: string | null } = {}): ListOf {
  const first = firstListedDay(page.ctx.runtime);
  return (figure: ReportFigure) => {
    const needed = figure === 'open' ? to : from;
    return needed && needed >= first ? linkTo(reportedPath, { from, to, figure, ...row }) : null;
  };
}

/** Whether a day has nothing to say but how many were open at its end. */
const isIdle = ({ started, answered, resolved }: Row): boolean => started === 0 && answered === 0 && resolved === 0;

/** Every hour of the day, also those in which nothing began. */
function hoursOf(rows: readonly Row[]): readonly Row[] {
  return Array.from({ length: 24 }, (_unused, hour) => {
    const nothing = { started: 0, answered: 0, resolved: 0, rated: 0, satisfied: 0, open: null };
    const none = { ...nothing, key: String(hour), first_response_seconds: null, resolution_seconds: null };
    return rows.find(({ key }) => key === String(hour)) ?? none;
  });
}

interface Span {
  readonly from: Day;
  readonly to: Day;
}

/** The name of a row's group and its figures. */
function columnsOf(
  page: PageRequest,
  groupBy: ReportGroup,
  nameOf: NameOf,
  { from, to }: Span,
): readonly Column<Row>[] {
  const name = ({ key }: Row): Html | string =>
    groupBy === 'broadcast' && key !== null ? <a href={`/dashboard/broadcasts/${key}/`}>{nameOf(key)}</a> : nameOf(key);
  const listOf = ({ key }: Row): ListOf =>
    groupBy === 'day' ? listsOf(page, key, key) : listsOf(page, from, to, { group_by: groupBy, key });
  const count = (figure: Exclude<ReportFigure, 'satisfied'>): Column<Row> => {
    const label = said[figure];
    return {
      label,
      show: (row) => <Count count={row[figure]} name={reports.of(nameOf(row.key), label)} href={listOf(row)(figure)} />,
    };
  };
  return [
    { label: reports.groups[groupBy], show: name },
    ...(groupBy === 'member' ? [] : [count('started')]),
    count('answered'),
    { label: said.firstAnswer, show: (row) => durationText(row.first_response_seconds) },
    count('resolved'),
    { label: said.resolution, show: (row) => durationText(row.resolution_seconds) },
    count('rated'),
    { label: said.satisfied, show: shareText },
    ...(groupBy === 'day' ? [count('open')] : []),
  ];
}

const exported: Readonly<Record<string, (row: Reported) => unknown>> = {
  contact: (row) => row.receiver_id,
  began: (row) => row.started_at,
  first_answer: (row) => row.first_response_at,
  first_answer_seconds: (row) => row.first_response_seconds,
  answered_by: (row) => row.answered_by?.name,
  ended: (row) => row.ended_at,
  ended_as: (row) => row.ended_as,
  resolution_seconds: (row) => row.resolution_seconds,
  ended_by: (row) => row.ended_by?.name,
  team_inbox: (row) => row.team_inbox_name,
  rating: (row) => row.rating,
  rated: (row) => row.rated_at,
  tags: (row) => (Array.isArray(row.tags) ? row.tags.filter((tag) => typeof tag === 'string').join(';') : ''),
  broadcast: (row) => row.broadcast_id,
};

/** Writes one row per conversation into a file. */
async function sendExport(page: PageRequest): Promise<Handled> {
  requireRecent(page.credential);
  const { from, to } = page.query;
  await recordSecurity(page.ctx, { action: 'reports.export', given: { from, to } });
  return sendCsv<Reported>(
    page,
    {
      name: 'conversations',
      columns: Object.keys(exported),
      cellsOf: (row) => Object.values(exported).map((cell) => cell(row)),
    },
    // Nothing shows how many there are, and each page would count them anew.
    (more) =>
      readPage(page, episodeShape, 'reports.listConversations', {
        from,
        to,
        ...more,
        page_size: pageSize,
        count: false,
      }),
  );
}
