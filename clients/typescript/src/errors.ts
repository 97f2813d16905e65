import type { ErrorCode } from './generated.js';

/** A refusal of the service. `code` is one of the documented words; programs need not read English. */
export class MsgdeskError extends Error {
  override readonly name = 'MsgdeskError';

  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    /** The answer as it came. */
    readonly body: unknown,
    /** Id of the request, also in the logs of the service. */
    readonly requestId: string,
    /** Seconds after which the request may be sent again, where the answer says it. */
    readonly retryAfter: number | null,
  ) {
    super(`${status} ${code}: ${wordsOf(body)}`);
  }

  /** Messages by field; empty for what is no 400. */
  get fields(): Readonly<Record<string, readonly string[]>> {
    return this.status === 400 && isRecord(this.body) ? (this.body as Record<string, string[]>) : {};
  }
}

/** The signature of a webhook is wrong, or too old. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
}

/** Returns whether an error is a refusal of the service, with this code where one is given. */
export function isRefusal(error: unknown, code?: ErrorCode): error is MsgdeskError {
  return error instanceof MsgdeskError && (code === undefined || error.code === code);
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function wordsOf(body: unknown): string {
  if (!isRecord(body)) return typeof body === 'string' ? body.slice(0, 200) : 'no body';
  if (typeof body['error'] === 'string') return body['error'];
  return Object.entries(body)
    .map(([field, messages]) => `${field}: ${Array.isArray(messages) ? messages.join(' ') : JSON.stringify(messages)}`)
    .join(' ');
}
