import { lastBulkChange, undoSeconds, type BulkSubject } from '../../services/processes/bulkChanges/service';
import { definePages, toastEvent, type PageAnswer, type PageRequest, type Toast } from './page';
import { words } from './words';

/** Taking back what was done a moment ago, maybe on another page, which may have been left before its answer. */
export const lastChangePages = definePages([
  { method: 'GET', path: '/dashboard/last-change/', scope: null, run: offerUndo },
]);

/** Returns the way back from a change of many, for as long as there is one. */
export function undoOfMany(
  of: BulkSubject,
  id: number,
  more: Readonly<Record<string, string>> = {},
  seconds: number = undoSeconds,
): Pick<Toast, 'undo'> {
  const path = { conversations: 'inbox', contacts: 'contacts', tickets: 'tickets' }[of];
  const fields = { id: String(id), ...more };
  return { undo: { action: `/dashboard/${path}/bulk/undo/`, fields, shownMs: seconds * 1_000 } };
}

async function offerUndo(page: PageRequest): Promise<PageAnswer> {
  const last = await lastBulkChange(page.ctx);
  if (!last) return { status: 204, html: '', headers: {} };
  const { id, of, changed, seconds } = last;
  const said = { conversations: words.inbox.bulk, contacts: words.contacts.bulk, tickets: words.tickets.bulk }[of];
  const toast = { text: said.changed(changed, 0), ...undoOfMany(of, id, {}, seconds) };
  return { status: 204, html: '', headers: { 'HX-Trigger': toastEvent(toast) } };
}
