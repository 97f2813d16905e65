import { AppError } from '../../../core/http/errors';
import { isPlainObject } from '../../../core/http/fields';

/** Most items of one webhook: five times of what the upstream documents. */
const maxItems = 5_000;
/** Most accounts and most numbers that one webhook may name. */
const maxNamed = 50;

type Json = Record<string, unknown>;

/** One change of a webhook; `value` is whatever stood there. */
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
 * Reads a webhook whose sender is not known yet: null when the body is not one. Refuses more than any upstream would
 * send, so that what follows (lookups, signatures, rows) is bounded.
 */
export function readEnvelope(raw: Buffer): Envelope | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(raw.toString('utf8'));
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

/** Returns the changes of an entry; what stands in their place without being a list counts as one. */
function changesIn(entry: Json): readonly unknown[] {
  const changes = entry['changes'];
  if (Array.isArray(changes)) return changes as unknown[];
  return changes === undefined || changes === null ? [] : [changes];
}

function readChange(accountId: string, entryTime: unknown, raw: unknown): Change {
  const change = isPlainObject(raw) ? raw : { value: raw };
  const value = change['value'] ?? null;
  const metadata = isPlainObject(value) ? value['metadata'] : null;
  const number = isPlainObject(metadata) ? textOf(metadata['phone_number_id']) : '';
  return {
    accountId,
    phoneNumberId: number === '' ? null : number,
    entryTime,
    field: textOf(change['field']).slice(0, 64),
    value,
  };
}

/** Returns how many rows a change becomes. */
function countItems(change: Change): number {
  return Math.max(1, listOf(change, 'messages').length + listOf(change, 'statuses').length);
}

/** Returns the items that a change of the field `messages` lists under a key, whatever they are. */
function listOf(change: Change, key: 'messages' | 'statuses'): readonly unknown[] {
  if (change.field !== 'messages' || !isPlainObject(change.value)) return [];
  const listed = change.value[key];
  return Array.isArray(listed) ? (listed as unknown[]) : [];
}

/** Splits a verified change into one item per message and per status, so that a bad one never blocks its neighbours. */
export function splitChange(change: Change): Item[] {
  const { value } = change;
  if (change.field !== 'messages')
    return [{ kind: change.field || 'unknown', orderKey: '', payload: { time: change.entryTime, value } }];
  const shared = isPlainObject(value)
    ? { metadata: value['metadata'] ?? null, ...(value['errors'] === undefined ? {} : { errors: value['errors'] }) }
    : {};
  const contacts = contactsByIdentity(
    isPlainObject(value) && Array.isArray(value['contacts'])
      ? (value['contacts'] as unknown[]).filter(isPlainObject)
      : [],
  );
  const items: Item[] = [];
  for (const listed of listOf(change, 'messages')) {
    const message = isPlainObject(listed) ? listed : {};
    items.push({
      kind: 'message',
      orderKey: (textOf(message['from_user_id']) || textOf(message['from'])).slice(0, 200),
      payload: { ...shared, contacts: contacts(message['from'], message['from_user_id']), message: listed },
    });
  }
  for (const listed of listOf(change, 'statuses')) {
    const status = isPlainObject(listed) ? listed : {};
    items.push({
      kind: 'status',
      orderKey: textOf(status['id']).slice(0, 200),
      payload: { ...shared, contacts: contacts(status['recipient_id'], status['recipient_user_id']), status: listed },
    });
  }
  if (items.length === 0) items.push({ kind: 'messages_other', orderKey: '', payload: { value } });
  return items;
}

/** Returns the contact entries that speak of the person of one item; a webhook's only entry speaks of all its items. */
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
