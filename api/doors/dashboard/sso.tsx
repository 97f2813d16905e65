import { cut } from '../../core/text/cut';
import type { CookieOptions, Request, Response, Router } from 'express';
import { AppError } from '../../core/http/errors';
import type { Runtime } from '../../core/runtime';
import { providerOfEmailAnywhere, ssoPath } from '../../services/identity/sso/service';
import { attemptOf, beginSso, finishSso } from '../../services/identity/sso/signIn';
import { readFields } from '../http/bodies';
import { toAppError } from '../http/errorHandler';
import type { Limiters } from '../http/rateLimit';
import { cookieOf, refuseMethod } from '../http/request';
import { CardButton, CardError, wrong } from './cardParts';
import { sendOn, sendPage, signedOutRouter } from './pages';
import { factorPath, isSecure, originOf, ownPath, setSessionCookies, signInPath } from './signIn';
import { refusalText } from './refusals';
import { words } from './words';

const { signIn: said } = words;
const { company } = said;

const keptCookie = 'sso';
const callbackPath = `${ssoPath}:workspace/`;
const bodyLimit = 16 * 1024;
/** What a provider sends back is some parameters; longer ones are no answer. */
const maxCallback = 8_000;

/** The way to a company's own sign-in and back. */
export function ssoRouter(runtime: Runtime, limiters: Limiters): Router {
  return signedOutRouter(limiters, {
    [ssoPath]: (req, res) => answerStart(runtime, req, res),
    [callbackPath]: (req, res) => answerCallback(runtime, req, res),
  });
}

async function answerStart(runtime: Runtime, req: Request, res: Response): Promise<void> {
  refuseMethod(req, ['GET', 'HEAD', 'POST']);
  const query = new URL(req.originalUrl, runtime.config.baseUrl).searchParams;
  const form = req.method === 'POST' ? await readFields(req, res, bodyLimit) : null;
  const next = ownPath(runtime, (form ?? query).get('next'));
  const email = cut((form?.get('email') ?? '').trim(), 254).replaceAll('\0', '');
  if (!form) {
    show(res, 200, { next });
    return;
  }
  try {
    const provider = await providerOfEmailAnywhere(runtime, email);
    if (!provider) throw new AppError('forbidden', company.unknown);
    const { url, kept } = await beginSso(runtime, provider, { next, email, sessionId: null });
    keepAttempt(runtime, res, kept);
    sendOn(res, url);
  } catch (error) {
    refuse(res, error, { next, email });
  }
}

async function answerCallback(runtime: Runtime, req: Request, res: Response): Promise<void> {
  refuseMethod(req, ['GET']);
  const attempt = attemptOf({ runtime, workspaceId: Number(req.params['workspace']) }, cookieOf(req, keptCookie));
  // A sign-in that was begun can be used once, whether it succeeds or not.
  res.clearCookie(keptCookie, cookieOptions(runtime));
  const next = ownPath(runtime, attempt?.next ?? null);
  try {
    if (!attempt || req.originalUrl.length > maxCallback) throw new AppError('forbidden', company.over);
    const callback = new URL(req.originalUrl, runtime.config.baseUrl);
    const from = { origin: originOf(req), userAgent: req.get('user-agent') ?? '' };
    const session = await finishSso(runtime, attempt, callback, from);
    if (session) setSessionCookies(runtime, res, session);
    sendOn(res, session?.awaitsFactor ? `${factorPath}?${new URLSearchParams({ next }).toString()}` : next);
  } catch (error) {
    refuse(res, error, { next });
  }
}

/** Keeps the data of the attempt in the browser, encrypted, until the provider's answer arrives. */
export function keepAttempt(runtime: Runtime, res: Response, kept: string): void {
  res.cookie(keptCookie, kept, cookieOptions(runtime));
}

function cookieOptions(runtime: Runtime): CookieOptions {
  return { httpOnly: true, sameSite: 'lax', path: ssoPath, secure: isSecure(runtime) };
}

function refuse(res: Response, error: unknown, page: { readonly next: string; readonly email?: string }): void {
  const refusal = toAppError(error);
  if (!refusal) throw error;
  if (refusal.details.retryAfter !== undefined) res.setHeader('Retry-After', String(refusal.details.retryAfter));
  show(res, refusal.status, { ...page, error: refusalText(refusal.why) });
}

function show(
  res: Response,
  status: number,
  { next, email = '', error = '' }: { readonly next: string; readonly email?: string; readonly error?: string },
): void {
  const body = (
    <>
      <h1>{company.title}</h1>
      <p class="soft">{company.about}</p>
      <CardError text={error} />
      <form method="post" action={ssoPath}>
        <input type="hidden" name="next" value={next} />
        <div class="field">
          <label for="email">{company.email}</label>
          <input
            id="email"
            name="email"
            type="email"
            autocomplete="username"
            inputmode="email"
            maxlength={254}
            required
            autofocus
            value={email}
            {...wrong(error)}
          />
        </div>
        <CardButton text={said.goOn} />
      </form>
      <p class="soft small">
        <a href={`${signInPath}?${new URLSearchParams({ next }).toString()}`}>{company.password}</a>
      </p>
    </>
  );
  // Its answer leads to the provider: no form-action.
  sendPage(res, status, { title: error ? said.error(company.named) : company.title, body });
}
