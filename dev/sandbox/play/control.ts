import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../context';
import type { JsonObject, Reply } from '../types';
import { isObject } from '../util';
import type { Limits } from '../wire/limits';
import { ControlError } from './controlError';
import { controlRoutes, type ControlRoute } from './routes';

interface ControlRequest {
  method: string;
  /** Segments after `/_control`. */
  segments: string[];
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  data: Buffer;
}

/** Answers a call of the sandbox's own API. */
export async function handleControl(context: Context, limits: Limits, request: ControlRequest): Promise<Reply> {
  try {
    if (request.method === 'GET' && request.segments.length === 0) return { status: 200, body: describeRoutes() };
    const route = controlRoutes().find((candidate) => fits(candidate, request));
    if (!route)
      throw new ControlError(
        404,
        `No control route ${request.method} /_control/${request.segments.join('/')}; GET /_control/ lists all.`,
      );

    const [, id = ''] = request.segments;
    const result = await route.handle({ context, limits, input: inputOf(request.data), query: request.query, id });
    if (isObject(result) && Buffer.isBuffer(result['raw']))
      return { status: 200, raw: result['raw'], contentType: String(result['contentType']) };
    return { status: 200, body: result };
  } catch (error) {
    if (error instanceof ControlError) return { status: error.status, body: { error: error.message } };
    throw error;
  }
}

/** Returns what `GET /_control/` shows: each route with an example. */
function describeRoutes(): JsonObject {
  return {
    routes: controlRoutes().map(({ method, path, about, example }) => ({
      method,
      path: `/_control/${path}`,
      about,
      example: { path: `/_control/${example.path ?? path}`, ...(example.body ? { body: example.body } : {}) },
    })),
  };
}

function fits(route: ControlRoute, request: ControlRequest): boolean {
  const parts = route.path.split('/');
  return (
    route.method === request.method &&
    parts.length === request.segments.length &&
    parts.every((part, index) => part.startsWith(':') || part === request.segments[index])
  );
}

function inputOf(data: Buffer): JsonObject {
  if (data.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(data.toString());
  } catch {
    throw new ControlError(400, 'The body is not JSON.');
  }
  if (!isObject(value)) throw new ControlError(400, 'The body must be a JSON object.');
  return value;
}
