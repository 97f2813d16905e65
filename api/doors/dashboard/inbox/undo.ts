import type { PageRequest, Undo } from '../page';
import { isUntouched, readChange, undoBetween, type Values } from '../undo';
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

function valuesOf(conversation: WireConversation): Values {
  return Object.fromEntries(names.map((name) => [name, conversation[name]]));
}

/** Returns the way back from a change of a conversation; nothing where it changed nothing that can be brought back. */
export function undoOf(before: WireConversation, after: WireConversation): { undo?: Undo } {
  const action = `/dashboard/inbox/${encodeURIComponent(after.receiver_id)}/undo/`;
  const undo = undoBetween(action, valuesOf(before), valuesOf(after));
  return undo ? { undo } : {};
}

/**
 * Restores the former values of a conversation. Returns false when they were changed again meanwhile; those changes
 * stay.
 */
export async function undoChange(page: PageRequest, receiver: string): Promise<boolean> {
  const change = readChange(page.form['change']);
  const current = await page.call<WireConversation>('conversations.get', { receiver_id: receiver });
  const known = Object.fromEntries(names.filter((name) => name in change.to).map((name) => [name, change.to[name]]));
  if (!isUntouched(valuesOf(current), { to: known, from: change.from })) return false;
  const { snoozed_until: until, ...values } = known;
  // A time without a snooze is no state of its own: the status takes it away.
  const back = until === undefined || until === null ? values : { ...values, snoozed_until: until };
  await page.call('conversations.update', { receiver_id: receiver, ...back });
  return true;
}
