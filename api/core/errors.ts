/** Field name to messages; `non_field_errors` for what belongs to no field (specification 7.2). */
export type FieldErrors = Record<string, string[]>;

export type ErrorCode =
  | 'validation'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'too_large'
  | 'unsupported_media_type'
  | 'throttled'
  | 'unavailable';

const statusByCode: Record<ErrorCode, number> = {
  validation: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  throttled: 429,
  unavailable: 503,
};

/**
 * What a service throws when it refuses. Exactly three places translate it: the HTTP error handler,
 * the MCP tool result and the activity boundary (architecture.md 3).
 */
export class AppError extends Error {
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: {
      readonly fields?: FieldErrors;
      /** Seconds until a retry makes sense. */
      readonly retryAfter?: number;
      /** Replaces the standard body (a macro's failed step has its own form). */
      readonly body?: Record<string, unknown>;
      readonly headers?: Record<string, string>;
      /** The scope that was missing, where that is the reason. */
      readonly missingScope?: string;
    } = {},
  ) {
    super(message);
    this.name = 'AppError';
    this.status = statusByCode[code];
  }

  /** The JSON body of the refusal (specification 7.1, 7.2). */
  toBody(): Record<string, unknown> {
    return this.details.body ?? this.details.fields ?? { error: this.message };
  }
}

/** A 400 that names fields. */
export function invalid(fields: FieldErrors): AppError {
  const message = Object.entries(fields)
    .map(([field, messages]) => (field === 'non_field_errors' ? messages.join(' ') : `${field}: ${messages.join(' ')}`))
    .join(' ');
  return new AppError('validation', message, { fields });
}

/** A 400 on one field. */
export function invalidField(field: string, message: string): AppError {
  return invalid({ [field]: [message] });
}

/** A 404; the same words whether the object is missing or another workspace's. */
export function notFound(message = 'Not found.'): AppError {
  return new AppError('not_found', message);
}

/** A 409 with its reason. */
export function conflict(message: string): AppError {
  return new AppError('conflict', message);
}

/** A 403 that names the scope (contract C3). */
export function missingScope(scope: string): AppError {
  return new AppError('forbidden', `You do not have permission to perform this action. Missing scope: ${scope}.`, {
    missingScope: scope,
  });
}

/** The 429 that says when to come back. */
export function throttled(seconds: number): AppError {
  return new AppError(
    'throttled',
    `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? '' : 's'}.`,
    { retryAfter: seconds },
  );
}

/** The 403 of a workspace whose trial is over; names the one way out. */
export function trialExpired(): AppError {
  return new AppError(
    'forbidden',
    'The trial of this workspace has expired. Choose a plan in the dashboard (POST /api/v1/workspace/plan/) to ' +
      'reactivate it.',
  );
}

/** The 400 of a reference to something that is not there, or not in this workspace (contract C3). */
export function invalidPk(field: string, value: unknown): AppError {
  return invalidField(field, `Invalid pk "${String(value)}" - object does not exist.`);
}
