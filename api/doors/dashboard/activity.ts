import { shownValue } from './forms';

/** An entry of an activity feed, as the API lists it. */
export interface WireActivity {
  readonly id: number;
  readonly kind: string;
  readonly actor: { readonly name: string; readonly email: string } | null;
  readonly actor_type: string;
  readonly changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  readonly data: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

/** An entry as pages show it. */
export interface ActivityLine {
  readonly who: string;
  readonly what: string;
  readonly details: readonly string[];
  readonly at: string;
}

const actors: Readonly<Record<string, string>> = {
  system: 'Msgdesk',
  contact: 'The customer',
  api_key: 'An API key',
  agent: 'An agent',
  member: 'A former member',
};
const kinds: Readonly<Record<string, string>> = {
  ticket_created: 'created the ticket',
  ticket_updated: 'changed the ticket',
  stage_changed: 'moved the ticket',
  watchers_changed: 'changed the watchers',
  affected_contacts_changed: 'changed the affected contacts',
  comment_added: 'commented',
  escalated: 'escalated the ticket',
  sla_breached: 'noted a missed deadline',
  contact_created: 'created the contact',
  contact_updated: 'changed the contact',
  contacts_merged: 'merged another contact into this one',
  identity_changed: 'noted a new number or user id',
  phone_reassigned: 'noted that the number belongs to somebody else now',
  status_changed: 'changed the status',
  snooze_changed: 'changed the snooze',
  assignment_changed: 'changed the assignment',
  priority_changed: 'changed the priority',
  conversation_updated: 'changed the conversation',
  reopened: 'opened the conversation again',
  woken: 'ended the snooze',
};

/** Writes entries in words; `names` tells what ids stand for, by field. */
export function activityLines(
  entries: readonly WireActivity[],
  names: Readonly<Record<string, ReadonlyMap<unknown, string>>> = {},
): ActivityLine[] {
  return entries.map(({ kind, actor, actor_type: type, changes, data, created_at: at }) => ({
    who: actor ? actor.name || actor.email : (actors[type] ?? 'Somebody'),
    what: kinds[kind] ?? words(kind),
    details: [
      ...Object.entries(changes).map(([field, { from, to }]) => {
        const named = (given: unknown): string => names[field]?.get(given) ?? shownValue(given);
        const value = (given: unknown): string =>
          shorten(Array.isArray(given) ? given.map(named).join(', ') : named(given)) || 'nothing';
        return `${words(field.replace(/_id(s?)$/, '$1'))}: ${value(from)} → ${value(to)}`;
      }),
      ...(typeof data['reason'] === 'string' && data['reason'] !== '' ? [`Reason: ${data['reason']}`] : []),
      ...(typeof data['error'] === 'string' ? [data['error']] : []),
    ],
    at,
  }));
}

function words(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
