import { setTimeout } from 'node:timers/promises';
import { cut } from '../../../core/text/cut';
import { throttled } from '../../../core/http/errors';
import { PostgresRateLimitStore } from '../../../core/db/rateLimits';
import type { Runtime } from '../../../core/runtime';
import { sha256 } from '../../../core/secrets';
import { deviceIdOf } from './devices';

const minuteMs = 60_000;
const maxPerAddress = 20;
const maxPerAccount = 10;
const accountWindowMs = 15 * minuteMs;
/** From so many failures an hour, over all networks, an account answers later; twice as late with each ten more. */
const delayedFrom = 20;
const maxDelayMs = 8_000;

/** Where a sign-in comes from: failures are counted for each of these. */
export interface Origin {
  /** One subscriber: an IPv4 address, or a /64 of IPv6. */
  readonly address: string;
  /** Its neighbours, whom one owner may command: a /24 of IPv4, or a /48 of IPv6. */
  readonly network: string;
  /** The cookie that the browser was given by an earlier sign-in. */
  readonly device: string | null;
}

/** A password check that counts as failed until it is taken back. */
interface Attempt {
  /** Takes the attempt back: the password was right, or was never looked at. */
  forgive(): Promise<void>;
}

/** A count of failures under one key. */
interface Bucket {
  readonly store: PostgresRateLimitStore;
  readonly key: string;
  readonly max: number;
}

/**
 * Counts a sign-in as a failure before its password is looked at, so that many at once cannot pass together, and throws
 * the 429 beyond 20 a minute and address, or 10 in 15 minutes for an account from one network. A browser that has
 * signed in before has ten of its own. Failures from other networks never refuse an account, they only delay its
 * answers. A right password takes back its own attempt only, so the owner's sign-in gives an attacker no further
 * guesses.
 */
export async function countSignIn(runtime: Runtime, email: string, origin: Origin): Promise<Attempt> {
  const account = sha256(email.trim().toLowerCase()).toString('base64url');
  const device = deviceIdOf(runtime, email, origin.device);
  const bucket = (name: string, windowMs: number, key: string, max: number): Bucket => ({
    store: new PostgresRateLimitStore(runtime.db, `sign-in:${name}:`, windowMs),
    key,
    max,
  });
  const perAddress = bucket('a', minuteMs, cut(origin.address, 100), maxPerAddress);
  const perNetwork = bucket('n', accountWindowMs, `${account}:${cut(origin.network, 100)}`, maxPerAccount);
  const perDevice = device === null ? null : bucket('d', accountWindowMs, device, maxPerAccount);
  const everywhere = bucket('m', 60 * minuteMs, account, Infinity);

  await count(perAddress);
  const isOwn = perDevice !== null && (await hit(perDevice)).hits <= perDevice.max;
  const own = isOwn ? perDevice : perNetwork;
  if (!isOwn) await count(perNetwork);
  const { hits } = await hit(everywhere);
  if (hits > delayedFrom) {
    const delayMs = Math.min(maxDelayMs, 1_000 * 2 ** Math.floor((hits - 1 - delayedFrom) / 10));
    await (runtime.clock.pause ?? setTimeout)(delayMs);
  }
  return forgiving([perAddress, own, everywhere]);
}

/** Counts a change of the password from within a session, apart from sign-ins; throws the 429 after 10 failures. */
export async function countPasswordChange(runtime: Runtime, memberId: number): Promise<Attempt> {
  const store = new PostgresRateLimitStore(runtime.db, 'password:m:', accountWindowMs);
  const bucket = { store, key: String(memberId), max: maxPerAccount };
  await count(bucket);
  return forgiving([bucket]);
}

/**
 * Counts a code that is shown as a second factor; throws the 429 after 10 wrong ones in a quarter of an hour from one
 * place: a network that signs in, or a session that is asked again. Those of others keep nobody out.
 */
export async function countFactor(runtime: Runtime, memberId: number, place: string): Promise<Attempt> {
  const store = new PostgresRateLimitStore(runtime.db, 'factor:m:', accountWindowMs);
  const bucket = { store, key: `${memberId}:${cut(place, 100)}`, max: maxPerAccount };
  await count(bucket);
  return forgiving([bucket]);
}

function forgiving(buckets: readonly Bucket[]): Attempt {
  return {
    async forgive() {
      for (const { store, key } of buckets) await store.decrement(key);
    },
  };
}

async function hit({ store, key }: Bucket): Promise<{ readonly hits: number; readonly resetTime: Date | undefined }> {
  const { totalHits, resetTime } = await store.increment(key);
  return { hits: totalHits, resetTime };
}

async function count(bucket: Bucket): Promise<void> {
  const { hits, resetTime } = await hit(bucket);
  if (hits <= bucket.max) return;
  throw throttled(Math.max(1, Math.ceil(((resetTime?.getTime() ?? Date.now()) - Date.now()) / 1000)));
}
