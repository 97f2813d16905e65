import type { Request, Response } from 'express';
import { AppError } from '../../core/http/errors';
import { reportFault } from '../../core/http/faults';
import type { Runtime } from '../../core/runtime';
import { keyedHash, safeEqual } from '../../core/secrets';
import {
  authenticateSession,
  credentialCtx,
  isRecent,
  type Credential,
} from '../../services/identity/apiKeys/authenticate';
import { findClientAnywhere } from '../../services/identity/oauth/clients';
import { isMetadataUrl } from '../../services/identity/oauth/metadata';
import { decide, openRequest, viewRequest } from '../../services/identity/oauth/consent';
import { withParameters } from '../../services/identity/oauth/redirectUris';
import { OAuthRefusal } from '../../services/identity/oauth/refusal';
import { sendOn, sendPage } from '../dashboard/pages';
import { verifyPath } from '../dashboard/reauthentication';
import { sessionCookie, signInPath } from '../dashboard/signIn';
import { speakToActor } from '../dashboard/speech';
import { words } from '../dashboard/words';
import { readFields } from '../http/bodies';
import { toAppError } from '../http/errorHandler';
import { addressOf } from '../http/network';
import { passLimiter, type Limiters } from '../http/rateLimit';
import { cookieOf, refuseMethod, stateOf } from '../http/request';
import { passClientLimit } from './clientAuth';
import { paths } from './discovery';
import { Consent, Problem } from './pages';
import { printable, queryParameters } from './parameters';

const bodyLimit = 16 * 1024;

/**
 * `GET /oauth/mcp/authorize`: checks and keeps the request, then leads to consent. While client or redirect URI are in
 * doubt nothing is sent anywhere (RFC 6749 section 4.1.2.1); from then on every refusal goes back to the client.
 */
export function answerAuthorize(runtime: Runtime, limiters: Limiters, req: Request, res: Response): Promise<void> {
  return asPage(runtime, res, async () => {
    refuseMethod(req, ['GET']);
    const parameters = queryParameters(req);
    const redirectUri = parameters.get('redirect_uri');
    const clientId = parameters.get('client_id') ?? '';
    const client = await findClientAnywhere(runtime, clientId, { redirectUri });
    await passClientLimit(runtime, limiters, req, res, client);
    if (!client && isMetadataUrl(clientId))
      throw badRequest(
        `The application of ${new URL(clientId).host} is not registered here. An owner can register it under ` +
          `Settings → Agents by the address of its document, ${printable(clientId)}`,
      );
    if (!client) throw badRequest('The application is not registered here, or has been disabled.');
    if (redirectUri === null || !client.redirect_uris.some((registered) => registered === redirectUri)) {
      throw badRequest(
        'The application asked to be answered at an address that is not registered for it. A registered address must ' +
          'match character by character, port included.' +
          (client.metadata_url === null
            ? ''
            : ' If its document has changed, an owner accepts it by registering it again under Settings → Agents.'),
      );
    }
    try {
      parameters.refuseRepeated();
      const id = await openRequest(runtime, client, redirectUri, {
        responseType: parameters.get('response_type'),
        responseMode: parameters.get('response_mode'),
        scope: parameters.get('scope'),
        state: parameters.get('state'),
        codeChallenge: parameters.get('code_challenge'),
        codeChallengeMethod: parameters.get('code_challenge_method'),
        resource: parameters.get('resource'),
      });
      sendOn(res, `${paths.consent}?request=${id}`);
    } catch (error) {
      if (!(error instanceof OAuthRefusal)) throw error;
      sendBack(runtime, res, redirectUri, parameters.get('state'), {
        error: error.error,
        error_description: printable(error.message),
      });
    }
  });
}

/**
 * `GET` and `POST /oauth/mcp/consent`: the page that asks, and its answer. A dashboard session decides, and nothing
 * else can.
 */
export function answerConsent(runtime: Runtime, limiters: Limiters, req: Request, res: Response): Promise<void> {
  return asPage(runtime, res, async () => {
    refuseMethod(req, ['GET', 'POST']);
    await passLimiter(limiters.anonymous, req, res);
    // Only the cookie counts: an API key or another credential in a header starts no consent (contract 11.4).
    const cookie = cookieOf(req, sessionCookie);
    const session = cookie === null ? null : await authenticateSession(runtime, cookie);
    if (session) await speakToActor(req, credentialCtx(runtime, session, stateOf(res).requestId));
    if (req.method === 'GET') await show(runtime, req, res, session);
    else await answerForm(runtime, req, res, session);
  });
}

async function show(runtime: Runtime, req: Request, res: Response, session: Credential | null): Promise<void> {
  const id = queryParameters(req).get('request') ?? '';
  const here = consentOf(id);
  const signIn = `${signInPath}?${new URLSearchParams({ next: here }).toString()}`;
  if (!session) {
    sendOn(res, signIn);
    return;
  }
  if (!isRecent(session)) {
    sendOn(res, verifyFor(here));
    return;
  }
  try {
    const view = await viewRequest(runtime, session, id);
    sendPage(res, 200, {
      title: words.consent.title(view.clientName),
      wide: true,
      body: <Consent view={view} action={paths.consent} csrf={csrfToken(session, view.id)} signIn={signIn} />,
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'forbidden') throw error;
    sendProblem(res, 403, error.message, signIn);
  }
}

function consentOf(id: string): string {
  return `${paths.consent}?${new URLSearchParams({ request: id }).toString()}`;
}

/** Returns where a member shows again that it is them before they go on. */
function verifyFor(next: string): string {
  return `${verifyPath}?${new URLSearchParams({ next }).toString()}`;
}

async function answerForm(runtime: Runtime, req: Request, res: Response, session: Credential | null): Promise<void> {
  const form = await readFields(req, res, bodyLimit);
  const id = form.get('request') ?? '';
  const presented = Buffer.from(form.get('csrf') ?? '');
  if (
    !session ||
    req.get('sec-fetch-site') === 'cross-site' ||
    !safeEqual(presented, Buffer.from(csrfToken(session, id)))
  ) {
    throw new AppError(
      'forbidden',
      'This form does not belong to your present sign-in. Start again from the application.',
    );
  }
  if (!isRecent(session)) {
    sendOn(res, verifyFor(consentOf(id)));
    return;
  }
  const decision = form.get('decision');
  if (decision !== 'allow' && decision !== 'deny') throw badRequest('Choose to allow or to deny.');
  const { redirectUri, state, code } = await decide(
    runtime,
    session,
    id,
    decision === 'allow' ? form.getAll('scope') : [],
    { requestId: stateOf(res).requestId, address: addressOf(req) },
  );
  sendBack(
    runtime,
    res,
    redirectUri,
    state,
    code === null
      ? { error: 'access_denied', error_description: 'The member did not allow the connection.' }
      : { code },
  );
}

/** Bound to the session and to this one request: a form of another session or request is worth nothing. */
function csrfToken(session: Credential, requestId: string): string {
  return keyedHash(Buffer.from(session.csrfSecret ?? ''), `oauth-consent:${requestId}`).toString('base64url');
}

/** Leads the browser back to the client, with `state` as it was and `iss` (RFC 9207). */
function sendBack(
  runtime: Runtime,
  res: Response,
  redirectUri: string,
  state: string | null,
  answer: Readonly<Record<string, string>>,
): void {
  sendOn(res, withParameters(redirectUri, { ...answer, state, iss: runtime.config.baseUrl }));
}

function badRequest(message: string): AppError {
  return new AppError('validation', message);
}

/** Runs the work; shows what cannot go back to the client to the person in front of the browser. */
async function asPage(runtime: Runtime, res: Response, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const refusal = toAppError(error);
    const { requestId } = stateOf(res);
    if (!refusal) reportFault(runtime.logger, requestId, error);
    if (refusal?.code === 'method_not_allowed') throw refusal;
    if (refusal?.details.retryAfter !== undefined) res.setHeader('Retry-After', String(refusal.details.retryAfter));
    sendProblem(
      res,
      refusal?.status ?? 500,
      refusal?.message ?? `Something went wrong on our side. Request id: ${requestId}`,
      null,
    );
  }
}

function sendProblem(res: Response, status: number, message: string, signIn: string | null): void {
  sendPage(res, status, {
    title: words.consent.problem.title,
    formAction: "'self'",
    body: <Problem message={message} signIn={signIn} />,
  });
}
