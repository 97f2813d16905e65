import type { PageRequest, Toast } from '../page';
import type { WireConversation } from './load';

/** The list follows what was done here without waiting for the news of it; the thread where it is told to. */
export function triggers(
  toast?: Toast,
  follow: { readonly thread?: boolean } = {},
  more: Readonly<Record<string, unknown>> = {},
): string {
  return eventsHeader({ 'inbox:changed': follow, ...more, ...(toast ? { toast } : {}) });
}

/** Lets the page of a member who wants that go on to the next conversation, as they are done with this one. */
export function goingOn(
  page: PageRequest,
  conversation: Pick<WireConversation, 'id' | 'conv_status'>,
): Readonly<Record<string, unknown>> {
  const goesOn = page.member.opens_next && conversation.conv_status === 'resolved';
  return goesOn ? { 'inbox:done': { id: String(conversation.id) } } : {};
}

/** Writes events for the header by which scripts hear them; headers hold ASCII only. */
export function eventsHeader(events: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(events).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
