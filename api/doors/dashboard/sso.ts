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
import { sendOn, sendPage, signedOutRouter } from './pages';
import { factorPath, isSecure, originOf, ownPath, setSessionCookies, signInPath } from './signIn';

const keptCookie = 'sso';
const callbackPath = `${ssoPath}:workspace/`;
const bodyLimit = 16 * 1024;
/** What a provider sends back is some parameters; longer ones are no answer. */
const maxCallback = 8_000;

const template = `
<h1>Sign in with your company</h1>
<p class="soft">Where your company runs its own sign-in, your email leads there.</p>
<% if (it.error) { %><div class="note note-bad" role="alert" id="error"><p><%= it.error %></p></div><% } %>
<form method="post" action="<%= it.action %>">
<input type="hidden" name="next" value="<%= it.next %>">
<div class="field"><label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" inputmode="email" maxlength="254" required autofocus
value="<%= it.email %>"<% if (it.error) { %> aria-invalid="true" aria-describedby="error"<% } %>></div>
<div class="actions"><button class="button button-main" type="submit">Go on</button></div>
</form>
<p class="soft small"><a href="<%= it.signIn %>">Sign in with a password</a></p>
`;

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
    if (!provider) throw new AppError('forbidden', 'No company with a sign-in of its own has this email.');
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
    if (!attempt || req.originalUrl.length > maxCallback)
      throw new AppError('forbidden', 'This sign-in is over, or began in another browser. Begin again.');
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
  show(res, refusal.status, { ...page, error: refusal.message });
}

function show(
  res: Response,
  status: number,
  { next, email = '', error = '' }: { readonly next: string; readonly email?: string; readonly error?: string },
): void {
  sendPage(res, status, {
    title: error ? 'Error: sign in with your company' : 'Sign in with your company',
    template,
    // Its answer leads to the provider: no form-action.
    data: {
      ...{ action: ssoPath, next, email, error },
      signIn: `${signInPath}?${new URLSearchParams({ next }).toString()}`,
    },
  });
}
