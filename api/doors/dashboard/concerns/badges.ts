import type { Ctx } from '../../../core/context';
import { countAsking } from '../../../services/processes/approvals/service';
import { countWaiting } from '../../../services/resources/conversations/lists';
import { unreadConcerns, type UnreadConcern } from '../../../services/resources/notices/concerns';
import type { Badges } from '../navigation';

/** A badge says `99+` from here on. */
const maxBadge = 100;

/** Returns the path of the page that shows what concerns the member. */
export const concernPath = ({ receiver_id: receiver, ticket_id: ticket }: Omit<UnreadConcern, 'id'>): string =>
  receiver === null ? `/dashboard/tickets/${ticket}/` : `/dashboard/inbox/${encodeURIComponent(receiver)}/`;

/** Counts what concerns the member and is unread, by the pages that show it. */
export async function readConcernsBadge(ctx: Ctx): Promise<Badges> {
  const unread = await unreadConcerns(ctx, maxBadge);
  const byPath: Record<string, number[]> = {};
  for (const concern of unread) (byPath[concernPath(concern)] ??= []).push(concern.id);
  return { concerns: unread.length, unread: byPath };
}

/** Counts what the navigation shows beside its places. */
export async function readBadges(ctx: Ctx): Promise<Badges> {
  const concerns = readConcernsBadge(ctx);
  if (!ctx.scopes.has('chat.view')) return concerns;
  const [approvals, waiting] = await Promise.all([countAsking(ctx), countWaiting(ctx, maxBadge)]);
  return { ...(await concerns), approvals, waiting };
}
