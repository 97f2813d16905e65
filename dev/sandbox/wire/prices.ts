import type { Context } from '../context';
import { dayMs, type State } from '../state';
import type { JsonObject, SentRecord, User } from '../types';

const freeEntryMs = 3 * dayMs;

/** Returns the end of the 72 free hours after an ad click, 0 when there is none. */
export function freeUntil(user: User, phoneNumberId: string, now: number): number {
  const clicked = user.referrals?.[phoneNumberId];
  return clicked !== undefined && now - clicked < freeEntryMs ? clicked + freeEntryMs : 0;
}

/**
 * Returns what a message costs, decided when it is asked for first: nothing after an ad click and for a number's first
 * service messages of a month; all else, answers and what is inside of the window too, since October 2026.
 */
export function priceOf(context: Context, record: SentRecord, user: User): JsonObject {
  record.price ??= decide(context, record, user);
  return record.price;
}

function decide(context: Context, record: SentRecord, user: User): JsonObject {
  const category = record.category || 'service';
  if (freeUntil(user, record.phone_number_id, record.accepted_at) > 0)
    return { billable: false, pricing_model: 'PMP', type: 'free_entry_point', category: 'referral_conversion' };
  if (category === 'service') {
    const { freeUsed, settings } = context.state;
    const key = `${record.phone_number_id}|${new Date(record.accepted_at).toISOString().slice(0, 7)}`;
    const used = freeUsed.get(key) ?? 0;
    if (used < settings.free_service_messages) {
      freeUsed.set(key, used + 1);
      return { billable: false, pricing_model: 'PMP', type: 'free_customer_service', category };
    }
  }
  return { billable: true, pricing_model: 'PMP', type: 'regular', category };
}

/** Returns the bill: what has arrived and costs something, of one number or of all, by category. */
export function billOf(state: State, phoneNumberId: string | null): JsonObject {
  const byCategory: Record<string, number> = {};
  let messages = 0;
  for (const { arrived, price, phone_number_id: number } of state.sent) {
    if (!arrived || (phoneNumberId !== null && number !== phoneNumberId)) continue;
    messages += 1;
    const category = String(price?.['category'] ?? '');
    if (price?.['billable'] === true) byCategory[category] = (byCategory[category] ?? 0) + 1;
  }
  const billable = Object.values(byCategory).reduce((sum, count) => sum + count, 0);
  return { messages, billable, by_category: byCategory };
}
