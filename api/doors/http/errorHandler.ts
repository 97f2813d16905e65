import type { ErrorRequestHandler, Request, Response } from 'express';
import { isDatabaseAway, isDatabaseBusy } from '../../core/db/database';
import { AppError, internalError } from '../../core/http/errors';
import { reportFault } from '../../core/http/faults';
import type { Runtime } from '../../core/runtime';
import { stateOf } from './request';

/** Writes a refusal in the envelope of contract 3.3. */
function sendError(res: Response, error: AppError): void {
  if (error.details.retryAfter !== undefined) res.setHeader('Retry-After', String(error.details.retryAfter));
  res.setHeader('X-Error-Code', error.publicCode);
  // RFC 9110: a 401 names a way to authenticate.
  if (error.status === 401) res.setHeader('WWW-Authenticate', 'Bearer realm="api"');
  for (const [name, value] of Object.entries(error.details.headers ?? {})) res.setHeader(name, value);
  sendJson(res, error.status, error.toBody());
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
  if (isDatabaseBusy(error))
    return new AppError('unavailable', 'The service is busy. Try again shortly.', { retryAfter: 1 });
  const fault = error as { type?: string; status?: number; code?: string };
  if (fault.type === 'entity.too.large') return new AppError('too_large', 'Request body is too large.');
  if (error instanceof URIError || fault.status === 400) return new AppError('not_found', 'Not found.');
  return null;
}

/** Returns whether the request was refused before it changed anything; a fault of ours says nothing of that. */
export function isRefusal(error: unknown): boolean {
  return (toAppError(error)?.status ?? 500) < 500;
}

/** Returns the last handler of the HTTP surface. */
export function errorHandler(runtime: Runtime): ErrorRequestHandler {
  return (error: unknown, _req: Request, res: Response, _next) => {
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const refusal = toAppError(error);
    if (refusal) {
      sendError(res, refusal);
      return;
    }
    const { requestId } = stateOf(res);
    reportFault(runtime.logger, requestId, error);
    res.setHeader('X-Error-Code', 'internal_error');
    sendJson(res, 500, { error: internalError(requestId) });
  };
}
