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
import { CardButton, CardError, CardLink, wrong } from './cardParts';
import type { Html } from './html';
import { sendPage, signedOutRouter } from './pages';
import { forgotPath, signInPath } from './signIn';
import { refusalText } from './refusals';
import { words } from './words';

const { link, forgot, password: signIn } = words.signIn;

const linkPath = '/dashboard/link/:token/';
const bodyLimit = 16 * 1024;

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
    tell(res, 404, link.gone);
    return;
  }
  const show = (status: number, error = ''): void =>
    sendPage(res, status, {
      title: link.title,
      formAction: "'self'",
      body: <ChooseForm email={member.email} error={error} />,
    });
  if (!isForm(req)) {
    show(200);
    return;
  }
  const form = await readFields(req, res, bodyLimit);
  const password = form.get('password') ?? '';
  if (password !== form.get('again')) {
    show(422, link.differ);
    return;
  }
  try {
    await useLink(runtime, token, password, addressOf(req));
  } catch (error) {
    const refusal = toAppError(error);
    if (!refusal || refusal.code === 'not_found') throw error;
    const [messages = []] = Object.values(refusal.fields ?? { error: [refusal.why] });
    show(refusal.status, messages.map(refusalText).join(' '));
    return;
  }
  tell(res, 200, link.saved);
}

async function answerForgot(runtime: Runtime, req: Request, res: Response): Promise<void> {
  if (!isForm(req)) {
    sendPage(res, 200, { title: forgot.title, formAction: "'self'", body: <ForgotForm /> });
    return;
  }
  const email = cut(((await readFields(req, res, bodyLimit)).get('email') ?? '').trim(), 254).replaceAll('\0', '');
  // Said before it is looked up: neither words nor time tell who is a member.
  tell(res, 200, forgot.mailed);
  await askForLink(runtime, email, addressOf(req)).catch((error: unknown) => {
    runtime.logger.error({ event: 'password_link.failed', error }, 'no password link was mailed');
  });
}

function isForm(req: Request): boolean {
  refuseMethod(req, ['GET', 'HEAD', 'POST']);
  return req.method === 'POST';
}

function tell(res: Response, status: number, { title, text }: { readonly title: string; readonly text: string }): void {
  const body = (
    <>
      <h1>{title}</h1>
      <p>{text}</p>
      <CardLink href={signInPath} text={signIn.title} />
    </>
  );
  sendPage(res, status, { title, formAction: "'self'", body });
}

function ChooseForm({ email, error }: { readonly email: string; readonly error: string }): Html {
  const password = { type: 'password', autocomplete: 'new-password', maxlength: 1024, required: true };
  return (
    <>
      <h1>{link.title}</h1>
      <p class="soft">{link.for(email, refusalText(passwordRule))}</p>
      <CardError text={error} />
      <form method="post">
        <div class="field">
          <label for="password">{link.password}</label>
          <input id="password" name="password" {...password} autofocus {...wrong(error)} />
        </div>
        <div class="field">
          <label for="again">{link.again}</label>
          <input id="again" name="again" {...password} />
        </div>
        <CardButton text={link.save} />
      </form>
    </>
  );
}

function ForgotForm(): Html {
  return (
    <>
      <h1>{forgot.title}</h1>
      <p class="soft">{forgot.about}</p>
      <form method="post">
        <div class="field">
          <label for="email">{forgot.email}</label>
          <input id="email" name="email" type="email" autocomplete="username" maxlength={254} required autofocus />
        </div>
        <CardButton text={forgot.mail} />
      </form>
    </>
  );
}
