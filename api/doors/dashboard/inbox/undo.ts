import { sameValue } from '../../../core/changes';
import { isPlainObject } from '../../../core/fields';
import type { PageRequest, Undo } from '../page';
import type { WireConversation } from './load';

/** What an undo brings back. */
const names = [
  'conv_status',
  'snoozed_until',
  'priority',
  'assigned_member',
  'assigned_team_inbox',
  'tags',
] as const satisfies readonly (keyof WireConversation)[];

/** Returns the way back from a change of a conversation; nothing where it changed nothing that can be brought back. */
export function undoOf(before: WireConversation, after: WireConversation): { undo?: Undo } {
  const changed = names.filter((name) => !sameValue(before[name], after[name]));
  if (changed.length === 0) return {};
  const pick = (from: WireConversation) => Object.fromEntries(changed.map((name) => [name, from[name]]));
  return {
    undo: {
      action: `/dashboard/inbox/${encodeURIComponent(after.receiver_id)}/undo/`,
      fields: { change: JSON.stringify({ to: pick(before), from: pick(after) }) },
    },
  };
}

/** Brings a conversation back to what it was. Gives false where it was changed again meanwhile: that stays. */
export async function undoChange(page: PageRequest, receiver: string): Promise<boolean> {
  const { to, from } = readChange(page.form['change'] ?? '');
  const current = await page.call<WireConversation>('conversations.get', { receiver_id: receiver });
  const given = names.filter((name) => Object.hasOwn(to, name));
  if (given.some((name) => !sameValue(current[name], from[name] ?? null))) return false;
  // A time without a snooze is no state of its own: the status takes it away.
  const values = given.filter((name) => name !== 'snoozed_until' || to[name] !== null).map((name) => [name, to[name]]);
  await page.call('conversations.update', { receiver_id: receiver, ...Object.fromEntries(values) });
  return true;
}

type Values = Readonly<Record<string, unknown>>;

function readChange(text: string): { readonly to: Values; readonly from: Values } {
  try {
    const change: unknown = JSON.parse(text);
    if (isPlainObject(change) && isPlainObject(change['to']) && isPlainObject(change['from']))
      return { to: change['to'], from: change['from'] };
  } catch {
    // Nothing of ours.
  }
  return { to: {}, from: {} };
}
