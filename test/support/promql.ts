/*
 * The part of Prometheus's language that ops/alerts.yml uses, over pages of metrics that a test has gathered: alerts
 * are evaluated as Prometheus 3 would. What it does not know it refuses.
 */

/** One figure at one moment. */
interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The metrics of all processes, as they were read at one moment. */
export interface Scrape {
  readonly atMs: number;
  /** The text of each process's page, by the name of the process. */
  readonly pages: Readonly<Record<string, string>>;
}

type Value = number | readonly Sample[];

/** What can be asked of an expression at a moment. */
type Evaluate = (atMs: number) => Value;

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: { readonly atMs: number; readonly value: number }[];
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Reads a duration of the language, such as `5m`. */
export function durationMs(text: string): number {
  const [, count, unit] = /^(\d+)([smhdw])$/.exec(text) ?? [];
  const ms = unitMs[unit ?? ''];
  if (count === undefined || ms === undefined) throw new Error(`${text} is no duration that is known here`);
  return Number(count) * ms;
}

/** Prometheus looks for the newest figure of a series so far back. */
const lookbackMs = 300_000;
const nameLabel = '__name__';

/** Gathers scrapes to series. */
export class Metrics {
  private readonly series = new Map<string, Series>();
  private readonly scrapedAtMs: number[] = [];

  add({ atMs, pages }: Scrape): void {
    this.scrapedAtMs.push(atMs);
    for (const [instance, page] of Object.entries(pages))
      for (const line of [...page.split('\n'), `up{job="${instance}"} 1`]) {
        const [, name, words = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
        if (name === undefined) continue;
        const labels: Record<string, string> = { [nameLabel]: name, instance };
        for (const [, label = '', text = ''] of words.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) labels[label] = text;
        const key = keyOf(labels);
        const known = this.series.get(key) ?? { labels, points: [] };
        this.series.set(key, known);
        known.points.push({ atMs, value: value === '+Inf' ? Infinity : Number(value) });
      }
  }

  private matching(matches: Matches): Series[] {
    return [...this.series.values()].filter(({ labels }) => matches(labels));
  }

  /** The newest figure of each series; one that the last scrape does not have any more is gone. */
  instant(matches: Matches, atMs: number): Sample[] {
    const last = this.scrapedAtMs.filter((at) => at <= atMs && at > atMs - lookbackMs).at(-1);
    return this.matching(matches).flatMap(({ labels, points }) => {
      const point = points.find((one) => one.atMs === last);
      return point ? [{ labels, value: point.value }] : [];
    });
  }

  /** The figures of each series in a span that ends at a moment. */
  range(matches: Matches, atMs: number, spanMs: number): Series[] {
    return this.matching(matches)
      .map(({ labels, points }) => ({
        labels,
        points: points.filter((point) => point.atMs > atMs - spanMs && point.atMs <= atMs),
      }))
      .filter(({ points }) => points.length > 0);
  }
}

type Matches = (labels: Readonly<Record<string, string>>) => boolean;

function keyOf(labels: Readonly<Record<string, string>>, only?: readonly string[]): string {
  const chosen = Object.entries(labels).filter(([name, text]) => text !== '' && (only ? only.includes(name) : true));
  return JSON.stringify(chosen.sort(([left], [right]) => (left < right ? -1 : 1)));
}

function withoutName({ labels, value }: Sample): Sample {
  const { [nameLabel]: _name, ...rest } = labels;
  return { labels: rest, value };
}

/** What a counter has grown by in a span, as Prometheus reckons it: to the edges of the span, never below zero. */
function growth({ points }: Series, atMs: number, spanMs: number): number | null {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < 2) return null;
  let grown = last.value - first.value;
  points.forEach((point, at) => {
    const before = points[at - 1];
    if (before && point.value < before.value) grown += before.value;
  });
  const sampledMs = last.atMs - first.atMs;
  const everyMs = sampledMs / (points.length - 1);
  const edge = (gapMs: number): number => (gapMs < everyMs * 1.1 ? gapMs : everyMs / 2);
  let beforeMs = edge(first.atMs - (atMs - spanMs));
  if (grown > 0 && first.value >= 0) beforeMs = Math.min(beforeMs, sampledMs * (first.value / grown));
  return grown * ((sampledMs + beforeMs + edge(atMs - last.atMs)) / sampledMs);
}

/** Returns a function that evaluates the expression over what was gathered. */
export function compileExpression(text: string, metrics: Metrics): Evaluate {
  return new Parser(text, metrics).whole();
}

class Parser {
  private readonly tokens: string[];
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly metrics: Metrics,
  ) {
    this.tokens = text.match(/"(?:[^"\\]|\\.)*"|\d+[smhdw]\b|[\d.]+|[a-zA-Z_:][\w:]*|=~|!~|!=|==|>=|<=|\S/g) ?? [];
  }

  whole(): Evaluate {
    const evaluate = this.either();
    if (this.at < this.tokens.length) throw this.unknown();
    return evaluate;
  }

  private unknown(): Error {
    return new Error(`"${this.tokens[this.at] ?? 'its end'}" is not known here in: ${this.text}`);
  }

  private take(...words: string[]): string | null {
    const token = this.tokens[this.at];
    if (token === undefined || !words.includes(token)) return null;
    this.at += 1;
    return token;
  }

  private need(word: string): void {
    if (this.take(word) === null) throw this.unknown();
  }

  /** Folds operators of one rank from the left. */
  private folded(next: () => Evaluate, words: readonly string[], join: (word: string, sides: [Value, Value]) => Value) {
    let left = next();
    for (let word = this.take(...words); word !== null; word = this.take(...words)) {
      const [operator, before, after] = [word, left, next()];
      left = (atMs) => join(operator, [before(atMs), after(atMs)]);
    }
    return left;
  }

  private either(): Evaluate {
    return this.folded(
      () => this.both(),
      ['or'],
      (_word, [left, right]) => {
        const known = new Set(vectorOf(left).map(matchKey));
        return [...vectorOf(left), ...vectorOf(right).filter((sample) => !known.has(matchKey(sample)))];
      },
    );
  }

  private both(): Evaluate {
    return this.folded(
      () => this.compared(),
      ['and', 'unless'],
      (word, [left, right]) => {
        const known = new Set(vectorOf(right).map(matchKey));
        return vectorOf(left).filter((sample) => known.has(matchKey(sample)) === (word === 'and'));
      },
    );
  }

  private compared(): Evaluate {
    return this.folded(
      () => this.product(),
      ['>', '<', '=='],
      (word, sides) =>
        binary(sides, (left, right) =>
          (word === '>' ? left > right : word === '<' ? left < right : left === right) ? left : null,
        ),
    );
  }

  private product(): Evaluate {
    return this.folded(
      () => this.single(),
      ['*', '/'],
      (word, sides) => binary(sides, (left, right) => (word === '*' ? left * right : left / right)).map(withoutName),
    );
  }

  private single(): Evaluate {
    if (this.take('(') !== null) {
      const inner = this.either();
      this.need(')');
      return inner;
    }
    const token = this.tokens[this.at];
    if (token === undefined) throw this.unknown();
    if (/^[\d.]+$/.test(token)) {
      this.at += 1;
      return () => Number(token);
    }
    const word = this.take('sum', 'max');
    if (word !== null) return this.aggregate(word === 'sum' ? (a, b) => a + b : (a, b) => Math.max(a, b));
    if (this.take('rate') !== null) return this.grown((spanMs) => 1_000 / spanMs);
    if (this.take('increase') !== null) return this.grown(() => 1);
    if (this.take('max_over_time') !== null) {
      this.need('(');
      const { matches, spanMs, offsetMs } = this.selector();
      this.need(')');
      return (atMs) =>
        this.metrics
          .range(matches, atMs - offsetMs, spanMs)
          .map(({ labels, points }) => withoutName({ labels, value: Math.max(...points.map(({ value }) => value)) }));
    }
    if (this.take('absent') !== null) {
      const inner = this.single();
      return (atMs) => (vectorOf(inner(atMs)).length === 0 ? [{ labels: {}, value: 1 }] : []);
    }
    if (this.take('histogram_quantile') !== null) return this.quantile();
    const { matches, offsetMs } = this.selector();
    return (atMs) => this.metrics.instant(matches, atMs - offsetMs);
  }

  private labels(): string[] {
    this.need('(');
    const names: string[] = [];
    while (this.take(')') === null) {
      const name = this.tokens[this.at++];
      if (name === undefined) throw this.unknown();
      if (name !== ',') names.push(name);
    }
    return names;
  }

  private aggregate(join: (left: number, right: number) => number): Evaluate {
    const by = this.take('by') === null ? [] : this.labels();
    this.need('(');
    const inner = this.either();
    this.need(')');
    return (atMs) => {
      const groups = new Map<string, Sample>();
      for (const { labels, value } of vectorOf(inner(atMs))) {
        const key = keyOf(labels, by);
        const known = groups.get(key);
        const kept = Object.fromEntries(
          by.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])),
        );
        groups.set(key, { labels: kept, value: known ? join(known.value, value) : value });
      }
      return [...groups.values()];
    };
  }

  private grown(factor: (spanMs: number) => number): Evaluate {
    this.need('(');
    const { matches, spanMs, offsetMs } = this.selector();
    this.need(')');
    return (atMs) =>
      this.metrics.range(matches, atMs - offsetMs, spanMs).flatMap((series) => {
        const grown = growth(series, atMs - offsetMs, spanMs);
        return grown === null ? [] : [withoutName({ labels: series.labels, value: grown * factor(spanMs) })];
      });
  }

  private quantile(): Evaluate {
    this.need('(');
    const quantile = Number(this.tokens[this.at++]);
    this.need(',');
    const inner = this.either();
    this.need(')');
    return (atMs) => {
      const groups = new Map<string, { labels: Sample['labels']; buckets: { upTo: number; count: number }[] }>();
      for (const { labels, value } of vectorOf(inner(atMs))) {
        const { le = '', ...rest } = labels;
        const group = groups.get(keyOf(rest)) ?? { labels: rest, buckets: [] };
        groups.set(keyOf(rest), group);
        group.buckets.push({ upTo: le === '+Inf' ? Infinity : Number(le), count: value });
      }
      return [...groups.values()].map(({ labels, buckets }) => ({ labels, value: quantileOf(quantile, buckets) }));
    };
  }

  private selector(): { matches: Matches; spanMs: number; offsetMs: number } {
    const name = this.tokens[this.at];
    // A word that is followed by a bracket would be a function.
    if (name === undefined || !/^[a-zA-Z_:]/.test(name) || this.tokens[this.at + 1] === '(') throw this.unknown();
    this.at += 1;
    const rules: Matches[] = [(labels) => labels[nameLabel] === name];
    if (this.take('{') !== null)
      while (this.take('}') === null) {
        if (this.take(',') !== null) continue;
        rules.push(this.rule());
      }
    let spanMs = 0;
    if (this.take('[') !== null) {
      spanMs = durationMs(this.tokens[this.at++] ?? '');
      this.need(']');
    }
    const offsetMs = this.take('offset') === null ? 0 : durationMs(this.tokens[this.at++] ?? '');
    return { matches: (labels) => rules.every((rule) => rule(labels)), spanMs, offsetMs };
  }

  private rule(): Matches {
    const label = this.tokens[this.at++] ?? '';
    const operator = this.take('=', '!=', '=~', '!~');
    if (operator === null) throw this.unknown();
    const wanted = (this.tokens[this.at++] ?? '').slice(1, -1);
    const pattern = new RegExp(
      `^(?:${operator.endsWith('~') ? wanted : wanted.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')})$`,
    );
    return (labels) => pattern.test(labels[label] ?? '') === operator.startsWith('=');
  }
}

function vectorOf(value: Value): readonly Sample[] {
  if (typeof value === 'number') throw new Error('a number stands where figures are expected');
  return value;
}

function matchKey(sample: Sample): string {
  return keyOf(withoutName(sample).labels);
}

/** Joins two sides: figures with a number, or figures of the same labels; null leaves one out. */
function binary(
  [left, right]: [Value, Value],
  join: (left: number, right: number) => number | null,
): readonly Sample[] {
  const joined = (labels: Sample['labels'], one: number, other: number): Sample[] => {
    const value = join(one, other);
    return value === null ? [] : [{ labels, value }];
  };
  if (typeof right === 'number') return vectorOf(left).flatMap(({ labels, value }) => joined(labels, value, right));
  if (typeof left === 'number') return right.flatMap(({ labels, value }) => joined(labels, left, value));
  const others = new Map(right.map((sample) => [matchKey(sample), sample.value]));
  return left.flatMap((sample) => {
    const other = others.get(matchKey(sample));
    return other === undefined ? [] : joined(sample.labels, sample.value, other);
  });
}

function quantileOf(quantile: number, buckets: readonly { readonly upTo: number; readonly count: number }[]): number {
  const sorted = [...buckets].sort((left, right) => left.upTo - right.upTo);
  const total = sorted.at(-1)?.count ?? 0;
  if (sorted.length < 2 || total === 0) return NaN;
  const rank = quantile * total;
  const at = sorted.findIndex(({ count }) => count >= rank);
  const [bucket, before] = [sorted[at], sorted[at - 1]];
  if (!bucket) return NaN;
  if (bucket.upTo === Infinity) return before?.upTo ?? NaN;
  const [start, below] = [before?.upTo ?? 0, before?.count ?? 0];
  return start + (bucket.upTo - start) * ((rank - below) / (bucket.count - below));
}
