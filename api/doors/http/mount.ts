import { pipeline } from 'node:stream/promises';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { cut } from '../../core/text/cut';
import type { Ctx } from '../../core/context';
import { AppError, invalid, notFound, preconditionFailed } from '../../core/http/errors';
import {
  claimKey,
  fingerprint,
  isIdempotencyKey,
  keyInFlight,
  type Claim,
  type Replay,
} from '../../core/db/idempotency';
import { isPage, isReply, isStream, type Operation, type Page, type Stream } from '../../core/http/operations';
import { retryWrite } from '../../core/queue/retry';
import type { Runtime } from '../../core/runtime';
import { guard } from '../../core/http/validate';
import { credentialCtx, type Credential } from '../../services/identity/apiKeys/authenticate';
import { authenticate, refuseExpiredTrial } from './authenticate';
import { readBody } from './bodies';
import { isRefusal } from './errorHandler';
import { givenValues, reportIgnored } from './ignored';
import { readInput, readParams, refuseUnpermitted } from './input';
import { pageText } from './pages';
import { addressOf } from './network';
import { passLimiter, type Limiters } from './rateLimit';
import { stateOf } from './request';
import { namesTag, tagOf } from './tags';
import { openUpload } from './uploads';

/**
 * Routes of all operations: one path is one route, which knows its methods (contract 3). Each resource has its router:
 * Express tries the paths of a router one after the other, which took 4 % of the processor time of a list.
 */
export function mountOperations(
  runtime: Runtime,
  operations: readonly Operation[],
  limiters: Limiters,
): RequestHandler {
  const byPath = new Map<string, Operation[]>();
  for (const operation of operations) byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation]);
  // A literal segment wins over a parameter in the same place.
  const paths = [...byPath.keys()].sort((left, right) => (rank(left) < rank(right) ? -1 : 1));
  const routers = new Map<string, Router>();
  for (const path of paths) {
    const group = byPath.get(path) ?? [];
    const router = routers.get(resourceOf(path)) ?? Router({ caseSensitive: true, strict: false });
    routers.set(resourceOf(path), router);
    router.all(path.replace(/\{(\w+)\}/g, ':$1'), (req, res, next) => {
      serve(runtime, path, group, limiters, req, res).catch(next);
    });
  }
  return (req, res, next) => {
    const router = routers.get(resourceOf(req.path));
    if (router) router(req, res, next);
    else next();
  };
}

/** Returns the resource of a path: `contacts` of `/api/v1/contacts/{id}/`. */
function resourceOf(path: string): string {
  return path.split('/', 4)[3] ?? '';
}

/** The order in which `Allow` names what a path takes, whichever resource declares it. */
const methodOrder: readonly Operation['method'][] = ['GET', 'POST', 'PATCH', 'DELETE'];

/** Sorts parameters behind every letter; a locale would sort their mark before them. */
function rank(path: string): string {
  return path.replace(/\{\w+\}/g, '~');
}

async function serve(
  runtime: Runtime,
  path: string,
  group: readonly Operation[],
  limiters: Limiters,
  req: Request,
  res: Response,
): Promise<void> {
  const state = stateOf(res);
  state.route = path;
  const methods = new Set(group.map((operation) => operation.method));
  const allowed = [
    ...methodOrder.filter((method) => methods.has(method)),
    ...(methods.has('GET') ? ['HEAD'] : []),
    'OPTIONS',
  ].join(', ');
  if (req.method === 'OPTIONS') {
    await passLimiter(limiters.anonymous, req, res);
    res.status(204).setHeader('Allow', allowed).end();
    return;
  }
  const credential = await admit(runtime, limiters, req, res);
  const method = req.method === 'HEAD' ? 'GET' : req.method;
  const operation = group.find((candidate) => candidate.method === method);
  if (!operation?.reactivates || credential.kind !== 'session') refuseExpiredTrial(credential, req.method);
  if (!operation)
    throw new AppError('method_not_allowed', `Method "${req.method}" not allowed.`, { headers: { Allow: allowed } });
  const ctx = credentialCtx(runtime, credential, state.requestId, addressOf(req));
  refuseUnpermitted(operation, credential);
  const condition = conditionOf(req, operation, group);

  const body = method === 'GET' || method === 'DELETE' ? {} : await bodyOf(req, res, operation);
  reportIgnored(res, operation, req.query, body);
  const claim = operation.idempotent ? await claimFor(runtime, credential, req, operation, body) : null;
  const work = async (own: Ctx): Promise<Answer> => {
    // A claim of a key is nobody's time: what is read of the body is the workspace's.
    state.goesOn?.();
    const input = await readInput(operation, own, { params: req.params, query: givenValues(req), body });
    return render(runtime, req, operation, await operation.run(own, input));
  };
  const answer =
    claim === null
      ? await (condition === null ? work(ctx) : workIfMatched(condition, ctx, readParams(operation, req.params), work))
      : claim.kind === 'replay'
        ? await replay(ctx, operation, req, res, claim)
        : await runClaimed(claim, { ...ctx, idempotencyKey: req.get('idempotency-key') ?? '' }, operation, work);
  for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
  if (answer.stream) {
    await sendStream(req, res, answer.stream);
    return;
  }
  if (operation.tagged) {
    const tag = tagOf(answer.body);
    res.setHeader('ETag', tag);
    if (namesTag(req.get('if-none-match') ?? '', tag, { weak: true })) {
      res.status(304).end();
      return;
    }
  }
  if (operation.status === 204) {
    res.status(204).end();
    return;
  }
  sendText(res, answer.status, answer.body);
}

/** What a write asks for: that what its path names, as `read` shows it, has one of these tags. */
interface Condition {
  readonly tags: string;
  readonly read: Operation;
}

/** Returns the condition of a write, or null where it has none. Throws the 400 where there is nothing to compare. */
function conditionOf(req: Request, operation: Operation, group: readonly Operation[]): Condition | null {
  const tags = req.get('if-match');
  if (tags === undefined || operation.method === 'GET') return null;
  const read = group.find(({ tagged }) => tagged);
  if (!read || operation.method === 'POST')
    throw invalid({ non_field_errors: ['If-Match is not taken here: what this path names has no ETag.'] });
  return { tags, read };
}

/** Does the work of a write in one transaction, in which its service judges the condition under the object's lock. */
async function workIfMatched(
  { tags, read }: Condition,
  ctx: Ctx,
  params: Record<string, unknown>,
  work: (ctx: Ctx) => Promise<Answer>,
): Promise<Answer> {
  let isJudged = false;
  const precondition = async (): Promise<void> => {
    if (isJudged) return;
    isJudged = true;
    const now = JSON.stringify(await read.run(ctx, params));
    if (!namesTag(tags, tagOf(now), { weak: false })) throw preconditionFailed();
  };
  return ctx.runtime.db.transaction(async () => {
    const answer = await work({ ...ctx, precondition });
    if (!isJudged) throw new Error('a write to an object with a tag did not judge If-Match');
    return answer;
  });
}

/** Returns what a request carries; an upload while it comes. */
async function bodyOf(req: Request, res: Response, operation: Operation): Promise<Record<string, unknown>> {
  return operation.uploads ? { ...(await openUpload(req, res)) } : readBody(req, res, operation);
}

/** Returns the credential of a request within its rate limit. Throws the 401 or 429. */
async function admit(runtime: Runtime, limiters: Limiters, req: Request, res: Response): Promise<Credential> {
  const state = stateOf(res);
  try {
    state.credential = await authenticate(runtime, req);
  } catch (error) {
    // Only a refusal counts against the address; a fault of ours would wait for the database a second time.
    if (error instanceof AppError && error.status < 500) await passLimiter(limiters.anonymous, req, res);
    throw error;
  }
  await passLimiter(limiters.credential, req, res);
  // What a credential opens belongs to no cache; an operation with headers of its own may say otherwise.
  res.setHeader('Cache-Control', 'no-store');
  return state.credential;
}

/**
 * Throws the 404 of a path that is none. Under `/api/v1/` credential, rate limit and trial come first, as for any other
 * path; elsewhere it counts towards the anonymous rate limit.
 */
export async function refuseUnknownPath(
  runtime: Runtime,
  limiters: Limiters,
  req: Request,
  res: Response,
): Promise<never> {
  if (req.path.startsWith('/api/v1/')) refuseExpiredTrial(await admit(runtime, limiters, req, res), req.method);
  else await passLimiter(limiters.anonymous, req, res);
  throw notFound();
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly subjectId: number | null;
  readonly stream?: Stream;
}

/** Returns the first answer to the same request, or, where it was erased since, what the request made as it is now. */
async function replay(ctx: Ctx, operation: Operation, req: Request, res: Response, kept: Replay): Promise<Answer> {
  const replayed = { 'Idempotent-Replayed': 'true' };
  if (kept.body !== null) return { ...kept, body: kept.body, headers: replayed };
  // Set here: a 404 carries it, too.
  res.setHeader('Idempotent-Replayed', 'true');
  if (kept.subjectId === null || !operation.reread) throw notFound();
  const now = await operation.reread(ctx, kept.subjectId, readParams(operation, req.params));
  return { ...kept, body: JSON.stringify(now), headers: replayed };
}

/**
 * Does the work of a claimed key. If the work is one transaction, its answer commits with it, so that a repeat finds
 * both or neither. A refusal had no effect: it is not stored, and the key is released.
 */
export async function runClaimed(
  claim: Claim,
  ctx: Ctx,
  operation: Operation,
  work: (ctx: Ctx) => Promise<Answer>,
): Promise<Answer> {
  const isAtomic = operation.idempotent === 'atomic';
  const unkept = (error: unknown): null => {
    ctx.logger.error(
      { event: 'idempotency.answer_not_kept', errorName: error instanceof Error ? error.name : 'unknown' },
      'the answer of a request was not kept under its Idempotency-Key',
    );
    return null;
  };
  try {
    if (isAtomic) {
      return await ctx.runtime.db.transaction(async () => {
        const answer = await work(ctx);
        if (!(await claim.finish(answer))) throw keyInFlight();
        return answer;
      });
    }
    const answer = await work(ctx);
    // What was done is done: a fault here must not hide the answer.
    await retryWrite(() => claim.finish(answer)).catch(unkept);
    return answer;
  } catch (error) {
    // A COMMIT whose answer was lost may have been done.
    const kept = await claim.release(isAtomic || isRefusal(error)).catch(unkept);
    if (kept?.body) return { ...kept, body: kept.body, headers: {} };
    throw error;
  }
}

async function claimFor(
  runtime: Runtime,
  credential: Pick<Credential, 'bucket' | 'workspaceId'>,
  req: Request,
  operation: Operation,
  body: Record<string, unknown>,
): Promise<Claim | Replay | null> {
  const key = req.get('idempotency-key');
  if (key === undefined) return null;
  if (!isIdempotencyKey(key))
    throw invalid({ non_field_errors: ['Idempotency-Key must be 1 to 255 printable ASCII characters.'] });
  // The fingerprint walks the whole body: what is nested too deep has to be refused before.
  guard(body, operation.body);
  const path = cut(req.path.endsWith('/') ? req.path : `${req.path}/`, 512);
  const { bucket, workspaceId } = credential;
  return claimKey(runtime, { workspaceId, credential: bucket, path, key, print: fingerprint(body) });
}

function render(runtime: Runtime, req: Request, operation: Operation, result: unknown): Answer {
  const { status } = operation;
  if (isStream(result)) return { status, body: '', headers: {}, subjectId: null, stream: result };
  const headers = isReply(result) ? result.headers : {};
  const value = isReply(result) ? result.value : result;
  const body = status === 204 ? '' : isPage(value) ? envelope(runtime, req, value) : JSON.stringify(value);
  return { status, body, headers, subjectId: idOf(value) };
}

function idOf(value: unknown): number | null {
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : undefined;
  return typeof id === 'number' ? id : null;
}

/** Returns the envelope of contract 3.1; links are absolute, from BASE_URL, and keep the filters (contract 4). */
function envelope(runtime: Runtime, req: Request, page: Page<unknown>): string {
  const path = req.baseUrl + (req.path.endsWith('/') ? req.path : `${req.path}/`);
  const link = (position: Record<string, string> | null): string | null => {
    if (!position) return null;
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(givenValues(req)))
      if (key !== 'page' && key !== 'cursor') query.set(key, String(value));
    for (const [key, value] of Object.entries(position)) query.set(key, value);
    return `${runtime.config.baseUrl}${path}?${query.toString()}`;
  };
  return pageText(page, link);
}

/**
 * Passes bytes on: all, or the range that is asked for, without which Safari plays no sound. A client that goes away,
 * or a source that breaks, ends both sides.
 */
export async function sendStream(req: Request, res: Response, { sizeBytes, headers, open }: Stream): Promise<void> {
  // Several ranges, and those of a version that a client has, may be answered with all (RFC 9110, 13.1.5 and 14.2).
  const ranges = req.get('if-range') === undefined ? req.range(sizeBytes) : undefined;
  if (ranges === -1)
    throw new AppError('range_not_satisfiable', 'The file has no such range of bytes.', {
      headers: { 'Content-Range': `bytes */${sizeBytes}` },
    });
  const [range, other] = Array.isArray(ranges) && ranges.type === 'bytes' ? ranges : [];
  const asked = other ? undefined : range;
  const body = await open(asked);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.setHeader('Accept-Ranges', 'bytes');
  res.setHeader('Content-Length', asked ? asked.end - asked.start + 1 : sizeBytes);
  if (asked) res.setHeader('Content-Range', `bytes ${asked.start}-${asked.end}/${sizeBytes}`);
  res.status(asked ? 206 : 200);
  if (req.method === 'HEAD') {
    body.destroy();
    res.end();
    return;
  }
  // Once the first byte is out a fault can only be told by breaking off.
  await pipeline(body, res).catch(() => res.destroy());
}

function sendText(res: Response, status: number, body: string): void {
  res.status(status).setHeader('Content-Type', 'application/json; charset=utf-8');
  res.end(body);
}
