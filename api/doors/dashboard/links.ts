import type { Request, Response, Router } from 'express';
import { cut } from '../../core/text/cut';
import type { Runtime } from '../../core/runtime';
import { askForLink, memberOfLink, useLink } from '../../services/identity/members/links';
import { passwordRule } from '../../services/identity/members/passwordStrength';
import { readFields } from '../http/bodies';
import { toAppError } from '../http/errorHandler';
import { addressOf } from '../http/network';
import type { Limiters } from '../http/rateLimit';
import { refuseMethod } from '../http/request';
import { sendPage, signedOutRouter } from './pages';
import { forgotPath, signInPath } from './signIn';

const linkPath = '/dashboard/link/:token/';
const bodyLimit = 16 * 1024;

const choose = `
<h1>Choose your password</h1>
<p class="soft">For <%= it.email %>. <%= it.rule %></p>
<% if (it.error) { %><div class="note note-bad" role="alert" id="error"><p><%= it.error %></p></div><% } %>
<form method="post">
<div class="field"><label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" maxlength="1024" required autofocus
<% if (it.error) { %> aria-invalid="true" aria-describedby="error"<% } %>></div>
<div class="field"><label for="again">New password again</label>
<input id="again" name="again" type="password" autocomplete="new-password" maxlength="1024" required></div>
<div class="actions"><button class="button button-main" type="submit">Save</button></div>
</form>
`;

const forgot = `
<h1>Forgot your password?</h1>
<p class="soft">We mail you a link by which you choose a new one.</p>
<form method="post">
<div class="field"><label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" maxlength="254" required autofocus></div>
<div class="actions"><button class="button button-main" type="submit">Mail me a link</button></div>
</form>
`;

const noticePage = `
<h1><%= it.title %></h1>
<p><%= it.text %></p>
<div class="actions"><a class="button button-main" href="<%= it.signIn %>">Sign in</a></div>
`;

/** The page behind a link that lets a member choose a password, and the one that asks for such a link. */
export function linkRouter(runtime: Runtime, limiters: Limiters): Router {
  return signedOutRouter(limiters, {
    [linkPath]: (req, res) => answerLink(runtime, req, res),
    ...(runtime.mail ? { [forgotPath]: (req: Request, res: Response) => answerForgot(runtime, req, res) } : {}),
  });
}

async function answerLink(runtime: Runtime, req: Request, res: Response): Promise<void> {
  const token = cut(String(req.params['token']), 200);
  const member = await memberOfLink(runtime, token);
  if (!member) {
    tell(
      res,
      404,
      'This link no longer works',
      'It was used, is older than an hour, or a newer one took its place. Ask for another.',
    );
    return;
  }
  const show = (status: number, error = ''): void =>
    sendPage(res, status, {
      title: 'Choose your password',
      template: choose,
      formAction: "'self'",
      data: { email: member.email, rule: passwordRule, error },
    });
  if (!isForm(req)) {
    show(200);
    return;
  }
  const form = await readFields(req, res, bodyLimit);
  const password = form.get('password') ?? '';
  if (password !== form.get('again')) {
    show(422, 'The two passwords differ.');
    return;
  }
  try {
    await useLink(runtime, token, password, addressOf(req));
  } catch (error) {
    const refusal = toAppError(error);
    if (!refusal || refusal.code === 'not_found') throw error;
    show(refusal.status, Object.values(refusal.details.fields ?? { error: [refusal.message] })[0]?.join(' '));
    return;
  }
  tell(res, 200, 'Your password is saved', 'You are signed out everywhere. Sign in with it now.');
}

async function answerForgot(runtime: Runtime, req: Request, res: Response): Promise<void> {
  if (!isForm(req)) {
    sendPage(res, 200, { title: 'Forgot your password?', template: forgot, formAction: "'self'", data: {} });
    return;
  }
  const email = cut(((await readFields(req, res, bodyLimit)).get('email') ?? '').trim(), 254).replaceAll('\0', '');
  // Said before it is looked up: neither words nor time tell who is a member.
  tell(res, 200, 'Look into your mail', 'If a member has this email, a link is on its way. It works for an hour.');
  await askForLink(runtime, email, addressOf(req)).catch((error: unknown) => {
    runtime.logger.error({ event: 'password_link.failed', error }, 'no password link was mailed');
  });
}

function isForm(req: Request): boolean {
  refuseMethod(req, ['GET', 'HEAD', 'POST']);
  return req.method === 'POST';
}

function tell(res: Response, status: number, title: string, text: string): void {
  sendPage(res, status, {
    title,
    template: noticePage,
    formAction: "'self'",
    data: { title, text, signIn: signInPath },
  });
}
