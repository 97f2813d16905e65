import { trialExpired } from './errors';
import { describeObject } from './fields';
import { headers, rateHeaders } from './openapiHeaders';
import type { NamedSchemas } from './openapiSchemas';
import type { Operation } from './operations';
import { wire, type JsonSchema } from './shapes';

type Json = Record<string, unknown>;

/** The form of all errors but a 400. */
export const errorSchema = wire.named('Refusal', {
  error: { type: 'string', description: 'What went wrong, in English.' },
});
const messageList: JsonSchema = { type: 'array', items: { type: 'string' } };

/** The form of a 400. */
export const validationErrors: JsonSchema = {
  title: 'ValidationErrors',
  type: 'object',
  description: 'Messages for each field that is wrong.',
  properties: {
    non_field_errors: {
      ...messageList,
      description: 'What is wrong with the request as a whole, for example a closed 24-hour window.',
    },
  },
  additionalProperties: messageList,
};

/** Refusals that every operation can give. */
export const commonErrors: Readonly<
  Record<
    string,
    {
      readonly name: string;
      readonly when: string;
      readonly examples: Readonly<Record<string, string>>;
      readonly body?: true;
      readonly headers?: readonly string[];
    }
  >
> = {
  401: {
    name: 'Unauthorized',
    when: 'The credential is missing, malformed, expired or revoked.',
    examples: { error: 'Authentication credentials were not provided.' },
  },
  403: {
    name: 'Forbidden',
    when: 'The credential lacks the scope, the endpoint is for signed-in members only, or the trial has expired.',
    examples: {
      missingScope: 'You do not have permission to perform this action. Missing scope: chat.assign.',
      sessionOnly: 'This endpoint is for dashboard sessions only.',
      trialExpired: trialExpired().message,
    },
  },
  404: { name: 'NotFound', when: 'It does not exist in this workspace.', examples: { error: 'Not found.' } },
  405: {
    name: 'MethodNotAllowed',
    when: 'The path has no such method.',
    examples: { error: 'Method "PUT" not allowed.' },
  },
  413: {
    name: 'PayloadTooLarge',
    when: 'The body is too large.',
    examples: { error: 'Request body is too large.' },
    body: true,
  },
  415: {
    name: 'UnsupportedMediaType',
    when: 'Unsupported content type. Send JSON, a form or multipart.',
    examples: { error: 'Unsupported media type "text/plain" in request.' },
    body: true,
  },
  429: {
    name: 'TooManyRequests',
    when: 'The rate limit is used up. `Retry-After` says when to try again.',
    examples: { error: 'Request was throttled. Expected available in 12 seconds.' },
    headers: ['Retry-After', ...rateHeaders],
  },
  431: {
    name: 'HeadersTooLarge',
    when: 'The request line and headers are larger than 16 kB.',
    examples: { error: 'The request line and headers may have at most 16 kB.' },
  },
  500: {
    name: 'InternalError',
    when: 'A fault of the service. The text carries the request id.',
    examples: { error: 'Internal server error. Request id: 3f6c…' },
  },
  503: {
    name: 'Unavailable',
    when: 'The service is busy, or a part that this request needs is away. `Retry-After` says when to try again.',
    examples: { error: 'The service is busy. Try again shortly.' },
    headers: ['Retry-After'],
  },
};

const keyConflicts = {
  inProgress: {
    summary: 'The first request with this Idempotency-Key has not finished.',
    value: { error: 'A request with this Idempotency-Key is still in progress.' },
  },
  reused: {
    summary: 'This Idempotency-Key was used with another body.',
    value: { error: 'This Idempotency-Key was already used with a different request body.' },
  },
};

const errorHeaders = headers('X-Error-Code', 'X-Request-Id');

/** Describes a refusal in the common form. */
export function refusal(description: string, examples: Json, more: readonly string[] = []): Json {
  return {
    description,
    headers: { ...errorHeaders, ...headers(...more) },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' }, ...examples } },
  };
}

/** Describes the 400 of an operation. */
export function validationFailure(operation: Operation, named: NamedSchemas): Json {
  const schema = { $ref: '#/components/schemas/ValidationErrors' };
  return {
    description: 'The request is not valid: messages by field, under `non_field_errors` for the request as a whole.',
    headers: errorHeaders,
    content: {
      'application/json': {
        schema: operation.refusal ? { anyOf: [named.refer(operation.refusal), schema] } : schema,
        example: invalidExample(operation),
      },
    },
  };
}

/** Returns a refusal that this operation gives: of a missing field, or of a value that one of its fields refuses. */
function invalidExample({ body, query }: Operation): Json {
  const fields = { ...(query ? properties(query) : {}), ...(body ? properties(body) : {}) };
  const required = body ? (describeObject(body)['required'] as string[] | undefined)?.[0] : undefined;
  if (required !== undefined) return { [required]: ['This field is required.'] };
  for (const [name, json] of Object.entries(fields)) {
    if (Array.isArray(json['enum'])) return { [name]: ['"other" is not a valid choice.'] };
    if (json['type'] === 'boolean') return { [name]: ['Must be a valid boolean.'] };
    if (typeof json['maxLength'] === 'number')
      return { [name]: [`Ensure this field has no more than ${json['maxLength']} characters.`] };
  }
  return { non_field_errors: ['The request could not be read as HTTP.'] };
}

function properties(schema: Parameters<typeof describeObject>[0]): Record<string, JsonSchema> {
  return describeObject(schema)['properties'] as Record<string, JsonSchema>;
}

/** Returns the 409 of the operation, and those of the Idempotency-Key only where it takes one. */
export function conflict({ conflicts, idempotent }: Operation): Json {
  const description = [
    conflicts?.when,
    idempotent ? 'The Idempotency-Key is in use, or was used with another body.' : undefined,
  ].filter(Boolean);
  return refusal(description.join(' '), {
    examples: {
      ...(conflicts ? { conflict: { summary: conflicts.when, value: { error: conflicts.example } } } : {}),
      ...(idempotent ? keyConflicts : {}),
    },
  });
}
