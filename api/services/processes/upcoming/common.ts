import type { ScheduledMessageRow } from '../../../../models';
import type { HeldReason } from '../../../../models/enums';
import type { Ctx } from '../../../core/context';
import type { Scope } from '../../../core/http/access';
import type { Reason } from '../../../core/http/reasons';
import type { ConversationView } from '../../resources/conversations/serializer';

/** What a member may do about something that will happen: do it at once, put it off, or keep it from happening. */
export interface UpcomingAction {
  readonly name: 'now' | 'later' | 'not';
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The field that takes the other moment. */
  readonly takes: string | null;
}

/** Something that will happen to a conversation by itself. */
export interface Upcoming {
  readonly kind: 'snooze' | 'message' | 'broadcast' | 'rule' | 'service_level' | 'approval' | 'retry';
  readonly at: Date;
  /** What happens, by its key: pages word it. */
  readonly text: Reason;
  /** The page that shows it. */
  readonly link: string;
  readonly actions: readonly UpcomingAction[];
}

/** What all kinds are asked with. */
export interface Surroundings {
  /** The operator or the fence holds what is sent in the conversation. */
  readonly isHeld: boolean;
  readonly messages: readonly LaterMessage[];
}

/** A message for later, and what will keep it from being sent. */
export interface LaterMessage {
  readonly row: ScheduledMessageRow;
  readonly isHeld: boolean;
  readonly stops: HeldReason | null;
}

/** One kind of what waits. */
export interface UpcomingKind {
  /**
   * SQL: whether there may be something of it, from `$workspaceId`, `$conversationId` and `$contactId`. All kinds are
   * asked in one statement: of most conversations nothing waits, and each page of one would send seven.
   */
  readonly mayWait: string;
  readonly find: (ctx: Ctx, conversation: ConversationView, around: Surroundings) => Promise<Upcoming[]>;
}

/** Where the operations are. */
export const api = '/api/v1';
/** The page of a conversation. */
export const inboxLink = ({ receiver_id: handle }: ConversationView): string =>
  `/dashboard/inbox/${encodeURIComponent(handle)}/?view=all`;
/** The operation of a conversation. */
export const conversationPath = ({ receiver_id: handle }: ConversationView): string =>
  `${api}/conversations/${encodeURIComponent(handle)}/`;

/** Returns the actions that the caller may take. */
export function allowed(ctx: Ctx, scope: Scope, actions: readonly UpcomingAction[]): readonly UpcomingAction[] {
  return ctx.scopes.has(scope) ? actions : [];
}

/** Returns when messages that will be sent answer the customer; those of rules are no answers. */
export function answersOf(messages: readonly LaterMessage[]): Date[] {
  const sent = messages.filter(({ row, isHeld, stops }) => row.rule_id === null && !isHeld && stops === null);
  return sent.map(({ row }) => row.send_at);
}
