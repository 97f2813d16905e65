import { randomBytes } from 'node:crypto';
import type { JsonObject, Reply } from '../types';

interface CodeEntry {
  status: number;
  title: string;
  details?: string;
  /** Usually reported later in a `failed` status instead of in the response. */
  async?: boolean;
}

/** HTTP status and wording of each error code of the platform. */
const codes: Record<number, CodeEntry> = {
  0: { status: 401, title: 'AuthException' },
  1: { status: 400, title: 'API Unknown' },
  2: { status: 503, title: 'API Service' },
  3: { status: 500, title: 'API Method' },
  4: { status: 400, title: 'API Too Many Calls' },
  10: { status: 403, title: 'API Permission Denied' },
  17: { status: 400, title: 'User request limit reached' },
  33: { status: 400, title: 'Parameter value is not valid' },
  100: { status: 400, title: 'Invalid parameter' },
  104: { status: 401, title: 'An access token is required to request this resource.' },
  190: { status: 401, title: 'Invalid OAuth access token - Cannot parse access token' },
  200: { status: 403, title: 'API Permission' },
  368: { status: 403, title: 'Temporarily blocked for policies violations' },
  613: { status: 400, title: 'Calls to this api have exceeded the rate limit.' },
  803: { status: 404, title: 'Some of the aliases you requested do not exist' },
  2200: { status: 400, title: 'Callback verification failed' },
  2500: { status: 400, title: 'Unknown path components' },
  80007: { status: 400, title: 'Rate limit issues' },
  80008: { status: 400, title: 'There have been too many calls to this WhatsApp Business account.' },
  130429: {
    status: 400,
    title: 'Rate limit hit',
    details:
      'Message failed to send because there were too many messages sent from this phone number in a short period of ' +
      'time.',
  },
  130472: { status: 400, title: "User's number is part of an experiment", async: true },
  130497: { status: 403, title: 'Business account is restricted from messaging users in this country.' },
  131000: { status: 500, title: 'Something went wrong' },
  131005: { status: 403, title: 'Access denied' },
  131008: { status: 400, title: 'Required parameter is missing' },
  131009: { status: 400, title: 'Parameter value is not valid' },
  131016: { status: 500, title: 'Service unavailable' },
  131021: { status: 400, title: 'Recipient cannot be sender' },
  131026: { status: 400, title: 'Message undeliverable', details: 'Message Undeliverable.', async: true },
  131030: { status: 400, title: 'Recipient phone number not in allowed list' },
  131031: { status: 403, title: 'Business Account locked' },
  131037: { status: 400, title: 'Display name approval required' },
  131042: { status: 400, title: 'Business eligibility payment issue', async: true },
  131045: { status: 500, title: 'Incorrect certificate' },
  131047: {
    status: 400,
    title: 'Re-engagement message',
    details:
      'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
    async: true,
  },
  131048: { status: 400, title: 'Spam rate limit hit' },
  131049: {
    status: 400,
    title: 'This message was not delivered to maintain healthy ecosystem engagement.',
    async: true,
  },
  131050: {
    status: 400,
    title: 'User has stopped marketing messages',
    details:
      'Unable to deliver the message. This recipient has chosen to stop receiving marketing messages from your ' +
      'business.',
    async: true,
  },
  131051: { status: 400, title: 'Unsupported message type' },
  131052: { status: 400, title: 'Media download error', async: true },
  131053: { status: 400, title: 'Media upload error', async: true },
  131056: {
    status: 400,
    title: '(Business Account, Consumer Account) pair rate limit hit',
    details:
      'Message failed to send because there were too many messages sent from this phone number to the same phone ' +
      'number in a short period of time.',
  },
  131057: { status: 500, title: 'Business Account is in maintenance mode' },
  131062: { status: 400, title: 'Business-scoped User ID (BSUID) recipients are not supported for this message.' },
  131063: { status: 400, title: 'Marketing templates are not allowed on this API for this account' },
  131064: { status: 400, title: 'Messaging limit reached' },
  132000: { status: 400, title: 'Number of parameters does not match the expected number of params' },
  132001: { status: 404, title: 'Template name does not exist in the translation' },
  132005: { status: 400, title: 'Translated text too long' },
  132007: { status: 400, title: 'Template format character policy violated' },
  132008: { status: 400, title: 'Template parameter value is not valid' },
  132012: { status: 400, title: 'Parameter format does not match format in the created template' },
  132015: { status: 400, title: 'Template is paused' },
  132016: { status: 400, title: 'Template is disabled' },
  132018: { status: 400, title: 'Template parameters are not valid' },
  132068: { status: 400, title: 'Flow is in blocked state' },
  132069: { status: 400, title: 'Flow is in throttled state' },
  133000: { status: 400, title: 'Incomplete deregistration' },
  133004: { status: 503, title: 'Server temporarily unavailable' },
  133005: { status: 400, title: 'Two step verification PIN mismatch' },
  133010: { status: 400, title: 'Phone number not registered' },
  135000: { status: 400, title: 'Generic user error' },
  137000: { status: 400, title: 'Recipient identity key mismatch' },
};

const transientCodes = new Set([1, 2, 4, 17, 80007, 131000, 131016, 133004]);
const rateLimitCodes = new Set([4, 17, 613, 80007, 80008]);

function entryOf(code: number): CodeEntry {
  return codes[code] ?? { status: 400, title: 'Unknown error' };
}

export function isAsyncCode(code: number): boolean {
  return entryOf(code).async === true;
}

export function titleOf(code: number): string {
  return entryOf(code).title;
}

interface GraphErrorOptions {
  subcode?: number;
  status?: number;
  userTitle?: string;
  userMessage?: string;
  retryAfter?: number | string;
}

/** A refusal in the platform's own form; handlers throw it, the server writes it. */
export class GraphError extends Error {
  constructor(
    readonly code: number,
    readonly details?: string,
    readonly options: GraphErrorOptions = {},
  ) {
    super(titleOf(code));
  }
}

/** Writes an error as the platform does; sends answer rate limits with another HTTP status than the other endpoints. */
export function errorReply(error: GraphError, sending: boolean): Reply {
  const { code, options } = error;
  const entry = entryOf(code);
  const details = error.details ?? entry.details;
  const fromMessaging = code >= 130_000;
  const body: JsonObject = {
    message:
      code === 190 || code === 104
        ? entry.title
        : `(#${code}) ${fromMessaging ? entry.title : (details ?? entry.title)}`,
    type: 'OAuthException',
    code,
  };
  if (fromMessaging) {
    body['error_data'] = { messaging_product: 'whatsapp', details: details ?? entry.title };
  }
  if (options.subcode !== undefined) body['error_subcode'] = options.subcode;
  if (transientCodes.has(code)) body['is_transient'] = true;
  if (options.userTitle) body['error_user_title'] = options.userTitle;
  if (options.userMessage) body['error_user_msg'] = options.userMessage;
  body['fbtrace_id'] = `A${randomBytes(16).toString('base64url')}`;
  const status = options.status ?? (rateLimitCodes.has(code) && !sending ? 429 : entry.status);
  const reply: Reply = { status, body: { error: body }, outcome: 'error', code };
  const headers: Record<string, string> = {};
  if (status === 401) headers['www-authenticate'] = `OAuth "Facebook Platform" "invalid_token" "${entry.title}"`;
  if (options.retryAfter !== undefined) headers['retry-after'] = String(options.retryAfter);
  return Object.keys(headers).length > 0 ? { ...reply, headers } : reply;
}

/** Returns one element of a status's or an unsupported message's `errors`. */
export function webhookError(code: number, details?: string): JsonObject {
  const entry = entryOf(code);
  return {
    code,
    title: entry.title,
    message: entry.title,
    error_data: { details: details ?? entry.details ?? entry.title },
    href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
  };
}

export function unknownObject(id: string): GraphError {
  if (!/^\d+$/.test(id))
    return new GraphError(803, `Some of the aliases you requested do not exist: ${id.slice(0, 80)}`);
  return new GraphError(
    100,
    `Unsupported request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, ` +
      'or does not support this operation.',
    { subcode: 33 },
  );
}
