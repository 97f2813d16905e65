import { cut } from '../../../core/text/cut';
import { AppError } from '../../../core/http/errors';
import { isPlainObject } from '../../../core/http/fields';

/** The most items of one webhook: five times the number that the upstream documents. */
const maxItems = 5_000;
/** Most accounts and most numbers that one webhook may name. */
const maxNamed = 50;

/** The one id that the upstream writes as a number (upstream 2.9): from 2^53 on it would lose its last digits. */
const longIds = /("message_template_id"\s*:\s*)(\d{16,})(?=\s*[,}])/g;

type Json = Record<string, unknown>;

/** One change of a webhook; `value` is not validated. */
export interface Change {
  readonly accountId: string;
  readonly phoneNumberId: string | null;
  readonly entryTime: unknown;
  readonly field: string;
  readonly value: unknown;
}

/** A webhook's changes, with the accounts and numbers that it names. */
export interface Envelope {
  readonly changes: readonly Change[];
  readonly accountIds: readonly string[];
  readonly phoneNumberIds: readonly string[];
}

/** What is stored of a webhook: one row per item. */
export interface Item {
  readonly kind: string;
  /** Items with the same key keep their order. */
  readonly orderKey: string;
  readonly payload: unknown;
}

/**
 * Reads a webhook whose sender is not verified yet; null when the body is none. Refuses more than the upstream would
 * ever send, so that lookups, signatures and rows are bounded.
 */
export function readEnvelope(raw: Buffer): Envelope | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(raw.toString('utf8').replace(longIds, '$1"$2"'));
  } catch {
    return null;
  }
  if (!isPlainObject(parsed) || !Array.isArray(parsed['entry'])) return null;
  const changes: Change[] = [];
  const accountIds = new Set<string>();
  const phoneNumberIds = new Set<string>();
  let items = 0;
  for (const entry of parsed['entry'] as unknown[]) {
    if (!isPlainObject(entry)) continue;
    const accountId = textOf(entry['id']);
    if (accountId !== '') accountIds.add(accountId);
    for (const raw of changesIn(entry)) {
      const change = readChange(accountId, entry['time'] ?? null, raw);
      if (change.phoneNumberId !== null) phoneNumberIds.add(change.phoneNumberId);
      changes.push(change);
      items += countItems(change);
      if (items > maxItems) throw new AppError('too_large', `A webhook may carry at most ${maxItems} items.`);
    }
    if (accountIds.size > maxNamed || phoneNumberIds.size > maxNamed)
      throw new AppError('too_large', `A webhook may name at most ${maxNamed} accounts and numbers.`);
  }
  return { changes, accountIds: [...accountIds], phoneNumberIds: [...phoneNumberIds] };
}

/** Returns the changes of an entry; a value that is not a list counts as one change. */
function changesIn(entry: Json): readonly unknown[] {
  const changes = entry['changes'];
  if (Array.isArray(changes)) return changes as unknown[];
  return changes === undefined || changes === null ? [] : [changes];
}

function readChange(accountId: string, entryTime: unknown, raw: unknown): Change {
  const change = isPlainObject(raw) ? raw : { value: raw };
  const value = change['value'] ?? null;
  // A change of who has a thread names the number as its recipient.
  const named = isPlainObject(value) ? (value['metadata'] ?? value['recipient']) : null;
  const number = isPlainObject(named) ? textOf(named['phone_number_id']) : '';
  return {
    accountId,
    phoneNumberId: number === '' ? null : number,
    entryTime,
    field: cut(textOf(change['field']), 64),
    value,
  };
}

/** Returns how many rows a change becomes. */
function countItems(change: Change): number {
  return Math.max(
    1,
    partsOf(change).reduce((sum, part) => sum + part.listed.length, 0),
  );
}

/**
 * A list in a change, and how its items are stored: their kind, their key in the payload, and the person whom they
 * concern.
 */
interface Part {
  readonly listed: readonly unknown[];
  readonly kind: string;
  readonly key: string;
  /** Its identities of the customer, the user id first; what has the same order key keeps its order. */
  readonly names: readonly [userId: string, phone: string];
  readonly more?: Json;
}

const listAt = (value: unknown, key: string): readonly unknown[] => {
  const listed = isPlainObject(value) ? value[key] : null;
  return Array.isArray(listed) ? (listed as unknown[]) : [];
};

/** Returns the lists of a change that are taken apart; none for a field that is one event by itself. */
function partsOf({ field, value }: Change): readonly Part[] {
  const messages = (of: unknown, more: Json = {}): Part => ({
    listed: listAt(of, 'messages'),
    kind: 'message',
    key: 'message',
    names: ['from_user_id', 'from'],
    more,
  });
  const statuses = (of: unknown): Part => ({
    listed: listAt(of, 'statuses'),
    kind: 'status',
    key: 'status',
    names: ['recipient_user_id', 'recipient_id'],
  });
  const echoes = (of: unknown, by: 'phone_app' | 'other_app'): Part => ({
    listed: listAt(of, 'message_echoes'),
    kind: 'echo',
    key: 'message',
    names: ['to_user_id', 'to'],
    more: { by },
  });
  switch (field) {
    case 'messages':
      return [messages(value), statuses(value)];
    case 'standby': {
      const heard = isPlainObject(value) && isPlainObject(value['standby']) ? value['standby'] : value;
      return [messages(heard, { standby: true }), echoes(heard, 'other_app'), statuses(heard)];
    }
    case 'smb_message_echoes':
      return [echoes(value, 'phone_app')];
    case 'calls':
      return [{ listed: listAt(value, 'calls'), kind: 'call', key: 'call', names: ['from_user_id', 'from'] }];
    case 'history':
      return [
        {
          listed: listAt(value, 'history').flatMap((chunk) => listAt(chunk, 'threads')),
          kind: 'thread',
          key: 'thread',
          names: ['user_id', 'id'],
        },
      ];
    case 'smb_app_state_sync':
      return [{ listed: listAt(value, 'state_sync'), kind: 'synced_contact', key: 'sync', names: ['', ''] }];
    default:
      return [];
  }
}

/** Splits a verified change into one item per message and per status, so that a bad one never blocks the others. */
export function splitChange(change: Change): Item[] {
  const { value, field } = change;
  const shared = isPlainObject(value)
    ? { metadata: value['metadata'] ?? null, ...(value['errors'] === undefined ? {} : { errors: value['errors'] }) }
    : {};
  const within = isPlainObject(value) ? value['standby'] : null;
  const contacts = contactsByIdentity(
    [...listAt(value, 'contacts'), ...listAt(within, 'contacts')].filter(isPlainObject),
  );
  const items = partsOf(change).flatMap(({ listed, kind, key, names: [userId, phone], more }): Item[] =>
    listed.map((raw) => {
      const item = isPlainObject(raw) ? raw : {};
      const order = kind === 'status' ? textOf(item['id']) : textOf(item[userId]) || textOf(item[phone]);
      return {
        kind,
        orderKey: cut(order, 200),
        payload: { ...shared, contacts: contacts(item[phone], item[userId]), [key]: raw, ...more },
      };
    }),
  );
  if (items.length > 0) return items;
  return field === 'messages'
    ? [{ kind: 'messages_other', orderKey: '', payload: { value } }]
    : [{ kind: field || 'unknown', orderKey: '', payload: { time: change.entryTime, value } }];
}

/**
 * Returns the contact entries of the person whom an item is about; the only entry of a webhook belongs to all its
 * items.
 */
function contactsByIdentity(listed: readonly Json[]): (phone: unknown, userId: unknown) => readonly Json[] {
  if (listed.length < 2) return () => listed;
  const byId = new Map<string, Json>();
  for (const entry of [...listed].reverse())
    for (const key of ['wa_id', 'user_id'])
      if (typeof entry[key] === 'string' && entry[key] !== '') byId.set(entry[key], entry);
  return (phone, userId) => [
    ...new Set([phone, userId].map((id) => byId.get(textOf(id))).filter((entry) => entry !== undefined)),
  ];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
