import { cut } from '../../core/text/cut';
import { isPlainObject } from '../../core/http/fields';
import { shownValue } from './forms';
import type { PageRequest } from './page';
import { loadNames } from './lookups';
import { words } from './words';
import { valueWord } from './valueWord';

const { activity: said } = words;

/** An entry of an activity feed, as the API lists it. */
export interface WireActivity {
  readonly id: number;
  readonly kind: string;
  readonly actor: { readonly name: string; readonly email: string } | null;
  readonly actor_type: string;
  /** By field: from what, and to what. */
  readonly changes: Readonly<Record<string, unknown>>;
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

const actors: Readonly<Record<string, string>> = said.actors;
const kinds: Readonly<Record<string, string>> = said.kinds;
const fields: Readonly<Record<string, string>> = said.fields;

/** What ids stand for, by the field that holds them. */
type ActivityNames = Readonly<Record<string, ReadonlyMap<unknown, string>>>;

/** Returns the names of those whom a conversation or contact can be given to. */
export async function loadActivityNames(page: PageRequest): Promise<ActivityNames> {
  const { members, inboxes } = await loadNames(page);
  return { assigned_member: members, assigned_team_inbox: inboxes };
}

/** Writes entries in words. */
export function activityLines(
  page: PageRequest,
  entries: readonly WireActivity[],
  names: ActivityNames = {},
): ActivityLine[] {
  return entries.map(({ kind, actor, actor_type: type, changes, data, created_at: at }) => ({
    who: actor ? actor.name || actor.email : (actors[type] ?? said.somebody),
    what: kinds[kind] ?? worded(kind).toLowerCase(),
    details: [
      ...Object.entries(changes as Readonly<Record<string, Change>>)
        .flatMap(([field, change]) => eachField(field, change))
        .map(([field, { from, to }]) => {
          const value = (given: unknown): string =>
            valueText(page, isState(field) ? stateWord(given) : given, names[field]);
          return said.change(labelOf(field), value(from), value(to));
        }),
      ...(typeof data['reason'] === 'string' && data['reason'] !== '' ? [said.reason(data['reason'])] : []),
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
  return shorten(Array.isArray(given) ? given.map(one).join(', ') : one(given)) || said.nothing;
}

const isState = (field: string): boolean => ['conv_status', 'priority'].includes(field);
const stateWord = (given: unknown): unknown => (typeof given === 'string' ? valueWord(given) : given);

function labelOf(field: string): string {
  const name = field.replace(/_id(s?)$/, '$1');
  return fields[name] ?? worded(name);
}

function worded(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function shorten(text: string): string {
  return text.length > 120 ? `${cut(text, 120)}…` : text;
}
