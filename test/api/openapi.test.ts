import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { allScopes } from '../../api/core/http/access';
import { propertyTexts } from '../../api/doors/document/texts/properties';
import { schemaTexts } from '../../api/doors/document/texts/schemas';
import { operations } from '../../api/operations';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;
interface Row extends Json {
  operationId: string;
  parameters: { name: string; in: string; required: boolean; description?: string; schema: Json }[];
  responses: Record<string, Answer & { $ref?: string }>;
  requestBody?: { content: Record<string, Media> };
}
interface Media {
  schema: Json;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Answer {
  description: string;
  links?: Record<string, { operationId: string; parameters: Record<string, string> }>;
  content?: Record<string, Media>;
  headers?: Json;
}
interface Document extends Json {
  paths: Record<string, Record<string, Row>>;
  components: Record<string, Record<string, Json>>;
}

let desk: TestApi;
let document: Document;
let rows: [method: string, path: string, row: Row][];
beforeAll(async () => {
  desk = await sharedDesk('no sandbox', { env: { BASE_URL: 'https://public.desk.test' } });
  document = (await desk.anonymous.get<Document>('/api/v1/openapi.json')).body;
  // The OAuth endpoints have rules of their own (test/oauth).
  rows = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/api/v1/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, row]): [string, string, Row] => [method.toUpperCase(), path, row]),
    );
});
afterAll(() => desk.close());

it('is OpenAPI 3.1 of version 1.0.0 of the interface, with the public address, open to any page', async () => {
  expect(document).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\.\d$/) as unknown,
    info: { title: expect.any(String) as unknown, version: '1.0.0' },
    servers: [{ url: 'https://public.desk.test' }],
  });
  expect((await desk.anonymous.get('/api/v1/openapi.json')).headers['access-control-allow-origin']).toBe('*');
});

it('lists exactly the operations of the table', () => {
  expect(rows.map(([method, path]) => `${method} ${path}`).sort()).toEqual(
    operations.map((operation) => `${operation.method} ${operation.path}`).sort(),
  );
  expect(new Set(rows.map(([, , row]) => row.operationId)).size).toBe(operations.length);
});

it('every documented route is there, and answers with a documented refusal without a credential', async () => {
  for (const [method, path] of rows)
    expect((await desk.anonymous.request(method, path.replace(/\{\w+\}/g, '1'))).status).toBe(401);
});

it('declares every path parameter once, and names none that the path lacks', () => {
  for (const [, path, row] of rows) {
    const declared = row.parameters.filter((parameter) => parameter.in === 'path');
    expect(declared.map((parameter) => parameter.name)).toEqual(
      [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]),
    );
    expect(declared.every((parameter) => parameter.required)).toBe(true);
    const keys = row.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    expect(new Set(keys).size).toBe(keys.length);
  }
});

it('refers to nothing that is not there', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? '');
  expect(references.length).toBeGreaterThan(0);
  for (const reference of references) {
    const [, , kind, name] = reference.split('/');
    expect(document.components[kind ?? '']?.[name ?? '']).toBeDefined();
  }
});

it('every schema is JSON Schema 2020-12, and every example is one of its kind', () => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictTuples: false });
  addFormats(ajv);
  ajv.addVocabulary(['example', 'components', 'discriminator']);
  ajv.addSchema({ $id: 'document:', components: { schemas: document.components['schemas'] } });
  const check = (where: string, { content }: { content?: Record<string, Media> }): void => {
    for (const { schema, example, examples = {} } of Object.values(content ?? {})) {
      const validate = ajv.compile(absolute(schema));
      for (const value of [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples).map((one) => one.value),
      ])
        expect([where, validate(value), validate.errors]).toEqual([where, true, null]);
    }
  };
  for (const name of Object.keys(document.components['schemas'] ?? {}))
    ajv.compile({ $ref: `document:#/components/schemas/${name}` });
  for (const [name, answer] of Object.entries(document.components['responses'] ?? {}))
    check(name, answer as unknown as Answer);
  for (const [, , row] of rows) {
    for (const answer of [...Object.values(row.responses), ...(row.requestBody ? [row.requestBody] : [])])
      check(row.operationId, answer);
    for (const parameter of row.parameters) ajv.compile(parameter.schema);
  }
});

it('has no object without a name: a generator makes none up, and knows that two are the same (C3)', () => {
  const nameless: string[] = [];
  const look = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [keyword, inner] of Object.entries(value)) {
      if (['const', 'default', 'enum', 'example', 'examples'].includes(keyword) && !place.endsWith('/properties'))
        continue;
      if (keyword === 'properties' && !/^\/components\/schemas\/\w+$/.test(place)) nameless.push(place);
      look(inner, `${place}/${keyword}`);
    }
  };
  look(document, '');
  // A property of a schema may be called so.
  expect(nameless.filter((place) => !place.endsWith('/properties'))).toEqual([]);
  expect(Object.keys(document.components['schemas'] ?? {}).filter((name) => name.length > 40)).toEqual([]);
});

it('describes bodies as JSON alone, but for a file: generators would send all kinds at once (C3)', () => {
  for (const [, , row] of rows)
    if (row.requestBody)
      expect([row.operationId, Object.keys(row.requestBody.content)]).toEqual([
        row.operationId,
        [
          ...(row.operationId === 'media.create' ? [] : ['application/json']),
          ...(['contacts.import', 'media.create'].includes(row.operationId) ? ['multipart/form-data'] : []),
        ],
      ]);
});

/** Lets the references of a schema lead into the document, wherever the schema is compiled. */
const absolute = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document:#/')) as Json;

it('names a schema for every resource, so that a client generator makes one type of each', () => {
  expect(Object.keys(document.components['schemas'] ?? {})).toEqual(
    expect.arrayContaining(
      (
        'ApiKey Approval Audience AuditEntry Broadcast BroadcastRecipient Comment ConnectedAgent Contact ' +
        'Conversation CustomField Flow FlowSubmission Macro MacroRun Message MessageBody PhoneNumber Pipeline ' +
        'Product Refusal Session SlaPolicy Stage TeamInbox TeamMember Template TemplateComponent ' +
        'TemplateParameter TemplateVariables Ticket User ValidationErrors Workspace'
      ).split(' '),
    ),
  );
  for (const [, path, row] of rows) {
    const answers = [row.responses['200'], row.responses['201']].flatMap((answer) =>
      Object.values(answer?.content ?? {}),
    );
    for (const { schema } of answers) {
      const item = schema['type'] === 'array' ? (schema['items'] as Json) : schema;
      expect([path, item]).toEqual([
        path,
        row.operationId === 'messages.media' ? item : { $ref: expect.any(String) as unknown },
      ]);
    }
    for (const { schema } of Object.values(row.requestBody?.content ?? {}))
      expect(schema).toEqual({ $ref: expect.any(String) as unknown });
  }
});

it('describes every operation, parameter, tag and header; session-only operations say so', () => {
  const missing = [
    ...rows.flatMap(([, , row]) => [
      ...(row['description'] ? [] : [row.operationId]),
      ...row.parameters.filter((parameter) => !parameter.description).map(({ name }) => `${row.operationId} ${name}`),
    ]),
    ...(document['tags'] as Json[]).filter((tag) => !tag['description']).map((tag) => String(tag['name'])),
    ...Object.entries(document.components['headers'] ?? {}).flatMap(([name, header]) =>
      header['description'] ? [] : [name],
    ),
  ];
  expect(missing).toEqual([]);
  for (const [, , row] of rows)
    expect([row.operationId, String(row['description']).includes('an API key gets a 403')]).toEqual([
      row.operationId,
      operations.find(({ id }) => id === row.operationId)?.audience === 'session',
    ]);
});

it('says of every property what it means', () => {
  const silent: string[] = [];
  const look = (value: unknown, place: string): void => {
    if (Array.isArray(value)) for (const item of value) look(item, place);
    else if (typeof value === 'object' && value !== null)
      for (const [keyword, inner] of Object.entries(value as Json)) {
        if (['const', 'default', 'enum', 'example', 'examples'].includes(keyword)) continue;
        if (keyword === 'properties')
          for (const [name, schema] of Object.entries(inner as Record<string, Json>))
            if (!schema['description']) silent.push(`${place} ${name}`);
        look(inner, `${place} ${keyword}`);
      }
  };
  look(document.components['schemas'], '');
  look(document.paths, 'paths');
  look(document['webhooks'], 'webhooks');
  expect(silent).toEqual([]);
});

it('keeps no text for a property that no schema has', () => {
  const known = JSON.stringify(document);
  expect(Object.keys(propertyTexts).filter((name) => !known.includes(`"${name.split('.').at(-1)}":`))).toEqual([]);
});

it('has an example of every body that takes something, and a real answer of every operation', () => {
  const without = rows.filter(([, , row]) => {
    const body = Object.values(row.requestBody?.content ?? {})[0];
    const [, , , name = ''] = String(body?.schema['$ref'] ?? '').split('/');
    const takes = Object.keys((document.components['schemas']?.[name]?.['properties'] ?? {}) as Json).length > 0;
    return takes && body?.example === undefined && body?.examples === undefined;
  });
  // A file is no JSON. The password of a demo workspace is made up at its first start, and so would a factor be.
  const unknowable = ['media.create', 'factors.addTotp', 'factors.addPasskey', 'sessions.confirm', 'password.change'];
  expect(without.map(([, , row]) => row.operationId)).toEqual(unknowable);
  const unanswered = rows.filter(([, , row]) => {
    const content = (row.responses['200'] ?? row.responses['201'])?.content?.['application/json'];
    return content !== undefined && content.example === undefined;
  });
  expect(unanswered.map(([, , row]) => row.operationId)).toEqual([
    'factors.addTotp',
    'factors.startPasskey',
    'factors.addPasskey',
    'factors.renewCodes',
    'password.change',
    'rules.moveRun',
    'bulkChanges.undo',
    'bulkChanges.undoContacts',
  ]);
});

it('describes the OAuth endpoints and their parameters, too', () => {
  const silent = Object.entries(document.paths)
    .filter(([path]) => !path.startsWith('/api/v1/'))
    .flatMap(([path, methods]) =>
      Object.values(methods).flatMap((row) => [
        ...(row['description'] ? [] : [path]),
        ...((row.parameters as Row['parameters'] | undefined) ?? [])
          .filter(({ description }) => !description)
          .map(({ name }) => `${path} ${name}`),
      ]),
    );
  expect(silent).toEqual([]);
});

it('names every operation by one rule', () => {
  for (const [, , row] of rows) expect(row.operationId).toMatch(/^[a-z][A-Za-z]*\.[a-z][A-Za-z]*$/);
});

it('lists the words of filters that take several, and the Idempotency-Key only where it applies', () => {
  for (const [, , row] of rows) {
    for (const parameter of row.parameters.filter(({ description }) => description?.startsWith('Comma-separated')))
      expect(parameter.schema).toMatchObject({ type: 'array', items: { enum: expect.any(Array) as unknown } });
    const conflict = JSON.stringify(row.responses['409'] ?? {});
    expect([row.operationId, conflict.includes('Idempotency-Key')]).toEqual([
      row.operationId,
      row.parameters.some(({ name }) => name === 'Idempotency-Key'),
    ]);
  }
});

it('documents every refusal that an operation can give', () => {
  for (const [method, path, row] of rows) {
    const operation = operations.find((candidate) => candidate.id === row.operationId);
    const expected = [
      '401',
      '403',
      '404',
      '405',
      '429',
      '500',
      '503',
      String(operation?.status),
      ...(row.requestBody ? ['400', '413', '415'] : []),
      ...(operation?.idempotent ? ['409'] : []),
    ];
    expect([method, path, Object.keys(row.responses)]).toEqual([method, path, expect.arrayContaining(expected)]);
  }
});

it('names the security and the scope of each', () => {
  for (const [, , row] of rows) {
    const scope = row['x-required-scope'];
    if (scope !== undefined) expect(allScopes).toContain(scope);
    // A key in two forms, and the dashboard's cookie.
    const [first, ...others] = (row['security'] as Json[]).flatMap((requirement) => Object.keys(requirement));
    expect([first, others]).toEqual(first === 'session' ? ['session', []] : ['apiKey', ['token', 'session']]);
    for (const requirement of row['security'] as Json[])
      for (const name of Object.keys(requirement)) expect(document.components['securitySchemes']?.[name]).toBeDefined();
  }
});

/** Words that a type or method of Go, Java or C# cannot be called by, or that hide what generated code stands on. */
const taken = new Set(
  (
    'abstract as assert base bool boolean break byte case catch char chan checked class const continue decimal ' +
    'default defer delegate do double else enum event explicit extends extern false final finally fixed float for ' +
    'foreach func go goto if implements implicit import in instanceof int interface internal is lock long map ' +
    'namespace native new null object operator out override package params private protected public range ' +
    'readonly ref return sbyte sealed select short sizeof static strictfp string struct super switch synchronized ' +
    'this throw throws transient true try type typeof uint ulong unchecked unsafe ushort using var virtual void ' +
    'volatile while ' +
    // Of java.lang, of C#'s System, and of the generators themselves.
    'action apiclient apiexception apiresponse array attribute character configuration console date datetime ' +
    'environment error exception file func guid integer iterable list math module number process record response ' +
    'runtime set stream system task thread tuple uri uuid version'
  ).split(' '),
);

it.each(['', '?for=keys'])('has no name that breaks code in Go, Java or C# (%s)', async (query) => {
  const { components, paths } = (await desk.anonymous.get<Document>(`/api/v1/openapi.json${query}`)).body;
  const schemas = Object.entries(components['schemas'] ?? {});
  const names = [
    ...schemas.map(([name]) => name),
    ...Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId.replaceAll('.', '')),
    ),
  ];
  expect(names.filter((name) => taken.has(name.toLowerCase()))).toEqual([]);
  // Go calls constructors so.
  expect(names.filter((name) => /^new/i.test(name))).toEqual([]);
  // Files of some disks, and members of a class in C#, differ in more than case.
  expect(new Set(schemas.map(([name]) => name.toLowerCase())).size).toBe(schemas.length);
  const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();
  for (const [name, { properties = {} }] of schemas) {
    const members = Object.keys(properties as Json).map(plain);
    expect([name, members.filter((member) => member === plain(name))]).toEqual([name, []]);
    expect([name, new Set(members).size]).toEqual([name, members.length]);
  }
});

it('for keys has what keys can call, all of what it refers to, and no other credential', async () => {
  const answer = await desk.anonymous.get<Document>('/api/v1/openapi.json?for=keys');
  const own = Object.entries(answer.body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, row]) => {
      expect((row['security'] as Json[]).flatMap((one) => Object.keys(one))).toEqual(['apiKey', 'token']);
      return `${method.toUpperCase()} ${path}`;
    }),
  );
  expect(own.sort()).toEqual(
    operations
      .filter(({ audience }) => audience !== 'session')
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  );
  expect(Object.keys(answer.body.components['securitySchemes'] ?? {})).toEqual(['apiKey', 'token']);
  expect(answer.body['webhooks']).toBeUndefined();
  for (const [, kind = '', name = ''] of JSON.stringify(answer.body).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g))
    expect(answer.body.components[kind]?.[name]).toBeDefined();
  expect(answer.headers['access-control-allow-origin']).toBe('*');
  expect(await desk.anonymous.get('/api/v1/openapi.json?for=members')).toMatchObject({
    status: 400,
    body: { for: [expect.any(String)] },
  });
});

it('tells events apart by their type', () => {
  const event = document.components['schemas']?.['WebhookEvent'] as unknown as {
    oneOf: { $ref: string }[];
    discriminator: { propertyName: string; mapping: Record<string, string> };
  };
  const { propertyName, mapping } = event.discriminator;
  expect(propertyName).toBe('type');
  expect(Object.keys(mapping)).toEqual(Object.keys(document['webhooks'] as Json));
  expect(event.oneOf.map(({ $ref }) => $ref)).toEqual(Object.values(mapping));
  for (const [type, reference] of Object.entries(mapping)) {
    const { properties } = document.components['schemas']?.[reference.split('/').at(-1) ?? ''] as { properties: Json };
    expect(properties['type']).toMatchObject({ const: type });
  }
});

it('says of every schema what it is, and of ids that they begin with 1 and have 64 bits', () => {
  const schemas = Object.entries(document.components['schemas'] ?? {});
  expect(schemas.filter(([, { description }]) => !description).map(([name]) => name)).toEqual([]);
  expect(Object.keys(schemaTexts).filter((name) => !document.components['schemas']?.[name])).toEqual([]);
  const body = document.components['schemas']?.['TicketsCreateBody'] as { properties: Record<string, Json> };
  expect(body.properties['receiver']).toMatchObject({ minimum: 1, format: 'int64' });
  expect(body.properties['watcher_ids']).toMatchObject({ items: { minimum: 1, format: 'int64' } });
  const message = document.components['schemas']?.['MessagesCreateBody'] as { properties: Record<string, Json> };
  expect(message.properties['type']).toMatchObject({ enum: expect.arrayContaining(['text', 'template']) as unknown });
});

it('names the headers of retries, replays and tags', () => {
  const responses = document.components['responses'] ?? {};
  expect(Object.keys(responses['TooManyRequests']?.['headers'] as Json)).toEqual(
    expect.arrayContaining(['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']),
  );
  expect(Object.keys(responses['Unavailable']?.['headers'] as Json)).toContain('Retry-After');
  for (const [, , row] of rows) {
    const operation = operations.find(({ id }) => id === row.operationId);
    const named = Object.keys(row.responses[String(operation?.status)]?.headers ?? {});
    expect([row.operationId, named.includes('Idempotent-Replayed'), named.includes('ETag')]).toEqual([
      row.operationId,
      operation?.idempotent !== undefined,
      operation?.tagged === true,
    ]);
  }
});

it('leads from lists and from what was made to every operation on one of them', () => {
  const reached = new Set<string>();
  for (const [, , row] of rows)
    for (const answer of Object.values(row.responses))
      for (const { operationId, parameters } of Object.values(answer.links ?? {})) {
        const [, , target] = rows.find(([, , other]) => other.operationId === operationId) ?? [];
        const wanted = target?.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
        expect([operationId, Object.keys(parameters)]).toEqual([operationId, wanted]);
        reached.add(operationId);
      }
  const waiting = rows.filter(([, path, row]) => path.includes('{') && !reached.has(row.operationId));
  expect(waiting.map(([, , row]) => row.operationId)).toEqual([]);
});
