import type { Request } from 'express';
import { AppError } from '../../core/http/errors';
import type { Runtime } from '../../core/runtime';
import { authenticateKey, keyPrefix, type Credential } from '../../services/identity/apiKeys/authenticate';
import { addressOf, networkOf } from '../http/network';
import { accessTokenPrefix, authenticateAccessToken } from '../../services/identity/oauth/grants';

/**
 * Returns the `WWW-Authenticate` value that leads a client to the discovery document (RFC 9728 section 5.1, RFC 6750
 * section 3). A 401 names no scope: clients prefer it to their own wish, and then ask for what discovery offers.
 */
export function challenge(
  runtime: Runtime,
  reason: { readonly error?: 'invalid_token' | 'insufficient_scope'; readonly scope?: string } = {},
): string {
  const parts = [
    ...(reason.error ? [`error="${reason.error}"`] : []),
    `resource_metadata="${runtime.config.baseUrl}/.well-known/oauth-protected-resource"`,
    ...(reason.scope ? [`scope="${reason.scope}"`] : []),
  ];
  return `Bearer ${parts.join(', ')}`;
}

/**
 * Returns the credential of a request to `/mcp`: an API key or an OAuth access token, in the header only. Throws the
 * 401.
 */
export async function authenticateAgent(runtime: Runtime, req: Request): Promise<Credential> {
  const header = req.headers.authorization;
  if (header === undefined)
    throw new AppError('unauthorized', 'Authentication credentials were not provided.', {
      headers: { 'WWW-Authenticate': challenge(runtime) },
    });
  const token = /^(?:Bearer|Token) +([A-Za-z0-9._~+/=-]{1,200})$/i.exec(header.trim())?.[1];
  const isToken = /^token /i.test(header.trim());
  const credential =
    token === undefined
      ? null
      : token.startsWith(keyPrefix)
        ? await authenticateKey(runtime, token, req.ip ?? '').catch(withChallenge(runtime))
        : token.startsWith(accessTokenPrefix) && !isToken
          ? await authenticateAccessToken(runtime, token, {
              ip: req.ip ?? '',
              address: addressOf(req),
              network: networkOf(req),
            })
          : null;
  if (!credential)
    throw new AppError('unauthorized', 'Invalid, expired or revoked credential.', {
      headers: { 'WWW-Authenticate': challenge(runtime, { error: 'invalid_token' }) },
    });
  return credential;
}

/** Makes the 401 of a key say where a client learns how to sign in. */
function withChallenge(runtime: Runtime): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AppError) || error.code !== 'unauthorized') throw error;
    const headers = { 'WWW-Authenticate': challenge(runtime, { error: 'invalid_token' }) };
    throw new AppError('unauthorized', error.message, { headers });
  };
}
