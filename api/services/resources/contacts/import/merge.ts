import { mayNotOptIn } from '../../../../core/autonomy';
import type { Reason } from '../../../../core/http/reasons';
import { spellingsOf } from '../../../../core/phones';
import { isOwnDecision, ownDecision, type OptOutSource } from '../preference';
import { reason } from '../../reasons';
import { jsonBytes, shortened, type ContactPatch, type ReadRow, type RowFault } from './rows';

/** Most free-form keys of a contact. */
const maxAttributes = 200;
/** Most bytes of the free-form values of a contact, and of its custom values. */
const maxBytes = 65_536;

/** The part of a stored contact that a merge looks at. */
export interface StoredContact {
  readonly id: number;
  readonly phone: string | null;
  readonly bsuid: string | null;
  readonly name: string;
  readonly email: string;
  readonly company: string;
  readonly notes: string;
  readonly tags: unknown;
  readonly custom_fields: Readonly<Record<string, unknown>>;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly marketing_opt_out: boolean;
  readonly marketing_opt_out_source: OptOutSource | null;
  /** Ids that the contact had before and that still mean it. */
  readonly former_bsuids: readonly string[];
  /** Numbers under which the platform does not know it, but people do. */
  readonly other_phones: readonly string[];
}

/** A contact that is named by rows of a chunk, with the values of all these rows. */
export interface Target {
  readonly stored: StoredContact | null;
  phone: string | null;
  bsuid: string | null;
  /** What its rows say, in their order; `patchOf` brings it together. */
  readonly patches: ContactPatch[];
  readonly rows: number[];
}

/**
 * Brings rows and stored contacts together: one target per person, rows of the same one merged in their order. Where
 * phone and bsuid of a row name two people, the phone leads and the bsuid is dropped with an error.
 */
export function mergeRows(
  rows: readonly ReadRow[],
  stored: readonly StoredContact[],
): { readonly targets: readonly Target[]; readonly errors: RowFault[] } {
  const byPhone = new Map<string, Target>();
  const byBsuid = new Map<string, Target>();
  const targets: Target[] = [];
  const errors: RowFault[] = [];
  for (const contact of stored) {
    const target: Target = { stored: contact, phone: contact.phone, bsuid: contact.bsuid, patches: [], rows: [] };
    if (contact.phone !== null) byPhone.set(contact.phone, target);
    if (contact.bsuid !== null) byBsuid.set(contact.bsuid, target);
    for (const former of contact.former_bsuids) if (!byBsuid.has(former)) byBsuid.set(former, target);
    for (const other of contact.other_phones) if (!byPhone.has(other)) byPhone.set(other, target);
    targets.push(target);
  }
  for (const row of rows) {
    const phoned = inAnySpelling(byPhone, row.phone);
    const named = row.bsuid === null ? undefined : byBsuid.get(row.bsuid);
    let target = phoned ?? named;
    if (!target) {
      target = { stored: null, phone: row.phone, bsuid: row.bsuid, patches: [], rows: [] };
      targets.push(target);
      if (row.phone !== null) byPhone.set(row.phone, target);
      if (row.bsuid !== null) byBsuid.set(row.bsuid, target);
    } else {
      const drop = (field: 'phone' | 'bsuid', message: Reason): void => {
        errors.push({
          row: row.number,
          receiver_id: row.phone ?? row.bsuid,
          field,
          value: row[field],
          message,
          dropped: true,
        });
      };
      if (row.bsuid !== null && target.bsuid !== row.bsuid && !target.stored?.former_bsuids.includes(row.bsuid)) {
        if (named && named !== target) drop('bsuid', reason('bsuidOther'));
        else if (target.bsuid !== null) drop('bsuid', reason('bsuidDiffers'));
        else {
          target.bsuid = row.bsuid;
          byBsuid.set(row.bsuid, target);
        }
      }
      if (row.phone !== null && target !== inAnySpelling(byPhone, row.phone)) {
        if (target.phone !== null) drop('phone', reason('phoneDiffers'));
        else {
          target.phone = row.phone;
          byPhone.set(row.phone, target);
        }
      }
    }
    target.rows.push(row.number);
    target.patches.push(row.patch);
  }
  return { targets: targets.filter(({ rows: numbers }) => numbers.length > 0), errors };
}

/** Returns whom a number means, in this spelling before the other one of its line. */
function inAnySpelling(known: ReadonlyMap<string, Target>, phone: string | null): Target | undefined {
  const spellings = phone === null ? [] : spellingsOf(phone);
  return known.get(spellings.find((spelling) => known.has(spelling)) ?? '');
}

/** Reports a dropped value; the error is only created if the answer can still hold it. */
export type Report = (error: () => RowFault) => void;

/**
 * Returns the values of all rows for a target: of two values of one key the later counts. Each row is read once. Values
 * beyond the limits of a contact are dropped with an error.
 */
export function patchOf(target: Target, report: Report = () => undefined): ContactPatch {
  const texts: Record<string, string> = {};
  const custom = createValues('custom_fields', target.stored?.custom_fields ?? {}, Infinity);
  const attributes = createValues('attributes', target.stored?.attributes ?? {}, maxAttributes);
  let tags: unknown;
  let optOut: boolean | undefined;
  for (const [index, patch] of target.patches.entries()) {
    Object.assign(texts, patch.texts);
    tags = patch.tags ?? tags;
    optOut = patch.optOut ?? optOut;
    for (const [values, given] of [
      [custom, patch.custom],
      [attributes, patch.attributes],
    ] as const)
      for (const [key, value] of Object.entries(given)) {
        const message = values.set(key, value);
        if (message === null) continue;
        report(() => ({
          row: target.rows[index] ?? 0,
          receiver_id: target.phone ?? target.bsuid,
          field: key,
          value: shortened(value),
          message,
          dropped: true,
        }));
      }
  }
  return {
    texts,
    ...(tags === undefined ? {} : { tags }),
    ...(optOut === undefined ? {} : { optOut }),
    custom: custom.written(),
    attributes: attributes.written(),
  };
}

/** Drops, with an error, an opt-in of a customer who opted out themselves, or by a credential that may not opt in. */
export function withoutOptIn(target: Target, patch: ContactPatch, errors: RowFault[], isBound: boolean): ContactPatch {
  if (!target.stored?.marketing_opt_out || patch.optOut !== false) return patch;
  const message = isBound ? mayNotOptIn : isOwnDecision(target.stored.marketing_opt_out_source) ? ownDecision : null;
  if (message === null) return patch;
  errors.push({
    row: target.rows.at(-1) ?? 0,
    receiver_id: target.phone ?? target.bsuid,
    field: 'marketing_opt_out',
    value: false,
    message,
    dropped: true,
  });
  return { ...patch, optOut: true };
}

/** Adds values to the stored ones up to the limits; `set` returns why a value does not fit. */
function createValues(
  name: string,
  stored: Readonly<Record<string, unknown>>,
  maxKeys: number,
): {
  set(key: string, value: unknown): Reason | null;
  written(): Record<string, unknown>;
} {
  const sizeOf = (key: string, value: unknown): number => jsonBytes(key) + jsonBytes(value) + 2;
  const sizes = new Map(Object.entries(stored).map(([key, value]) => [key, sizeOf(key, value)]));
  let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const written = new Map<string, unknown>();
  return {
    set(key, value) {
      const before = sizes.get(key);
      const size = sizeOf(key, value);
      if (before === undefined && sizes.size >= maxKeys)
        return reason('tooManyAttributes', { max: maxKeys, what: name });
      if (size > (before ?? 0) && bytes + size - (before ?? 0) > maxBytes)
        return reason('attributesTooLarge', { max: maxBytes, what: name });
      bytes += size - (before ?? 0);
      sizes.set(key, size);
      written.set(key, value);
      return null;
    },
    // Free-form keys can be any word, `__proto__` too: entries define, where an assignment would not.
    written: () => Object.fromEntries(written),
  };
}

type Changes = Record<string, { from: unknown; to: unknown }>;

/** A stored contact's new values and what differs; null where the rows say nothing new. */
export interface Update {
  readonly id: number;
  readonly changes: Changes;
  readonly values: Record<string, unknown>;
}

/** Returns what a target changes on its stored contact. */
export function updateOf(target: Target, patch: ContactPatch): Update | null {
  const { stored } = target;
  if (!stored) return null;
  const changes: Changes = {};
  const values: Record<string, unknown> = { id: stored.id, phone: target.phone, bsuid: target.bsuid };
  for (const key of ['phone', 'bsuid'] as const)
    if (target[key] !== stored[key]) changes[key] = { from: stored[key], to: target[key] };
  for (const key of ['name', 'email', 'company', 'notes'] as const) {
    const value = patch.texts[key];
    if (value === undefined || value === stored[key]) continue;
    values[key] = value;
    changes[key] = key === 'notes' ? { from: null, to: null } : { from: stored[key], to: value };
  }
  if (patch.tags !== undefined && !same(patch.tags, stored.tags)) {
    values['tags'] = patch.tags;
    changes['tags'] = { from: stored.tags, to: patch.tags };
  }
  const custom = differing(patch.custom, stored.custom_fields);
  if (custom) {
    values['custom'] = custom.to;
    changes['custom_fields'] = custom;
  }
  const attributes = differing(patch.attributes, stored.attributes);
  if (attributes) {
    values['attributes'] = attributes.to;
    changes['attributes'] = attributes;
  }
  if (patch.optOut !== undefined && patch.optOut !== stored.marketing_opt_out) {
    values['opt_out'] = patch.optOut;
    changes['marketing_opt_out'] = { from: stored.marketing_opt_out, to: patch.optOut };
  }
  return Object.keys(changes).length === 0 ? null : { id: stored.id, changes, values };
}

/** The keys of `next` whose values are not those of `before`. */
function differing(
  next: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
): { from: Record<string, unknown>; to: Record<string, unknown> } | null {
  const keys = Object.keys(next).filter((key) => !Object.hasOwn(before, key) || !same(next[key], before[key]));
  if (keys.length === 0) return null;
  const pick = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(keys.map((key) => [key, Object.hasOwn(values, key) ? values[key] : null]));
  return { from: pick(before), to: pick(next) };
}

/** Returns whether two JSON values are the same, whatever the order of their keys: jsonb keeps its own. */
function same(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(right, key) &&
      same((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]),
  );
}
