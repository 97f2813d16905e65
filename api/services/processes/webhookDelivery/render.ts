import type { WebhookEventRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
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
import { runsByIds } from '../../resources/macros/runs';
import { messagesByIds } from '../../resources/messages/service';
import type { WebhookEventType } from '../../resources/webhooks/eventTypes';
import { templateItem } from '../../resources/templates/serializer';
import { templatesByIds } from '../../resources/templates/service';
import { commentsByIds } from '../../resources/tickets/comments';
import { ticketsByIds } from '../../resources/tickets/queries';
import type { TicketView } from '../../resources/tickets/columns';
import { serializeComment, serializeTicket } from '../../resources/tickets/serializer';

type Json = Record<string, unknown>;

/** An event as the triggers wrote it. */
export type NotedEvent = Pick<WebhookEventRow, 'id' | 'subject_type' | 'subject_id' | 'changes' | 'data'> & {
  readonly type: WebhookEventType;
};

/** What an event tells, and which contacts it carries: with them it is erased. */
interface Rendered {
  readonly data: Json;
  readonly contactIds: readonly number[];
}

/** Returns what an event tells, or null where its object is gone: there is nothing to tell of it any more. */
type Reader = (event: NotedEvent) => Rendered | null;

/** Reads the objects of many events of one family, in as many statements as for one. */
type Family = (ctx: Ctx, events: readonly NotedEvent[]) => Promise<Reader>;

const idOf = (event: NotedEvent, name: string): number => Number(event.data[name] ?? 0);
const idsOf = (events: readonly NotedEvent[], name: string): number[] => [
  ...new Set(events.map((event) => idOf(event, name)).filter((id) => id > 0)),
];
const subjectsOf = (events: readonly NotedEvent[]): number[] => [...new Set(events.map((event) => event.subject_id))];

const contacts: Family = async (ctx, events) => {
  const found = await contactsByIds(ctx, subjectsOf(events));
  return ({ subject_id: id }) => {
    const row = found.get(id);
    return row ? { data: serializeContact(row), contactIds: [id] } : null;
  };
};

const conversations: Family = async (ctx, events) => {
  const found = await conversationsByIds(ctx, subjectsOf(events));
  const now = ctx.runtime.clock.now();
  return ({ subject_id: id }) => {
    const row = found.get(id);
    return row ? { data: serializeConversation(row, now), contactIds: [id] } : null;
  };
};

const messages: Family = async (ctx, events) => {
  const found = await messagesByIds(ctx, idsOf(events, 'message_id'));
  return (event) => {
    const row = found.get(idOf(event, 'message_id'));
    return row ? { data: row.message, contactIds: [row.contactId] } : null;
  };
};

const contactsOf = (ticket: TicketView): number[] => [
  ...new Set([
    ...(ticket.receiver_id === null ? [] : [ticket.receiver_id]),
    ...ticket.affected_contacts.map(({ id }) => id),
  ]),
];

const tickets: Family = async (ctx, events) => {
  const found = await ticketsByIds(ctx, subjectsOf(events));
  return ({ subject_id: id }) => {
    const row = found.get(id);
    return row ? { data: serializeTicket(row), contactIds: contactsOf(row) } : null;
  };
};

const comments: Family = async (ctx, events) => {
  const found = await ticketsByIds(ctx, subjectsOf(events));
  const rows = await commentsByIds(ctx, idsOf(events, 'comment_id'));
  return (event) => {
    const ticket = found.get(event.subject_id);
    const comment = rows.get(idOf(event, 'comment_id'));
    if (!ticket || !comment) return null;
    return {
      data: { ...serializeComment(comment), ticket: serializeTicket(ticket) },
      contactIds: contactsOf(ticket),
    };
  };
};

const stageNotifications: Family = async (ctx, events) => {
  const found = await ticketsByIds(ctx, subjectsOf(events));
  const rows = await activityByIds(ctx, idsOf(events, 'activity_id'));
  return (event) => {
    const ticket = found.get(event.subject_id);
    const entry = rows.get(idOf(event, 'activity_id'));
    if (!ticket || !entry) return null;
    return {
      data: { ...serializeActivity(entry), ticket: serializeTicket(ticket) },
      contactIds: [...new Set([...contactsOf(ticket), ...idsOf([event], 'contact_id')])],
    };
  };
};

const broadcasts: Family = async (ctx, events) => {
  const found = await broadcastsByIds(ctx, subjectsOf(events));
  return ({ subject_id: id }) => {
    const data = found.get(id);
    return data ? { data, contactIds: [] } : null;
  };
};

const macroRuns: Family = async (ctx, events) => {
  const found = await runsByIds(ctx, idsOf(events, 'run_id'));
  return (event) => {
    const row = found.get(idOf(event, 'run_id'));
    return row
      ? { data: serializeRun(row), contactIds: row.conversation_id === null ? [] : [row.conversation_id] }
      : null;
  };
};

const approvals: Family = async (ctx, events) => {
  const found = await approvalsByIds(ctx, subjectsOf(events));
  return ({ subject_id: id }) => {
    const row = found.get(id);
    return row ? { data: serializeApproval(row), contactIds: [] } : null;
  };
};

const templates: Family = async (ctx, events) => {
  const found = await templatesByIds(ctx, subjectsOf(events));
  return ({ subject_id: id }) => {
    const row = found.get(id);
    return row ? { data: { ...templateItem(row) }, contactIds: [] } : null;
  };
};

const submissions: Family = async (ctx, events) => {
  const found = await submissionsByIds(ctx, idsOf(events, 'submission_id'));
  return (event) => {
    const row = found.get(idOf(event, 'submission_id'));
    return row ? { data: submissionItem(row), contactIds: [event.subject_id] } : null;
  };
};

/** Returns what is deleted is told by its id alone. */
const deleted: Family = () => Promise.resolve(({ subject_id: id }) => ({ data: { id }, contactIds: [] }));

const families: Readonly<Record<WebhookEventType, Family>> = {
  'message.received': messages,
  'message.status_changed': messages,
  'conversation.created': conversations,
  'conversation.updated': conversations,
  'conversation.snoozed': conversations,
  'conversation.woken': conversations,
  'conversation.reopened': conversations,
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
  'approval.requested': approvals,
  'approval.decided': approvals,
  'template.status_changed': templates,
  'flow.submitted': submissions,
};

/** Renders events of a workspace as their objects' GETs show them now; those whose object is gone have no entry. */
export async function renderEvents(ctx: Ctx, events: readonly NotedEvent[]): Promise<Map<number, Rendered>> {
  const groups = new Map<Family, NotedEvent[]>();
  for (const event of events) {
    const family = families[event.type];
    groups.set(family, [...(groups.get(family) ?? []), event]);
  }
  const rendered = new Map<number, Rendered>();
  for (const [family, group] of groups) {
    const read = await family(ctx, group);
    for (const event of group) {
      const result = read(event);
      if (result) rendered.set(event.id, result);
    }
  }
  return rendered;
}
