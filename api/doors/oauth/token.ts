import type { Request, Response } from 'express';
import { AppError, internalError } from '../../core/http/errors';
import { reportFault } from '../../core/http/faults';
import type { Runtime } from '../../core/runtime';
import { exchange, revoke } from '../../services/identity/oauth/exchange';
import { resourceOf } from '../../services/identity/oauth/grants';
import { OAuthRefusal } from '../../services/identity/oauth/refusal';
import { sendJson, toAppError } from '../http/errorHandler';
import type { Limiters } from '../http/rateLimit';
import { stateOf } from '../http/request';
import { authenticateClient } from './clientAuth';
import { formParameters, printable, type Parameters } from './parameters';

/** `POST /oauth/mcp/token` (RFC 6749 sections 4.1.3 and 6, RFC 7636, RFC 8707). */
export function answerToken(runtime: Runtime, limiters: Limiters, req: Request, res: Response): Promise<void> {
  return answer(runtime, req, res, async () => {
    const parameters = await formParameters(req, res);
    const client = await authenticateClient(runtime, limiters, req, res, parameters);
    const grantType = required(parameters, 'grant_type');
    if (grantType !== 'authorization_code' && grantType !== 'refresh_token')
      throw new OAuthRefusal('unsupported_grant_type', 'The grant types are authorization_code and refresh_token.');
    const resource = parameters.get('resource');
    if (resource !== null && resource !== resourceOf(runtime))
      throw new OAuthRefusal('invalid_target', `The only resource is ${resourceOf(runtime)}.`);
    const isCode = grantType === 'authorization_code';
    const scope = parameters.get('scope');
    sendJson(
      res,
      200,
      await exchange(runtime, client, {
        grantType,
        code: isCode ? required(parameters, 'code') : null,
        redirectUri: isCode ? required(parameters, 'redirect_uri') : null,
        codeVerifier: isCode ? parameters.get('code_verifier') : null,
        refreshToken: isCode ? null : required(parameters, 'refresh_token'),
        resource,
        scopes: isCode || scope === null ? null : scope.split(' ').filter((name) => name !== ''),
      }),
    );
  });
}

/** `POST /oauth/mcp/revoke` (RFC 7009): 200 whatever the token was. */
export function answerRevoke(runtime: Runtime, limiters: Limiters, req: Request, res: Response): Promise<void> {
  return answer(runtime, req, res, async () => {
    const parameters = await formParameters(req, res);
    const client = await authenticateClient(runtime, limiters, req, res, parameters);
    await revoke(runtime, client, required(parameters, 'token'));
    res.status(200).setHeader('Content-Length', '0').end();
  });
}

function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === null) throw new OAuthRefusal('invalid_request', `${name} is missing.`);
  if (value.length > 2_000 || value.includes('\0')) throw new OAuthRefusal('invalid_request', `${name} is malformed.`);
  return value;
}

/**
 * Runs the work and answers what it refuses in the form of RFC 6749 section 5.2; nothing of it is ever kept by a cache.
 */
async function answer(runtime: Runtime, req: Request, res: Response, work: () => Promise<void>): Promise<void> {
  res.setHeader('Cache-Control', 'no-store').setHeader('Pragma', 'no-cache');
  // Web applications exchange their codes from the browser; cookies play no part in it.
  res.setHeader('Access-Control-Allow-Origin', '*');
  try {
    if (req.method === 'OPTIONS') {
      res
        .status(204)
        .setHeader('Allow', 'POST, OPTIONS')
        .setHeader('Access-Control-Allow-Methods', 'POST')
        .setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type, MCP-Protocol-Version')
        .end();
      return;
    }
    if (req.method !== 'POST')
      throw new AppError('method_not_allowed', 'Use POST.', { headers: { Allow: 'POST, OPTIONS' } });
    await work();
  } catch (error) {
    refuse(runtime, res, error);
  }
}

function refuse(runtime: Runtime, res: Response, error: unknown): void {
  const refusal = toOAuthRefusal(error);
  if (refusal) {
    const details = error instanceof AppError ? error.details : {};
    if (details.retryAfter !== undefined) res.setHeader('Retry-After', String(details.retryAfter));
    for (const [name, value] of Object.entries(details.headers ?? {})) res.setHeader(name, value);
    sendJson(res, refusal.status, { error: refusal.error, error_description: printable(refusal.message) });
    return;
  }
  const { requestId } = stateOf(res);
  reportFault(runtime.logger, requestId, error);
  sendJson(res, 500, { error: 'server_error', error_description: internalError(requestId) });
}

function toOAuthRefusal(error: unknown): OAuthRefusal | null {
  if (error instanceof OAuthRefusal) return error;
  const known = toAppError(error);
  if (!known) return null;
  return new OAuthRefusal(
    known.status === 429 || known.status === 503 ? 'temporarily_unavailable' : 'invalid_request',
    known.message,
    known.status,
  );
}
