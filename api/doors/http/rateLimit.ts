import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { throttled } from '../../core/http/errors';
import { PostgresRateLimitStore } from '../../core/db/rateLimits';
import type { Runtime } from '../../core/runtime';
import { addressOf } from './network';
import { stateOf } from './request';

/** The rate limiters; `credential` and `mcp` share their counts, because they share the store's prefix and keys. */
export interface Limiters {
  /** 60 requests per minute and credential over all replicas (contract 3.1). */
  readonly credential: RequestHandler;
  /** Requests without a valid credential, per address. */
  readonly anonymous: RequestHandler;
  /** Refused webhooks of the upstream, per address. */
  readonly webhook: RequestHandler;
  /** Pages of the dashboard, per session: a person and the parts of their pages, not a program. */
  readonly dashboard: RequestHandler;
}

/** How many times more often than programs members may ask: a page consists of several requests. */
const dashboardFactor = 10;

/** Builds the limiters on the shared store. */
export function createLimiters(runtime: Runtime): Limiters {
  const build = (prefix: string, limit: number, keyOf: (req: Request, res: Response) => string): RequestHandler =>
    rateLimit({
      windowMs: 60_000,
      limit,
      standardHeaders: 'draft-6',
      legacyHeaders: false,
      store: new PostgresRateLimitStore(runtime.db, prefix),
      keyGenerator: keyOf,
      // Off: the library's checks warn about forwarded addresses, which TRUST_PROXY decides here.
      validate: false,
      handler: (req: Request, res: Response, next: NextFunction) => {
        const info = (req as Request & { rateLimit?: { resetTime?: Date } }).rateLimit;
        const seconds = Math.max(1, Math.ceil(((info?.resetTime?.getTime() ?? Date.now()) - Date.now()) / 1000));
        next(throttled(seconds));
      },
    });
  return {
    credential: build(
      'c:',
      runtime.config.rateLimitPerMinute,
      (_req, res) => stateOf(res).credential?.bucket ?? 'none',
    ),
    dashboard: build(
      'd:',
      runtime.config.rateLimitPerMinute * dashboardFactor,
      (_req, res) => stateOf(res).credential?.bucket ?? 'none',
    ),
    anonymous: build('a:', runtime.config.anonymousRateLimitPerMinute, addressOf),
    webhook: build('w:', runtime.config.anonymousRateLimitPerMinute, addressOf),
  };
}

/** Runs a limiter and resolves when the request may go on; rejects with its refusal. */
export function passLimiter(limiter: RequestHandler, req: Request, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    void Promise.resolve(
      limiter(req, res, (error?: unknown) =>
        error ? reject(error instanceof Error ? error : new Error('limiter failed')) : resolve(),
      ),
    ).catch(reject);
  });
}
