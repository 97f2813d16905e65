import { cut } from '../../core/text/cut';
import { isPlainObject } from '../../core/http/fields';
import { shownValue } from './forms';
import type { PageRequest } from './page';
import { loadInboxes, loadMembers, memberNames } from './lookups';

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
interface ActivityLine {
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
  flow_submitted: 'noted an answered Flow',
  opted_out: 'noted an opt-out from marketing',
  opted_in: 'noted an opt-in to marketing',
  status_changed: 'changed the status',
  snooze_changed: 'changed the snooze',
  assignment_changed: 'changed the assignment',
  priority_changed: 'changed the priority',
  conversation_updated: 'changed the conversation',
  reopened: 'opened the conversation again',
  woken: 'ended the snooze',
  away_replied: 'answered that the team is away',
  away_reply_refused: 'could not answer that the team is away',
  satisfaction_asked: 'asked how satisfied the customer is',
  rated: 'noted how satisfied the customer is',
  message_edited: 'noted that a message was changed',
  message_deleted: 'noted that a message was deleted',
  message_scheduled: 'wrote a message for later',
  scheduled_message_changed: 'changed a message for later',
  scheduled_message_discarded: 'discarded a message for later',
  scheduled_message_held: 'held a message for later',
  thread_control_changed: 'noted who has the thread',
  call_missed: 'noted a missed call',
  call_ended: 'noted a call',
  contact_synced: "took the contact over from the phone's app",
};

/** What ids stand for, by the field that holds them. */
type ActivityNames = Readonly<Record<string, ReadonlyMap<unknown, string>>>;

/** Returns the names of those whom a conversation or contact can be given to, as far as the member may see them. */
export async function loadActivityNames(page: PageRequest): Promise<ActivityNames> {
  const [members, inboxes] = await Promise.all([loadMembers(page), loadInboxes(page)]);
  return {
    assigned_member: memberNames(members),
    assigned_team_inbox: new Map(inboxes.map(({ id, name }) => [id, name])),
  };
}

/** Writes entries in words. */
export function activityLines(
  page: PageRequest,
  entries: readonly WireActivity[],
  names: ActivityNames = {},
): ActivityLine[] {
  return entries.map(({ kind, actor, actor_type: type, changes, data, created_at: at }) => ({
    who: actor ? actor.name || actor.email : (actors[type] ?? 'Somebody'),
    what: kinds[kind] ?? words(kind).toLowerCase(),
    details: [
      ...Object.entries(changes)
        .flatMap(([field, change]) => eachField(field, change))
        .map(([field, { from, to }]) => {
          const value = (given: unknown): string => valueText(page, given, names[field]);
          return `${words(field.replace(/_id(s?)$/, '$1'))}: ${value(from)} → ${value(to)}`;
        }),
      ...(typeof data['reason'] === 'string' && data['reason'] !== '' ? [`Reason: ${data['reason']}`] : []),
      ...(typeof data['error'] === 'string' ? [data['error']] : []),
    ],
    at,
  }));
}

interface Change {
  readonly from: unknown;
  readonly to: unknown;
}

/** Returns a change of custom fields as one change for each of them; any other as it is. */
function eachField(field: string, { from, to }: Change): [string, Change][] {
  if (field !== 'custom_fields' || !isPlainObject(from) || !isPlainObject(to)) return [[field, { from, to }]];
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return keys.map((key) => [key, { from: from[key], to: to[key] }]);
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

function valueText(page: PageRequest, given: unknown, names: ReadonlyMap<unknown, string> | undefined): string {
  const one = (value: unknown): string =>
    names?.get(value) ?? (typeof value === 'string' && instant.test(value) ? page.moment(value) : shownValue(value));
  return shorten(Array.isArray(given) ? given.map(one).join(', ') : one(given)) || 'nothing';
}

function words(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function shorten(text: string): string {
  return text.length > 120 ? `${cut(text, 120)}…` : text;
}
