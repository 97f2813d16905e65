import { numberText } from '../formats';
import type { Html } from '../html';
import { words } from '../words';

const { reports } = words;

/** Of a hundred units in height, ten wide each. */
const barWidth = 10;
const barsHeight = 100;
const maxSteps = 4;

interface Bar {
  readonly name: string;
  readonly count: number;
}

/** Bars beside their axis, each with its value under the pointer; all that they say is in the table, too. */
export function Chart({ bars }: { readonly bars: readonly Bar[] }): Html {
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return <></>;
  const highest = Math.max(...bars.map(({ count }) => count));
  const ticks = ticksOf(highest);
  const top = ticks[0] ?? 1;
  const heightOf = (count: number): number => (count / top) * barsHeight;
  const width = bars.length * barWidth;
  const label = reports.bars(numberText(highest));
  return (
    <figure class="report-bars">
      <figcaption>{label}</figcaption>
      <div class="report-axis" aria-hidden="true">
        {ticks.map((tick) => (
          <span>{numberText(tick)}</span>
        ))}
      </div>
      <svg viewBox={`0 0 ${width} ${barsHeight}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {ticks.map((tick) => {
          const y = barsHeight - heightOf(tick);
          return <line x1={0} x2={width} y1={y} y2={y} />;
        })}
        {bars.map(({ name, count }, index) => (
          <g>
            <title>{reports.bar(name, count)}</title>
            <rect class="report-column" x={index * barWidth} y={0} width={barWidth} height={barsHeight} />
            <rect
              class="report-bar"
              x={index * barWidth + 1}
              y={barsHeight - heightOf(count)}
              width={barWidth - 2}
              height={heightOf(count)}
            />
          </g>
        ))}
      </svg>
      <div class="report-ends" aria-hidden="true">
        <span>{first.name}</span>
        <span>{last.name}</span>
      </div>
    </figure>
  );
}

/** Returns the values of the axis from the top down to none: whole numbers in even steps, round ones where they fit. */
function ticksOf(highest: number): readonly number[] {
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(1, highest / maxSteps)));
  const step = magnitude * ([1, 2, 5].find((factor) => factor * magnitude * maxSteps >= highest) ?? 10);
  const steps = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: steps + 1 }, (_unused, index) => (steps - index) * step);
}
