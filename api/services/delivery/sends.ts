import type { DeliveryOutcome, DeliveryWait } from '../../../workflows/contract';
import type { Runtime } from '../../core/runtime';
import { dueNowSql } from '../../core/clock';
import { stoppedSql } from '../resources/accounts/stops';
import { claimAndSend, type SendResult } from './attempts';
import { contactsMerged } from '../resources/contacts/aliases';
import { pairBurst } from '../resources/conversations/rows';
import { settleExpiredClaim } from '../resources/messages/rows/settlement';
import { lookAgain } from '../resources/messages/rows/waitingConversations';
import { shortWaitMs, underPermit } from './permits';

/** How long a slot that was booked ahead stays valid; later another message may be using its part of the rate. */
const slotGoodFor = "interval '10 seconds'";
const fewMs = 100;
/** How far `look_at` of a conversation's first message may be from the right time before it is written again. */
const lookWithinMs = 5_000;

interface Target {
  readonly workspaceId: number;
  readonly conversationId: number;
}

interface Head {
  id: number;
  number_pk: number | null;
  delivery_state: 'queued' | 'sending';
  wait_ms: number;
  look_ms: number;
  why: DeliveryWait['why'];
  attempts: number;
  held: boolean;
  slot_booked: boolean;
}

/** SQL: whether a message waits because its number or account is stopped, and its deadline has not passed. */
const heldSql = (runtime: Runtime): string =>
  `(delivery_state = 'queued' AND coalesce(deliver_by > ${dueNowSql(runtime.clock)}, true)
    AND ${stoppedSql('messages.phone_number_id')})`;

/** SQL: until when a message must wait, by its claim or its next attempt. */
const waitsUntilSql = `coalesce(
  CASE delivery_state WHEN 'sending' THEN claim_expires_at ELSE next_attempt_at END, clock_timestamp())`;

/** Sends the first undelivered message of a conversation, or says how long to wait for it. */
export async function deliverNext(runtime: Runtime, target: Target): Promise<DeliveryOutcome> {
  const outcome = await underPermit(runtime, { ...target, rank: 'people' }, () => sendHead(runtime, target));
  return outcome ?? { kind: 'wait', waitMs: shortWaitMs, why: 'room' };
}

async function sendHead(runtime: Runtime, target: Target): Promise<DeliveryOutcome> {
  const head = await runtime.db.row<Head>(
    // One statement reads all that decides about the send, and compares times with the database's clock.
    `SELECT id, phone_number_id AS number_pk, delivery_state, attempts - file_waits AS attempts,
       ${heldSql(runtime)} AS held,
       CASE
         WHEN delivery_state = 'sending' THEN 'attempt'
         WHEN next_attempt_at > clock_timestamp() THEN CASE WHEN slot_at IS NULL THEN 'retry' ELSE 'number_rate' END
         ELSE 'pair_rate'
       END AS why,
       coalesce(slot_at > clock_timestamp() - ${slotGoodFor}, false) AS slot_booked,
       ceil(extract(epoch FROM greatest(
         ${waitsUntilSql} - clock_timestamp(),
         CASE delivery_state WHEN 'queued' THEN
           (SELECT pair_free_at FROM conversations v WHERE v.id = conversation_id) - clock_timestamp() - ${pairBurst}
         END,
         interval '0')) * 1000)::int AS wait_ms,
       (extract(epoch FROM look_at - clock_timestamp()) * 1000)::float8 AS look_ms
     FROM messages
     WHERE workspace_id = $workspaceId AND conversation_id = $conversationId AND send_seq IS NOT NULL
       AND delivery_state IN ('queued', 'sending')
     ORDER BY send_seq LIMIT 1`,
    { workspaceId: target.workspaceId, conversationId: target.conversationId },
  );

  if (!head) {
    // It may have been merged during the last call: its sender goes on where its messages are now.
    const merged = (await contactsMerged({ runtime, workspaceId: target.workspaceId }, [target.conversationId])).get(
      target.conversationId,
    );
    return merged === undefined ? { kind: 'idle' } : sendHead(runtime, { ...target, conversationId: merged });
  }
  if (head.held) {
    // The workers' look passes over stopped numbers, so it finds the message as soon as the stop is lifted.
    if (head.look_ms > 0) await lookAgain(runtime, [head.id]);
    return { kind: 'held' };
  }
  const waiting = { kind: 'wait', messageId: head.id, attempts: head.attempts } as const;
  if (head.wait_ms > 0) {
    // Its workflow or this process waits until then, so the workers need not look for it earlier.
    if (head.look_ms < head.wait_ms) await lookAgain(runtime, [head.id], head.wait_ms + lookWithinMs);
    return { ...waiting, waitMs: head.wait_ms, why: head.why };
  }
  if (head.delivery_state === 'sending') {
    // Its process died during the call, so it is unknown whether the message was sent; or the outcome has just been
    // stored.
    const settled = await settleExpiredClaim(runtime, target.workspaceId, head.id);
    return settled
      ? { kind: 'progress', messageId: head.id, status: 'unknown' }
      : { ...waiting, waitMs: fewMs, why: 'attempt' };
  }

  const result = await claimAndSend(runtime, {
    workspaceId: target.workspaceId,
    messageId: head.id,
    numberPk: head.number_pk,
    rank: 'people',
    slotBooked: head.slot_booked,
  });
  if (result.kind === 'held') return result;
  if (result.kind === 'retry') return { why: 'retry', ...waiting, ...result, kind: 'wait' };
  if (result.kind === 'gone') return { ...waiting, waitMs: fewMs, why: 'attempt' };
  const { status, more = true } = result;
  return { kind: 'progress', messageId: head.id, status, more };
}

const noRoom: SendResult = { kind: 'retry', waitMs: shortWaitMs, why: 'room' };

/** How long a stage notification waits here for its turn among others: to return it costs an attempt of Temporal. */
const notificationWaitMs = 4_000;

/** A message whose order among others does not matter, and the number that sends it. */
interface NotificationTarget {
  readonly workspaceId: number;
  readonly messageId: number;
  /** Null when the number was deleted. */
  readonly numberPk: number | null;
}

/**
 * Sends one message whose order among others does not matter (a stage notification), with the permits and the part of
 * the number's rate that replies leave free. `retry` says when to try again; a claim whose process died is settled as
 * unknown and never sent a second time.
 */
export async function deliverMessage(runtime: Runtime, target: NotificationTarget): Promise<SendResult> {
  const massSend = { workspaceId: target.workspaceId, rank: 'mass' } as const;
  const until = performance.now() + notificationWaitMs;
  for (let asked = 1; ; asked += 1) {
    const result = (await underPermit(runtime, massSend, () => tryMessage(runtime, target))) ?? noRoom;
    // Hundreds may wait for the same slots: the longer each has waited, the longer its pause, with a random part so
    // that they do not all try at the same moment.
    const waitMs = result.kind === 'retry' ? result.waitMs * asked * (1 + Math.random()) : 0;
    // A refusal by the platform is returned at once, because the caller shows it.
    if (result.kind !== 'retry' || result.why === 'refused' || performance.now() + waitMs > until) return result;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

async function tryMessage(runtime: Runtime, target: NotificationTarget): Promise<SendResult> {
  const result = await claimAndSend(runtime, { ...target, rank: 'mass' });
  return result.kind === 'gone' ? whyNotClaimed(runtime, target) : result;
}

/** Reads the state of a message that could not be claimed. */
async function whyNotClaimed(runtime: Runtime, { workspaceId, messageId }: NotificationTarget): Promise<SendResult> {
  // Times are compared with the database's clock.
  const row = await runtime.db.row<{ delivery_state: string; message_status: string; wait_ms: number; held: boolean }>(
    `SELECT delivery_state, message_status, ${heldSql(runtime)} AS held,
       ceil(extract(epoch FROM greatest(${waitsUntilSql} - clock_timestamp(), interval '0')) * 1000)::int AS wait_ms
     FROM messages WHERE workspace_id = $workspaceId AND id = $messageId`,
    { workspaceId, messageId },
  );
  if (!row) return { kind: 'gone' };
  if (row.delivery_state === 'settled')
    return {
      kind: 'settled',
      status: row.message_status === 'failed' || row.message_status === 'unknown' ? row.message_status : 'sent',
    };
  if (row.held) return { kind: 'held' };
  if (
    row.delivery_state === 'sending' &&
    row.wait_ms === 0 &&
    (await settleExpiredClaim(runtime, workspaceId, messageId))
  )
    return { kind: 'settled', status: 'unknown' };
  // Due already: it was queued again a moment ago, or another process settled its claim.
  return { kind: 'retry', waitMs: Math.max(row.wait_ms, fewMs) };
}
