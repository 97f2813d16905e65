import { localesNow } from '../../../core/text/language';

/** Writes things one after the other: `Tickets and Conversations`. */
export function listText(parts: readonly string[]): string {
  return new Intl.ListFormat(localesNow().numbers, { type: 'conjunction' }).format(parts);
}
