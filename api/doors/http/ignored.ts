import type { Request, Response } from 'express';
import { cut } from '../../core/text/cut';
import type { Operation } from '../../core/http/operations';

/** Names that are told at most, and how much of each. */
const maxNames = 20;
const maxName = 100;

/** The query parameters that were given, repeated ones with all of their values: an empty one was not. */
export function givenValues(req: Request): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(req.query as Record<string, string | string[]>)
      .map(([name, value]) => [name, [value].flat().filter((one) => one !== '')] as const)
      .filter(([, values]) => values.length > 0)
      .map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
  );
}

/** Returns whether the operation takes a query parameter of this name; the key that gathers a prefix is no name. */
export function knowsParameter({ query, queryPrefixes = {} }: Operation, name: string): boolean {
  return (
    Object.keys(queryPrefixes).some((prefix) => name.startsWith(prefix)) ||
    (query !== undefined && Object.hasOwn(query.fields, name) && !Object.values(queryPrefixes).includes(name))
  );
}

/** Names in headers what the operation does not know of the query and of the top level of the body, and ignores. */
export function reportIgnored(
  res: Response,
  operation: Operation,
  query: Record<string, unknown>,
  body: Record<string, unknown>,
): void {
  const parameters = Object.keys(query).filter((name) => !knowsParameter(operation, name));
  const unknown = Object.keys(body).filter((name) => !operation.body || !Object.hasOwn(operation.body.fields, name));
  const fields = [...unknown, ...(operation.passesOver?.(body) ?? [])];
  if (parameters.length > 0) res.setHeader('X-Ignored-Parameters', headerOf(parameters));
  if (fields.length > 0) res.setHeader('X-Ignored-Fields', headerOf(fields));
}

/** Names as a header can carry them; what no header may hold is percent-encoded. */
function headerOf(names: readonly string[]): string {
  const told = names.slice(0, maxNames).map((name) => encodeURIComponent(cut(name, maxName)));
  return [...told, ...(names.length > maxNames ? ['...'] : [])].join(', ');
}
