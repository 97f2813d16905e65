import { Fault, isPlainObject } from '../../core/http/fields';
import type { JsonSchema } from '../../core/http/shapes';
import { momentOfLocal } from '../../core/zones';
import type { Tool } from './tools';

/*
 * What agents write in other words than the tools list: other names of arguments, times of the workspace's clock, texts
 * for placeholders. It is read before anything is checked; none of it is listed.
 */

/** Names under which an argument is taken as well, where the tool has the argument and none of that name. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  search: ['query', 'q'],
  limit: ['page_size', 'count'],
  to: ['receiver_id', 'phone', 'recipient'],
  receiver_id: ['to', 'phone', 'contact_id', 'conversation_id'],
  id: ['ticket_id', 'ticket'],
  ticket_id: ['id', 'ticket'],
  text: ['body', 'message'],
  body: ['comment', 'text', 'note'],
  assigned_to: ['assigned_member', 'assignee'],
  assigned_member: ['assigned_to', 'assignee'],
  assigned_inbox: ['assigned_team_inbox'],
  assigned_team_inbox: ['assigned_inbox'],
  macro_id: ['macro'],
  template_id: ['template_name'],
};

/** Of arguments that are a moment by which something is to be done: a day ends then. */
const byThen: ReadonlySet<string> = new Set(['due_at', 'due_before', 'created_before']);

type Arguments = Readonly<Record<string, unknown>>;

/** Returns the arguments under the names and in the forms that the tool lists, or what is wrong with them. */
export function asMeant(timezone: string, tool: Tool, args: Arguments): Record<string, unknown> | Fault {
  const named = underListedNames(tool, args);
  if (named instanceof Fault) return named;
  if (named['template_variables'] !== undefined) named['template_variables'] = staticTexts(named['template_variables']);
  for (const [argument, value] of Object.entries(named))
    if (isTime(tool, argument) && isLocal(value)) named[argument] = momentOf(argument, value, timezone) ?? value;
  return named;
}

function underListedNames({ input: { fields } }: Tool, args: Arguments): Record<string, unknown> | Fault {
  const named: Record<string, unknown> = { ...args };
  for (const [listed, others] of Object.entries(otherNames)) {
    if (!Object.hasOwn(fields, listed)) continue;
    for (const other of others) {
      if (Object.hasOwn(fields, other) || !Object.hasOwn(named, other)) continue;
      if (Object.hasOwn(named, listed))
        return new Fault(`Give ${listed} or ${other}, not both: ${listed} is its name.`);
      named[listed] = listed === 'to' || listed === 'receiver_id' ? handleAs(listed, named[other]) : named[other];
      delete named[other];
    }
  }
  return named;
}

/** Returns who is meant, as the argument takes it: `to` a number with its plus, `receiver_id` the digits. */
function handleAs(listed: 'to' | 'receiver_id', value: unknown): unknown {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return value;
  if (listed === 'to') return /^\d+$/.test(text) ? `+${text}` : text;
  return /^\+[\d\s().-]+$/.test(text) ? text.replace(/\D/g, '') : text;
}

function isTime({ listed }: Tool, argument: string): boolean {
  const { properties } = listed.inputSchema as { readonly properties?: Readonly<Record<string, JsonSchema>> };
  const { format, anyOf } = properties?.[argument] ?? {};
  return [{ format }, ...((anyOf as readonly JsonSchema[] | undefined) ?? [])].some(
    (one) => one['format'] === 'date-time',
  );
}

/** A day, or a time of day without its distance from UTC. */
const local = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,]\d+)?)?$/;
const isLocal = (value: unknown): value is string => typeof value === 'string' && local.test(value.trim());

/** Returns the moment at which the workspace's clock shows this; null where it is no time. */
function momentOf(argument: string, value: string, timeZone: string): string | null {
  const [, day = '', time = byThen.has(argument) ? '23:59' : '00:00'] = local.exec(value.trim()) ?? [];
  return momentOfLocal(`${day}T${time}`, timeZone)?.toISOString() ?? null;
}

/** Returns the values of placeholders with plain texts as what they are: static ones. */
function staticTexts(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  return mapped(value, (part) =>
    isPlainObject(part)
      ? mapped(part, (one) =>
          typeof one === 'string' || typeof one === 'number' ? { source: 'static', value: String(one) } : one,
        )
      : part,
  );
}

function mapped(value: Arguments, change: (inner: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]));
}
