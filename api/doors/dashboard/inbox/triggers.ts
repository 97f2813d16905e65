import type { Toast } from '../page';

/** The list follows what was done here without waiting for the news of it; the thread where it is told to. */
export function triggers(toast?: Toast, follow: { readonly thread?: boolean } = {}): string {
  return JSON.stringify({ 'inbox:changed': follow, ...(toast ? { toast } : {}) }).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
