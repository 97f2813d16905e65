import { Agent, request } from 'undici';
import type { Context } from './context';
import { exactly, ratioLine, type Line } from './figure';
import { median, percentile } from './stats';

/** A page of a list, as far as the figures look at it. */
interface Answer {
  readonly count: number;
  readonly next: string | null;
  readonly results: readonly { readonly id: number }[];
}

/** An answer and the milliseconds until its last byte. */
export interface Timed {
  readonly ms: number;
  readonly answer: Answer;
}

/** Reads lists over one kept connection. */
export interface Reader {
  /** Reads a path; throws on any answer but 200. */
  get(this: void, path: string, apiKey?: string): Promise<Timed>;
  close(): Promise<void>;
}

/** Returns a reader of the API at `base`. */
export function createReader(base: string, ownKey: string): Reader {
  const client = new Agent({ connections: 1 });
  return {
    async get(path, apiKey = ownKey) {
      const started = performance.now();
      const { statusCode, body } = await request(new URL(path, base), {
        dispatcher: client,
        headers: { authorization: `Bearer ${apiKey}` },
      });
      const text = await body.text();
      const ms = performance.now() - started;
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`);
      return { ms, answer: JSON.parse(text) as Answer };
    },
    close: () => client.close(),
  };
}

/**
 * Measures stretches of the walk by `next`, in pages of 200, from beginning to end; each page in turns with the first.
 */
export async function walkLines(
  context: Context,
  { get }: Reader,
  path: string,
  size: number,
  below: number,
): Promise<Line[]> {
  const pages = Math.ceil(size / 200);
  const stretches = context.quick ? 4 : 11;
  const length = context.quick ? 6 : 15;
  const firsts: number[] = [];
  const all: number[] = [];
  const seen = new Set<number>();
  let rows = 0;
  let worst = { place: '', page: 0, first: 1 };
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const begin = 1 + Math.floor(((pages - length - 1) * stretch) / (stretches - 1));
    let { next } = (await get(begin === 1 ? path : `${path}&page=${begin}`)).answer;
    const own: number[] = [];
    const first: number[] = [];
    for (let step = 0; step < length && next !== null; step += 1) {
      const link = new URL(next);
      const walked = await get(`${link.pathname}${link.search}`);
      own.push(walked.ms);
      rows += walked.answer.results.length;
      for (const { id } of walked.answer.results) seen.add(id);
      if (walked.answer.count !== size) throw new Error(`a page of the walk counts ${walked.answer.count}`);
      next = walked.answer.next;
      first.push((await get(path)).ms);
    }
    if (own.length < length) throw new Error(`the walk ended after ${own.length} pages from page ${begin}`);
    context.log(
      `walk from page ${begin} of ${pages}: ${median(own).toFixed(0)} ms, first page ${median(first).toFixed(0)} ms`,
    );
    if (median(own) / median(first) > worst.page / worst.first)
      worst = { place: `from page ${begin}`, page: median(own), first: median(first) };
    all.push(...own);
    firsts.push(...first);
  }
  return [
    ratioLine(
      `walk by next, pages of 200: ${stretches} stretches against the first page, p95 in ms`,
      percentile(all, 0.95),
      percentile(firsts, 0.95),
      { below },
    ),
    ratioLine(`walk: the slowest stretch (${worst.place}), median in ms`, worst.page, worst.first, { below }),
    exactly('walk: rows of these that came twice', rows - seen.size, 0),
  ];
}
