import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { allScopes } from '../../api/core/access';
import { operations } from '../../api/operations';
import { startApi, type TestApi } from '../support/api';

type Json = Record<string, unknown>;
interface Row extends Json {
  operationId: string;
  parameters: { name: string; in: string; required: boolean; schema: Json }[];
  responses: Record<
    string,
    { description: string; content?: Record<string, { schema: Json; example?: unknown }>; headers?: Json }
  >;
  requestBody?: { content: Record<string, { schema: Json; example?: unknown }> };
}
interface Document extends Json {
  paths: Record<string, Record<string, Row>>;
  components: Record<string, Record<string, Json>>;
}

let desk: TestApi;
let document: Document;
let rows: [method: string, path: string, row: Row][];
beforeAll(async () => {
  desk = await startApi({ env: { BASE_URL: 'https://public.desk.test' }, sandbox: false });
  document = (await desk.anonymous.get<Document>('/api/v1/openapi.json')).body;
  // The OAuth endpoints have rules of their own (test/oauth).
  rows = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/api/v1/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, row]): [string, string, Row] => [method.toUpperCase(), path, row]),
    );
});
afterAll(() => desk.close());

it('is OpenAPI 3.1, version 1.0.0, with the public address, open to any page', async () => {
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
  ajv.addVocabulary(['example']);
  for (const [name, schema] of Object.entries(document.components['schemas'] ?? {}))
    ajv.addSchema(schema, `#/components/schemas/${name}`);
  for (const [, , row] of rows) {
    for (const { content } of [...Object.values(row.responses), ...(row.requestBody ? [row.requestBody] : [])]) {
      for (const { schema, example } of Object.values(content ?? {})) {
        const validate = ajv.compile(schema);
        if (example !== undefined)
          expect([row.operationId, validate(example), validate.errors]).toEqual([row.operationId, true, null]);
      }
    }
    for (const parameter of row.parameters) ajv.compile(parameter.schema);
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
    for (const requirement of row['security'] as Json[])
      for (const name of Object.keys(requirement)) expect(document.components['securitySchemes']?.[name]).toBeDefined();
  }
});
