import { Op, Transaction } from 'sequelize';
import type { SlaSubject } from '../../../../models/enums';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { workingTimeOf } from '../calendars/hours';

/** What a policy promises. */
interface Deadlines {
  readonly id: number | null;
  readonly firstResponse: Date | null;
  readonly resolution: Date | null;
}

const minuteMs = 60_000;

/** Returns the deadlines of a ticket that is created now; all null without a default policy for tickets. */
export async function newTicketPolicy(ctx: Ctx, from: Date): Promise<Deadlines> {
  return (await policyFor(ctx, 'tickets'))(from);
}

/** Returns a function that gives the deadlines of a conversation whose customer wrote at a time. */
export async function conversationPolicy(ctx: Ctx): Promise<(from: Date) => Deadlines> {
  return policyFor(ctx, 'conversations');
}

/** Reads the default policy and keeps it from being deleted until the transaction ends. */
async function policyFor(ctx: Ctx, subject: SlaSubject): Promise<(from: Date) => Deadlines> {
  const policy = await of(ctx, ctx.runtime.db.models.SlaPolicy).findOne({
    attributes: ['id', 'first_response_minutes', 'resolution_minutes', 'calendar_id'],
    where: { is_default: true, applies_to: { [Op.contains]: [subject] } },
    lock: Transaction.LOCK.KEY_SHARE,
    raw: true,
  });
  const calendarId = policy?.calendar_id ?? null;
  const hours = calendarId === null ? null : await workingTimeOf(ctx, calendarId);
  const after = (from: Date, minutes: number | null): Date | null => {
    if (minutes === null) return null;
    return hours ? hours.addWorkingMinutes(from, minutes) : new Date(from.getTime() + minutes * minuteMs);
  };

  return (from) => ({
    id: policy?.id ?? null,
    firstResponse: after(from, policy?.first_response_minutes ?? null),
    resolution: after(from, policy?.resolution_minutes ?? null),
  });
}
