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
import { CardError, CardLink, wrong } from './cardParts';
import { Filled } from './filled';
import type { Html } from './html';
import { sendOn, sendPage, signedOutRouter } from './pages';
import { readPasskeyField } from './reauthentication';
import { drawQrCode } from './qrCode';
import { factorPath, originOf, ownPath, sessionCookie, setSessionCookies, signInPath } from './signIn';
import { refusalText } from './refusals';
import { words } from './words';

const { signIn: said } = words;
const { factor, codes } = said;

const bodyLimit = 64 * 1024;

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
    if (!isCsrfToken(awaiting.csrf_secret, form.get('csrf') ?? '')) throw new AppError('forbidden', said.tooLong);
    const passkey = readPasskeyField(form.get('passkey'));
    const proof = { code: form.get('code') ?? '', passkey, enrolment: form.get('enrolment') ?? undefined };
    const finished = await finishSignIn(runtime, awaiting, proof, originOf(req));
    setSessionCookies(runtime, res, finished);
    if (finished.codes)
      sendPage(res, 200, { title: codes.head, body: <RecoveryCodes given={finished.codes} next={next} /> });
    else sendOn(res, next);
  } catch (error) {
    const refusal = toAppError(error);
    if (!refusal) throw error;
    if (refusal.details.retryAfter !== undefined) res.setHeader('Retry-After', String(refusal.details.retryAfter));
    const [messages = [refusal.why]] = Object.values(refusal.fields ?? {});
    await show(runtime, res, awaiting, refusal.status, { next, error: messages.map(refusalText).join(' ') });
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
  const setUp = start && (
    <>
      <input type="hidden" name="enrolment" value={start.enrolment} />
      {await drawQrCode(start.uri)}
      <p class="hint">
        <Filled text={factor.type} parts={{ secret: <code class="break">{start.secret}</code> }} />
      </p>
    </>
  );
  const { next, error = '' } = page;
  const body = (
    <>
      <h1>{setUp ? factor.setUp : factor.more}</h1>
      <p class="soft">{setUp ? factor.scan : factor.show}</p>
      <CardError text={error} />
      <form method="post" action={factorPath}>
        <input type="hidden" name="csrf" value={maskCsrf(secret)} />
        <input type="hidden" name="next" value={next} />
        <input type="hidden" name="passkey" data-passkey-answer="" />
        {setUp}
        <div class="field">
          <label for="code">{setUp ? factor.appCode : factor.code}</label>
          <input
            id="code"
            name="code"
            autocomplete="one-time-code"
            autocapitalize="characters"
            spellcheck={false}
            maxlength={40}
            required
            autofocus
            {...wrong(error)}
          />
        </div>
        <div class="actions">
          {passkey && (
            <button class="button" type="button" data-passkey={JSON.stringify(passkey)}>
              {factor.passkey}
            </button>
          )}
          <button class="button button-main" type="submit">
            {said.goOn}
          </button>
        </div>
      </form>
    </>
  );
  const title = error ? said.error(factor.named) : factor.title;
  sendPage(res, status, { title, formAction: "'self'", scripts: ['passkey.js'], body });
}

function RecoveryCodes({ given, next }: { readonly given: readonly string[]; readonly next: string }): Html {
  return (
    <>
      <h1>{codes.title}</h1>
      <p>{codes.about}</p>
      <ul class="codes">
        {given.map((code) => (
          <li>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <CardLink href={next} text={codes.kept} />
    </>
  );
}
