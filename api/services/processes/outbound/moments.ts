import type { IfCustomerWrites } from '../../../../models/enums';
import { dueNow } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { invalidField } from '../../../core/http/errors';
import { readHours } from '../../resources/calendars/hours';
import type { ConversationView } from '../../resources/conversations/serializer';
import type { SendAt } from '../../resources/messages/schema';
import { reason } from '../../resources/reasons';

/** When a message is sent, and what becomes of it where its customer writes before. */
export interface Later {
  readonly at: Date;
  readonly ifCustomerWrites: IfCustomerWrites;
}

/** How far ahead a message may be sent (contract 24). */
const maxAheadMs = 366 * 86_400_000;

/** Returns when a message is to be sent that asks for it; null: at once, also where it asks for hours that are on. */
export async function laterOf(
  ctx: Ctx,
  conversation: Pick<ConversationView, 'assigned_team_inbox_id'>,
  asked: { readonly send_at?: SendAt | null | undefined; readonly if_customer_writes?: IfCustomerWrites | undefined },
): Promise<Later | null> {
  const { send_at: at, if_customer_writes: ifCustomerWrites } = asked;
  if (!at) return null;
  if (at !== 'opening') return futureLater(ctx, at, ifCustomerWrites);
  const opening = await nextOpening(ctx, conversation);
  return opening === 'open' ? null : futureLater(ctx, opening, ifCustomerWrites);
}

/** Returns when the team that has a conversation works next; `open` while it does. Throws 400 where it never does. */
export async function nextOpening(
  ctx: Ctx,
  { assigned_team_inbox_id: inbox }: Pick<ConversationView, 'assigned_team_inbox_id'>,
): Promise<Date | 'open'> {
  const hours = (await readHours(ctx))(inbox);
  if (!hours) throw invalidField('send_at', reason('noCalendar'));
  const now = await dueNow(ctx.runtime);
  if (hours.time.isOpenAt(now)) return 'open';
  const opening = hours.time.nextOpening(now);
  if (!opening) throw invalidField('send_at', reason('neverOpens', { name: hours.calendar.name }));
  return opening;
}

/** Returns a moment at which a message may be sent. Throws the 400 of one that is not ahead, or too far. */
export async function futureLater(ctx: Ctx, at: Date, ifCustomerWrites: IfCustomerWrites = 'hold'): Promise<Later> {
  const aheadMs = at.getTime() - (await dueNow(ctx.runtime)).getTime();
  if (aheadMs <= 0) throw invalidField('send_at', reason('past'));
  if (aheadMs > maxAheadMs) throw invalidField('send_at', reason('tooFar', { days: 366 }));
  return { at, ifCustomerWrites };
}
