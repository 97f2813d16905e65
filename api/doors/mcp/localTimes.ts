import { isPlainObject } from '../../core/http/fields';
import { localOf } from '../../core/zones';

type Json = Readonly<Record<string, unknown>>;

/** Moments that agents name by the workspace's clock, and hear in both forms. */
export const localised = ['snoozed_until', 'due_at', 'window_open_until', 'send_at'] as const;

const timeless: readonly string[] = [
  ...['search_contacts', 'update_contact', 'get_templates', 'list_ticket_pipelines', 'run_macro'],
];
/** Returns whether the results of a tool speak of no time. */
export const isTimeless = (tool: string): boolean => timeless.includes(tool);

/** Returns a result with what the workspace's clock shows: now, and at the moments in it. */
export function byClock(now: Date, timezone: string, result: Json): Record<string, unknown> {
  const shown = (moment: Date): string => `${localOf(moment, timezone).replace('T', ' ')} ${timezone}`;
  const both = (object: Json): Record<string, unknown> => {
    const times = localised.flatMap((name) =>
      typeof object[name] === 'string' ? [[`${name}_local`, shown(new Date(object[name]))]] : [],
    );
    return { ...object, ...Object.fromEntries(times) };
  };
  const { conversation, results } = result;
  return {
    ...both(result),
    ...(isPlainObject(conversation) ? { conversation: both(conversation) } : {}),
    ...(Array.isArray(results) ? { results: results.filter(isPlainObject).map(both) } : {}),
    now: shown(now),
  };
}
