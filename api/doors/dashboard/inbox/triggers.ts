import { eventsHeader, type PageRequest, type Toast } from '../page';
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
