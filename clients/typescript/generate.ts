/** A JSON Schema, or anything else of the document. */
type Json = { readonly [keyword: string]: unknown };

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Json;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Json }>> }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly headers: Readonly<Record<string, { readonly schema: Json }>>;
  };
}

const camel = (name: string): string => name.replace(/[_.](.)/g, (_all, letter: string) => letter.toUpperCase());
const pascal = (name: string): string => camel(`.${name}`);
const nameOf = (schema: Json): string => String(schema['$ref']).split('/').at(-1) ?? '';
const key = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`);
const quoted = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));
const comment = (text: unknown, indent = ''): string =>
  typeof text === 'string' ? `${indent}/** ${text.replace(/\s+/g, ' ').replaceAll('*/', '* /')} */\n` : '';

/** Returns the type that a schema describes. */
function typeOf(schema: Json): string {
  if (schema['$ref'] !== undefined) return nameOf(schema);
  const variants = (schema['anyOf'] ?? schema['oneOf']) as readonly Json[] | undefined;
  if (variants) return variants.map(typeOf).join(' | ');
  if ('const' in schema) return quoted(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map(quoted).join(' | ');
  const { type } = schema;
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one as string })).join(' | ');
  if (type === 'array') {
    const items = typeOf((schema['items'] ?? {}) as Json);
    return `${items.includes(' ') ? `(${items})` : items}[]`;
  }
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'object') {
    const { additionalProperties: others } = schema;
    return `Record<string, ${typeof others === 'object' && others !== null ? typeOf(others as Json) : 'unknown'}>`;
  }
  return typeof type === 'string' ? type : 'unknown';
}

function fieldsOf(properties: Readonly<Record<string, Json>>, required: readonly string[]): string {
  return Object.entries(properties)
    .map(([name, own]) => {
      const optional = required.includes(name) ? '' : '?';
      return `${comment(own['description'], '  ')}  ${key(name)}${optional}: ${typeOf(own)};\n`;
    })
    .join('');
}

function declarationOf([name, schema]: readonly [string, Json]): string {
  const properties = schema['properties'] as Readonly<Record<string, Json>> | undefined;
  const head = comment(schema['description']);
  if (!properties) return `${head}export type ${name} = ${typeOf(schema)};\n`;
  const open = schema['additionalProperties'] === true ? '  [name: string]: unknown;\n' : '';
  const others = schema['additionalProperties'];
  const typed = typeof others === 'object' ? `  [name: string]: ${typeOf(others as Json)} | undefined;\n` : open;
  return `${head}export interface ${name} {\n${fieldsOf(properties, (schema['required'] ?? []) as string[])}${typed}}\n`;
}

/** Returns how a method answers: its kind, and the type of what it returns. */
function answerOf({ parameters, responses }: Operation, schemas: Document['components']['schemas']): [string, string] {
  const content = (responses['200'] ?? responses['201'])?.content;
  if (!content) return ['json', 'Promise<void>'];
  const schema = content['application/json']?.schema;
  if (!schema || content['application/octet-stream']) return ['file', 'Promise<Download>'];
  const page = schemas[nameOf(schema)]?.['properties'] as Readonly<Record<string, Json>> | undefined;
  if (page?.['results'] && 'next' in page) return ['pages', `Pages<${typeOf(page['results']['items'] as Json)}>`];
  const isWalked = parameters.some(({ name }) => name === 'offset');
  if (isWalked) return ['pages', `Pages<${typeOf(schema['items'] as Json)}>`];
  return ['json', `Promise<${typeOf(schema)}>`];
}

/** Returns the source of `generated.ts`: types, methods and routes of the document of what keys can call. */
export function generateClient({ paths, components }: Document): string {
  const { schemas, headers } = components;
  const queries: string[] = [];
  const routes: string[] = [];
  const resources = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const { operationId, summary, parameters, requestBody } = operation;
      const [resource = '', name = ''] = operationId.split('.');
      const inPath = parameters.filter((one) => one.in === 'path');
      const inQuery = parameters.filter((one) => one.in === 'query');
      const asks = (header: string): boolean => parameters.some((one) => one.name === header);
      const [kind, answer] = answerOf(operation, schemas);
      const given = inPath.map((one) => `${camel(one.name)}: ${typeOf(one.schema)}`);
      const body = requestBody?.content['application/json']?.schema;
      let carries = '';
      if (requestBody && !body) {
        carries = 'file';
        given.push('upload: Upload');
      } else if (body) {
        carries = 'body';
        const needed = method === 'patch' || schemas[nameOf(body)]?.['required'] !== undefined;
        given.push(`body${needed ? '' : '?'}: ${nameOf(body)}`);
      } else if (inQuery.length > 0) {
        carries = 'query';
        const type = `${pascal(operationId)}Query`;
        const properties = inQuery.map((one) => [one.name, { ...one.schema, description: one.description }] as const);
        const needed = inQuery.filter((one) => one.required).map((one) => one.name);
        const fields = fieldsOf(Object.fromEntries(properties), needed);
        queries.push(`/** What \`${operationId}\` is asked. */\nexport interface ${type} {\n${fields}}\n`);
        given.push(`query${needed.length > 0 ? '' : '?'}: ${type}`);
      }
      const isKeyed = asks('Idempotency-Key');
      given.push(`options?: ${isKeyed ? 'KeyedOptions' : asks('If-Match') ? 'ConditionalOptions' : 'Options'}`);
      routes.push(`  '${operationId}': ['${method.toUpperCase()}', '${path}', '${kind}', '${carries}', ${isKeyed}],\n`);
      const methodText = `${comment(`${summary}.`, '  ')}  ${name}(${given.join(', ')}): ${answer};\n`;
      resources.set(resource, [...(resources.get(resource) ?? []), methodText]);
    }
  const { mapping } = schemas['WebhookEvent']?.['discriminator'] as { mapping: Readonly<Record<string, string>> };
  const events = Object.entries(mapping).map(([type, $ref]) => {
    const { data = {} } = schemas[nameOf({ $ref })]?.['properties'] as Readonly<Record<string, Json>>;
    const variants = ((data['anyOf'] as Json[] | undefined) ?? [data]).map(typeOf);
    return `  '${type}': ${variants.find((name) => !name.startsWith('Gone')) ?? 'unknown'};\n`;
  });
  const codes = (headers['X-Error-Code']?.schema['enum'] as string[]).map(quoted).join('\n  | ');
  return [
    '// Made of the OpenAPI document for keys by `UPDATE_CLIENT=1 npm test -- test/api/ownClient`; not edited by hand.\n',
    "import type { Download, Upload } from './client.js';\n",
    "import type { ConditionalOptions, KeyedOptions, Options } from './http.js';\n",
    "import type { Pages } from './pages.js';\n\n",
    `/** The words of \`X-Error-Code\`. */\nexport type ErrorCode =\n  | ${codes};\n\n`,
    ...Object.entries(schemas)
      .filter(([name]) => !name.endsWith('Page'))
      .map((entry) => `${declarationOf(entry)}\n`),
    ...queries.map((text) => `${text}\n`),
    `/** What each type of event shows. */\nexport interface EventData {\n${events.join('')}}\n\n`,
    ...[...resources].map(([name, methods]) => `export interface ${pascal(name)}Methods {\n${methods.join('')}}\n\n`),
    '/** All operations that a key can call, by resource. */\nexport interface Resources {\n',
    ...[...resources.keys()].map((name) => `  readonly ${name}: ${pascal(name)}Methods;\n`),
    '}\n\n',
    '/** Method, path, kind of answer, what is carried, and whether it takes an Idempotency-Key. */\n',
    `export const routes = {\n${routes.join('')}} as const;\n`,
  ].join('');
}
