import type { Context } from '../context';
import type { JsonObject, SentRecord } from '../types';
import { digitsOf } from '../util';

const pageSize = 1000;

function recordView(record: SentRecord): JsonObject {
  const { direction: _direction, arrived: _arrived, lost: _lost, ...view } = record;
  return view;
}

function sentFilter(query: URLSearchParams): (record: SentRecord) => boolean {
  const phone = query.get('phone_number_id');
  const to = query.get('to');
  const wanted = to && /^[\d\s+()-]+$/.test(to) ? digitsOf(to) : to;
  const opaque = query.get('opaque');
  const type = query.get('type');
  const wamid = query.get('wamid');
  return (record) =>
    (!phone || record.phone_number_id === phone) &&
    (!wanted || record.to === wanted || record.user_id === wanted) &&
    (!opaque || record.opaque === opaque) &&
    (!type || record.type === type) &&
    (!wamid || record.wamid === wamid);
}

/** Lists sends in order of acceptance; `after` is a seq, found by bisection because seqs only grow. */
export function sentList(context: Context, query: URLSearchParams): JsonObject[] {
  const { sent } = context.state;
  const after = Number(query.get('after') ?? 0);
  const limit = Number(query.get('limit') ?? pageSize);
  const fits = sentFilter(query);
  const out: JsonObject[] = [];
  for (let i = firstAfter(sent, after); i < sent.length && out.length < limit; i += 1) {
    const record = sent[i] as SentRecord;
    if (fits(record)) out.push(recordView(record));
  }
  return out;
}

function firstAfter(sent: SentRecord[], seq: number): number {
  let low = 0;
  let high = sent.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sent[middle] as SentRecord).seq <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Counts the sends that fit, and gives the newest seq. */
export function sentCount(context: Context, query: URLSearchParams): JsonObject {
  const { sent } = context.state;
  const filtered = ['phone_number_id', 'to', 'opaque', 'type', 'wamid', 'after'].some((name) => query.get(name));
  if (!filtered) return { count: sent.length, last_seq: sent.at(-1)?.seq ?? 0 };
  const fits = sentFilter(query);
  let count = 0;
  for (let i = firstAfter(sent, Number(query.get('after') ?? 0)); i < sent.length; i += 1)
    if (fits(sent[i] as SentRecord)) count += 1;
  return { count, last_seq: sent.at(-1)?.seq ?? 0 };
}

/** Lists opaque ids that were accepted more than once, alone and together with the recipient. */
export function duplicates(context: Context): JsonObject {
  const byOpaque: JsonObject[] = [];
  const byBoth: JsonObject[] = [];
  for (const [key, records] of context.state.opaqueCounts) {
    if (!Array.isArray(records)) continue;
    const first = records[0] as SentRecord;
    const entry = {
      opaque: first.opaque,
      to: [...new Set(records.map((record) => record.to))],
      count: records.length,
      wamids: records.map((record) => record.wamid),
    };
    (key.startsWith('o') ? byOpaque : byBoth).push(entry);
  }
  return { count: byOpaque.length, opaque: byOpaque, opaque_and_recipient: byBoth };
}
