import { errorCodes } from './errors';
import type { Operation } from './operations';

type Json = Record<string, unknown>;

const seconds = { type: 'integer', minimum: 0 };

/** The headers of answers, by name, to which answers refer. */
export const headerComponents: Readonly<Record<string, Json>> = {
  'X-Request-Id': { schema: { type: 'string' }, description: 'Id of the request, also in our logs.' },
  'RateLimit-Limit': { schema: { type: 'integer', minimum: 1 }, description: 'Requests per minute.' },
  'RateLimit-Remaining': {
    schema: { type: 'integer', minimum: 0 },
    description: 'Requests that are left in this minute.',
  },
  'RateLimit-Reset': { schema: seconds, description: 'Seconds until the minute ends.' },
  'Retry-After': { schema: seconds, description: 'Seconds after which the same request may be sent again.' },
  ETag: {
    schema: { type: 'string' },
    description: 'A tag of what the answer says, for `If-Match` and `If-None-Match`.',
  },
  'Idempotent-Replayed': {
    schema: { type: 'string', enum: ['true'] },
    description: 'The answer is that of an earlier request with this Idempotency-Key; nothing was done again.',
  },
  'X-Ignored-Parameters': {
    schema: { type: 'string' },
    description: 'Unknown query parameters, which were ignored.',
  },
  'X-Ignored-Fields': {
    schema: { type: 'string' },
    description:
      'Top-level keys of the body that were ignored: unknown ones, and a time beside a status that clears it.',
  },
  'X-Error-Code': {
    schema: { type: 'string', enum: Object.keys(errorCodes) },
    description: Object.entries(errorCodes)
      .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
      .join('\n'),
  },
};

/** Refers to headers by their names. */
export const headers = (...names: readonly string[]): Record<string, Json> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const rateHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/** Returns the headers of an operation's answer. */
export function answerHeaders(operation: Operation): Record<string, Json> {
  return {
    ...headers(
      'X-Request-Id',
      ...rateHeaders,
      'X-Ignored-Parameters',
      ...(operation.body ? ['X-Ignored-Fields'] : []),
      ...(operation.idempotent ? ['Idempotent-Replayed'] : []),
      ...(operation.tagged ? ['ETag'] : []),
    ),
    ...Object.fromEntries(
      Object.entries(operation.responseHeaders ?? {}).map(([name, description]) => [
        name,
        { description, schema: { type: 'string' } },
      ]),
    ),
  };
}

const asked = (name: string, description: string, limits: Json = {}): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...limits },
});

const conditions = {
  read: asked('If-None-Match', 'The `ETag` that you have: where it still fits, the answer is a 304 without a body.'),
  write: asked(
    'If-Match',
    'The `ETag` of the GET of this path: where what that shows has changed since, nothing is written and the answer ' +
      'is a 412.',
  ),
};

const idempotencyKey = asked(
  'Idempotency-Key',
  'Makes retries safe: send the same key again, and the first answer is replayed with ' +
    '`Idempotent-Replayed: true`. Up to 255 printable ASCII characters, kept for 24 hours. A refusal has done ' +
    'nothing and keeps no key: send the request again with the same key, corrected where it was a 400.',
  { minLength: 1, maxLength: 255 },
);

/** Returns the headers that a request may carry; those of a path whose GET has a tag ask for it. */
export function headerParameters(operation: Operation, isConditional: boolean): Json[] {
  return [
    ...(isConditional ? [conditions[operation.tagged ? 'read' : 'write']] : []),
    ...(operation.idempotent ? [idempotencyKey] : []),
  ];
}
