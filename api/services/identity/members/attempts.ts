import { throttled } from '../../../core/errors';
import { PostgresRateLimitStore } from '../../../core/rateLimits';
import type { Runtime } from '../../../core/runtime';
import { sha256 } from '../../../core/secrets';

const maxPerAddress = 20;
const addressWindowMs = 60_000;
const maxPerAccount = 10;
const accountWindowMs = 15 * 60_000;

/** A password check that counts as failed until it is taken back. */
export interface Attempt {
  /** Takes the attempt back: the password was right, or was never looked at. */
  forgive(): Promise<void>;
}

/**
 * Counts a password check as a failure before it is made, so that many at once cannot pass together, and throws the 429
 * beyond 20 per minute and address or 10 per 15 minutes and account. A right password takes back its own attempt only:
 * the owner's sign-in gives no attacker further guesses. `network` is null where the caller has a session already.
 */
export async function countAttempt(runtime: Runtime, email: string, network: string | null): Promise<Attempt> {
  const account = sha256(email.trim().toLowerCase()).toString('base64url');
  const counted: (() => Promise<void>)[] = [];

  if (network !== null) {
    const perAddress = new PostgresRateLimitStore(runtime.db, 'sign-in:a:', addressWindowMs);
    await count(perAddress, network.slice(0, 100), maxPerAddress);
    counted.push(() => perAddress.decrement(network.slice(0, 100)));
  }

  const perAccount = new PostgresRateLimitStore(runtime.db, 'sign-in:m:', accountWindowMs);
  await count(perAccount, account, maxPerAccount);
  counted.push(() => perAccount.decrement(account));

  return {
    async forgive() {
      for (const takeBack of counted) await takeBack();
    },
  };
}

async function count(store: PostgresRateLimitStore, key: string, max: number): Promise<void> {
  const { totalHits, resetTime } = await store.increment(key);
  if (totalHits <= max) return;
  const seconds = Math.max(1, Math.ceil(((resetTime?.getTime() ?? Date.now()) - Date.now()) / 1000));
  throw throttled(seconds);
}
