import type { Context } from './context';

/** One line of the printed table. */
export interface Line {
  /** What was measured, with its unit. */
  readonly what: string;
  readonly value: number;
  /** The same thing done by a bare program in the same run, or absent where the target is absolute. */
  readonly baseline?: number;
  /** What the issue or contract 13 asks for, in words: `ratio ≥ 0.60`, `≤ 250`. */
  readonly target?: string;
  /** Whether the target is met; absent where there is none. */
  readonly met?: boolean;
  /** What holds on every machine, however slow: missed, it fails the run. */
  readonly isFact?: boolean;
}

/** A file of `bench/figures`: exports this as `figure`. Files are found by themselves, in alphabetical order. */
export interface Figure {
  /** What `--only` takes. */
  readonly name: string;
  run(context: Context): Promise<readonly Line[]>;
}

/** A line whose value is to reach a share of its baseline; `below` where it is to stay under a multiple of it. */
export function ratioLine(
  what: string,
  value: number,
  baseline: number,
  limit: { readonly atLeast: number } | { readonly below: number },
): Line {
  const ratio = value / baseline;
  return 'atLeast' in limit
    ? { what, value, baseline, target: `ratio ≥ ${limit.atLeast.toFixed(2)}`, met: ratio >= limit.atLeast }
    : { what, value, baseline, target: `ratio ≤ ${limit.below.toFixed(2)}`, met: ratio <= limit.below };
}

/** Returns a line with an upper limit. */
export function atMost(what: string, value: number, limit: number): Line {
  return { what, value, target: `≤ ${limit}`, met: value <= limit };
}

/** Returns a line with a lower limit. */
export function atLeast(what: string, value: number, limit: number): Line {
  return { what, value, target: `≥ ${limit}`, met: value >= limit };
}

/** A line that must be exactly this on every machine. */
export function exactly(what: string, value: number, wanted: number): Line {
  return { what, value, target: `= ${wanted}`, met: value === wanted, isFact: true };
}
