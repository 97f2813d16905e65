import type { Operation } from './operations';
import type { JsonSchema } from './shapes';

type Json = Record<string, unknown>;

type Properties = Readonly<Record<string, JsonSchema>>;

/** Returns the properties of the object that an answer shows, or shows first, and its place there. */
function shown(output: JsonSchema | null): { readonly place: string; readonly properties: Properties } | undefined {
  const properties = output?.['properties'] as Properties | undefined;
  const [list, place] = output?.['type'] === 'array' ? [output, '/0'] : [properties?.['results'], '/results/0'];
  if (list) return { place, properties: ((list['items'] as JsonSchema)['properties'] ?? {}) as Properties };
  return properties && { place: '', properties };
}

/**
 * Returns where an answer leads: to the operations whose paths are this one's and an object of the answer behind it.
 * Programs that test by the document, and readers, follow the ids.
 */
export function linksOf(operation: Operation, operations: readonly Operation[]): Json | undefined {
  const found = shown(operation.output);
  if (!found || (operation.method !== 'GET' && operation.method !== 'POST')) return undefined;
  const links = operations.flatMap((other) => {
    const [, name, rest = ''] = /^\{(\w+)\}\/(.*)$/.exec(other.path.slice(operation.path.length)) ?? [];
    if (!other.path.startsWith(operation.path) || name === undefined || rest.includes('{')) return [];
    const key = name in found.properties ? name : 'id';
    if (!(key in found.properties)) return [];
    const own = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
    const parameters = {
      ...Object.fromEntries(own.map((parameter) => [parameter, `$request.path.${parameter}`])),
      [name]: `$response.body#${found.place}/${key}`,
    };
    return [[other.id, { operationId: other.id, parameters, description: other.summary }] as const];
  });
  return links.length === 0 ? undefined : Object.fromEntries(links);
}
