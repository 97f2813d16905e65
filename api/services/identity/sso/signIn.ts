import { cut } from '../../../core/text/cut';
import { dueNow } from '../../../core/clock';
import { systemCtx, type WorkspaceCtx } from '../../../core/context';
import { AppError } from '../../../core/http/errors';
import { reasonOf } from '../../../core/http/faults';
import { domainOfEmail, isEmailAddress, isPlainObject } from '../../../core/http/fields';
import type { Runtime } from '../../../core/runtime';
import { decryptSecret, encryptSecret } from '../../../core/secrets';
import type { Origin } from '../attempts/attempts';
import { confirmBySso, openSession, type SignedIn } from '../members/sessions';
import { memberOfSubject } from '../members/subjects';
import { recordSecurity } from '../securityLog/service';
import { providerOf, redirectUriOf, type Provider } from './service';
import { reason } from '../reasons';

/** Of each call to a provider: a person waits. */
const callSeconds = 5;
/** Who is asked for a password or a factor there needs a while. */
const attemptMs = 600_000;
/** How old the member's sign-in at the provider may be when they confirm who they are (the same as here). */
const confirmedSeconds = 600;
const place = 'sign-in by single sign-on';
/** What OpenID Connect Core 2 allows as a subject. */
const subjectPattern = /^[\x20-\x7e]{1,255}$/;

/** Loaded with the first sign-in: most processes have none. */
const load = () => import('openid-client');
type Library = Awaited<ReturnType<typeof load>>;

/** What a browser keeps, sealed, while its member is at the provider. */
interface Attempt {
  readonly workspaceId: number;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly startedAt: number;
  /** Where the member goes on. */
  readonly next: string;
  /** The session whose member shows again who they are; null: a sign-in. */
  readonly sessionId: number | null;
}

/** What the provider says of a person. */
interface Claims {
  readonly sub: string;
  readonly email?: unknown;
  readonly email_verified?: unknown;
  readonly name?: unknown;
  readonly auth_time?: unknown;
}

/**
 * Returns the address to which the browser goes, and the cookie that it keeps meanwhile. Throws 503 when the provider
 * cannot be reached.
 */
export async function beginSso(
  runtime: Runtime,
  provider: Provider,
  { next, email, sessionId }: { readonly next: string; readonly email: string; readonly sessionId: number | null },
): Promise<{ readonly url: string; readonly kept: string }> {
  const { library, config } = await configure(runtime, provider);
  const attempt: Attempt = {
    workspaceId: provider.workspaceId,
    state: library.randomState(),
    nonce: library.randomNonce(),
    verifier: library.randomPKCECodeVerifier(),
    startedAt: runtime.clock.now().getTime(),
    next,
    sessionId,
  };
  const url = library.buildAuthorizationUrl(config, {
    redirect_uri: redirectUriOf({ runtime, workspaceId: provider.workspaceId }),
    scope: 'openid email profile',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await library.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
    login_hint: email,
    ...(sessionId === null ? {} : { prompt: 'login', max_age: String(confirmedSeconds) }),
  });
  return { url: url.href, kept: encryptSecret(runtime.config.secretsKeys, JSON.stringify(attempt), place) };
}

/** Returns what this browser began for the workspace, or null where it began nothing, or too long ago. */
export function attemptOf({ runtime, workspaceId }: WorkspaceCtx, kept: string | null): Attempt | null {
  try {
    const attempt = JSON.parse(decryptSecret(runtime.config.secretsKeys, kept ?? '', place)) as Attempt;
    const isOver = runtime.clock.now().getTime() - attempt.startedAt > attemptMs;
    return isOver || attempt.workspaceId !== workspaceId ? null : attempt;
  } catch {
    return null;
  }
}

/**
 * Ends what the browser began, with the address at which it came back: opens a session, or (null) confirms the one that
 * asked. Throws the 403 of an answer or a person that is not let in; each is written down.
 */
export async function finishSso(
  runtime: Runtime,
  attempt: Attempt,
  callback: URL,
  from: { readonly origin: Origin; readonly userAgent: string },
): Promise<SignedIn | null> {
  const ctx = { ...systemCtx(runtime, attempt.workspaceId, 'sign-in'), address: from.origin.address };
  try {
    const provider = await providerOf(ctx);
    if (!provider) throw new AppError('forbidden', reason('ssoOtherwise'));
    const claims = await claimsOf(runtime, provider, attempt, callback);
    // Whoever has no subject of their own would be the same person as all others without one.
    if (!subjectPattern.test(claims.sub) || claims.sub.trim() === '')
      throw new AppError('forbidden', reason('ssoNobody'));
    const email = typeof claims.email === 'string' ? claims.email.trim().toLowerCase() : '';
    if (claims.email_verified !== true) throw new AppError('forbidden', reason('ssoUnverified'));
    if (!isEmailAddress(email)) throw new AppError('forbidden', reason('ssoNoEmail'));
    if (domainOfEmail(email) !== provider.domain)
      throw new AppError('forbidden', reason('ssoOtherDomain', { domain: provider.domain }));
    const name = typeof claims.name === 'string' ? cut(claims.name, 100) : '';
    const member = await memberOfSubject(ctx, { subject: claims.sub, email, name }, provider.newMember);
    if (attempt.sessionId !== null) {
      await confirmBySso(ctx, member.id, attempt.sessionId);
      return null;
    }
    const now = runtime.clock.now().getTime();
    const shownAt = typeof claims.auth_time === 'number' ? claims.auth_time * 1_000 : now;
    return await openSession(
      runtime,
      { id: member.id, workspace_id: ctx.workspaceId },
      {
        ...from,
        email: member.email,
        factor: provider.requireFactor ? 'awaited' : 'none',
        sso: { verifiedAt: new Date(Math.min(now, shownAt)) },
      },
    );
  } catch (error) {
    if (error instanceof AppError)
      await recordSecurity(ctx, { action: 'signIn.ssoRefused', given: { why: error.message } });
    throw error;
  }
}

/** Takes the code to the provider and returns what its token says, once all of it has been checked. */
async function claimsOf(runtime: Runtime, provider: Provider, attempt: Attempt, callback: URL): Promise<Claims> {
  const { library, config } = await configure(runtime, provider);
  try {
    const tokens = await library.authorizationCodeGrant(config, callback, {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.verifier,
      idTokenExpected: true,
      ...(attempt.sessionId === null ? {} : { maxAge: confirmedSeconds }),
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('there is no ID token');
    if (claims['email'] !== undefined) return claims;
    // Some give no more than the subject in the token.
    const more = await library.fetchUserInfo(config, tokens.access_token, claims.sub);
    return { ...claims, ...more, sub: claims.sub };
  } catch (error) {
    throw refusalOf(runtime, error);
  }
}

/**
 * Reads the provider's metadata for each sign-in: its keys and addresses may change at any time, and sign-ins are few.
 * The time is the database's, as for all deadlines.
 */
async function configure(runtime: Runtime, { issuer, clientId, clientSecret }: Provider) {
  const library = await load();
  const allowsPlain = runtime.config.webhookAllowPrivate;
  const clockSkew = Math.round(((await dueNow(runtime)).getTime() - Date.now()) / 1_000);
  try {
    const config = await library.discovery(
      new URL(issuer),
      clientId,
      { [library.clockSkew]: clockSkew },
      authentication(library, clientSecret),
      {
        timeout: callSeconds,
        [library.customFetch]: (url, init) => reach(runtime, url, init),
        // A signature is checked although the token comes from the provider itself.
        execute: [library.enableNonRepudiationChecks, ...(allowsPlain ? [library.allowInsecureRequests] : [])],
      },
    );
    // The library accepts an issuer that stands for all companies; a token of any company would then be valid.
    const { issuer: named, authorization_endpoint: page = '' } = config.serverMetadata();
    if (new URL(named).href !== new URL(issuer).href) throw new Error('the issuer is another one');
    // The member's browser goes there.
    if (!(allowsPlain ? /^https?:$/ : /^https:$/).test(new URL(page).protocol))
      throw new Error('its page for signing in has no web address');
    return { library, config };
  } catch (error) {
    throw refusalOf(runtime, error);
  }
}

type Authentication = ReturnType<Library['None']>;

/** Shows the client's secret in the way that the provider takes (in the header, where it does not say). */
function authentication(library: Library, secret: string | null): Authentication {
  if (secret === null) return library.None();
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isBasic = methods.includes('client_secret_basic');
    (isBasic ? library.ClientSecretBasic : library.ClientSecretPost)(secret)(server, ...rest);
  };
}

/** Calls the provider as webhooks call their receivers: nothing that a workspace names leads into our own network. */
async function reach(
  runtime: Runtime,
  url: string,
  init: Parameters<Runtime['webhooks']['fetch']>[1],
): Promise<Response> {
  try {
    return await runtime.webhooks.fetch(url, init);
  } catch (error) {
    runtime.logger.warn(
      { event: 'sso.unreachable', reason: reasonOf(error) },
      'a provider of single sign-on could not be asked',
    );
    throw new AppError('unavailable', reason('ssoSilent'), {
      retryAfter: 60,
    });
  }
}

/** Returns the refusal for what went wrong at the provider: where it was not reached, that; else its code. */
function refusalOf(runtime: Runtime, error: unknown): AppError {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof AppError) return at;
  const { code, error: word } = isPlainObject(error) || error instanceof Error ? (error as ErrorOfLibrary) : {};
  const why = cut(String(word ?? code ?? (error instanceof Error ? error.message : error)), 100);
  // Only the reason is logged: other parts of the error may contain the authorization code.
  runtime.logger.warn({ event: 'sso.refused', reason: why }, 'an answer of single sign-on was refused');
  return new AppError('forbidden', reason('ssoRefused', { why }));
}

interface ErrorOfLibrary {
  readonly code?: unknown;
  /** What the provider itself said: `access_denied`. */
  readonly error?: unknown;
}
