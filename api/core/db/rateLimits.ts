import type { ClientRateLimitInfo, Options, Store } from 'express-rate-limit';
import type { Db } from './database';

/**
 * Counts requests in PostgreSQL, so that all replicas share one window per credential (contract 3). The window opens
 * with the first request and lasts `windowMs`. One UPSERT on an unlogged table per hit; a crash of the database
 * empties it, which only forgives.
 */
export class PostgresRateLimitStore implements Store {
  readonly localKeys = false;

  constructor(
    private readonly db: Db,
    readonly prefix: string,
    private windowMs = 60_000,
  ) {}

  init(options: Options): void {
    this.windowMs = options.windowMs;
  }

  async increment(key: string): Promise<ClientRateLimitInfo> {
    const row = await this.db.row<{ hits: number; left_ms: number }>(
      `INSERT INTO rate_limits AS r (key, hits, resets_at)
       VALUES ($key, 1, clock_timestamp() + $windowMs * interval '1 millisecond')
       ON CONFLICT (key) DO UPDATE SET
         hits = CASE WHEN r.resets_at <= clock_timestamp() THEN 1 ELSE r.hits + 1 END,
         resets_at = CASE WHEN r.resets_at <= clock_timestamp() THEN excluded.resets_at ELSE r.resets_at END
       RETURNING hits, floor(extract(epoch FROM resets_at - clock_timestamp()) * 1000)::int AS left_ms`,
      { key: this.prefix + key, windowMs: this.windowMs },
    );
    // What is left is measured by the clock that set the end; the two clocks may differ.
    return { totalHits: row?.hits ?? 1, resetTime: new Date(Date.now() + (row?.left_ms ?? this.windowMs)) };
  }

  async decrement(key: string): Promise<void> {
    await this.db.rows('UPDATE rate_limits SET hits = greatest(hits - 1, 0) WHERE key = $key', {
      key: this.prefix + key,
    });
  }

  async resetKey(key: string): Promise<void> {
    await this.db.rows('DELETE FROM rate_limits WHERE key = $key', { key: this.prefix + key });
  }
}
