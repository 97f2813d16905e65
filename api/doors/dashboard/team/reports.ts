import { requireRecent } from '../../../services/identity/apiKeys/authenticate';
import { recordSecurity } from '../../../services/identity/securityLog/service';
import type { Page } from '../../../core/http/operations';
import type { ReportRow } from '../../../services/resources/reports/serializer';
import { reportGroups, type ReportGroup } from '../../../services/resources/reports/service';
import { sendCsv } from '../csvFile';
import { amountText, formatDuration, linkTo, numberText } from '../formats';
import { loadInboxes, loadMembers, memberNames } from '../lookups';
import { definePages, type Handled, type PageAnswer, type PageRequest } from '../page';

const path = '/dashboard/reports/';
const scope = 'report.view';
const pageSize = 200;

/** A row of the table, in words. */
interface RowView {
  readonly name: string;
  /** The page of what it names; null: it has none. */
  readonly href: string | null;
  readonly cells: readonly string[];
}

/** A bar of the picture, in the units of its box. */
interface BarView {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly words: string;
}

/** Bars with what stands below their ends; what they say is in the table, too. */
interface BarsView {
  readonly box: string;
  readonly label: string;
  readonly bars: readonly BarView[];
  readonly first: string;
  readonly last: string;
}

const groupWords: Readonly<Record<ReportGroup, string>> = {
  day: 'Day',
  hour: 'Hour',
  member: 'Member',
  inbox: 'Team inbox',
  tag: 'Tag',
  broadcast: 'Broadcast',
};

/** How quickly the team answers and resolves, and how much there is to do. */
export const reportPages = definePages([
  { method: 'GET', path, scope, run: (page) => show(page) },
  { method: 'GET', path: `${path}export/`, scope, run: sendExport },
]);

async function show(page: PageRequest): Promise<PageAnswer> {
  const { from, to, group_by: asked } = page.query;
  const groupBy = reportGroups.find((group) => group === asked) ?? 'day';
  const readBy = (group: ReportGroup) =>
    page.attempt(() => page.call<readonly ReportRow[]>('reports.read', { from, to, group_by: group }));
  const [days, read, nameOf] = await Promise.all([readBy('day'), readBy(groupBy), namesOf(page, groupBy)]);
  const refused = 'errors' in read ? read.errors : undefined;
  const rows = 'errors' in read ? [] : read.value;
  // Which days are meant where none are named, the days that were read tell.
  const span = 'errors' in days ? { from, to } : { from: days.value[0]?.key, to: days.value.at(-1)?.key };
  const shown = groupBy === 'hour' ? hoursOf(rows) : rows;
  return page.page(
    '/reports/show',
    {
      query: { ...span, group_by: groupBy },
      refused,
      groups: reportGroups.map((value) => ({ value, label: `By ${groupWords[value].toLowerCase()}` })),
      heading: groupWords[groupBy],
      columns: columnsOf(groupBy).map(({ label }) => label),
      // The newest day is looked for first.
      rows: (groupBy === 'day' ? shown.toReversed() : shown).map((row) => rowView(row, groupBy, nameOf)),
      figures: 'errors' in days ? [] : figuresOf(days.value),
      bars: groupBy === 'day' || groupBy === 'hour' ? barsOf(shown, nameOf) : null,
      exportPath: refused ? null : linkTo(`${path}export/`, span),
      path,
    },
    { title: 'Reports', place: 'reports', styles: ['team.css'], ...(refused ? { status: 422 } : {}) },
  );
}

/** Returns what is written for a key of a group. */
async function namesOf(page: PageRequest, groupBy: ReportGroup): Promise<(key: string) => string> {
  const named = new Map<string, string>();
  if (groupBy === 'member') for (const [id, name] of memberNames(await loadMembers(page))) named.set(String(id), name);
  if (groupBy === 'inbox') for (const { id, name } of await loadInboxes(page)) named.set(String(id), name);
  return (key) =>
    named.get(key) ??
    (groupBy === 'hour'
      ? `${key.padStart(2, '0')}:00`
      : groupBy === 'day' || groupBy === 'tag'
        ? key
        : `${groupWords[groupBy]} ${key}`);
}

/** Every hour of the day, also those in which nothing began. */
function hoursOf(rows: readonly ReportRow[]): readonly ReportRow[] {
  return Array.from({ length: 24 }, (_unused, hour) => {
    const nothing = { started: 0, answered: 0, resolved: 0, rated: 0, satisfied: 0, open: null };
    const none = { ...nothing, key: String(hour), first_response_seconds: null, resolution_seconds: null };
    return rows.find(({ key }) => key === String(hour)) ?? none;
  });
}

const durationText = (seconds: number | null): string => (seconds === null ? '–' : formatDuration(seconds * 1_000));
const countText = (count: number | null): string => (count === null ? '–' : numberText(count));

/** Of those who said how satisfied they are. */
const shareText = ({ rated, satisfied }: Pick<ReportRow, 'rated' | 'satisfied'>): string =>
  rated === 0 ? '–' : `${Math.round((satisfied / rated) * 100)} %`;

interface Column {
  readonly label: string;
  readonly text: (row: ReportRow) => string;
}

function columnsOf(groupBy: ReportGroup): readonly Column[] {
  return [
    ...(groupBy === 'member' ? [] : [{ label: 'Began', text: (row: ReportRow) => countText(row.started) }]),
    { label: 'Answered', text: (row) => countText(row.answered) },
    { label: 'First answer after', text: (row) => durationText(row.first_response_seconds) },
    { label: 'Resolved', text: (row) => countText(row.resolved) },
    { label: 'Resolved after', text: (row) => durationText(row.resolution_seconds) },
    { label: 'Rated', text: (row) => countText(row.rated) },
    { label: 'Satisfied', text: shareText },
    ...(groupBy === 'day' ? [{ label: 'Open at the end', text: (row: ReportRow) => countText(row.open) }] : []),
  ];
}

function rowView(row: ReportRow, groupBy: ReportGroup, nameOf: (key: string) => string): RowView {
  return {
    name: row.key === null ? 'None' : nameOf(row.key),
    href: groupBy === 'broadcast' && row.key !== null ? `/dashboard/broadcasts/${row.key}/` : null,
    cells: columnsOf(groupBy).map(({ text }) => text(row)),
  };
}

/** The whole span in a few figures. */
function figuresOf(days: readonly ReportRow[]): { label: string; text: string }[] {
  const sum = (of: (row: ReportRow) => number): number => days.reduce((total, row) => total + of(row), 0);
  const [answered, resolved] = [sum((row) => row.answered), sum((row) => row.resolved)];
  const average = (total: number, count: number): number | null => (count === 0 ? null : total / count);
  return [
    { label: 'Began', text: numberText(sum((row) => row.started ?? 0)) },
    {
      label: 'First answer after',
      text: durationText(
        average(
          sum((row) => (row.first_response_seconds ?? 0) * row.answered),
          answered,
        ),
      ),
    },
    { label: 'Resolved', text: numberText(resolved) },
    {
      label: 'Resolved after',
      text: durationText(
        average(
          sum((row) => (row.resolution_seconds ?? 0) * row.resolved),
          resolved,
        ),
      ),
    },
    {
      label: 'Satisfied',
      text: shareText({ rated: sum((row) => row.rated), satisfied: sum((row) => row.satisfied) }),
    },
    { label: 'Open at the end', text: countText(days.at(-1)?.open ?? null) },
  ];
}

/** Of a hundred units in height, ten wide each. */
const barWidth = 10;
const barsHeight = 100;

function barsOf(rows: readonly ReportRow[], nameOf: (key: string) => string): BarsView | null {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return null;
  const highest = Math.max(1, ...rows.map(({ started }) => started ?? 0));
  return {
    box: `0 0 ${rows.length * barWidth} ${barsHeight}`,
    label: `Conversations that began, at most ${numberText(highest)}`,
    first: nameOf(first.key ?? ''),
    last: nameOf(last.key ?? ''),
    bars: rows.map(({ key, started }, index) => {
      const height = ((started ?? 0) / highest) * barsHeight;
      return {
        x: index * barWidth + 1,
        y: barsHeight - height,
        width: barWidth - 2,
        height,
        words: `${nameOf(key ?? '')}: ${amountText(started ?? 0, 'conversation')}`,
      };
    }),
  };
}

/** A conversation as `reports.listConversations` gives it. */
interface Reported {
  readonly receiver_id: string | null;
  readonly started_at: string;
  readonly first_response_at: string | null;
  readonly first_response_seconds: number | null;
  readonly answered_by: { readonly name: string } | null;
  readonly ended_at: string | null;
  readonly ended_as: string;
  readonly resolution_seconds: number | null;
  readonly ended_by: { readonly name: string } | null;
  readonly team_inbox_name: string | null;
  readonly rating: string | null;
  readonly rated_at: string | null;
  readonly tags: unknown;
  readonly broadcast_id: number | null;
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
      page.call<Page<Reported>>(
        'reports.listConversations',
        { from, to, ...more, page_size: pageSize },
        { countsUpTo: 1 },
      ),
  );
}
