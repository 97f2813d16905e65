import type { AnySchema } from 'yup';
import { readAnswers } from './documents';
import { preconditionFailed } from './errors';
import { scopeDescriptions } from './access';
import { describeObject } from './fields';
import { answerHeaders, headerComponents, headerParameters } from './openapiHeaders';
import { linksOf } from './openapiLinks';
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
  Rules: 'What runs a macro by itself, also after a time (dashboard only).',
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

/**
 * Builds the OpenAPI 3.1 document of the operations table. For keys it names no other credential: the operations are
 * then those that keys may call (`forKeys`).
 */
export function buildOpenApi(operations: readonly Operation[], baseUrl: string, onlyKeys = false): Json {
  const named = collectSchemas();
  for (const schema of [errorSchema, validationErrors]) named.refer(schema);
  const listed = new Set(operations.filter(({ method }) => method === 'GET').map(({ path }) => path));
  const tagged = new Set(operations.filter((operation) => operation.tagged).map(({ path }) => path));
  const paths: Record<string, Json> = {};
  for (const operation of operations)
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describe(
      operation,
      { listed, tagged, operations, onlyKeys },
      named,
    );
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
    externalDocs: { url: `${baseUrl}/docs/api`, description: 'The first request, and the rules of all.' },
    security: securityOf([], onlyKeys),
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
        ...(onlyKeys ? {} : { session: sessionScheme }),
      },
      schemas: named.schemas,
      responses: Object.fromEntries(
        Object.values(commonErrors).map(({ name, when, examples, headers }) => [
          name,
          refusal(
            when,
            {
              examples: Object.fromEntries(
                Object.entries(examples).map(([key, text]) => [key, { value: { error: text } }]),
              ),
            },
            headers,
          ),
        ]),
      ),
      headers: headerComponents,
    },
  };
}

const sessionScheme = {
  type: 'apiKey',
  in: 'cookie',
  name: 'token',
  description:
    'The session of a team member who is signed in to the dashboard, in the same browser. Internal use only.',
};

/** Returns the operations that an API key can call. */
export const forKeys = (operations: readonly Operation[]): Operation[] =>
  operations.filter(({ audience }) => audience !== 'session');

/** What the description of one operation asks of the others. */
interface Whole {
  /** Paths that have a GET, and those whose GET has a tag. */
  readonly listed: ReadonlySet<string>;
  readonly tagged: ReadonlySet<string>;
  readonly operations: readonly Operation[];
  readonly onlyKeys: boolean;
}

function describe(operation: Operation, whole: Whole, named: NamedSchemas): Json {
  const isConditional = whole.tagged.has(operation.path);
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
    security: sessionOnly ? [{ session: [] }] : securityOf(operation.scope ? [operation.scope] : [], whole.onlyKeys),
    parameters: [
      ...pathParameters(operation, whole.listed),
      ...queryParameters(operation),
      ...headerParameters(operation, isConditional),
    ],
    ...(operation.body ? { requestBody: requestBody(operation, whole.onlyKeys, named) } : {}),
    responses: responses(operation, whole, named),
  };
}

/** What a request may carry (contract 12): a key in one of two forms, or the cookie of the dashboard. */
function securityOf(scopes: readonly string[], onlyKeys: boolean): Json[] {
  return [{ apiKey: scopes }, { token: scopes }, ...(onlyKeys ? [] : [{ session: [] }])];
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

/** Describes the body as JSON, and files as a multipart form: one type for each, so that generators tell them apart. */
function requestBody(operation: Operation, onlyKeys: boolean, named: NamedSchemas): Json {
  const described = operation.body ? describeObject(operation.body) : {};
  const properties = Object.entries((described['properties'] ?? {}) as Record<string, JsonSchema>);
  const files = properties.filter(([, { format }]) => format === 'binary');
  const stored = (suffix: string, chosen: typeof properties, required: unknown): JsonSchema => {
    const name = `${pascal(operation.id)}${suffix}`;
    const schema = { type: 'object', properties: Object.fromEntries(chosen), ...(required ? { required } : {}) };
    const description = `What \`${operation.method} ${operation.path}\` takes.`;
    return named.store(name, { ...named.refer(schema, name), description });
  };
  const { request, more } = operation.examples ?? {};
  const shown = more
    ? { examples: { usual: { summary: operation.summary, value: request }, ...more } }
    : { example: request };
  return {
    // Where all may be left out, too: generators put what is required before the headers, and some send null for
    // nothing.
    required: true,
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
      // Generators for Java know one kind of body for an operation: where there is JSON, a file is told in words.
      ...(files.length > 0 && (operation.uploads || !onlyKeys)
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

function responses(operation: Operation, { tagged, operations }: Whole, named: NamedSchemas): Json {
  const links = linksOf(operation, operations);
  const result: Record<string, Json> = {
    [operation.status]: { ...success(operation, named), ...(links ? { links } : {}) },
  };
  for (const [status, { name, body }] of Object.entries(commonErrors))
    if (!body || operation.body) result[status] = { $ref: `#/components/responses/${name}` };
  result['400'] = validationFailure(operation, named);
  if (operation.idempotent || operation.conflicts) result['409'] = conflict(operation);
  if (operation.tagged) result['304'] = { description: 'It still has the tag that `If-None-Match` names; no body.' };
  else if (tagged.has(operation.path)) {
    const { message } = preconditionFailed();
    result['412'] = refusal('It has changed since it had the tag that `If-Match` names; nothing was written.', {
      example: { error: message },
    });
  }
  if (operation.binary) {
    result['206'] = { ...success(operation, named), description: 'The range of bytes that `Range` asks for.' };
    result['416'] = refusal('The file has no such range of bytes.', {});
  }
  return result;
}

function success(operation: Operation, named: NamedSchemas): Json {
  const example = readAnswers()[operation.id];
  return {
    description: operation.status === 204 ? 'Done; no body.' : operation.status === 201 ? 'Created.' : 'OK.',
    headers: answerHeaders(operation),
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
