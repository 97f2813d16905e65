import type { AnswerOf } from '../../../core/http/shapes';
import type { ReportFigure } from '../../../services/resources/reports/figures';
import type { reportShape } from '../../../services/resources/reports/serializer';
import { formatDuration, numberText } from '../formats';
import type { Html } from '../html';
import { words } from '../words';

const { reports } = words;
const { figures: said, change } = reports;
const minuteMs = 60_000;

export type Row = AnswerOf<typeof reportShape>;

export const durationText = (seconds: number | null): string =>
  seconds === null ? reports.nothing : formatDuration(seconds * 1_000);
const countText = (count: number | null): string => (count === null ? reports.nothing : numberText(count));

/** Of those who said how satisfied they are. */
const shareOf = ({ rated, satisfied }: Pick<Row, 'rated' | 'satisfied'>): number | null =>
  rated === 0 ? null : Math.round((satisfied / rated) * 100);
const percentText = (percent: number | null): string => (percent === null ? reports.nothing : reports.share(percent));
export const shareText = (row: Pick<Row, 'rated' | 'satisfied'>): string => percentText(shareOf(row));

/** Where exactly the conversations are listed that a figure counts; null: nowhere. */
export type ListOf = (figure: ReportFigure) => string | null;

interface CountGiven {
  readonly count: number | null;
  /** What is counted. */
  readonly name: string;
  /** Where exactly those are listed; null: nowhere. */
  readonly href: string | null;
}

/** A number of conversations, which opens them. */
export function Count({ count, name, href }: CountGiven): Html {
  const text = countText(count);
  if (href === null || count === null || count === 0) return <>{text}</>;
  return (
    <a href={href} aria-label={reports.bar(name, count)}>
      {text}
    </a>
  );
}

/** The whole of a span in one number. */
interface Figure {
  readonly label: string;
  /** As it is compared; null where there is nothing to say. */
  readonly value: number | null;
  readonly write: (value: number) => string;
  /** How much it has changed, where that is not written as it is itself. */
  readonly writeChange?: (difference: number) => string;
  /** Which way is better; left out: neither. */
  readonly better?: 'more' | 'less';
  readonly href?: string | null;
}

interface FiguresGiven {
  readonly days: readonly Row[];
  /** As many days before them; none where nothing was. */
  readonly before: readonly Row[];
  readonly listOf: ListOf;
}

/** The whole span in a few figures, each with what it was in the span before. */
export function Figures({ days, before, listOf }: FiguresGiven): Html {
  const former = before.length === 0 ? [] : figuresOf(before, () => null);
  return (
    <dl class="report-figures">
      {figuresOf(days, listOf).map((figure, index) => {
        const { label, value, write, href = null } = figure;
        const was = former[index]?.value ?? null;
        return (
          <div>
            <dt>{label}</dt>
            <dd>
              {value === null ? (
                reports.nothing
              ) : href === null ? (
                write(value)
              ) : (
                <Count count={value} name={label} href={href} />
              )}
            </dd>
            {was !== null && (
              <dd class="report-before">
                {change.before(write(was))}
                <Change figure={figure} was={was} />
              </dd>
            )}
          </div>
        );
      })}
    </dl>
  );
}

/** What has changed since the span before: sign, amount, and whether that is better. */
function Change({ figure, was }: { readonly figure: Figure; readonly was: number }): Html {
  const { value, write, writeChange = write, better } = figure;
  if (value === null) return <></>;
  const difference = value - was;
  if (difference === 0) return <>{` · ${change.same}`}</>;
  const isMore = difference > 0;
  const amount = `${isMore ? '+' : '−'}${writeChange(Math.abs(difference))}`;
  if (better === undefined) return <>{` · ${amount}`}</>;
  const isBetter = isMore === (better === 'more');
  return (
    <>
      {' · '}
      <span class={isBetter ? 'is-better' : 'is-worse'}>{isBetter ? change.better(amount) : change.worse(amount)}</span>
    </>
  );
}

function figuresOf(days: readonly Row[], listOf: ListOf): readonly Figure[] {
  const sum = (of: (row: Row) => number): number => days.reduce((total, row) => total + of(row), 0);
  const [answered, resolved] = [sum((row) => row.answered), sum((row) => row.resolved)];
  const first = sum((row) => (row.first_response_seconds ?? 0) * row.answered);
  const resolution = sum((row) => (row.resolution_seconds ?? 0) * row.resolved);
  const open = days.at(-1)?.open ?? null;
  const share = shareOf({ rated: sum((row) => row.rated), satisfied: sum((row) => row.satisfied) });
  return [
    { label: said.started, value: sum((row) => row.started ?? 0), write: numberText, href: listOf('started') },
    { label: said.firstAnswer, ...averageOf(first, answered) },
    { label: said.resolved, value: resolved, write: numberText, better: 'more', href: listOf('resolved') },
    { label: said.resolution, ...averageOf(resolution, resolved) },
    { label: said.satisfied, value: share, write: percentText, writeChange: change.points, better: 'more' },
    { label: said.open, value: open, write: numberText, better: 'less', href: listOf('open') },
  ];
}

/** An average in whole minutes, as it is written, so that the difference is that of what is read. */
function averageOf(seconds: number, count: number): Pick<Figure, 'value' | 'write' | 'better'> {
  const value = count === 0 ? null : Math.floor(seconds / count / 60);
  return { value, write: (minutes) => formatDuration(minutes * minuteMs), better: 'less' };
}
