import type { Request, Response } from 'express';
import type { Operation } from '../../core/operations';

/** Names that are told at most, and how much of each. */
const maxNames = 20;
const maxName = 100;

/** The query as it was sent: a repeated parameter counts with its last value, as in Django. */
export function queryOf(req: Request): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(req.query as Record<string, string | string[]>).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.at(-1) : value,
    ]),
  );
}

/** The query parameters that were given: an empty one was not. */
export function givenValues(req: Request): Record<string, unknown> {
  return Object.fromEntries(Object.entries(queryOf(req)).filter(([, value]) => value !== ''));
}

/** Names in headers what the operation does not know of the query and of the top level of the body, and ignores. */
export function reportIgnored(
  res: Response,
  operation: Operation,
  query: Record<string, unknown>,
  body: Record<string, unknown>,
): void {
  const prefixes = Object.keys(operation.queryPrefixes ?? {});
  const gathered = Object.values(operation.queryPrefixes ?? {});
  const parameters = Object.keys(query).filter(
    (name) =>
      !(operation.query && Object.hasOwn(operation.query.fields, name) && !gathered.includes(name)) &&
      !prefixes.some((prefix) => name.startsWith(prefix)),
  );
  const fields = Object.keys(body).filter((name) => !operation.body || !Object.hasOwn(operation.body.fields, name));
  if (parameters.length > 0) res.setHeader('X-Ignored-Parameters', headerOf(parameters));
  if (fields.length > 0) res.setHeader('X-Ignored-Fields', headerOf(fields));
}

/** Names as a header can carry them; what no header may hold is percent-encoded. */
function headerOf(names: readonly string[]): string {
  const told = names.slice(0, maxNames).map((name) => encodeURIComponent(name.slice(0, maxName).toWellFormed()));
  return [...told, ...(names.length > maxNames ? ['...'] : [])].join(', ');
}
