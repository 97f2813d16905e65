import { createHmac } from 'node:crypto';
import type { JsonObject } from '../types';
import { listOf } from '../util';

/** Statuses of one number that may share one `value`; several values then share one POST. */
const statusesPerValue = 50;

export interface Update {
  field: string;
  value: JsonObject;
  /** Set on account-level fields, absent on messages, like upstream. */
  time?: number;
}

/** Writes JSON as the platform does: slashes and everything outside ASCII are escaped. */
export function escapedJson(value: unknown): string {
  return JSON.stringify(value).replace(/[/\u007f-\uffff]/g, (character) =>
    character === '/' ? '\\/' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function signBody(body: string | Buffer, appSecret: string): string {
  return `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;
}

/** Groups updates into entries: those of one `time` share an entry, neighbouring statuses of a number one value. */
export function entriesOf(accountId: string, updates: Update[]): JsonObject[] {
  const entries: Array<{ id: string; time?: number; changes: Array<{ field: string; value: JsonObject }> }> = [];
  for (const { field, value, time } of updates) {
    let entry = entries.at(-1);
    if (!entry || entry.time !== time) {
      entry = time === undefined ? { id: accountId, changes: [] } : { id: accountId, time, changes: [] };
      entries.push(entry);
    }
    const last = entry.changes.at(-1);
    if (last && last.field === field && mergeStatuses(last.value, value)) continue;
    // Copied, because merging appends to these lists and a duplicate shares the value.
    const copy = { ...value };
    if (Array.isArray(copy['statuses'])) copy['statuses'] = [...listOf(copy['statuses'])];
    if (Array.isArray(copy['contacts'])) copy['contacts'] = [...listOf(copy['contacts'])];
    entry.changes.push({ field, value: copy });
  }
  return entries;
}

function mergeStatuses(into: JsonObject, from: JsonObject): boolean {
  const target = into['statuses'];
  const added = from['statuses'];
  if (!Array.isArray(target) || !Array.isArray(added) || target.length >= statusesPerValue) return false;
  if (phoneOf(into) !== phoneOf(from)) return false;
  target.push(...added);
  const contacts = listOf(from['contacts']);
  if (contacts.length > 0) into['contacts'] = [...listOf(into['contacts']), ...contacts];
  return true;
}

function phoneOf(value: JsonObject): unknown {
  return (value['metadata'] as JsonObject | undefined)?.['phone_number_id'];
}

/** Returns the updates inside a payload that was built earlier. */
export function updatesOf(body: string): Update[] {
  const parsed = JSON.parse(body) as {
    entry: Array<{ time?: number; changes: Array<{ field: string; value: JsonObject }> }>;
  };
  return parsed.entry.flatMap(({ time, changes }) => changes.map(({ field, value }) => ({ field, value, time })));
}
