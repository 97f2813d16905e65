import type { ContactPatch, ReadRow, RowError } from './rows';

/** The part of a stored contact that a merge looks at. */
export interface StoredContact {
  readonly id: number;
  readonly receiver_id: string;
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
  /** Ids that the contact had before and that still mean it. */
  readonly former_bsuids: readonly string[];
}

/** One contact that rows of a chunk speak of, with what they say together. */
export interface Target {
  readonly stored: StoredContact | null;
  phone: string | null;
  bsuid: string | null;
  patch: ContactPatch;
  readonly rows: number[];
}

/**
 * Brings rows and stored contacts together: one target per person, rows of the same one merged in their order. Where
 * phone and bsuid of a row name two people, the phone leads and the bsuid is dropped with an error.
 */
export function mergeRows(
  rows: readonly ReadRow[],
  stored: readonly StoredContact[],
): { readonly targets: readonly Target[]; readonly errors: RowError[] } {
  const byPhone = new Map<string, Target>();
  const byBsuid = new Map<string, Target>();
  const byReceiver = new Map<string, Target>();
  const targets: Target[] = [];
  const errors: RowError[] = [];
  for (const contact of stored) {
    const target: Target = { stored: contact, phone: contact.phone, bsuid: contact.bsuid, patch: emptyPatch, rows: [] };
    if (contact.phone !== null) byPhone.set(contact.phone, target);
    if (contact.bsuid !== null) byBsuid.set(contact.bsuid, target);
    for (const former of contact.former_bsuids) if (!byBsuid.has(former)) byBsuid.set(former, target);
    byReceiver.set(contact.receiver_id, target);
    targets.push(target);
  }
  for (const row of rows) {
    const phoned = row.phone === null ? undefined : (byPhone.get(row.phone) ?? byReceiver.get(row.phone));
    const named = row.bsuid === null ? undefined : (byBsuid.get(row.bsuid) ?? byReceiver.get(row.bsuid));
    let target = phoned ?? named;
    if (!target) {
      target = { stored: null, phone: row.phone, bsuid: row.bsuid, patch: emptyPatch, rows: [] };
      targets.push(target);
      if (row.phone !== null) byPhone.set(row.phone, target);
      if (row.bsuid !== null) byBsuid.set(row.bsuid, target);
    } else {
      const drop = (field: 'phone' | 'bsuid', message: string): void => {
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
        if (named && named !== target) drop('bsuid', 'Another contact has this bsuid.');
        else if (target.bsuid !== null) drop('bsuid', 'The contact with this phone has another bsuid.');
        else {
          target.bsuid = row.bsuid;
          byBsuid.set(row.bsuid, target);
        }
      }
      if (row.phone !== null && target.phone !== row.phone) {
        if (target.phone !== null) drop('phone', 'The contact has another phone number.');
        else {
          target.phone = row.phone;
          byPhone.set(row.phone, target);
        }
      }
    }
    target.rows.push(row.number);
    target.patch = target.rows.length === 1 ? row.patch : joined(target.patch, row.patch);
  }
  return { targets: targets.filter(({ rows: numbers }) => numbers.length > 0), errors };
}

const emptyPatch: ContactPatch = { texts: {}, custom: {}, attributes: {} };

function joined(first: ContactPatch, second: ContactPatch): ContactPatch {
  return {
    ...first,
    ...second,
    texts: { ...first.texts, ...second.texts },
    custom: { ...first.custom, ...second.custom },
    // Free-form keys can be any word, `__proto__` too: entries define, where an assignment would not.
    attributes: Object.fromEntries([...Object.entries(first.attributes), ...Object.entries(second.attributes)]),
  };
}

type Changes = Record<string, { from: unknown; to: unknown }>;

/** A stored contact's new values and what differs; null where the rows say nothing new. */
export interface Update {
  readonly id: number;
  readonly changes: Changes;
  readonly values: Record<string, unknown>;
}

/** What a target changes on its stored contact. */
export function updateOf(target: Target): Update | null {
  const { stored, patch } = target;
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

/** Whether two JSON values are the same, whatever the order of their keys: jsonb keeps its own. */
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
