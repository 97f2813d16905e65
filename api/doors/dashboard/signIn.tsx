import express, { type Request, type Response, type Router } from 'express';
import { cut } from '../../core/text/cut';
import { AppError } from '../../core/http/errors';
import type { Runtime } from '../../core/runtime';
import { randomToken, safeEqual, sha256 } from '../../core/secrets';
import type { Origin } from '../../services/identity/attempts/attempts';
import { sessionSeconds, signIn } from '../../services/identity/members/sessions';
import { ssoPath, usesSsoAnywhere } from '../../services/identity/sso/service';
import { toAppError } from '../http/errorHandler';
import { addressOf, networkOf } from '../http/network';
import { passLimiter, type Limiters } from '../http/rateLimit';
import { readFields } from '../http/bodies';
import { cookieOf, refuseMethod, stateOf } from '../http/request';
import { CardButton, CardError, wrong } from './cardParts';
import type { Html } from './html';
import { sendOn, sendPage } from './pages';
import { refusalText } from './refusals';
import { words } from './words';

const { signIn: said } = words;
const { password: own } = said;

/** The cookie that carries a dashboard session (contract 12.1). */
export const sessionCookie = 'token';
/** Where members sign in; `next` is the page that they came for. */
export const signInPath = '/dashboard/sign-in/';

/** Where members ask for a link by which they choose a password. */
export const forgotPath = '/dashboard/forgot/';

/** Where a sign-in shows the second factor. */
export const factorPath = '/dashboard/sign-in/factor/';

const home = '/dashboard/';
const formCookie = 'sign_in';
const deviceCookie = 'device';
/** Half a year: who stays away longer is counted like a stranger. */
const deviceSeconds = 180 * 86_400;
const bodyLimit = 16 * 1024;
const maxNext = 2_000;

/** The page `GET /dashboard/sign-in/?next=…` and its form; works without scripts. */
export function signInRouter(runtime: Runtime, limiters: Limiters): Router {
  const router = express.Router();
  router.all(signInPath, (req, res, next) => {
    stateOf(res).route = signInPath;
    answer(runtime, limiters, req, res).catch(next);
  });
  return router;
}

async function answer(runtime: Runtime, limiters: Limiters, req: Request, res: Response): Promise<void> {
  if (req.method === 'GET' || req.method === 'HEAD') {
    await passLimiter(limiters.anonymous, req, res);
    await show(runtime, req, res, 200, {
      next: ownPath(runtime, new URL(req.originalUrl, runtime.config.baseUrl).searchParams.get('next')),
    });
    return;
  }
  refuseMethod(req, ['GET', 'HEAD', 'POST']);
  const form = await readFields(req, res, bodyLimit);
  const next = ownPath(runtime, form.get('next'));
  const email = cut(form.get('email') ?? '', 254).replaceAll('\0', '');
  // A page of another site must not be able to sign its visitor in to another account.
  const origin = req.headers.origin;
  const isForeign = origin !== undefined && origin !== 'null' && origin !== new URL(runtime.config.baseUrl).origin;
  if (isForeign || req.get('sec-fetch-site') === 'cross-site' || !isOwnForm(req, form)) {
    await show(runtime, req, res, 403, { next, email, error: said.tooLong });
    return;
  }
  try {
    await passLimiter(limiters.anonymous, req, res);
    const password = form.get('password') ?? '';
    if (email.trim() === '' || password === '' || password.length > 1_024)
      throw new AppError('unauthorized', 'Invalid email or password.');
    const session = await signIn(runtime, {
      email,
      password,
      ...originOf(req),
      userAgent: req.get('user-agent') ?? '',
    });
    setSessionCookies(runtime, res, session);
    res.clearCookie(formCookie, formCookieOptions(runtime));
    sendOn(res, session.awaitsFactor ? `${factorPath}?${new URLSearchParams({ next }).toString()}` : next);
  } catch (error) {
    const refusal = toAppError(error);
    if (!refusal) throw error;
    if (refusal.details.retryAfter !== undefined) res.setHeader('Retry-After', String(refusal.details.retryAfter));
    await show(runtime, req, res, refusal.status, { next, email, error: textOf(refusal) });
  }
}

function textOf(refusal: AppError): string {
  if (refusal.code === 'throttled') return own.tooMany(Math.ceil((refusal.details.retryAfter ?? 60) / 60));
  return refusal.code === 'unauthorized' ? own.wrong : refusalText(refusal.why);
}

async function show(
  runtime: Runtime,
  req: Request,
  res: Response,
  status: number,
  page: { readonly next: string; readonly email?: string; readonly error?: string },
): Promise<void> {
  let form = cookieOf(req, formCookie) ?? '';
  if (!/^[A-Za-z0-9_-]{32}$/.test(form)) {
    form = randomToken(24);
    res.cookie(formCookie, form, formCookieOptions(runtime));
  }
  const usesSso = await usesSsoAnywhere(runtime);
  sendPage(res, status, {
    title: page.error ? said.error(own.named) : own.title,
    formAction: "'self'",
    body: <SignInForm {...page} form={form} forgot={runtime.mail !== null} sso={usesSso} />,
  });
}

interface FormGiven {
  readonly next: string;
  readonly email?: string;
  readonly error?: string;
  /** The mark of the form, which the browser's cookie has, too. */
  readonly form: string;
  /** Links for new passwords are mailed. */
  readonly forgot: boolean;
  /** Some workspace signs in by its company. */
  readonly sso: boolean;
}

function SignInForm({ next, email = '', error = '', form, forgot, sso }: FormGiven): Html {
  return (
    <>
      <h1>{own.title}</h1>
      <p class="soft">{next.startsWith('/oauth/') ? own.application : own.reason}</p>
      <CardError text={error} />
      <form method="post" action={signInPath}>
        <input type="hidden" name="form" value={form} />
        <input type="hidden" name="next" value={next} />
        <div class="field">
          <label for="email">{own.email}</label>
          <input
            id="email"
            name="email"
            type="email"
            autocomplete="username"
            inputmode="email"
            maxlength={254}
            required
            value={email}
            autofocus={!error}
            {...wrong(error)}
          />
        </div>
        <div class="field">
          <label for="password">{own.password}</label>
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="current-password"
            maxlength={1024}
            required
            autofocus={Boolean(error)}
            {...wrong(error)}
          />
        </div>
        <CardButton text={own.title} />
      </form>
      {sso && (
        <p class="soft small">
          <a href={`${ssoPath}?${new URLSearchParams({ next }).toString()}`}>{own.company}</a>
        </p>
      )}
      {forgot && (
        <p class="soft small">
          <a href={forgotPath}>{own.forgot}</a>
        </p>
      )}
    </>
  );
}

function formCookieOptions(runtime: Runtime): { httpOnly: true; sameSite: 'lax'; path: string; secure: boolean } {
  return { httpOnly: true, sameSite: 'lax', path: signInPath, secure: isSecure(runtime) };
}

/** Returns whether the form was given out to this browser. */
function isOwnForm(req: Request, form: URLSearchParams): boolean {
  const cookie = cookieOf(req, formCookie);
  return cookie !== null && cookie !== '' && safeEqual(sha256(cookie), sha256(form.get('form') ?? ''));
}

/** Returns where a sign-in comes from. */
export function originOf(req: Request): Origin {
  return { address: addressOf(req), network: networkOf(req), device: cookieOf(req, deviceCookie) };
}

/** Writes the cookies of a sign-in: the session, and for later sign-ins that this browser has been the member's. */
export function setSessionCookies(
  runtime: Runtime,
  res: Response,
  { token, device }: { readonly token: string; readonly device: string | undefined },
): void {
  const common = { httpOnly: true, sameSite: 'lax', secure: isSecure(runtime) } as const;
  res.cookie(sessionCookie, token, { ...common, path: '/', maxAge: sessionSeconds * 1000 });
  if (device !== undefined) res.cookie(deviceCookie, device, { ...common, path: home, maxAge: deviceSeconds * 1000 });
}

/** Returns whether cookies may travel over https only. */
export function isSecure(runtime: Runtime): boolean {
  return runtime.config.baseUrl.startsWith('https:');
}

/** Returns the page to go to, if it is one of our own; a sign-in that leads elsewhere would lend our name to a trap. */
export function ownPath(runtime: Runtime, next: string | null): string {
  if (next === null || next.length > maxNext || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next) || next.includes('\\'))
    return home;
  const origin = new URL(runtime.config.baseUrl).origin;
  if (!URL.canParse(next, origin)) return home;
  const target = new URL(next, origin);
  if (target.origin !== origin) return home;
  // Dots in a path are resolved on the way: what comes out is looked at, not what came in.
  const path = `${target.pathname}${target.search}${target.hash}`;
  return /^\/(?![/\\])/.test(path) ? path : home;
}
