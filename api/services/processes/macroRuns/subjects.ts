import { Transaction } from 'sequelize';
import type { Ctx } from '../../../core/context';
import { AppError } from '../../../core/http/errors';
import { of } from '../../../core/db/scoped';
import { isAboutTickets, isShared, type Action, type ActionType } from '../../resources/macros/actions';
import type { ConversationView } from '../../resources/conversations/serializer';
import { lockConversation } from '../../resources/conversations/service';
import type { MacroTarget } from '../../resources/macros/runs';
import { reason } from '../../resources/reasons';

/** What the steps of one run work on. */
export interface Subjects {
  /** What the run was asked for. */
  readonly on: 'chat' | 'ticket';
  /** The conversation of a chat run, or of the ticket's primary contact; null where that contact is missing. */
  readonly conversationId: number | null;
  readonly contactId: number | null;
  /** The ticket of a ticket run, or the one that an earlier step created. */
  ticketId: number | null;
  /** The conversation as it was locked, until a step has had it, which may change it. */
  opened?: ConversationView | undefined;
  /** A step has resolved the conversation. */
  isResolved?: boolean;
}

/** Returns whether the step changes the ticket rather than the conversation (contract 10). */
export function ticketTakes(subjects: Pick<Subjects, 'on'>, type: ActionType): boolean {
  return isAboutTickets(type) || (subjects.on === 'ticket' && isShared(type));
}

/**
 * Finds and locks what the run works on: the conversation before the ticket, as everywhere, so that runs on the same
 * one follow each other. Throws 404 when it is gone.
 */
export async function openSubjects(
  ctx: Ctx,
  request: { readonly actions: readonly Action[]; readonly target: MacroTarget },
): Promise<Subjects> {
  const { target, actions } = request;
  if (target.conversationId !== null) {
    const conversation = await lockConversation(ctx, { conversationId: target.conversationId });
    return {
      on: 'chat',
      conversationId: conversation.id,
      contactId: conversation.contact_id,
      ticketId: null,
      opened: conversation,
    };
  }
  const ticketId = target.ticketId ?? 0;
  const tickets = of(ctx, ctx.runtime.db.models.Ticket);
  const contactId = (await tickets.findOne({ attributes: ['receiver_id'], where: { id: ticketId }, raw: true }))
    ?.receiver_id;
  const receiver =
    contactId === null || contactId === undefined
      ? null
      : await of(ctx, ctx.runtime.db.models.Conversation).findOne({
          attributes: ['id', 'contact_id'],
          where: { contact_id: contactId },
          raw: true,
        });

  const opened =
    receiver && actions.some(({ type }) => !isAboutTickets(type) && !isShared(type))
      ? await lockConversation(ctx, { conversationId: receiver.id })
      : undefined;
  const ticket = await tickets.findOne({
    attributes: ['id'],
    where: { id: ticketId },
    lock: Transaction.LOCK.UPDATE,
    raw: true,
  });
  if (!ticket) throw new AppError('not_found', reason('stepTicketGone'));
  return {
    on: 'ticket',
    conversationId: receiver?.id ?? null,
    contactId: receiver?.contact_id ?? null,
    ticketId,
    opened,
  };
}

/** Returns the conversation as earlier steps left it. Throws the 400 of a ticket without a primary contact. */
export async function currentConversation(ctx: Ctx, subjects: Subjects): Promise<ConversationView> {
  const { opened } = subjects;
  subjects.opened = undefined;
  if (opened) return opened;
  if (subjects.conversationId === null) throw new AppError('validation', reason('stepNobody'));
  return lockConversation(ctx, { conversationId: subjects.conversationId });
}

/** Returns the ticket of the run. Throws the 400 of a chat run that has created none. */
export function currentTicket(subjects: Subjects): number {
  if (subjects.ticketId === null) throw new AppError('validation', reason('stepNoTicket'));
  return subjects.ticketId;
}
