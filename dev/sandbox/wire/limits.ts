import type { Context } from '../context';
import { GraphError } from './errors';
import type { PhoneNumber } from '../types';

/** One message per 6 s to the same user, after a burst of up to 45. */
const pairIntervalMs = 6000;
const pairBurst = 45;

interface Bucket {
  tokens: number;
  at: number;
}

/** Token buckets of pairs and numbers. Rates are read at every call, so settings act at once. */
export class Limits {
  private readonly pairs = new Map<string, Bucket>();
  private readonly numbers = new Map<string, Bucket>();

  /** Takes one token of each bucket, or throws 130429 or 131056; a refused message takes nothing from either. */
  take(context: Context, phone: PhoneNumber, recipientKey: string): void {
    const { settings } = context.state;
    const now = context.clock();
    const number = settings.throughput && phone.throughput_mps > 0 ? this.number(phone, now) : undefined;
    if (number && number.tokens < 1) throw new GraphError(130429);
    if (settings.pair_rate) {
      const pair = filled(this.pairs, `${phone.id}|${recipientKey}`, pairBurst, 1 / pairIntervalMs, now);
      if (pair.tokens < 1) throw new GraphError(131056);
      pair.tokens -= 1;
    }
    if (number) number.tokens -= 1;
  }

  /** Counts an inbound message against the number's throughput; it is never refused. */
  countInbound(context: Context, phone: PhoneNumber): void {
    if (!context.state.settings.throughput || phone.throughput_mps <= 0) return;
    const bucket = this.number(phone, context.clock());
    bucket.tokens = Math.max(0, bucket.tokens - 1);
  }

  clear(): void {
    this.pairs.clear();
    this.numbers.clear();
  }

  private number(phone: PhoneNumber, now: number): Bucket {
    return filled(this.numbers, phone.id, phone.throughput_mps, phone.throughput_mps / 1000, now);
  }
}

function filled(buckets: Map<string, Bucket>, key: string, capacity: number, perMs: number, now: number): Bucket {
  const bucket = buckets.get(key);
  if (!bucket) {
    const fresh = { tokens: capacity, at: now };
    buckets.set(key, fresh);
    return fresh;
  }
  bucket.tokens = Math.min(capacity, bucket.tokens + Math.max(0, now - bucket.at) * perMs);
  bucket.at = now;
  return bucket;
}
