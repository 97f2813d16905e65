import type { ErrorRequestHandler, Request, Response } from 'express';
import { isDatabaseAway, isDatabaseBusy } from '../../core/db';
import { AppError } from '../../core/errors';
import type { Runtime } from '../../core/runtime';
import { stateOf } from './request';

/** Writes a refusal in the envelope of contract 3.3. */
export function sendError(res: Response, error: AppError): void {
  if (error.details.retryAfter !== undefined) res.setHeader('Retry-After', String(error.details.retryAfter));
  res.setHeader('X-Error-Code', error.publicCode);
  // RFC 9110: a 401 says by what it can be overcome.
  if (error.status === 401) res.setHeader('WWW-Authenticate', 'Bearer realm="api"');
  for (const [name, value] of Object.entries(error.details.headers ?? {})) res.setHeader(name, value);
  sendJson(res, error.status, error.toBody());
}

/** Writes a JSON answer. */
export function sendJson(res: Response, status: number, body: unknown): void {
  res.status(status).setHeader('Content-Type', 'application/json; charset=utf-8');
  res.end(JSON.stringify(body));
}

/** Whatever went wrong, as the envelope; a fault of ours is a 500 that carries nothing but the request id. */
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

/** The last handler of the HTTP surface. */
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
    logFailure(runtime, requestId, error);
    res.setHeader('X-Error-Code', 'internal_error');
    sendJson(res, 500, { error: `Internal server error. Request id: ${requestId}` });
  };
}

/** Logs a fault of ours; its answer carries nothing but the request id. */
export function logFailure(runtime: Runtime, requestId: string, error: unknown): void {
  runtime.logger.error({ requestId, error: describe(error) }, 'unexpected failure');
}

/** Statements and their values stay out of the log: they hold customers' data. */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const parent = (error as { parent?: { code?: string; constraint?: string; table?: string } }).parent;
  return {
    name: error.name,
    message: parent ? 'database error' : error.message,
    ...(parent ? { sqlState: parent.code, constraint: parent.constraint, table: parent.table } : {}),
    stack: error.stack?.split('\n').slice(1, 8).join('\n'),
  };
}
