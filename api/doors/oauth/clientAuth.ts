import { ipKeyGenerator } from 'express-rate-limit';
import type { Request, Response } from 'express';
import { AppError } from '../../core/http/errors';
import { PostgresRateLimitStore } from '../../core/db/rateLimits';
import type { Runtime } from '../../core/runtime';
import { sha256 } from '../../core/secrets';
import { findClientAnywhere, verifyClient, type StoredClient } from '../../services/identity/oauth/clients';
import { OAuthRefusal } from '../../services/identity/oauth/refusal';
import { passLimiter, type Limiters } from '../http/rateLimit';
import type { Parameters } from './parameters';

/** Counts requests per address and client; made-up clients are counted per address alone. */
export async function passClientLimit(
  runtime: Runtime,
  limiters: Limiters,
  req: Request,
  res: Response,
  client: StoredClient | null,
): Promise<void> {
  if (!client) return passLimiter(limiters.anonymous, req, res);
  const key = sha256(`${ipKeyGenerator(req.ip ?? 'unknown')}\0${client.client_id}`).toString('base64url');
  const { totalHits, resetTime } = await new PostgresRateLimitStore(runtime.db, 'o:').increment(key);
  if (totalHits <= runtime.config.anonymousRateLimitPerMinute) return;
  const seconds = Math.max(1, Math.ceil(((resetTime?.getTime() ?? Date.now()) - Date.now()) / 1000));
  throw new AppError('throttled', `Request was throttled. Expected available in ${seconds} seconds.`, {
    retryAfter: seconds,
  });
}

/**
 * Returns the client of a token or revocation request, proved by Basic header or body (RFC 6749 section 2.3.1), not
 * both; public clients name themselves. Counts the request. Throws `invalid_client`, with the header that 5.2 asks for.
 */
export async function authenticateClient(
  runtime: Runtime,
  limiters: Limiters,
  req: Request,
  res: Response,
  parameters: Parameters,
): Promise<StoredClient> {
  const header = req.headers.authorization;
  const basic = header === undefined ? null : readBasic(header);
  const named = parameters.get('client_id');
  const clientId = basic?.id ?? (header === undefined ? named : null);
  const token = parameters.get('code') ?? parameters.get('refresh_token') ?? parameters.get('token');
  const client = clientId === null ? null : await findClientAnywhere(runtime, clientId, { token });
  await passClientLimit(runtime, limiters, req, res, client);
  if (basic && (parameters.has('client_secret') || (named !== null && named !== basic.id)))
    throw new OAuthRefusal('invalid_request', 'Send the client credentials in one way only.');
  try {
    if (header !== undefined && !basic)
      throw new OAuthRefusal('invalid_client', 'Only Basic authentication of the client is accepted here.', 401);
    if (clientId === null) throw new OAuthRefusal('invalid_client', 'client_id is missing.', 401);
    return verifyClient(client, basic ? basic.secret : parameters.get('client_secret'));
  } catch (error) {
    if (error instanceof OAuthRefusal && error.status === 401)
      res.setHeader('WWW-Authenticate', 'Basic realm="oauth", charset="UTF-8"');
    throw error;
  }
}

/** Both parts are form-encoded before they are joined (RFC 6749 section 2.3.1). */
function readBasic(header: string): { id: string; secret: string | null } | null {
  const encoded = /^basic +([A-Za-z0-9+/_=-]{1,1000})$/i.exec(header.trim())?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const at = text.indexOf(':');
  if (at < 1) return null;
  try {
    const [id, secret] = [text.slice(0, at), text.slice(at + 1)].map((part) =>
      decodeURIComponent(part.replaceAll('+', ' ')),
    );
    return id === undefined ? null : { id, secret: secret === undefined || secret === '' ? null : secret };
  } catch {
    return null;
  }
}
