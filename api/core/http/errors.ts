import { after, reason, type Message, type Reason } from './reasons';

/** Field name to messages as they are told; `non_field_errors` for what belongs to no field (contract 3.3). */
export type FieldErrors = Record<string, string[]>;
/** The same with the keys by which pages word them. */
export type FieldReasons = Record<string, readonly Message[]>;

export type ErrorCode =
  | 'validation'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'too_large'
  | 'unsupported_media_type'
  | 'precondition_failed'
  | 'range_not_satisfiable'
  | 'headers_too_large'
  | 'request_timeout'
  | 'throttled'
  | 'unavailable';

/** What programs may tell apart, sent as `X-Error-Code` with every error. Words are added, never changed. */
export const errorCodes = {
  invalid: 'A field or a rule refuses what was sent; the body says which.',
  parse_error: 'The body is not the JSON, form or UTF-8 that it says it is.',
  authentication_failed: 'No credential, or one that is not (or no longer) valid.',
  permission_denied: 'The credential may not do this.',
  missing_scope: 'The credential lacks the scope that the message names.',
  trial_expired: 'The trial of the workspace is over and no plan was chosen.',
  address_not_allowed: 'The API key may not be used from this address.',
  reauthentication_required: 'Show again that it is you (POST /api/v1/sessions/confirm/), then send it again.',
  second_factor_required: 'The password is right; send the code of a second factor, too.',
  needs_approval: 'The credential may not send without approval.',
  not_found: 'There is no such path or object in this workspace.',
  method_not_allowed: 'The path does not take this method; `Allow` lists those it takes.',
  conflict: 'The object is in a state that forbids this.',
  precondition_failed: 'The object has no longer the tag that `If-Match` names; nothing was changed.',
  idempotency_key_reused: 'The Idempotency-Key was used with another body.',
  idempotency_in_flight: 'The first request with this Idempotency-Key has not ended.',
  payload_too_large: 'The body is larger than this endpoint takes.',
  unsupported_media_type: 'The endpoint does not take this content type.',
  range_not_satisfiable: 'The file has no such range of bytes; `Content-Range` says how many it has.',
  headers_too_large: 'The request line and headers are larger than 16 kB.',
  request_timeout: 'The request did not come in time.',
  throttled: 'Too many requests; `Retry-After` says when to go on.',
  unavailable: 'The service cannot do it now; try again after `Retry-After`.',
  internal_error: 'A fault of the service; the message carries the request id.',
  window_closed: 'The 24-hour window is closed: only a template may be sent.',
  template_not_approved: 'The template is not APPROVED.',
  opted_out: 'The contact wants no marketing messages.',
  phone_number_required: 'An authentication template needs a contact with a phone number.',
  macro_step_failed: 'A step of the macro failed; nothing was applied.',
} as const;

/** A code of the documented list. */
export type PublicCode = keyof typeof errorCodes;

const publicByCode: Record<ErrorCode, PublicCode> = {
  validation: 'invalid',
  unauthorized: 'authentication_failed',
  forbidden: 'permission_denied',
  not_found: 'not_found',
  method_not_allowed: 'method_not_allowed',
  conflict: 'conflict',
  precondition_failed: 'precondition_failed',
  too_large: 'payload_too_large',
  unsupported_media_type: 'unsupported_media_type',
  range_not_satisfiable: 'range_not_satisfiable',
  headers_too_large: 'headers_too_large',
  request_timeout: 'request_timeout',
  throttled: 'throttled',
  unavailable: 'unavailable',
};

const statusByCode: Record<ErrorCode, number> = {
  validation: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  headers_too_large: 431,
  request_timeout: 408,
  throttled: 429,
  unavailable: 503,
};

/** What a refusal says beside its reason. */
interface Details {
  /** Seconds until a retry makes sense. */
  readonly retryAfter?: number;
  /** Replaces the standard body (a macro's failed step has its own form). */
  readonly body?: Record<string, unknown>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The scope that was missing, where that is the reason. */
  readonly missingScope?: string;
  /** A code for programs that is more precise than the kind of refusal. */
  readonly publicCode?: PublicCode;
}

/**
 * What a service throws when it refuses. Exactly three places translate it: the HTTP error handler,
 * the MCP tool result and the activity boundary. Pages word `why` and `fields`; all others read English.
 */
export class AppError extends Error {
  readonly status: number;
  readonly details: Details & { readonly fields?: FieldErrors };
  readonly fields: FieldReasons | undefined;

  constructor(
    readonly code: ErrorCode,
    /** Why, in words of no language. */
    readonly why: Message,
    { fields, ...details }: Details & { readonly fields?: FieldReasons } = {},
  ) {
    super(String(why));
    this.name = 'AppError';
    this.status = statusByCode[code];
    this.fields = fields;
    this.details = fields === undefined ? details : { ...details, fields: inEnglish(fields) };
  }

  /** The code in `X-Error-Code`. */
  get publicCode(): PublicCode {
    return this.details.publicCode ?? (this.details.missingScope ? 'missing_scope' : publicByCode[this.code]);
  }

  /** Returns the JSON body of the refusal (contract 3.3). */
  toBody(): Record<string, unknown> {
    return this.details.body ?? this.details.fields ?? { error: this.message };
  }
}

const inEnglish = (fields: FieldReasons): FieldErrors =>
  Object.fromEntries(Object.entries(fields).map(([field, messages]) => [field, messages.map(String)]));

/** Most fields that a refusal names, and most messages of each: a hundred thousand wrong ones are not told singly. */
const maxFaults = 100;

/** Returns the 400 that names fields. */
export function invalid(all: FieldReasons, publicCode?: PublicCode): AppError {
  const fields = Object.fromEntries(
    Object.entries(all)
      .slice(0, maxFaults)
      .map(([field, messages]) => [field, messages.slice(0, maxFaults)]),
  );
  return new AppError('validation', allOf(fields), { fields, ...(publicCode ? { publicCode } : {}) });
}

/** Says what is wrong with fields in one. */
function allOf(fields: FieldReasons): Message {
  const all = Object.entries(fields).flatMap(([field, [first, ...more]]) => {
    if (first === undefined) return [];
    return [field === 'non_field_errors' ? first : after(`${field}: `, first), ...more];
  });
  const [first = '', ...more] = all;
  return more.reduce<Message>((what, why) => reason('because', { what, why }), first);
}

/** Returns the 400 on one field. */
export function invalidField(field: string, message: Message, publicCode?: PublicCode): AppError {
  return invalid({ [field]: [message] }, publicCode);
}

/** Returns what a 500 says: nothing but the id under which the log has the fault. */
export function internalError(requestId: string): string {
  return `Internal server error. Request id: ${requestId}`;
}

/** Returns the 404; the same words whether the object is missing or another workspace's. */
export function notFound(message: Message = reason('notFound')): AppError {
  return new AppError('not_found', message);
}

/** Returns the 409 with its reason. */
export function conflict(message: Message, publicCode?: PublicCode): AppError {
  return new AppError('conflict', message, publicCode ? { publicCode } : {});
}

/** Returns the 412 of an object that has changed since it was read. */
export function preconditionFailed(): AppError {
  return new AppError('precondition_failed', reason('changed'));
}

/** Returns the 400 for a body that does not have the format of its content type. */
export function parseError(message: Message): AppError {
  return invalid({ non_field_errors: [message] }, 'parse_error');
}

/** Returns the 403 that names the scope (contract 3), and what needs it where that is one part of a whole. */
export function missingScope(scope: string, where?: string, headers: Readonly<Record<string, string>> = {}): AppError {
  const message = reason('lacks', { missing: missingScopeText(scope, where) });
  return new AppError('forbidden', message, { missingScope: scope, headers });
}

/** Names a missing scope, and what needs it. */
export function missingScopeText(scope: string, where?: string): string {
  return `Missing scope: ${where === undefined ? scope : `${scope}, ${where}`}.`;
}

/** Returns the 429 that says when to come back. */
export function throttled(seconds: number): AppError {
  const message = seconds === 1 ? reason('throttledOne') : reason('throttled', { seconds });
  return new AppError('throttled', message, { retryAfter: seconds });
}

/** What is said of a workspace without a plan. */
export const trialIsOver = 'The trial of this workspace has expired.';

/** Returns the 403 of a workspace whose trial is over; names the one way out. */
export function trialExpired(): AppError {
  return new AppError('forbidden', reason('trialOver'), { publicCode: 'trial_expired' });
}

/** Returns the 400 of a reference to something that is not there, or not in this workspace (contract 3). */
export function invalidPk(field: string, value: unknown): AppError {
  return invalidField(field, noSuchPk(value));
}

/** Says that a reference leads nowhere. */
export function noSuchPk(value: unknown): Reason {
  return reason('gone', { value: String(value) });
}

/** Returns whether a refusal is about this moment only: the same may succeed on another try. */
export function isTemporary(error: AppError): boolean {
  return error.code === 'unavailable' || error.code === 'throttled';
}

/** Returns whether an error is a refusal that every other try would get, too: what was refused may be told so. */
export function isFinal(error: unknown): error is AppError {
  return error instanceof AppError && !isTemporary(error);
}
