import type { Request } from 'express';
import { AppError, trialExpired } from '../../core/http/errors';
import type { Runtime } from '../../core/runtime';
import {
  authenticateKey,
  authenticateSession,
  keyPrefix,
  type Credential,
} from '../../services/identity/apiKeys/authenticate';
import { accessTokenPrefix } from '../../services/identity/oauth/grants';
import { cookieOf } from './request';

const missing = 'Authentication credentials were not provided.';
const agentToken = 'OAuth access tokens work on /mcp only. Use an API key here.';
const wrongKey = 'Invalid, expired or revoked API key.';

/**
 * Returns the credential of a request to `/api/v1/` (contract 12.1, 12): `Bearer` takes API keys, `Token` API keys
 * and session tokens, the cookie `token` a session. Throws the 401, and the 403 of a key that is used elsewhere.
 */
export async function authenticate(runtime: Runtime, req: Request): Promise<Credential> {
  const header = req.headers.authorization;
  if (header !== undefined) return fromHeader(runtime, header, req.ip ?? '');
  const cookie = cookieOf(req, 'token');
  if (cookie === null) throw new AppError('unauthorized', missing);
  const session = await authenticateSession(runtime, cookie);
  if (!session) throw new AppError('unauthorized', 'The session is over. Sign in again.');
  refuseForeignOrigin(runtime, req);
  return session;
}

async function fromHeader(runtime: Runtime, header: string, address: string): Promise<Credential> {
  const match = /^(Bearer|Token) +([A-Za-z0-9._~+/=-]{1,200})$/i.exec(header.trim());
  const [, scheme, value] = match ?? [];
  if (!scheme || !value)
    throw new AppError('unauthorized', 'Invalid Authorization header. Send "Authorization: Bearer <API key>".');
  const credential = value.startsWith(keyPrefix)
    ? await authenticateKey(runtime, value, address)
    : scheme.toLowerCase() === 'token'
      ? await authenticateSession(runtime, value)
      : null;
  if (!credential) throw new AppError('unauthorized', value.startsWith(accessTokenPrefix) ? agentToken : wrongKey);
  return credential;
}

/** A cookie travels by itself, so a write that another site's page asked for is refused, beside SameSite=Lax. */
export function refuseForeignOrigin(runtime: Runtime, req: Request): void {
  // Where a browser sends no Origin, its Referer says the same.
  const { origin = originOf(req.headers.referer) } = req.headers;
  if (req.method === 'GET' || req.method === 'HEAD' || origin === undefined) return;
  if (origin !== new URL(runtime.config.baseUrl).origin)
    throw new AppError('forbidden', 'This request comes from another site.');
}

function originOf(referer: string | undefined): string | undefined {
  if (referer === undefined || referer === '') return undefined;
  return URL.canParse(referer) ? new URL(referer).origin : 'null';
}

/** Throws the 403 of an expired trial (contract 12.3): keys are refused altogether, sessions keep reading. */
export function refuseExpiredTrial(credential: Credential, method: string): void {
  if (!credential.trialExpired) return;
  if (credential.kind === 'session' && (method === 'GET' || method === 'HEAD')) return;
  throw trialExpired();
}
