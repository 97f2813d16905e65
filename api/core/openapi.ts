import { errorCodes } from './errors';
import { scopeDescriptions } from './access';
import { describeObject } from './fields';
import type { Operation } from './operations';
import { wire, type JsonSchema } from './shapes';

type Json = Record<string, unknown>;

const errorEnvelope = wire.object({ error: { type: 'string' } });
const validationErrors: JsonSchema = {
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'string' } },
};

/** Refusals that every operation can give: status, when, example. */
const commonErrors: Readonly<Record<string, readonly [when: string, example: string]>> = {
  401: ['Missing, malformed or revoked credential.', 'Authentication credentials were not provided.'],
  403: [
    'Scope missing, or the trial has expired.',
    'You do not have permission to perform this action. Missing scope: chat.assign.',
  ],
  404: ['Not found, or in another workspace.', 'Not found.'],
  405: ['The path has no such method.', 'Method "PUT" not allowed.'],
  429: ['Rate limit exceeded.', 'Request was throttled. Expected available in 12 seconds.'],
  500: ['A fault of the service; the text carries the request id.', 'Internal server error. Request id: 3f6c…'],
  503: ['Busy, or a part that this request needs is away.', 'The service is busy. Try again shortly.'],
};

/** The OpenAPI 3.1 document of the operations table. */
export function buildOpenApi(operations: readonly Operation[], baseUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations)
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describe(operation);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Msgdesk API',
      version: '1.0.0',
      description:
        'Contacts, conversations, messages and templates of one workspace. Send `Authorization: Bearer <API key>`. 60 requests per minute and key; `RateLimit-*` headers tell what is left. Lists are walked by their absolute `next` link.',
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }, { token: [] }, { session: [] }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: `API key of one workspace. Scopes: ${Object.entries(scopeDescriptions)
            .map(([scope, grants]) => `\`${scope}\` ${grants}`)
            .join(' ')}`,
        },
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`Token <API key or session token>`.',
        },
        session: { type: 'apiKey', in: 'cookie', name: 'token', description: 'Dashboard session (internal).' },
      },
      schemas: { Error: errorEnvelope, ValidationErrors: validationErrors },
      headers: {
        'X-Request-Id': { schema: { type: 'string' }, description: 'Id of the request, also in our logs.' },
        'RateLimit-Limit': { schema: { type: 'integer' } },
        'RateLimit-Remaining': { schema: { type: 'integer' } },
        'RateLimit-Reset': { schema: { type: 'integer' }, description: 'Seconds until the window ends.' },
        'X-Ignored-Parameters': { schema: { type: 'string' }, description: 'Query parameters that were passed over.' },
        'X-Ignored-Fields': {
          schema: { type: 'string' },
          description: 'Top-level keys of the body that were passed over.',
        },
        'X-Error-Code': {
          schema: { type: 'string', enum: Object.keys(errorCodes) },
          description: Object.entries(errorCodes)
            .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
            .join('\n'),
        },
      },
    },
  };
}

function describe(operation: Operation): Json {
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    ...(operation.scope ? { 'x-required-scope': operation.scope } : {}),
    security: (operation.audience === 'session' ? ['session', 'token'] : ['apiKey', 'token', 'session']).map(
      (scheme) => ({ [scheme]: operation.scope ? [operation.scope] : [] }),
    ),
    parameters: [...pathParameters(operation), ...queryParameters(operation), ...headerParameters(operation)],
    ...(operation.body ? { requestBody: requestBody(operation) } : {}),
    responses: responses(operation),
  };
}

function pathParameters(operation: Operation): Json[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: operation.intParams?.includes(name ?? '') ? { type: 'integer', minimum: 1 } : { type: 'string' },
  }));
}

function queryParameters(operation: Operation): Json[] {
  if (!operation.query) return [];
  const { properties, required } = describeObject(operation.query) as {
    properties: Record<string, JsonSchema>;
    required?: string[];
  };
  const prefixes = new Map(Object.entries(operation.queryPrefixes ?? {}).map(([prefix, key]) => [key, prefix]));
  return Object.entries(properties).map(([name, { description, ...schema }]) => {
    const prefix = prefixes.get(name);
    return {
      name: prefix ? `${prefix}{name}` : name,
      in: 'query',
      required: required?.includes(name) ?? false,
      ...(description ? { description } : {}),
      schema: prefix ? { type: 'string' } : schema,
    };
  });
}

function headerParameters(operation: Operation): Json[] {
  if (!operation.idempotent) return [];
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Up to 255 printable ASCII characters, kept for 24 hours: the first answer is replayed with `Idempotent-Replayed: true`.',
      schema: { type: 'string', maxLength: 255 },
    },
  ];
}

function requestBody(operation: Operation): Json {
  const schema = operation.body ? describeObject(operation.body) : {};
  const example = operation.examples?.request;
  const required = Array.isArray((schema as { required?: unknown }).required);
  return {
    required,
    content: {
      'application/json': { schema, ...(example === undefined ? {} : { example }) },
      'application/x-www-form-urlencoded': { schema },
      'multipart/form-data': { schema },
    },
  };
}

const errorHeaders = { 'X-Error-Code': { $ref: '#/components/headers/X-Error-Code' } };

function responses(operation: Operation): Json {
  const headers = {
    ...Object.fromEntries(
      [
        'X-Request-Id',
        'RateLimit-Limit',
        'RateLimit-Remaining',
        'RateLimit-Reset',
        'X-Ignored-Parameters',
        ...(operation.body ? ['X-Ignored-Fields'] : []),
      ].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    ...Object.fromEntries(
      Object.entries(operation.responseHeaders ?? {}).map(([name, description]) => [
        name,
        { description, schema: { type: 'string' } },
      ]),
    ),
  };
  const result: Record<string, Json> = {
    [operation.status]: {
      description: operation.status === 204 ? 'Done; no body.' : operation.status === 201 ? 'Created.' : 'OK.',
      headers,
      ...(operation.binary ? { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } } : {}),
      ...(operation.output
        ? {
            content: {
              'application/json': {
                schema: operation.output,
                ...(operation.examples?.response === undefined ? {} : { example: operation.examples.response }),
              },
            },
          }
        : {}),
    },
  };
  const refusal = (description: string, example: string): Json => ({
    description,
    headers: errorHeaders,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { error: example } } },
  });
  for (const [status, [when, example]] of Object.entries(commonErrors)) result[status] = refusal(when, example);
  if (operation.body || operation.query) {
    result['400'] = {
      description: 'Validation failure: field names to messages.',
      headers: errorHeaders,
      content: {
        'application/json': {
          schema: operation.refusal
            ? { anyOf: [operation.refusal, { $ref: '#/components/schemas/ValidationErrors' }] }
            : { $ref: '#/components/schemas/ValidationErrors' },
          example: { name: ['This field is required.'] },
        },
      },
    };
  }
  if (operation.body) {
    result['413'] = refusal('The body is too large.', 'Request body is too large.');
    result['415'] = refusal('The content type is not taken.', 'Unsupported media type "text/plain" in request.');
  }
  if (operation.idempotent || operation.conflicts) {
    result['409'] = refusal(
      [
        operation.conflicts,
        operation.idempotent ? 'The Idempotency-Key is in use or was used with another body.' : undefined,
      ]
        .filter(Boolean)
        .join(' '),
      'A request with this Idempotency-Key is still in progress.',
    );
  }
  return result;
}
