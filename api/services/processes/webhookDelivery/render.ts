import type { WebhookEventRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { paymentRefusedItem, refusedAccounts } from '../../resources/accounts/payment';
import { approvalsByIds } from '../approvals/service';
import { serializeApproval } from '../approvals/operations';
import { broadcastsByIds } from '../../resources/broadcasts/queries';
import { serializeContact } from '../../resources/contacts/serializer';
import { contactsByIds } from '../../resources/contacts/service';
import { activityByIds, serializeActivity } from '../../resources/conversations/activity';
import { serializeConversation } from '../../resources/conversations/serializer';
import { conversationsByIds } from '../../resources/conversations/service';
import { submissionItem } from '../../resources/flows/serializer';
import { submissionsByIds } from '../../resources/flows/submissions';
import { serializeRun } from '../macroRuns/serializer';
import { serializeRule } from '../ruleSettings/serializer';
import { runsByIds } from '../../resources/macros/runs';
import { rulesByIds } from '../../resources/rules/rows';
import { messagesByIds } from '../../resources/messages/service';
import type { WebhookEventType } from '../../resources/webhooks/eventTypes';
import { templateItem } from '../../resources/templates/serializer';
import { templatesByIds } from '../../resources/templates/service';
import { commentsByIds } from '../../resources/tickets/comments';
import { ticketsInEvents } from '../../resources/tickets/queries';
import type { TicketInEvent } from '../../resources/tickets/columns';
import { serializeComment, serializeTicketInEvent } from '../../resources/tickets/serializer';

type Json = Record<string, unknown>;

/** An event as the triggers wrote it. */
export type NotedEvent = Pick<WebhookEventRow, 'id' | 'subject_type' | 'subject_id' | 'changes' | 'data'> & {
  readonly type: WebhookEventType;
};

/** What an event tells, and which contacts it carries: with them it is erased. */
export interface Rendered {
  readonly data: Json;
  readonly contactIds: readonly number[];
}

/** Returns what an event tells. */
type Reader = (event: NotedEvent) => Rendered;

/** Reads the objects of many events of one family, in as many statements as for one. */
type Family = (ctx: Ctx, events: readonly NotedEvent[]) => Promise<Reader>;

const idOf = (event: NotedEvent, name: string): number => Number(event.data[name] ?? 0);
const idsOf = (events: readonly NotedEvent[], name: string): number[] => [
  ...new Set(events.map((event) => idOf(event, name)).filter((id) => id > 0)),
];
const subjectsOf = (events: readonly NotedEvent[]): number[] => [...new Set(events.map((event) => event.subject_id))];

/** What an event tells whose object is gone: which one it was. What happened to it, `changes` say. */
const gone = (id: number, more: Json = {}): Rendered => ({ data: { id, ...more }, contactIds: [] });

const contacts: Family = async (ctx, events) => {
  const found = await contactsByIds(ctx, subjectsOf(events));
  return ({ subject_id: id }) => {
    const row = found.get(id);
    return row ? { data: serializeContact(row), contactIds: [id] } : gone(id);
  };
};

const conversations: Family = async (ctx, events) => {
  const found = await conversationsByIds(ctx, subjectsOf(events));
  const now = ctx.runtime.clock.now();
  return ({ subject_id: id }) => {
    const row = found.get(id);
    return row ? { data: serializeConversation(row, now), contactIds: [id] } : gone(id);
  };
};

const messages: Family = async (ctx, events) => {
  const found = await messagesByIds(ctx, idsOf(events, 'message_id'));
  return (event) => {
    const id = idOf(event, 'message_id');
    const row = found.get(id);
    return row ? { data: row.message, contactIds: [row.contactId] } : gone(id);
  };
};

const contactsOf = (ticket: TicketInEvent): number[] => [
  ...new Set([
    ...(ticket.receiver_id === null ? [] : [ticket.receiver_id]),
    ...ticket.affected_contacts.map(({ id }) => id),
  ]),
];

const tickets: Family = async (ctx, events) => {
  const found = await ticketsInEvents(ctx, subjectsOf(events));
  return ({ subject_id: id }) => {
    const row = found.get(id);
    return row ? { data: serializeTicketInEvent(row), contactIds: contactsOf(row) } : gone(id);
  };
};

const comments: Family = async (ctx, events) => {
  const found = await ticketsInEvents(ctx, subjectsOf(events));
  const rows = await commentsByIds(ctx, idsOf(events, 'comment_id'));
  return (event) => {
    const ticket = found.get(event.subject_id);
    const id = idOf(event, 'comment_id');
    const comment = rows.get(id);
    if (!ticket || !comment) return gone(id, { ticket: { id: event.subject_id } });
    return {
      data: { ...serializeComment(comment), ticket: serializeTicketInEvent(ticket) },
      contactIds: contactsOf(ticket),
    };
  };
};

const stageNotifications: Family = async (ctx, events) => {
  const found = await ticketsInEvents(ctx, subjectsOf(events));
  const rows = await activityByIds(ctx, idsOf(events, 'activity_id'));
  return (event) => {
    const ticket = found.get(event.subject_id);
    const id = idOf(event, 'activity_id');
    const entry = rows.get(id);
    if (!ticket || !entry) return gone(id, { ticket: { id: event.subject_id } });
    return {
      data: { ...serializeActivity(entry), ticket: serializeTicketInEvent(ticket) },
      contactIds: [...new Set([...contactsOf(ticket), ...idsOf([event], 'contact_id')])],
    };
  };
};

const broadcasts: Family = async (ctx, events) => {
  const found = await broadcastsByIds(ctx, subjectsOf(events));
  return ({ subject_id: id }) => {
    const data = found.get(id);
    return data ? { data, contactIds: [] } : gone(id);
  };
};

const macroRuns: Family = async (ctx, events) => {
  const found = await runsByIds(ctx, idsOf(events, 'run_id'));
  return (event) => {
    const id = idOf(event, 'run_id');
    const row = found.get(id);
    return row
      ? { data: serializeRun(row), contactIds: row.conversation_id === null ? [] : [row.conversation_id] }
      : gone(id);
  };
};

const stoppedRules: Family = async (ctx, events) => {
  const found = await rulesByIds(ctx, subjectsOf(events));
  return ({ subject_id: id }) => {
    const row = found.get(id);
    return row ? { data: serializeRule(row), contactIds: [] } : gone(id);
  };
};

const approvals: Family = async (ctx, events) => {
  const found = await approvalsByIds(ctx, subjectsOf(events));
  return ({ subject_id: id }) => {
    const row = found.get(id);
    return row ? { data: serializeApproval(row), contactIds: [] } : gone(id);
  };
};

const templates: Family = async (ctx, events) => {
  const found = await templatesByIds(ctx, subjectsOf(events));
  return ({ subject_id: id }) => {
    const row = found.get(id);
    return row ? { data: { ...templateItem(row) }, contactIds: [] } : gone(id);
  };
};

const submissions: Family = async (ctx, events) => {
  const found = await submissionsByIds(ctx, idsOf(events, 'submission_id'));
  return (event) => {
    const id = idOf(event, 'submission_id');
    const row = found.get(id);
    return row ? { data: submissionItem(row), contactIds: [event.subject_id] } : gone(id);
  };
};

const accounts: Family = async (ctx, events) => {
  const found = await refusedAccounts(ctx, idsOf(events, 'business_account_id'));
  return (event) => {
    const id = idOf(event, 'business_account_id');
    const row = found.get(id);
    return row ? { data: paymentRefusedItem(row), contactIds: [] } : gone(id);
  };
};

/** Returns what is deleted is told by its id alone. */
const deleted: Family = () => Promise.resolve(({ subject_id: id }) => gone(id));

const families: Readonly<Record<WebhookEventType, Family>> = {
  'message.received': messages,
  'message.status_changed': messages,
  'message.edited': messages,
  'message.deleted': messages,
  'conversation.created': conversations,
  'conversation.updated': conversations,
  'conversation.snoozed': conversations,
  'conversation.woken': conversations,
  'conversation.reopened': conversations,
  'conversation.rated': conversations,
  'contact.created': contacts,
  'contact.updated': contacts,
  'contact.deleted': deleted,
  'contact.merged': contacts,
  'contact.opted_out': contacts,
  'contact.opted_in': contacts,
  'ticket.created': tickets,
  'ticket.updated': tickets,
  'ticket.stage_changed': tickets,
  'ticket.commented': comments,
  'ticket.escalated': tickets,
  'ticket.sla_breached': tickets,
  'ticket.deleted': deleted,
  'stage_notification.sent': stageNotifications,
  'stage_notification.skipped': stageNotifications,
  'stage_notification.failed': stageNotifications,
  'broadcast.scheduled': broadcasts,
  'broadcast.started': broadcasts,
  'broadcast.completed': broadcasts,
  'broadcast.failed': broadcasts,
  'macro.ran': macroRuns,
  'rule.stopped': stoppedRules,
  'approval.requested': approvals,
  'approval.decided': approvals,
  'template.status_changed': templates,
  'flow.submitted': submissions,
  'account.payment_refused': accounts,
};

/** Renders events of a workspace, in their order: their objects as their GETs show them now, or that they are gone. */
export async function renderEvents<E extends NotedEvent>(
  ctx: Ctx,
  events: readonly E[],
): Promise<(Rendered & { readonly event: E })[]> {
  const readers = new Map<Family, Reader>();
  for (const family of new Set(events.map(({ type }) => families[type])))
    readers.set(
      family,
      await family(
        ctx,
        events.filter(({ type }) => families[type] === family),
      ),
    );
  return events.map((event) => {
    const read = readers.get(families[event.type]);
    if (!read) throw new Error(`nothing renders ${event.type}`);
    return { event, ...read(event) };
  });
}
