import type { Request, Response, Router } from 'express';
import { AppError } from '../../core/http/errors';
import type { Runtime } from '../../core/runtime';
import { challengePasskey } from '../../services/identity/factors/passkeys';
import { hasFactor } from '../../services/identity/factors/service';
import { startTotp } from '../../services/identity/factors/totp';
import { awaitingOf, finishSignIn, type Awaiting } from '../../services/identity/members/sessions';
import { readFields } from '../http/bodies';
import { toAppError } from '../http/errorHandler';
import type { Limiters } from '../http/rateLimit';
import { cookieOf, refuseMethod } from '../http/request';
import { isCsrfToken, maskCsrf } from './csrf';
import { sendOn, sendPage, signedOutRouter } from './pages';
import { readPasskeyField } from './proof';
import { qrCode } from './qrCode';
import { factorPath, originOf, ownPath, sessionCookie, setSessionCookies, signInPath } from './signIn';

const bodyLimit = 64 * 1024;

const template = `
<h1><%= it.start ? 'Set up a second factor' : 'One more step' %></h1>
<p class="soft"><%= it.start
  ? 'Your workspace asks for one at each sign-in. Scan this with an authenticator app on your phone.'
  : 'Show now that it is you.' %></p>
<% if (it.error) { %><div class="note note-bad" role="alert" id="error"><p><%= it.error %></p></div><% } %>
<form method="post" action="<%= it.action %>">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<input type="hidden" name="next" value="<%= it.next %>">
<input type="hidden" name="passkey" data-passkey-answer>
<% if (it.start) { %>
<input type="hidden" name="enrolment" value="<%= it.start.enrolment %>">
<div class="qr-code"><%~ it.start.picture %></div>
<p class="hint">Or type this into the app: <code class="break"><%= it.start.secret %></code></p>
<% } %>
<div class="field">
<label for="code"><%= it.start ? 'The code that the app shows' : 'Code of your authenticator app, or a recovery code'
%></label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="40"
required autofocus<% if (it.error) { %> aria-invalid="true" aria-describedby="error"<% } %>>
</div>
<div class="actions"><% if (it.passkey) { %><button class="button" type="button" data-passkey="<%= it.passkey %>">Use
a passkey</button><% } %><button class="button button-main" type="submit">Go on</button></div>
</form>
`;

const codesTemplate = `
<h1>Your recovery codes</h1>
<p>Each works once in place of the app. Keep them where you find them without your phone: they are shown this once.</p>
<ul class="codes"><% for (const code of it.codes) { %><li><code><%= code %></code></li><% } %></ul>
<div class="actions"><a class="button button-main" href="<%= it.next %>">I have kept them</a></div>
`;

/** The second step of a sign-in, `/dashboard/sign-in/factor/`; only passkeys need a script. */
export function factorRouter(runtime: Runtime, limiters: Limiters): Router {
  return signedOutRouter(limiters, { [factorPath]: (req, res) => answer(runtime, req, res) });
}

async function answer(runtime: Runtime, req: Request, res: Response): Promise<void> {
  refuseMethod(req, ['GET', 'HEAD', 'POST']);
  const form = req.method === 'POST' ? await readFields(req, res, bodyLimit) : null;
  const asked = form ? form.get('next') : new URL(req.originalUrl, runtime.config.baseUrl).searchParams.get('next');
  const next = ownPath(runtime, asked);
  const token = cookieOf(req, sessionCookie);
  const awaiting = token === null ? null : await awaitingOf(runtime, token);
  if (!awaiting) {
    sendOn(res, `${signInPath}?${new URLSearchParams({ next }).toString()}`);
    return;
  }
  if (!form) {
    await show(runtime, res, awaiting, 200, { next });
    return;
  }
  try {
    if (!isCsrfToken(awaiting.csrf_secret, form.get('csrf') ?? ''))
      throw new AppError('forbidden', 'This form was open for too long. Please try again.');
    const passkey = readPasskeyField(form.get('passkey'));
    const proof = { code: form.get('code') ?? '', passkey, enrolment: form.get('enrolment') ?? undefined };
    const finished = await finishSignIn(runtime, awaiting, proof, originOf(req));
    setSessionCookies(runtime, res, finished);
    if (finished.codes)
      sendPage(res, 200, { title: 'Recovery codes', template: codesTemplate, data: { codes: finished.codes, next } });
    else sendOn(res, next);
  } catch (error) {
    const refusal = toAppError(error);
    if (!refusal) throw error;
    if (refusal.details.retryAfter !== undefined) res.setHeader('Retry-After', String(refusal.details.retryAfter));
    const words = Object.values(refusal.details.fields ?? {})[0]?.join(' ') ?? refusal.message;
    await show(runtime, res, awaiting, refusal.status, { next, error: words });
  }
}

async function show(
  runtime: Runtime,
  res: Response,
  { id, email, session_id: sessionId, csrf_secret: secret }: Awaiting,
  status: number,
  page: { readonly next: string; readonly error?: string },
): Promise<void> {
  const isKnown = await hasFactor(runtime, id);
  const start = isKnown ? null : startTotp(runtime, id, email);
  const passkey = isKnown ? await challengePasskey(runtime, id, sessionId) : null;
  sendPage(res, status, {
    title: page.error ? 'Error: second step' : 'Second step',
    template,
    formAction: "'self'",
    scripts: ['passkey.js'],
    data: {
      ...page,
      action: factorPath,
      csrf: maskCsrf(secret),
      start: start && { ...start, picture: await qrCode(start.uri) },
      passkey: passkey && JSON.stringify(passkey),
    },
  });
}
