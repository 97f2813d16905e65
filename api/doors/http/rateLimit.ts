import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { throttled } from '../../core/http/errors';
import { PostgresRateLimitStore } from '../../core/db/rateLimits';
import { kept, type Runtime } from '../../core/runtime';
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

/** Requests of a credential in a minute that are never refused for the time that they take (contract 16). */
const neverLate = 60;
/** How busy a process is where a workspace keeps to its share. */
const busyPart = 0.7;

/** Answers of requests with a credential that are under way. */
const underWay = kept(() => new Set<Response>());

/**
 * Lets a request go on whose credential is known and within its rate: what follows is its workspace's time. Throws the
 * 429 of a workspace that has had more than its share, while the process is busy and another workspace waits.
 */
function takeTime(runtime: Runtime, res: Response, requestsOfMinute: number): void {
  const { loopTime, config } = runtime;
  const { credential } = stateOf(res);
  if (!credential) return;
  const { workspaceId } = credential;
  const others = underWay(runtime);
  if (requestsOfMinute > neverLate && loopTime.busyPart() > busyPart) {
    const seconds = loopTime.secondsAbove(workspaceId, config.loopShare);
    // A stream has its head long before its end: it waits for nothing.
    const waits = (other: Response): boolean =>
      !other.headersSent && stateOf(other).credential?.workspaceId !== workspaceId;
    if (seconds > 0 && [...others].some(waits)) throw throttled(seconds);
  }
  others.add(res);
  res.once('close', () => others.delete(res));
  stateOf(res).goesOn = () => loopTime.begin(workspaceId);
  loopTime.begin(workspaceId);
}

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
        const resetTime = rateOf(req)?.resetTime?.getTime() ?? Date.now();
        const seconds = Math.max(1, Math.ceil((resetTime - Date.now()) / 1000));
        next(throttled(seconds));
      },
    });
  const ofCredential = (prefix: string, limit: number): RequestHandler => {
    const limiter = build(prefix, limit, (_req, res) => stateOf(res).credential?.bucket ?? 'none');
    return (req, res, next) =>
      limiter(req, res, (error?: unknown) => {
        if (error) {
          next(error);
          return;
        }
        try {
          takeTime(runtime, res, rateOf(req)?.used ?? 0);
          next();
        } catch (refusal) {
          next(refusal);
        }
      });
  };
  return {
    credential: ofCredential('c:', runtime.config.rateLimitPerMinute),
    dashboard: ofCredential('d:', runtime.config.rateLimitPerMinute * dashboardFactor),
    anonymous: build('a:', runtime.config.anonymousRateLimitPerMinute, addressOf),
    webhook: build('w:', runtime.config.anonymousRateLimitPerMinute, addressOf),
  };
}

/** Returns what the limiter has counted. */
function rateOf(req: Request): { readonly used: number; readonly resetTime?: Date } | undefined {
  return (req as Request & { rateLimit?: { used: number; resetTime?: Date } }).rateLimit;
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
