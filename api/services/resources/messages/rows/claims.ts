import { dueNowSql } from '../../../../core/clock';
import type { Ctx } from '../../../../core/context';
import type { Runtime } from '../../../../core/runtime';
import { sealedCredentialsSql, type SealedCredentials } from '../../accounts/service';
import { stoppedSql } from '../../accounts/stops';
import { bookPairSql } from '../../conversations/rows';
import { carriedFileSql, fileIdSql, type CarriedFile } from '../../files/rows';
import { flowButtonSql } from '../../flows/flowsInMessages';
import { lookAfterSql } from './waitingConversations';

/** SQL: when a claim that is made now ends. */
const claimEndsSql = (runtime: Runtime): string =>
  `clock_timestamp() + ${runtime.process.timing.messageClaimMs} * interval '1 millisecond'`;

/** How long an attempt of a broadcast may be repeated after the first one. */
const repeatBroadcastFor = "interval '1 hour'";

/** A message that was claimed for its one call, with what may have changed since it was accepted. */
export interface Claimed {
  readonly id: number;
  readonly attempts: number;
  /** Attempts that came to a call, this one among them. */
  readonly tries: number;
  readonly body: Record<string, unknown>;
  readonly type: string;
  readonly opaque: string;
  readonly reply_to_wamid: string;
  /**
   * Milliseconds until the message must not be sent any more: its 24 hours, and the window of one that is no template.
   */
  readonly expires_in_ms: number | null;
  readonly window_in_ms: number | null;
  readonly phone: string | null;
  readonly bsuid: string | null;
  readonly marketing_opt_out: boolean;
  readonly number: string | null;
  /** The account of the number with its credentials; null where the number is gone. */
  readonly account: SealedCredentials | null;
  readonly template_status: string | null;
  readonly template_category: string | null;
  /** It is a stage notification. */
  readonly is_notification: boolean;
  /** The file of ours that it carries; both null where there is none, `file` alone where it is gone. */
  readonly file_id: number | null;
  readonly file: CarriedFile | null;
  readonly number_pk: number | null;
  readonly contact_id: number;
  readonly conversation_id: number;
  readonly send_seq: number | null;
}

/** What a call needs of a claimed message. */
export interface Sendable extends Pick<Claimed, 'phone' | 'bsuid' | 'body' | 'type' | 'reply_to_wamid' | 'opaque'> {}

type Scoped = Pick<Ctx, 'runtime' | 'workspaceId'>;

/**
 * Claims a queued message that is due, unless its number or account was stopped meanwhile; null where there is none to
 * claim: another sender may have claimed it, and put it off, since the caller looked.
 */
export async function claimMessage({ runtime, workspaceId }: Scoped, messageId: number): Promise<Claimed | null> {
  const now = dueNowSql(runtime.clock);
  const isDue = `m.workspace_id = $workspaceId AND m.id = $messageId AND m.delivery_state = 'queued'
       AND coalesce(m.next_attempt_at, clock_timestamp()) <= clock_timestamp()`;
  // SQL: a guarded claim, of two senders one finds the row queued. It reads what the call needs as well. Conversations
  // are locked before messages, as by a merge.
  return runtime.db.row<Claimed>(
    `WITH due AS MATERIALIZED (
       SELECT m.id, m.conversation_id, m.send_seq FROM messages m
       WHERE ${isDue} AND (m.deliver_by <= ${now} OR NOT ${stoppedSql('m.phone_number_id')})
     ), paired AS (${bookPairSql('due')})
     UPDATE messages m
     SET delivery_state = 'sending', attempts = m.attempts + 1, slot_at = NULL, updated_at = now(),
       claim_expires_at = ${claimEndsSql(runtime)},
       flow_button = (SELECT ${flowButtonSql('t.components')} FROM templates t WHERE t.id = m.template_pk)
     FROM due d LEFT JOIN paired p ON p.id = d.conversation_id
       JOIN conversations v ON v.id = d.conversation_id JOIN contacts c ON c.id = v.contact_id
     -- A merge may have moved it to another contact meanwhile.
     WHERE m.id = d.id AND m.conversation_id = d.conversation_id AND ${isDue}
     RETURNING m.id, m.attempts, m.attempts - m.file_waits AS tries, m.body, m.type, m.opaque, m.reply_to_wamid,
       m.conversation_id, m.send_seq,
       m.origin = 'stage' AS is_notification, m.file_id, m.phone_number_id AS number_pk,
       ${carriedFileSql('m.file_id', 'm.phone_number_id')} AS file,
       c.id AS contact_id, c.phone, c.bsuid, c.marketing_opt_out,
       (extract(epoch FROM m.deliver_by - ${now}) * 1000)::float8 AS expires_in_ms,
       (SELECT (extract(epoch FROM w.open_until - ${now}) * 1000)::float8 FROM conversation_windows w
         WHERE w.conversation_id = m.conversation_id AND w.phone_number_id = m.phone_number_id) AS window_in_ms,
       (SELECT phone_number_id FROM phone_numbers p WHERE p.id = m.phone_number_id) AS number,
       ${sealedCredentialsSql('m.phone_number_id')} AS account,
       (SELECT status FROM templates t WHERE t.id = m.template_pk) AS template_status,
       (SELECT category FROM templates t WHERE t.id = m.template_pk) AS template_category`,
    { workspaceId, messageId },
  );
}

/**
 * SQL: claims the messages of a broadcast's recipients, the set-based twin of `insertOutbound` and `claimMessage`: each
 * is inserted as `sending`, and one that waits for another try is moved on. The unique key is the claim: only the
 * process that inserts it, or moves it on from `queued`, makes the call. For a statement that has `live(id,
 * phone_number_id, template_pk, created_by_member_id, api_key_id, header_media_id, flow_button)`, the broadcast, and
 * `due(contact, position, conversation_id, body, reason)`, of which those without a reason are claimed.
 */
export const claimRecipientsSql = (runtime: Runtime): string => `
  INSERT INTO messages AS m (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status,
    template_pk, sent_by_member_id, api_key_id, origin, dedupe_key, delivery_state, opaque, attempts,
    claim_expires_at, deliver_by, broadcast_id, broadcast_position, file_id, flow_button, created_at)
  SELECT $workspaceId, d.conversation_id, l.phone_number_id, 'outbound', 'template', d.body, 'queued',
    l.template_pk, l.created_by_member_id, l.api_key_id, 'broadcast', ${broadcastKeySql('l.id', 'd.contact')},
    'sending', gen_random_uuid(), 1,
    ${claimEndsSql(runtime)}, clock_timestamp() + ${repeatBroadcastFor}, l.id, d.position,
    ${fileIdSql('l.header_media_id')}, l.flow_button, clock_timestamp()
  FROM due d, live l
  WHERE d.reason IS NULL
  ON CONFLICT (workspace_id, dedupe_key) WHERE dedupe_key IS NOT NULL DO UPDATE SET
    delivery_state = 'sending', attempts = m.attempts + 1, claim_expires_at = excluded.claim_expires_at,
    next_attempt_at = NULL, body = excluded.body, flow_button = excluded.flow_button, updated_at = now()
  WHERE m.delivery_state = 'queued' AND m.broadcast_position = excluded.broadcast_position
    AND coalesce(m.next_attempt_at, clock_timestamp()) <= clock_timestamp()
  RETURNING m.id, m.attempts, m.body, m.type, m.opaque, m.reply_to_wamid, m.broadcast_position,
    m.deliver_by <= clock_timestamp() AS expired`;

/** SQL: the key of the one message that a contact gets of a broadcast. */
export function broadcastKeySql(broadcastId: string, contactId: string): string {
  return `'broadcast:' || ${broadcastId} || ':' || ${contactId}`;
}

/**
 * Writes a slot that was booked ahead, or the time of the next try, to a queued message, so that other senders wait
 * too.
 */
export async function postponeMessage(
  { runtime, workspaceId }: Scoped,
  messageId: number,
  slot: { readonly granted: number; readonly waitMs: number },
): Promise<void> {
  // The database's clock decides, whichever process asks.
  await runtime.db.rows(
    `UPDATE messages
     -- A pause that a refusal has set meanwhile may be the longer one.
     SET next_attempt_at = greatest(next_attempt_at, asked.at),
       look_at = greatest(look_at, ${lookAfterSql('asked.at')}),
       slot_at = CASE WHEN $booked THEN asked.at END, updated_at = now()
     FROM (SELECT clock_timestamp() + $waitMs * interval '1 millisecond' AS at) AS asked
     WHERE workspace_id = $workspaceId AND id = $messageId AND delivery_state = 'queued'`,
    { workspaceId, messageId, waitMs: slot.waitMs, booked: slot.granted > 0 },
  );
}
