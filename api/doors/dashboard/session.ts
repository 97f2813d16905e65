import express, { type NextFunction, type Request, type RequestHandler, type Response, type Router } from 'express';
import { cut } from '../../core/text/cut';
import { AppError, parseError } from '../../core/http/errors';
import { input, required, text } from '../../core/http/fields';
import type { Runtime } from '../../core/runtime';
import { validate } from '../../core/http/validate';
import { refuseForeignOrigin } from '../http/authenticate';
import { describeJsonError } from '../http/bodies';
import { passLimiter, type Limiters } from '../http/rateLimit';
import { cookieOf, stateOf } from '../http/request';
import { teamMember } from '../../services/identity/members/serializer';
import { awaitingOf, finishSignIn, signIn, signOut, type SignedIn } from '../../services/identity/members/sessions';
import { originOf, sessionCookie, setSessionCookies } from './signIn';
import { workspaceView } from '../../services/identity/workspaces/serializer';

const bodyLimit = '16kb';
const signInInput = input({
  email: required(text({ max: 254, blank: false })),
  password: required(text({ max: 1_024, blank: false, trim: false })),
  code: text({ max: 40 }),
});

const path = '/dashboard/session/';

/** Signs in by `POST /dashboard/session/` and out by `DELETE`; for programs of the dashboard itself. */
export function sessionRouter(runtime: Runtime, limiters: Limiters): Router {
  const router = express.Router();
  const secure = runtime.config.baseUrl.startsWith('https:');

  const admit: RequestHandler = (request, response, next) => {
    stateOf(response).route = path;
    passLimiter(limiters.anonymous, request, response)
      .then(() => {
        refuseOtherPages(request);
        next();
      })
      .catch(next);
  };

  router.post(path, admit, onlyJson, express.json({ limit: bodyLimit }), (request, response, next) => {
    answerSignIn(request, response).catch(next);
  });
  router.delete(path, admit, (request, response, next) => {
    answerSignOut(request, response).catch(next);
  });
  router.use(path, (error: unknown, _request: Request, _response: Response, next: NextFunction) =>
    next(translate(error)),
  );
  return router;

  /** Throws 403 for a page of another site, which must not be able to sign its visitor in to another account. */
  function refuseOtherPages(request: Request): void {
    if (request.get('sec-fetch-site') === 'cross-site')
      throw new AppError('forbidden', 'Sign in from the dashboard itself.');
    // Browsers leave Sec-Fetch-Site out over plain http; the Origin they send with every write.
    refuseForeignOrigin(runtime, request);
  }

  async function answerSignIn(request: Request, response: Response): Promise<void> {
    const body: unknown = request.body;
    const { email, password, code } = validate(
      signInInput,
      typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : {},
    );
    const session = await signIn(runtime, {
      email,
      password,
      ...originOf(request),
      userAgent: request.get('user-agent') ?? '',
    });
    setSessionCookies(runtime, response, await finished(request, session, code));
    response
      .set('Cache-Control', 'no-store')
      .json({ member: teamMember(session.member), workspace: workspaceView(session.workspace) });
  }

  /** Returns the cookies of a session that owes no second factor any more. */
  async function finished(
    request: Request,
    session: Pick<SignedIn, 'awaitsFactor' | 'token' | 'device'>,
    code: string | undefined,
  ): Promise<Pick<SignedIn, 'token' | 'device'>> {
    if (!session.awaitsFactor) return session;
    const awaiting = code === undefined ? null : await awaitingOf(runtime, session.token);
    if (!awaiting)
      throw new AppError('unauthorized', 'A second factor is needed: send its code, too, or sign in by the page.', {
        publicCode: 'second_factor_required',
      });
    return finishSignIn(runtime, awaiting, { code }, originOf(request));
  }

  async function answerSignOut(request: Request, response: Response): Promise<void> {
    const token = cookieOf(request, sessionCookie);
    if (token !== null) await signOut(runtime, token);
    response.clearCookie(sessionCookie, { httpOnly: true, sameSite: 'lax', path: '/', secure });
    response.status(204).end();
  }
}

/** A form of another site can send anything but JSON without asking first. */
function onlyJson(request: Request, _response: Response, next: NextFunction): void {
  const type = (request.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json') next();
  else
    next(new AppError('unsupported_media_type', `Unsupported media type "${cut(type, 100)}" in request. Send JSON.`));
}

/** Returns the body parsers' own errors in the words of the service. */
function translate(error: unknown): unknown {
  if (error instanceof AppError || typeof error !== 'object' || error === null) return error;
  const { type } = error as { type?: unknown };
  if (type === 'entity.too.large') return new AppError('too_large', 'The request body is too large.');
  if (type === 'entity.parse.failed') return parseError(`JSON parse error - ${describeJsonError(error)}`);
  if (type === 'charset.unsupported' || type === 'encoding.unsupported')
    return new AppError('unsupported_media_type', 'Unsupported media type in request.');
  return error;
}
