import { sameValue } from '../../core/db/changes';
import { isPlainObject } from '../../core/http/fields';
import type { Undo } from './page';

/** Values of a record by name. */
export type Values = Readonly<Record<string, unknown>>;

/** A change that can be taken back: the values to go back to, and those that must still be there. */
interface Change {
  readonly to: Values;
  readonly from: Values;
}

/** Returns the form that takes a change back; nothing where the values did not change. */
export function undoBetween(action: string, before: Values, after: Values): Undo | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !sameValue(before[name] ?? null, after[name] ?? null));
  if (changed.length === 0) return undefined;
  const pick = (values: Values): Values => Object.fromEntries(changed.map((name) => [name, values[name] ?? null]));
  const change: Change = { to: pick(before), from: pick(after) };
  return { action, fields: { change: JSON.stringify(change) } };
}

/** Returns whether the changed values are still as the change left them: later changes are not undone. */
export function isUntouched(current: Values, { from, to }: Change): boolean {
  return Object.keys(to).every((name) => sameValue(current[name] ?? null, from[name] ?? null));
}

/** Reads the change that an undo form carries; what is none of ours changes nothing. */
export function readChange(text: string | undefined): Change {
  try {
    const change: unknown = JSON.parse(text ?? '');
    if (isPlainObject(change) && isPlainObject(change['to']) && isPlainObject(change['from']))
      return { to: change['to'], from: change['from'] };
  } catch {
    // Nothing of ours.
  }
  return { to: {}, from: {} };
}
