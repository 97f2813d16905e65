import type { AnySchema } from 'yup';
import { readAnswers } from './documents';
import { errorCodes } from './errors';
import { scopeDescriptions } from './access';
import { describeObject } from './fields';
import { commonErrors, conflict, errorSchema, refusal, validationErrors, validationFailure } from './openapiRefusals';
import { collectSchemas, pascal, type NamedSchemas } from './openapiSchemas';
import type { Operation } from './operations';
import type { JsonSchema } from './shapes';

type Json = Record<string, unknown>;

/** The version of the interface that the path's `v1` is; the package has one of its own. */
export const interfaceVersion = '1.0.0';

/** Path parameters that mean the same everywhere; numbers are ids from the list of the path before them. */
const pathTexts: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  receiver_id: {
    description:
      'The customer: the phone number in digits, with or without `+`, or the business-scoped user id (`bsuid`). ' +
      'Contacts and conversations carry it as `receiver_id`.',
    example: '4915112345678',
  },
  flow_id: { description: "The platform's id of the flow, from `GET /api/v1/flows/`.", example: '998877665544331' },
  template_id: {
    description: "The platform's id of the template, from `GET /api/v1/templates/`.",
    example: '564750795574598',
  },
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
  Usage: 'What messages cost, and the rates by which that is reckoned.',
  Reports: 'How quickly a team answers and resolves, and how much there is to do.',
  Teamwork: 'What members do for each other: notes, mentions, presence, canned replies, views, changes of many, hours.',
  'SLA policies': 'Deadlines for the first response and the resolution.',
  Webhooks: 'Subscriptions of your own software to events, and the log of their deliveries.',
  Macros: 'Saved series of actions, and their runs.',
};

const lists = [
  'Lists come in four forms:',
  '- Most are pages `{count, next, previous, results}`. Follow the address in `next` until it is null; ' +
    '`page_size` sets the length (at most 200).',
  '- Templates are such pages without `count`.',
  '- Tickets are a plain array, walked by `limit` (at most 1000) and `offset`; the headers `X-Total-Count` and ' +
    '`Link` say how many there are and where the next ones are.',
  '- Short lists (phone numbers, macros, pipelines, custom fields, team inboxes, webhooks, policies, keys) are ' +
    'plain arrays and always complete.',
].join('\n');

/** Builds the OpenAPI 3.1 document of the operations table. */
export function buildOpenApi(operations: readonly Operation[], baseUrl: string): Json {
  const named = collectSchemas();
  for (const schema of [errorSchema, validationErrors]) named.refer(schema);
  const listed = new Set(operations.filter(({ method }) => method === 'GET').map(({ path }) => path));
  const paths: Record<string, Json> = {};
  for (const operation of operations)
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describe(operation, listed, named);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Msgdesk API',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      version: interfaceVersion,
      description: [
        'Contacts, conversations, messages, broadcasts and tickets of one workspace.',
        'Send `Authorization: Bearer <API key>`. Operations for signed-in members take the session of the ' +
          'dashboard instead: sign in at `/dashboard/` and the requests of this page carry it. A credential may ' +
          'send 60 requests per minute unless the operator has set another limit; the `RateLimit-*` headers say ' +
          'how many are left.',
        lists,
        'Ids: `receiver_id` (usually the phone number in digits) names a customer in every path; bodies take it, ' +
          'too. A contact and its conversation have the same `id`: `receiver`, `contact_id` and `chat_id` are this ' +
          'number.',
        'Errors: a 400 lists messages by field, or under `non_field_errors` if they concern the whole request. ' +
          'All other errors are `{"error": "…"}`. Every error has a header `X-Error-Code` with one word that ' +
          'programs can rely on.',
        'What the service does not know, it ignores and names: unknown query parameters in ' +
          '`X-Ignored-Parameters`, unknown top-level fields of a body in `X-Ignored-Fields`. A query parameter ' +
          'without a value counts as not given. A filter that takes a list takes commas or the parameter repeated; ' +
          'any other parameter comes once.',
        'Bodies: JSON, as described here. Every write also takes the same fields as a form ' +
          '(`application/x-www-form-urlencoded` or `multipart/form-data`): an object or array is JSON text there, a ' +
          'list may be its name repeated, and an empty value of a nullable field means null.',
        'The requests and answers shown as examples are real: they work, and were answered, in the workspace ' +
          'that `npm start` makes.',
      ].join('\n\n'),
    },
    servers: [{ url: baseUrl }],
    security: securityOf([]),
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
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The same API key as `Authorization: Token <API key>`.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'token',
          description:
            'The session of a team member who is signed in to the dashboard, in the same browser. Internal use only.',
        },
      },
      schemas: named.schemas,
      responses: Object.fromEntries(
        Object.values(commonErrors).map(({ name, when, examples }) => [
          name,
          refusal(when, {
            examples: Object.fromEntries(
              Object.entries(examples).map(([key, text]) => [key, { value: { error: text } }]),
            ),
          }),
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
          description:
            'Top-level keys of the body that were ignored: unknown ones, and a time beside a status that clears it.',
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
    ...Object.entries(operation.queryPrefixes ?? {}).map(([prefix, key]) => prefixText(operation, prefix, key)),
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
    security: sessionOnly ? [{ session: [] }] : securityOf(operation.scope ? [operation.scope] : []),
    parameters: [...pathParameters(operation, lists), ...queryParameters(operation), ...headerParameters(operation)],
    ...(operation.body ? { requestBody: requestBody(operation, named) } : {}),
    responses: responses(operation, named),
  };
}

/** What a request may carry (contract 12): a key in one of two forms, or the cookie of the dashboard. */
function securityOf(scopes: readonly string[]): Json[] {
  return [{ apiKey: scopes }, { token: scopes }, { session: [] }];
}

/** Returns a text about parameters whose names are not known beforehand, which no client generator can fill. */
function prefixText({ query }: Operation, prefix: string, key: string): string {
  const text = (query?.fields[key] as AnySchema | undefined)?.spec.meta?.json?.['description'];
  return `Also takes \`${prefix}{name}\`: ${String(text)}`;
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
      ...(isInteger ? { example: operation.examples?.params?.[name] ?? 1 } : common ? { example: common.example } : {}),
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
  const gathered = Object.values(operation.queryPrefixes ?? {});
  const named = Object.entries(properties).filter(([name]) => !gathered.includes(name));
  return named.map(([name, { description, ...schema }]) => {
    const items = (fields[name] as AnySchema | undefined)?.spec.meta?.items;
    return {
      name,
      in: 'query',
      required: required?.includes(name) ?? false,
      ...(description ? { description } : {}),
      ...(items ? { style: 'form', explode: false } : {}),
      schema: items ? { type: 'array', items } : schema,
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
        'Makes retries safe: send the same key again, and the first answer is replayed with ' +
        '`Idempotent-Replayed: true`. Up to 255 printable ASCII characters, kept for 24 hours. A refusal has done ' +
        'nothing and keeps no key: send the request again with the same key, corrected where it was a 400.',
      schema: { type: 'string', maxLength: 255 },
    },
  ];
}

/** Describes the body as JSON, and files as a multipart form: one type for each, so that generators tell them apart. */
function requestBody(operation: Operation, named: NamedSchemas): Json {
  const described = operation.body ? describeObject(operation.body) : {};
  const properties = Object.entries((described['properties'] ?? {}) as Record<string, JsonSchema>);
  const files = properties.filter(([, { format }]) => format === 'binary');
  const stored = (suffix: string, chosen: typeof properties, required: unknown): JsonSchema => {
    const name = `${pascal(operation.id)}${suffix}`;
    const schema = { type: 'object', properties: Object.fromEntries(chosen), ...(required ? { required } : {}) };
    return named.store(name, named.refer(schema, name));
  };
  const { request, more } = operation.examples ?? {};
  const shown = more
    ? { examples: { usual: { summary: operation.summary, value: request }, ...more } }
    : { example: request };
  return {
    required: Array.isArray(described['required']),
    content: {
      ...(operation.uploads
        ? {}
        : {
            'application/json': {
              schema: stored(
                'Body',
                properties.filter((property) => !files.includes(property)),
                described['required'],
              ),
              ...(request === undefined ? {} : shown),
            },
          }),
      ...(files.length > 0
        ? {
            'multipart/form-data': {
              schema: stored(
                'Upload',
                files,
                files.map(([name]) => name),
              ),
            },
          }
        : {}),
    },
  };
}

function responses(operation: Operation, named: NamedSchemas): Json {
  const result: Record<string, Json> = { [operation.status]: success(operation, named) };
  for (const [status, { name, body }] of Object.entries(commonErrors))
    if (!body || operation.body) result[status] = { $ref: `#/components/responses/${name}` };
  result['400'] = validationFailure(operation, named);
  if (operation.idempotent || operation.conflicts) result['409'] = conflict(operation);
  if (operation.binary) {
    result['206'] = { ...success(operation, named), description: 'The range of bytes that `Range` asks for.' };
    result['416'] = refusal('The file has no such range of bytes.', {});
  }
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
  const example = readAnswers()[operation.id];
  return {
    description: operation.status === 204 ? 'Done; no body.' : operation.status === 201 ? 'Created.' : 'OK.',
    headers,
    ...(operation.binary
      ? { content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } }
      : {}),
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
