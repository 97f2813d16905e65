import { Op, Transaction } from 'sequelize';
import type { SlaSubject } from '../../../../models/enums';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/scoped';

/** What a policy promises. */
export interface Deadlines {
  readonly id: number | null;
  readonly firstResponse: Date | null;
  readonly resolution: Date | null;
}

const minuteMs = 60_000;

/** Returns the deadlines of a ticket that is created now; all null without a default policy for tickets. */
export async function newTicketPolicy(ctx: Ctx, from: Date): Promise<Deadlines> {
  return deadlines(ctx, 'tickets', from);
}

/** Returns the deadlines of a conversation whose customer wrote at this time. */
export async function conversationPolicy(ctx: Ctx, from: Date): Promise<Deadlines> {
  return deadlines(ctx, 'conversations', from);
}

/** Reads the default policy and keeps it from being deleted until the transaction ends. */
async function deadlines(ctx: Ctx, subject: SlaSubject, from: Date): Promise<Deadlines> {
  const policy = await of(ctx, ctx.runtime.db.models.SlaPolicy).findOne({
    attributes: ['id', 'first_response_minutes', 'resolution_minutes'],
    where: { is_default: true, applies_to: { [Op.contains]: [subject] } },
    lock: Transaction.LOCK.KEY_SHARE,
    raw: true,
  });
  const after = (minutes: number | null): Date | null =>
    minutes === null ? null : new Date(from.getTime() + minutes * minuteMs);

  return {
    id: policy?.id ?? null,
    firstResponse: after(policy?.first_response_minutes ?? null),
    resolution: after(policy?.resolution_minutes ?? null),
  };
}
