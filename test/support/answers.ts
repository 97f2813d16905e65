import type { IncomingHttpHeaders } from 'node:http';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { buildOpenApi } from '../../api/core/http/openapi';
import { operations } from '../../api/operations';

type Json = Record<string, unknown>;
interface DocumentedResponse {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}
interface DocumentedOperation {
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

/** Checks answers against the service's own OpenAPI document; throws an Error that says what differs. */
export interface AnswerCheck {
  check(method: string, path: string, status: number, headers: IncomingHttpHeaders, body: unknown): void;
}

const rateHeaders = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];

/** What answers are compared with. */
interface Documentation {
  readonly document: {
    readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
    readonly components: { readonly schemas: Json; readonly responses: Readonly<Record<string, DocumentedResponse>> };
  };
  /** Those with fewer parameters first. */
  readonly paths: readonly { readonly path: string; readonly pattern: RegExp }[];
  readonly ajv: Ajv2020;
  readonly compiled: Map<string, ValidateFunction>;
}

/** Builds the document; where the service is reached makes no difference to its answers. */
function documentation(): Documentation {
  const document = buildOpenApi(operations, 'http://127.0.0.1') as Documentation['document'];
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  const paths = Object.keys(document.paths)
    .map((path) => ({
      path,
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+').replace(/\/$/, '/?')}$`),
      parameters: (path.match(/\{/g) ?? []).length,
    }))
    .sort((left, right) => left.parameters - right.parameters);
  return { document, paths, ajv, compiled: new Map() };
}

let kept: Documentation | undefined;

/** Builds the document when it is first asked for; a response's schema is compiled when it is first met. */
export function createAnswerCheck(): AnswerCheck {
  const { document, paths, ajv, compiled } = (kept ??= documentation());

  function validator(key: string, schema: Json): ValidateFunction {
    let validate = compiled.get(key);
    if (!validate) {
      validate = ajv.compile({ ...(resolved(schema) as Json) });
      compiled.set(key, validate);
    }
    return validate;
  }

  /** Returns the schema with every reference replaced by what it refers to. */
  function resolved(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(resolved);
    if (typeof schema !== 'object' || schema === null) return schema;
    const reference = (schema as Json)['$ref'];
    if (typeof reference === 'string') return resolved(document.components.schemas[reference.split('/').at(-1) ?? '']);
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolved(value)]));
  }

  const envelope = validator('envelope', {
    type: 'object',
    required: ['error'],
    properties: { error: { type: 'string' } },
  });
  const fields = validator('fields', {
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
  });

  function require(condition: boolean, what: string): asserts condition {
    if (!condition) throw new Error(what);
  }

  return {
    check(method, path, status, headers, body) {
      const at = `${method} ${path} answered ${status}`;
      require(typeof headers['x-request-id'] === 'string', `${at} without X-Request-Id`);
      if (status === 429 || status === 503)
        require(/^\d+$/.test(headers['retry-after'] ?? ''), `${at} without Retry-After`);
      if (status === 405) require(typeof headers.allow === 'string', `${at} without Allow`);
      const documented = paths.find((candidate) => candidate.pattern.test(path));
      const operation = documented
        ? document.paths[documented.path]?.[(method === 'HEAD' ? 'GET' : method).toLowerCase()]
        : undefined;
      if (path.startsWith('/api/v1/') && status !== 204 && status !== 503 && status !== 500) {
        for (const name of rateHeaders) require(/^\d+$/.test(String(headers[name] ?? '')), `${at} without ${name}`);
      }
      if (!operation) {
        // /mcp and OAuth have error forms of their own, which their own tests check.
        if (status === 400 && (path === '/mcp' || path.startsWith('/oauth/'))) return;
        // So says the revision of 2026 that it has no such method.
        if (status === 404 && path === '/mcp') return;
        // Pages tell their refusals to people.
        if (path.startsWith('/dashboard/') && String(headers['content-type']).startsWith('text/html')) return;
        if (status === 400)
          require(fields(body) || envelope(body), `${at} with a body that is no error: ${JSON.stringify(body)}`);
        else if (status > 400 && method !== 'HEAD')
          require(envelope(body) === true, `${at} with a body that is no error: ${JSON.stringify(body)}`);
        return;
      }
      const listed = operation.responses[String(status)];
      const response = listed?.$ref ? document.components.responses[listed.$ref.split('/').at(-1) ?? ''] : listed;
      require(response !== undefined, `${at}, which its documentation does not list: ${JSON.stringify(body)}`);
      if (method === 'HEAD') return;
      const content = response.content?.['application/json'];
      if (!content) {
        require(body === undefined ||
          typeof body !== 'object', `${at} with a body that its documentation does not have`);
        return;
      }
      const validate = validator(`${method} ${documented?.path} ${status}`, content.schema);
      require(validate(body) === true, `${at} unlike its documentation:\n${(validate.errors ?? [])
        .slice(0, 5)
        .map((error) => `  ${error.instancePath || '(body)'} ${error.message} ${JSON.stringify(error.params)}`)
        .join('\n')}\n${JSON.stringify(body).slice(0, 2_000)}`);
    },
  };
}
