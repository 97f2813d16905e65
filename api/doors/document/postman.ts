type Json = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly example?: unknown;
}
interface Media {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Operation {
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
}

/** Returns the document of what keys can call as a collection of Postman (2.1): one request for each operation. */
export function postmanCollection(document: Json, baseUrl: string): Json {
  const { info, paths } = document as {
    info: { readonly title: string; readonly description: string };
    paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const folders = new Map<string, Json[]>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const [tag] = operation.tags;
      folders.set(tag, [...(folders.get(tag) ?? []), requestOf(path, method, operation)]);
    }
  const variable = (key: string, value: string): Json => ({ key, value, type: 'string' });
  return {
    info: {
      name: info.title,
      description: info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [variable('token', '{{apiKey}}')] },
    variable: [variable('baseUrl', baseUrl), variable('apiKey', '')],
    item: [...folders].map(([name, item]) => ({ name, item })),
  };
}

function requestOf(path: string, method: string, operation: Operation): Json {
  const named = (place: string): Json[] =>
    operation.parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, description, example }) => ({
        key: name,
        value: example === undefined ? '' : String(example as string | number),
        description,
        // Filled in where they are wanted.
        ...(place === 'path' ? {} : { disabled: true }),
      }));
  const place = path.replace(/\{(\w+)\}/g, ':$1');
  const content = operation.requestBody?.content ?? {};
  const { example, examples } = content['application/json'] ?? {};
  const body = example ?? Object.values(examples ?? {})[0]?.value ?? {};
  return {
    name: operation.summary,
    request: {
      method: method.toUpperCase(),
      description: operation.description,
      header: [
        ...(content['application/json'] ? [{ key: 'Content-Type', value: 'application/json' }] : []),
        ...named('header'),
      ],
      url: {
        raw: `{{baseUrl}}${place}`,
        host: ['{{baseUrl}}'],
        path: place.split('/').slice(1),
        variable: named('path'),
        query: named('query'),
      },
      ...(content['application/json']
        ? { body: { mode: 'raw', raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } } }
        : content['multipart/form-data']
          ? { body: { mode: 'formdata', formdata: [{ key: 'file', type: 'file', src: [] }] } }
          : {}),
    },
  };
}
