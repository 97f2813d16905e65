import type { AnswerOf } from '../../../core/http/shapes';
import { requireRecent } from '../../../services/identity/apiKeys/authenticate';
import { recordSecurity } from '../../../services/identity/securityLog/service';
import { episodeShape, reportShape } from '../../../services/resources/reports/serializer';
import { reportGroups, type ReportGroup } from '../../../services/resources/reports/service';
import { sendCsv } from '../csvFile';
import { formatDuration, linkTo, numberText } from '../formats';
import { Icon, type Html } from '../html';
import { loadInboxes, loadMembers, memberNames } from '../lookups';
import { definePages, type Handled, type PageAnswer, type PageRequest } from '../page';
import { Empty, Errors, Field } from '../parts';
import { readList, readPage } from '../typedCalls';
import { words } from '../words';
import { Head } from '../headParts';
import { Table, type Column } from './settingsParts';

const { reports } = words;
const { figures: said } = reports;
const path = '/dashboard/reports/';
const scope = 'report.view';
const pageSize = 200;

type Row = AnswerOf<typeof reportShape>;
type NameOf = (key: string) => string;

/** How quickly the team answers and resolves, and how much there is to do. */
export const reportPages = definePages([
  { method: 'GET', path, scope, run: (page) => show(page) },
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
      <dl class="report-figures">
        {('errors' in days ? [] : figuresOf(days.value)).map(([label, text]) => (
          <div>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {(groupBy === 'day' || groupBy === 'hour') && <Bars rows={shown} nameOf={nameOf} />}
      {shown.length === 0 ? (
        <Empty icon="chart-column" {...reports.empty} />
      ) : (
        <Table
          label={reports.title}
          kind="report-table"
          columns={columnsOf(groupBy, nameOf)}
          // The newest day is looked for first.
          items={groupBy === 'day' ? shown.toReversed() : shown}
        />
      )}
    </>
  );
  const status = refused ? { status: 422 } : {};
  return page.page(body, { title: reports.title, place: 'reports', styles: ['team.css'], ...status });
}

/** Returns what is written for a key of a group. */
async function namesOf(page: PageRequest, groupBy: ReportGroup): Promise<NameOf> {
  const named = new Map<string, string>();
  if (groupBy === 'member') for (const [id, name] of memberNames(await loadMembers(page))) named.set(String(id), name);
  if (groupBy === 'inbox') for (const { id, name } of await loadInboxes(page)) named.set(String(id), name);
  return (key) => {
    const name = named.get(key);
    if (name !== undefined) return name;
    if (groupBy === 'hour') return `${key.padStart(2, '0')}:00`;
    return groupBy === 'day' || groupBy === 'tag' ? key : reports.numbered(reports.groups[groupBy], key);
  };
}

/** Every hour of the day, also those in which nothing began. */
function hoursOf(rows: readonly Row[]): readonly Row[] {
  return Array.from({ length: 24 }, (_unused, hour) => {
    const nothing = { started: 0, answered: 0, resolved: 0, rated: 0, satisfied: 0, open: null };
    const none = { ...nothing, key: String(hour), first_response_seconds: null, resolution_seconds: null };
    return rows.find(({ key }) => key === String(hour)) ?? none;
  });
}

const durationText = (seconds: number | null): string =>
  seconds === null ? reports.nothing : formatDuration(seconds * 1_000);
const countText = (count: number | null): string => (count === null ? reports.nothing : numberText(count));

/** Of those who said how satisfied they are. */
const shareText = ({ rated, satisfied }: Pick<Row, 'rated' | 'satisfied'>): string =>
  rated === 0 ? reports.nothing : reports.share(Math.round((satisfied / rated) * 100));

/** The name of a row's group and its figures. */
function columnsOf(groupBy: ReportGroup, nameOf: NameOf): readonly Column<Row>[] {
  const name = ({ key }: Row): Html | string => {
    if (key === null) return reports.none;
    return groupBy === 'broadcast' ? <a href={`/dashboard/broadcasts/${key}/`}>{nameOf(key)}</a> : nameOf(key);
  };
  const began: Column<Row> = { label: said.began, show: (row) => countText(row.started) };
  const open: Column<Row> = { label: said.open, show: (row) => countText(row.open) };
  return [
    { label: reports.groups[groupBy], show: name },
    ...(groupBy === 'member' ? [] : [began]),
    { label: said.answered, show: (row) => countText(row.answered) },
    { label: said.firstAnswer, show: (row) => durationText(row.first_response_seconds) },
    { label: said.resolved, show: (row) => countText(row.resolved) },
    { label: said.resolution, show: (row) => durationText(row.resolution_seconds) },
    { label: said.rated, show: (row) => countText(row.rated) },
    { label: said.satisfied, show: shareText },
    ...(groupBy === 'day' ? [open] : []),
  ];
}

/** The whole span in a few figures. */
function figuresOf(days: readonly Row[]): readonly (readonly [label: string, text: string])[] {
  const sum = (of: (row: Row) => number): number => days.reduce((total, row) => total + of(row), 0);
  const [answered, resolved] = [sum((row) => row.answered), sum((row) => row.resolved)];
  const average = (total: number, count: number): string => durationText(count === 0 ? null : total / count);
  const first = sum((row) => (row.first_response_seconds ?? 0) * row.answered);
  const resolution = sum((row) => (row.resolution_seconds ?? 0) * row.resolved);
  return [
    [said.began, numberText(sum((row) => row.started ?? 0))],
    [said.firstAnswer, average(first, answered)],
    [said.resolved, numberText(resolved)],
    [said.resolution, average(resolution, resolved)],
    [said.satisfied, shareText({ rated: sum((row) => row.rated), satisfied: sum((row) => row.satisfied) })],
    [said.open, countText(days.at(-1)?.open ?? null)],
  ];
}

/** Of a hundred units in height, ten wide each. */
const barWidth = 10;
const barsHeight = 100;

/** Bars with what stands below their ends; what they say is in the table, too. */
function Bars({ rows, nameOf }: { readonly rows: readonly Row[]; readonly nameOf: NameOf }): Html {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return <></>;
  const highest = Math.max(1, ...rows.map(({ started }) => started ?? 0));
  const label = reports.bars(numberText(highest));
  return (
    <figure class="report-bars">
      <svg
        viewBox={`0 0 ${rows.length * barWidth} ${barsHeight}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {rows.map(({ key, started }, index) => {
          const height = ((started ?? 0) / highest) * barsHeight;
          return (
            <rect x={index * barWidth + 1} y={barsHeight - height} width={barWidth - 2} height={height}>
              <title>{reports.bar(nameOf(key ?? ''), started ?? 0)}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        <span class="whole">{nameOf(first.key ?? '')}</span>
        <span>{label}</span>
        <span class="whole">{nameOf(last.key ?? '')}</span>
      </figcaption>
    </figure>
  );
}

type Reported = AnswerOf<typeof episodeShape>;

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
      readPage(
        page,
        episodeShape,
        'reports.listConversations',
        { from, to, ...more, page_size: pageSize },
        { countsUpTo: 1 },
      ),
  );
}
