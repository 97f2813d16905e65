import type { AnySchema } from 'yup';
import { errorCodes } from './errors';
import { scopeDescriptions } from './access';
import { describeObject } from './fields';
import { collectSchemas, type NamedSchemas } from './openapiSchemas';
import type { Operation } from './operations';
import { wire, type JsonSchema } from './shapes';

type Json = Record<string, unknown>;

const errorSchema = wire.named('Error', { error: { type: 'string', description: 'What went wrong, in English.' } });
const messageList: JsonSchema = { type: 'array', items: { type: 'string' } };
const validationErrors: JsonSchema = {
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
const commonErrors: Readonly<
  Record<string, { readonly name: string; readonly when: string; readonly example: string; readonly body?: true }>
> = {
  401: {
    name: 'Unauthorized',
    when: 'The credential is missing, malformed, expired or revoked.',
    example: 'Authentication credentials were not provided.',
  },
  403: {
    name: 'Forbidden',
    when: 'The credential lacks the scope, or the trial has expired.',
    example: 'You do not have permission to perform this action. Missing scope: chat.assign.',
  },
  404: { name: 'NotFound', when: 'It does not exist in this workspace.', example: 'Not found.' },
  405: { name: 'MethodNotAllowed', when: 'The path has no such method.', example: 'Method "PUT" not allowed.' },
  413: { name: 'PayloadTooLarge', when: 'The body is too large.', example: 'Request body is too large.', body: true },
  415: {
    name: 'UnsupportedMediaType',
    when: 'Unsupported content type. Send JSON, a form or multipart.',
    example: 'Unsupported media type "text/plain" in request.',
    body: true,
  },
  429: {
    name: 'TooManyRequests',
    when: 'The rate limit is used up. `Retry-After` says when to try again.',
    example: 'Request was throttled. Expected available in 12 seconds.',
  },
  500: {
    name: 'InternalError',
    when: 'A fault of the service. The text carries the request id.',
    example: 'Internal server error. Request id: 3f6c…',
  },
  503: {
    name: 'Unavailable',
    when: 'The service is busy, or a part that this request needs is away. `Retry-After` says when to try again.',
    example: 'The service is busy. Try again shortly.',
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

/** Path parameters that mean the same everywhere; numbers are ids from the list of the path before them. */
const pathTexts: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  receiver_id: {
    description:
      'The customer: the phone number in digits, with or without `+`, or the business-scoped user id (`bsuid`). Contacts and conversations carry it as `receiver_id`.',
    example: '4915112345678',
  },
  flow_id: { description: "The platform's id of the flow, from `GET /api/v1/flows/`.", example: '998877665544331' },
};

const tagTexts: Readonly<Record<string, string>> = {
  Contacts: 'The customers: who they are, their tags and custom values, and whether they opted out of marketing.',
  Conversations: 'One conversation per contact: status, snooze, priority, assignment and its activity.',
  'Custom fields': 'Fields that a workspace defines for its contacts, conversations and tickets.',
  Messages: 'What customers and the team write, its delivery and its files.',
  'Phone numbers': 'The numbers that messages are sent from.',
  Templates: 'Message templates as the platform has approved or refused them.',
  Flows: "The platform's forms: their state, what customers submitted, and figures.",
  Catalogue: 'Products of the catalogues that are connected to the business accounts.',
  Broadcasts: 'One template to many contacts: draft, preview, confirm, and follow each recipient.',
  Team: 'Team members and team inboxes, to which conversations and tickets are assigned.',
  Workspace: 'The workspace itself and its API keys.',
  Account: 'Your own sign-ins and password.',
  Agents: 'AI agents: their connections, what they did, and what waits for approval.',
  Tickets: 'Issues that outlive a conversation, with comments, watchers and deadlines.',
  'Ticket pipelines': 'The stages that tickets move through. A stage can notify the customer.',
  'SLA policies': 'Deadlines for the first response and the resolution.',
  Webhooks: 'Subscriptions of your own software to events, and the log of their deliveries.',
  Macros: 'Saved series of actions, and their runs.',
};

/** Builds the OpenAPI 3.1 document of the operations table. */
export function buildOpenApi(operations: readonly Operation[], baseUrl: string): Json {
  const named = collectSchemas();
  for (const schema of [errorSchema, validationErrors]) named.refer(schema);
  const lists = new Set(operations.filter(({ method }) => method === 'GET').map(({ path }) => path));
  const paths: Record<string, Json> = {};
  for (const operation of operations)
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describe(operation, lists, named);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Msgdesk API',
      version: '1.0.0',
      description: [
        'Contacts, conversations, messages, broadcasts and tickets of one workspace.',
        'Send `Authorization: Bearer <API key>` (`Token <API key>` is accepted, too). A key may send 60 requests per minute unless the operator has set another limit; the `RateLimit-*` headers say how many are left.',
        'Long lists come in pages: follow the absolute address in `next`. The list of tickets is a plain array with `Link` and `X-Total-Count` headers; short lists are plain arrays without pages.',
        'Which id goes where: `receiver_id` (the phone number in digits) names a customer in every path and is accepted in bodies as well. A conversation has the id of its contact; `receiver`, `contact_id` and `chat_id` are that id.',
        'Errors: a 400 lists messages by field, under `non_field_errors` where they concern the request as a whole. All other errors are `{"error": "…"}`. Every error carries `X-Error-Code`, a word for programs.',
      ].join('\n\n'),
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({
      name,
      ...(tagTexts[name] ? { description: tagTexts[name] } : {}),
    })),
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
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'token',
          description: 'The session of a team member who is signed in to the dashboard, in the same browser.',
        },
      },
      schemas: named.schemas,
      responses: Object.fromEntries(
        Object.values(commonErrors).map(({ name, when, example }) => [
          name,
          refusal(when, { example: { error: example } }),
        ]),
      ),
      headers: {
        'X-Request-Id': { schema: { type: 'string' }, description: 'Id of the request, also in our logs.' },
        'RateLimit-Limit': { schema: { type: 'integer' }, description: 'Requests per minute.' },
        'RateLimit-Remaining': { schema: { type: 'integer' }, description: 'Requests that are left in this minute.' },
        'RateLimit-Reset': { schema: { type: 'integer' }, description: 'Seconds until the minute ends.' },
        'X-Ignored-Parameters': {
          schema: { type: 'string' },
          description: 'Unknown query parameters, which were ignored.',
        },
        'X-Ignored-Fields': {
          schema: { type: 'string' },
          description: 'Unknown top-level keys of the body, which were ignored.',
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

function describe(operation: Operation, lists: ReadonlySet<string>, named: NamedSchemas): Json {
  const sessionOnly = operation.audience === 'session';
  const description = [
    operation.description,
    sessionOnly ? 'Only for team members who are signed in to the dashboard: an API key gets a 403.' : undefined,
  ]
    .filter(Boolean)
    .join(' ');
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(description ? { description } : {}),
    ...(operation.scope ? { 'x-required-scope': operation.scope } : {}),
    security: [{ [sessionOnly ? 'session' : 'apiKey']: operation.scope ? [operation.scope] : [] }],
    parameters: [...pathParameters(operation, lists), ...queryParameters(operation), ...headerParameters(operation)],
    ...(operation.body ? { requestBody: requestBody(operation, named) } : {}),
    responses: responses(operation, named),
  };
}

function pathParameters(operation: Operation, lists: ReadonlySet<string>): Json[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map(({ 1: name = '', index }) => {
    const isInteger = operation.intParams?.includes(name) ?? false;
    const list = operation.path.slice(0, index);
    const common = pathTexts[name];
    const description =
      operation.params?.[name] ??
      common?.description ??
      (lists.has(list) ? `An \`id\` from \`GET ${list}\`.` : undefined);
    return {
      name,
      in: 'path',
      required: true,
      ...(description ? { description } : {}),
      schema: isInteger ? { type: 'integer', minimum: 1 } : { type: 'string' },
      ...(isInteger ? { example: 1 } : common ? { example: common.example } : {}),
    };
  });
}

function queryParameters(operation: Operation): Json[] {
  if (!operation.query) return [];
  const { properties, required } = describeObject(operation.query) as {
    properties: Record<string, JsonSchema>;
    required?: string[];
  };
  const { fields } = operation.query;
  const prefixes = new Map(Object.entries(operation.queryPrefixes ?? {}).map(([prefix, key]) => [key, prefix]));
  return Object.entries(properties).map(([name, { description, ...schema }]) => {
    const prefix = prefixes.get(name);
    const items = (fields[name] as AnySchema | undefined)?.spec.meta?.items;
    return {
      name: prefix ? `${prefix}{name}` : name,
      in: 'query',
      required: required?.includes(name) ?? false,
      ...(description ? { description } : {}),
      ...(items ? { style: 'form', explode: false } : {}),
      schema: items ? { type: 'array', items } : prefix ? { type: 'string' } : schema,
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
        'Makes retries safe: send the same key again, and the first answer is replayed with `Idempotent-Replayed: true`. Up to 255 printable ASCII characters, kept for 24 hours.',
      schema: { type: 'string', maxLength: 255 },
    },
  ];
}

/** `tickets.create` as `TicketsCreate`. */
const pascal = (id: string): string =>
  id
    .split('.')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');

function requestBody(operation: Operation, named: NamedSchemas): Json {
  const described = operation.body ? describeObject(operation.body) : {};
  const schema = named.store(`${pascal(operation.id)}Body`, named.refer(described));
  const example = operation.examples?.request;
  return {
    required: Array.isArray(described['required']),
    content: {
      'application/json': { schema, ...(example === undefined ? {} : { example }) },
      'application/x-www-form-urlencoded': { schema },
      'multipart/form-data': { schema },
    },
  };
}

const errorHeaders = { 'X-Error-Code': { $ref: '#/components/headers/X-Error-Code' } };

function refusal(description: string, examples: Json): Json {
  return {
    description,
    headers: errorHeaders,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, ...examples } },
  };
}

function responses(operation: Operation, named: NamedSchemas): Json {
  const result: Record<string, Json> = { [operation.status]: success(operation, named) };
  for (const [status, { name, body }] of Object.entries(commonErrors))
    if (!body || operation.body) result[status] = { $ref: `#/components/responses/${name}` };
  if (operation.body || operation.query) result['400'] = validationFailure(operation, named);
  if (operation.idempotent || operation.conflicts) result['409'] = conflict(operation);
  return result;
}

function success(operation: Operation, named: NamedSchemas): Json {
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
  const example = operation.examples?.response;
  return {
    description: operation.status === 204 ? 'Done; no body.' : operation.status === 201 ? 'Created.' : 'OK.',
    headers,
    ...(operation.binary ? { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } } : {}),
    ...(operation.output
      ? {
          content: {
            'application/json': {
              schema: named.refer(operation.output),
              ...(example === undefined ? {} : { example }),
            },
          },
        }
      : {}),
  };
}

function validationFailure(operation: Operation, named: NamedSchemas): Json {
  const schema = { $ref: '#/components/schemas/ValidationErrors' };
  return {
    description: 'The request is not valid: messages by field, under `non_field_errors` for the request as a whole.',
    headers: errorHeaders,
    content: {
      'application/json': {
        schema: operation.refusal ? { anyOf: [named.refer(operation.refusal), schema] } : schema,
        example: { name: ['This field is required.'] },
      },
    },
  };
}

/** The 409 of the operation, and those of the Idempotency-Key only where it takes one. */
function conflict({ conflicts, idempotent }: Operation): Json {
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
