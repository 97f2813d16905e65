/* Every list of the operations table, and what stands for the objects that its path names. */
import { operations } from '../../api/operations';
import { describeObject } from '../../api/core/http/fields';
import type { Operation } from '../../api/core/http/operations';
import type { JsonSchema } from '../../api/core/http/shapes';
import type { Crowd } from '../factories/crowd';

/** What stands for a path parameter, by the path up to it. */
const objects: Readonly<Record<string, (crowd: Crowd) => string | number>> = {
  '/api/v1/conversations/{receiver_id}': ({ handle }) => handle,
  '/api/v1/broadcasts/{id}': ({ broadcast }) => broadcast,
  '/api/v1/tickets/{ticket_id}': ({ ticket }) => ticket,
  '/api/v1/macros/{id}': ({ macro }) => macro,
  '/api/v1/rules/{id}': ({ rule }) => rule,
  '/api/v1/flows/{flow_id}': () => 'flow1',
  '/api/v1/webhooks/{id}': ({ webhook }) => webhook,
};

const isList = ({ method, output }: Operation): boolean =>
  method === 'GET' &&
  output !== null &&
  (output['type'] === 'array' || 'results' in ((output['properties'] ?? {}) as object));
/** Sums over a span are no list: their rows are days, or countries. A workspace has an account or two. */
const sums = ['usage.read', 'reports.read', 'accounts.list'];

export const lists = operations.filter((operation) => isList(operation) && !sums.includes(operation.id));

/** Returns where a list of a crowd is asked for. */
export function pathOf({ path }: Operation, crowd: Crowd): string {
  const prefix = path.slice(0, path.indexOf('}') + 1);
  if (prefix === '') return path;
  const object = objects[prefix];
  if (!object) throw new Error(`test/support/lists.ts names nothing that stands for ${prefix}`);
  return path.replace(prefix, prefix.replace(/\{\w+\}/, String(object(crowd))));
}

/** Returns the JSON Schemas of an operation's query parameters, and which of them have to be given. */
export function queryOf({ query }: Operation): {
  readonly parameters: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
} {
  const { properties = {}, required = [] } = (query ? describeObject(query) : {}) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return { parameters: properties, required };
}
