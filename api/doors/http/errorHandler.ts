import type { ErrorRequestHandler, Request, Response } from 'express';
import { isDatabaseAway, isDatabaseBusy } from '../../core/db/database';
import { AppError, internalError } from '../../core/http/errors';
import { reportFault } from '../../core/http/faults';
import type { Runtime } from '../../core/runtime';
import { stateOf } from './request';
import { reason } from '../../core/http/reasons';

/** How much of a refused body is still read, in bytes and ms: who closes on bytes unread takes the answer back. */
const drainedBytes = 1024 * 1024;
const drainedMs = 2_000;

/** Answers a body that is still coming: its sender gets the answer at once, and then the end of the connection. */
function answerEarly(req: Request, res: Response, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.setHeader('Connection', 'close');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.status(status).setHeader('Content-Type', 'application/json; charset=utf-8');
  res.write(text);
  const close = (): void => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(close, drainedMs).unref();
  let left = drainedBytes;
  req.unpipe();
  req.on('data', ({ length }: Buffer) => {
    left -= length;
    if (left < 0) close();
  });
  for (const event of ['end', 'close', 'error'] as const) req.once(event, close);
  req.resume();
}

function answer(req: Request, res: Response, status: number, body: unknown): void {
  if (stateOf(res).endsEarly && !req.complete) answerEarly(req, res, status, body);
  else sendJson(res, status, body);
}

/** Writes a refusal in the envelope of contract 3.3. */
function sendError(req: Request, res: Response, error: AppError): void {
  if (error.details.retryAfter !== undefined) res.setHeader('Retry-After', String(error.details.retryAfter));
  res.setHeader('X-Error-Code', error.publicCode);
  // RFC 9110: a 401 names a way to authenticate.
  if (error.status === 401) res.setHeader('WWW-Authenticate', 'Bearer realm="api"');
  for (const [name, value] of Object.entries(error.details.headers ?? {})) res.setHeader(name, value);
  answer(req, res, error.status, error.toBody());
}

/** Writes a JSON answer. */
export function sendJson(res: Response, status: number, body: unknown): void {
  res.status(status).setHeader('Content-Type', 'application/json; charset=utf-8');
  res.end(JSON.stringify(body));
}

/** Returns the refusal that an error is, or null for a fault of ours: its answer carries nothing but the request id. */
export function toAppError(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  if (isDatabaseAway(error))
    return new AppError('unavailable', 'The service is not available. Try again shortly.', { retryAfter: 2 });
  if (isDatabaseBusy(error)) return new AppError('unavailable', reason('busy'), { retryAfter: 1 });
  const fault = error as { type?: string; status?: number; code?: string };
  if (fault.type === 'entity.too.large') return new AppError('too_large', reason('bodyTooLarge'));
  if (error instanceof URIError || fault.status === 400) return new AppError('not_found', reason('notFound'));
  return null;
}

/** Returns whether the request was refused before it changed anything; a fault of ours says nothing of that. */
export function isRefusal(error: unknown): boolean {
  return (toAppError(error)?.status ?? 500) < 500;
}

/** Returns the last handler of the HTTP surface. */
export function errorHandler(runtime: Runtime): ErrorRequestHandler {
  return (error: unknown, req: Request, res: Response, _next) => {
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const refusal = toAppError(error);
    if (refusal) {
      sendError(req, res, refusal);
      return;
    }
    const { requestId } = stateOf(res);
    reportFault(runtime.logger, requestId, error);
    res.setHeader('X-Error-Code', 'internal_error');
    answer(req, res, 500, { error: internalError(requestId) });
  };
}
