import type { ConvStatus } from '../../../../models/enums';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { recordEvents, watchedSql } from '../../../core/queue/events';
import { firstMessagesSql } from '../contacts/rows';
import { noticeMessagesSql } from '../notices/rows';
import { beginEpisodesSql } from './episodes';
import { slaBeginsSql, startConversationSlas } from './sla';
import { otherApp } from './sentByOtherApps';
import { endedStatuses, isOneOfSql, reopeningStatuses } from '../../../core/conversationStates';

/** How long an inbound message opens the window. */
const windowMs = 24 * 3_600_000;

/** A customer's message that was stored just now. */
interface Received {
  readonly messageId: number;
  readonly conversationId: number;
  readonly contactId: number;
  readonly numberPk: number;
  /** When the customer wrote, by the upstream's clock. */
  readonly at: Date;
  readonly createdAt: Date;
  /** Another application has the thread, and answers. */
  readonly standby: boolean;
  /** It is an answer to the question how satisfied they are: nobody waits for anything, and nobody need read it. */
  readonly isRating: boolean;
  /** Of a reaction nobody waits for an answer, either; it is read. */
  readonly isReaction: boolean;
  /** Of the event that brought it. */
  readonly requestId: string;
}

/**
 * Records customers' messages, one of each conversation, in the surrounding transaction: the window, the unread count,
 * the last message, since when it waits, and the status where it opens the conversation again. The SLA clocks of new
 * episodes start, and the members whom it concerns are told. Returns, by conversation, the statuses that they ended
 * with the entry of the activity that says so, and whose first message it is; and whether rules watch the workspace.
 */
export async function recordInbound(
  ctx: Ctx,
  received: readonly Received[],
): Promise<{
  readonly opened: ReadonlyMap<number, ConvStatus>;
  readonly entries: ReadonlyMap<number, number>;
  readonly begun: ReadonlySet<number>;
  readonly watched: boolean;
}> {
  if (received.length === 0) return { opened: new Map(), entries: new Map(), begun: new Set(), watched: false };
  const reopens = isOneOfSql('before.conv_status', reopeningStatuses);
  // What was done with needs no answer any more: a new episode waits from its own beginning.
  const begins = (row: string): string =>
    `${row}.unanswered_since IS NULL OR ${isOneOfSql('before.conv_status', endedStatuses)}`;
  const asksNothing = '(g.standby OR g.is_rating OR g.is_reaction)';
  const newest = 'v.last_message_at IS NULL OR v.last_message_at <= g.created_at';

  // One statement for all messages of a batch: each row is locked, compared and written once.
  const changed = await ctx.runtime.db.rows<{
    id: number;
    conv_status: ConvStatus;
    sla_begins: boolean;
    is_first: boolean;
    watched: boolean;
  }>(
    `WITH given AS MATERIALIZED (
       SELECT * FROM unnest($messageIds::bigint[], $conversationIds::bigint[], $contactIds::bigint[],
         $numberPks::bigint[], $times::timestamptz[], $createdTimes::timestamptz[], $openUntil::timestamptz[],
         $standby::boolean[], $ratings::boolean[], $reactions::boolean[])
         AS g(message_id, conversation_id, contact_id, number_pk, at, created_at, open_until, standby, is_rating,
           is_reaction)
     ), before AS MATERIALIZED (
       SELECT v.id, v.conv_status, v.assigned_member_id, v.assigned_team_inbox_id, v.unanswered_since,
         v.last_message_id, ${slaBeginsSql} AS sla_begins
       FROM conversations v
       WHERE ${ofWorkspace('v.workspace_id')} AND v.id = ANY($conversationIds::bigint[])
       ORDER BY v.id
       FOR UPDATE
     ), opened AS (
       INSERT INTO conversation_windows AS w (conversation_id, phone_number_id, open_until)
       SELECT g.conversation_id, g.number_pk, g.open_until
       FROM given g JOIN before ON before.id = g.conversation_id ORDER BY g.conversation_id
       ON CONFLICT (conversation_id, phone_number_id)
         DO UPDATE SET open_until = greatest(w.open_until, excluded.open_until)
     ), contact AS (${firstMessagesSql('given', '$contactIds')}
     ), episode AS (${beginEpisodesSql}
     ), noticed AS (${noticeMessagesSql(`NOT g.is_reaction AND (${begins('before')})`)}
     )
     UPDATE conversations v SET
       unread_count = v.unread_count + CASE WHEN g.is_rating THEN 0 ELSE 1 END,
       last_message_id = CASE WHEN ${newest} THEN g.message_id ELSE v.last_message_id END,
       phone_number_id = CASE WHEN v.phone_number_id IS NULL OR ${newest} THEN g.number_pk ELSE v.phone_number_id END,
       last_message_at = greatest(v.last_message_at, g.created_at),
       last_inbound_at = greatest(v.last_inbound_at, g.at),
       last_exchange_at = greatest(v.last_exchange_at, g.created_at),
       unanswered_since = CASE WHEN NOT (${begins('v')}) THEN v.unanswered_since WHEN ${asksNothing} THEN NULL
         ELSE g.at END,
       wrote_while_snoozed = CASE WHEN ${asksNothing} THEN v.wrote_while_snoozed
         ELSE before.conv_status = 'snoozed' END,
       thread_owner = CASE WHEN v.thread_at > g.at THEN v.thread_owner WHEN NOT g.standby THEN ''
         ELSE coalesce(nullif(v.thread_owner, ''), '${otherApp}') END,
       active_till = greatest(v.active_till, g.open_until),
       -- A window that opens anew has had no away reply yet.
       away_replied_at = CASE WHEN v.active_till > g.at THEN v.away_replied_at END,
       conv_status = CASE WHEN ${reopens} THEN 'open' ELSE before.conv_status END,
       resolved_at = CASE WHEN ${reopens} THEN NULL ELSE v.resolved_at END,
       updated_at = now()
     FROM before JOIN given g ON g.conversation_id = before.id
     WHERE v.id = ANY($conversationIds::bigint[]) AND v.id = before.id
     RETURNING v.id, before.conv_status, before.sla_begins, before.last_message_id IS NULL AS is_first,
       ${watchedSql()} AS watched`,
    {
      workspaceId: ctx.workspaceId,
      messageIds: received.map(({ messageId }) => messageId),
      conversationIds: received.map(({ conversationId }) => conversationId),
      contactIds: received.map(({ contactId }) => contactId),
      numberPks: received.map(({ numberPk }) => numberPk),
      times: received.map(({ at }) => at),
      createdTimes: received.map(({ createdAt }) => createdAt),
      standby: received.map(({ standby }) => standby),
      ratings: received.map(({ isRating }) => isRating),
      reactions: received.map(({ isReaction }) => isReaction),
      openUntil: received.map(({ at }) => new Date(at.getTime() + windowMs)),
    },
  );

  const before = new Map(changed.map((row) => [row.id, row]));
  await startConversationSlas(
    ctx,
    received.filter(
      ({ conversationId, standby, isRating, isReaction }) =>
        !standby && !isRating && !isReaction && before.get(conversationId)?.sla_begins === true,
    ),
  );
  const opened = new Map(
    changed.flatMap(({ id, conv_status: status }) => (reopeningStatuses.includes(status) ? [[id, status]] : [])),
  );
  const { firstOf: entries } = await recordEvents(
    ctx,
    received.flatMap(({ conversationId, messageId, requestId }) => {
      const status = opened.get(conversationId);
      return status === undefined
        ? []
        : [
            {
              subjectType: 'conversation' as const,
              subjectId: conversationId,
              kind: 'reopened',
              changes: { conv_status: { from: status, to: 'open' } },
              data: { message_id: messageId },
              requestId,
            },
          ];
    }),
  );
  return {
    opened,
    entries,
    begun: new Set(changed.flatMap((row) => (row.is_first ? [row.id] : []))),
    watched: changed[0]?.watched ?? false,
  };
}
