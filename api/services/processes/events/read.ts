import { cut } from '../../../core/text/cut';
import { isPlainObject } from '../../../core/http/fields';
import { platformDigits } from '../../../core/phones';
import { isBlank } from '../../../core/http/visible';
import { bsuidPattern, type Identity } from '../../resources/contacts/identity';
import type { SenderProfile } from '../contactMerge/resolve';

export type Json = Record<string, unknown>;

/** An event that no further try can make usable: it is parked at once. */
export class UnusableEvent extends Error {
  override readonly name = 'UnusableEvent';
}

/** An event of a number that is not known yet: once it is parked, it is put back when a read finds the number. */
export class UnknownNumber extends Error {
  override readonly name = 'UnknownNumber';
}

/** An event that waits for a later one: it holds up nobody meanwhile. */
export class TooEarly extends Error {
  override readonly name = 'TooEarly';
}

/** Returns the request id under which the activity trail records the changes of an event. */
export function requestIdOf(event: { readonly id: number }): string {
  return `inbox/${event.id}`;
}

/** Returns an upstream time in unix seconds, as text or number; now where there is none, never in the future. */
export function eventTime(raw: unknown, now: Date): Date {
  const seconds =
    typeof raw === 'number' ? raw : typeof raw === 'string' && /^\d{1,12}$/.test(raw) ? Number(raw) : Number.NaN;
  if (!Number.isFinite(seconds) || seconds <= 0) return now;
  return new Date(Math.min(seconds * 1000, now.getTime()));
}

/** Returns a text of the upstream that fits its column; ids come as numbers in some events. */
export function textOf(raw: unknown, max: number): string {
  if (typeof raw === 'number') return cut(String(raw), max);
  return typeof raw === 'string' ? cut(raw.replaceAll('\0', ''), max) : '';
}

/** The items of a list that are objects. */
export function objectsIn(raw: unknown): Json[] {
  return Array.isArray(raw) ? (raw as unknown[]).filter(isPlainObject) : [];
}

/** Returns an object's own value under a key, as an object. */
export function objectAt(raw: Json | null, key: string): Json | null {
  const value = raw?.[key];
  return isPlainObject(value) ? value : null;
}

/** Returns the identity in a pair of upstream fields; what is no phone or no user id is left out. */
export function identityOf(phone: unknown, userId: unknown): Identity {
  const bsuid = typeof userId === 'string' && bsuidPattern.test(userId) ? userId : null;
  return { phone: platformDigits(phone), bsuid };
}

/** Name and user name of a contact entry. */
export function profileOf(entry: Json | null | undefined): SenderProfile {
  const profile = objectAt(entry ?? null, 'profile');
  const name = textOf(profile?.['name'], 255).trim();
  const username = textOf(profile?.['username'], 65).trim();
  return { ...(isBlank(name) ? {} : { name }), ...(username === '' ? {} : { username }) };
}

/** Returns the upstream's id of the number that an event concerns; empty where it names none. */
export function numberIdOf(payload: Json): string {
  return textOf(objectAt(payload, 'metadata')?.['phone_number_id'], 64);
}

/** Who wrote: the phone from `wa_id` or `from`, the bsuid from `from_user_id` or the contact entry (upstream 2.5). */
export function senderOf(payload: Json, message: Json): { identity: Identity; profile: SenderProfile } {
  const from = textOf(message['from'], 200);
  const fromUser = textOf(message['from_user_id'], 200);
  const contacts = objectsIn(payload['contacts']);
  const entry =
    contacts.find(
      (candidate) =>
        (from !== '' && candidate['wa_id'] === from) || (fromUser !== '' && candidate['user_id'] === fromUser),
    ) ?? (contacts.length === 1 ? contacts[0] : undefined);
  const bsuid =
    [fromUser, entry?.['user_id'], from].find(
      (value): value is string => typeof value === 'string' && bsuidPattern.test(value),
    ) ?? null;
  const phone = platformDigits(textOf(entry?.['wa_id'], 64)) ?? platformDigits(from);
  if (phone === null && bsuid === null) throw new Error('the message names neither a phone number nor a user id');
  return { identity: { phone, bsuid }, profile: profileOf(entry) };
}
