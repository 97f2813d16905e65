import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { AppError } from '../../core/http/errors';
import type { Runtime } from '../../core/runtime';
import type { Credential } from '../../services/identity/apiKeys/authenticate';
import { networkOf } from './network';

/** Where the platform's webhooks come in. */
export const platformPath = '/webhooks/msgapp/';

/** The data of one request that its handlers share. */
interface RequestState {
  requestId: string;
  credential?: Credential;
  /** Says that what follows is done for the credential's workspace (`core/loopTime`). */
  goesOn?: () => void;
  /** The body is a file, which is read while it comes, or very much too large: a refusal does not wait for its end. */
  endsEarly?: boolean;
  /** Route pattern for logs and metrics, never a path with ids. */
  route?: string;
}

const saneId = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the state of a request. */
export function stateOf(res: Response): RequestState {
  return res.locals as RequestState;
}

/** Throws 405 unless the method is one of `allowed`, which the answer names. */
export function refuseMethod(req: Request, allowed: readonly string[]): void {
  if (!allowed.includes(req.method))
    throw new AppError('method_not_allowed', `Method "${req.method}" not allowed.`, {
      headers: { Allow: allowed.join(', ') },
    });
}

/**
 * Gives every request an id, taken from a well-formed `X-Request-Id`, and one log line at its end (contract 3). With
 * tracing on, it continues the caller's trace if the caller `isKnown`: others must not decide what is sampled.
 */
export function requestContext(runtime: Runtime, isKnown: (req: Request) => Promise<boolean>): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    const given = req.get('x-request-id');
    const state = stateOf(res);
    state.requestId = given !== undefined && saneId.test(given) ? given : randomUUID();
    res.setHeader('X-Request-Id', state.requestId);
    const started = process.hrtime.bigint();
    let traceId: string | null = null;
    res.on('finish', () => {
      const ms = Number(process.hrtime.bigint() - started) / 1e6;
      runtime.logger.info(
        {
          event: 'http.request',
          requestId: state.requestId,
          method: req.method,
          route: state.route ?? 'unmatched',
          status: res.statusCode,
          ms: Math.round(ms * 10) / 10,
          // The network of a refused caller, so that repeated refusals can be traced; the whole IPv4 address is not
          // logged.
          ...([401, 403, 429].includes(res.statusCode) ? { network: networkOf(req, 64) } : {}),
          ...(traceId === null ? {} : { traceId }),
          ...(state.credential
            ? { workspaceId: state.credential.workspaceId, credential: state.credential.bucket }
            : {}),
        },
        'request',
      );
    });
    if (!runtime.tracing.sdk) {
      next();
      return;
    }
    const trace = (parent: string | null): Promise<void> =>
      runtime.tracing.span(req.method, { kind: 'server', parent }, (span) => {
        traceId = span.traceId;
        return new Promise<void>((resolve) => {
          res.on('close', () => {
            const route = state.route ?? 'unmatched';
            span.rename(`${req.method} ${route}`);
            span.set({
              'http.request.method': req.method,
              'http.route': route,
              'http.response.status_code': res.statusCode,
              ...(state.credential ? { 'msgdesk.workspace_id': state.credential.workspaceId } : {}),
            });
            if (res.statusCode >= 500) span.fail();
            resolve();
          });
          next();
        });
      });
    const parent = req.get('traceparent');
    if (parent === undefined) void trace(null);
    else void isKnown(req).then((known) => trace(known ? parent : null));
  };
}

/** Returns the value of a cookie, or null. */
export function cookieOf(req: Request, name: string): string | null {
  const header = req.headers.cookie;
  if (!header) return null;
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) {
      const value = part.slice(at + 1).trim();
      try {
        return decodeURIComponent(value);
      } catch {
        return value;
      }
    }
  }
  return null;
}
