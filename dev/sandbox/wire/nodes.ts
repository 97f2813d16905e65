import { GraphError } from './errors';
import type { JsonObject, Reply } from '../types';
import { textOf } from '../util';

export interface Field {
  name: string;
  /** What follows the name: `.granularity(DAY)` or `{id}`. */
  modifier: string;
}

/** Splits `fields` at top-level commas; modifiers keep their own commas. */
export function parseFields(text: string | null): Field[] | null {
  if (!text) return null;
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const character of text) {
    if ('({'.includes(character)) depth += 1;
    if (')}'.includes(character)) depth -= 1;
    if (character === ',' && depth === 0) {
      parts.push(part);
      part = '';
    } else {
      part += character;
    }
  }
  parts.push(part);
  return parts
    .map((item) => item.trim())
    .filter(Boolean)
    .map((item) => {
      const name = /^[a-z0-9_]+/i.exec(item)?.[0] ?? item;
      return { name, modifier: item.slice(name.length) };
    });
}

/**
 * Picks the asked fields of a node; `id` always comes along. Everything in `node` may be asked for, a value of
 * undefined is left out, and a name that the node does not have is error 100.
 */
export function pick(node: JsonObject, fields: Field[] | null, defaults: string[], type: string): JsonObject {
  const names = fields ? fields.map((field) => field.name) : defaults;
  const out: JsonObject = {};
  for (const name of names) {
    if (!(name in node))
      throw new GraphError(100, `Tried accessing nonexisting field (${name}) on node type (${type})`);
    if (node[name] !== undefined) out[name] = node[name];
  }
  out['id'] = node['id'];
  return out;
}

/** Returns one page of a list with cursors; `paging` is absent where everything fits on one page. */
export function page(
  nodes: JsonObject[],
  query: URLSearchParams,
  url: string,
  render: (node: JsonObject) => JsonObject,
): Reply {
  const asked = query.get('limit');
  const limit = asked === null ? 25 : Math.trunc(Number(asked));
  if (!Number.isFinite(limit) || limit < 1) throw new GraphError(100, 'Param limit must be a positive integer.');
  const size = Math.min(limit, 100);
  const after = query.get('after');
  const before = query.get('before');
  let start = 0;
  if (after) start = positionOf(nodes, after) + 1;
  else if (before) start = Math.max(0, positionOf(nodes, before) - size);
  const shown = nodes.slice(start, start + size);
  const body: JsonObject = { data: shown.map(render) };
  if (nodes.length > shown.length && shown.length > 0) {
    const cursors = { before: cursorOf(shown[0] as JsonObject), after: cursorOf(shown.at(-1) as JsonObject) };
    const paging: JsonObject = { cursors };
    if (start + shown.length < nodes.length) paging['next'] = linked(url, query, 'after', cursors.after);
    if (start > 0) paging['previous'] = linked(url, query, 'before', cursors.before);
    body['paging'] = paging;
  }
  if (query.get('summary') === 'true' || query.get('summary') === 'total_count')
    body['summary'] = { total_count: nodes.length };
  return { status: 200, body };
}

function cursorOf(node: JsonObject): string {
  return Buffer.from(`c:${textOf(node['id'])}`).toString('base64url');
}

function positionOf(nodes: JsonObject[], cursor: string): number {
  const decoded = Buffer.from(cursor, 'base64url').toString();
  const position = decoded.startsWith('c:') ? nodes.findIndex((node) => node['id'] === decoded.slice(2)) : -1;
  if (position < 0) throw new GraphError(100, 'Invalid cursor.');
  return position;
}

function linked(url: string, query: URLSearchParams, name: string, cursor: string): string {
  const next = new URLSearchParams(query);
  next.delete('after');
  next.delete('before');
  next.delete('access_token');
  next.set(name, cursor);
  return `${url}?${next.toString()}`;
}
