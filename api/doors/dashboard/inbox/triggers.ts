import type { Toast } from '../page';

/** The list follows what was done here without waiting for the news of it; the thread where it is told to. */
export function triggers(toast?: Toast, follow: { readonly thread?: boolean } = {}): string {
  return eventsHeader({ 'inbox:changed': follow, ...(toast ? { toast } : {}) });
}

/** Writes events for the header by which scripts hear them; headers hold ASCII only. */
export function eventsHeader(events: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(events).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
