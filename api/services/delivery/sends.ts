import type { DeliveryOutcome, DeliveryWait } from '../../../workflows/contract';
import type { Runtime } from '../../core/runtime';
import { dueNowSql } from '../../core/clock';
import { stoppedSql } from '../resources/accounts/stops';
import { claimAndSend, type SendResult } from './attempts';
import { pairBurst } from '../resources/conversations/rows';
import { settleExpiredClaim } from '../resources/messages/rows/settlement';
import { lookAgain } from '../resources/messages/rows/waiting';
import { underPermit } from './permits';

/** A slot that was booked ahead is good for so long; after that its throughput may be somebody else's. */
const slotGoodFor = "interval '10 seconds'";
const fewMs = 100;
/** When to ask again after no permit came free: as many sends are under way as the process has connections. */
const roomMs = 1_000;
/** A head that is looked for this much too early or too late is looked for anew. */
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

/** SQL: a message that waits because its number or account is stopped, and has not waited too long. */
const heldSql = (runtime: Runtime): string =>
  `(delivery_state = 'queued' AND coalesce(deliver_by > ${dueNowSql(runtime.clock)}, true)
    AND ${stoppedSql('messages.phone_number_id')})`;

/** SQL: until when a message must wait, by its claim or its next attempt. */
const waitsUntilSql = `coalesce(
  CASE delivery_state WHEN 'sending' THEN claim_expires_at ELSE next_attempt_at END, clock_timestamp())`;

/** Sends the first undelivered message of a conversation, or says how long to wait for it. */
export async function deliverNext(runtime: Runtime, target: Target): Promise<DeliveryOutcome> {
  const outcome = await underPermit(runtime, target.workspaceId, () => sendHead(runtime, target));
  return outcome ?? { kind: 'wait', waitMs: roomMs, why: 'room' };
}

async function sendHead(runtime: Runtime, target: Target): Promise<DeliveryOutcome> {
  const head = await runtime.db.row<Head>(
    // Times are compared with the database's clock, in one look on the way of every send.
    `SELECT id, phone_number_id AS number_pk, delivery_state, attempts, ${heldSql(runtime)} AS held,
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

  if (!head) return { kind: 'idle' };
  if (head.held) {
    // Found again as soon as the stop is lifted, by whoever that is done.
    if (head.look_ms > lookWithinMs) await lookAgain(runtime, [head.id]);
    return { kind: 'held' };
  }
  const waiting = { kind: 'wait', messageId: head.id, attempts: head.attempts } as const;
  if (head.wait_ms > 0) {
    // Its workflow, or this process, waits for it: until then nothing looks for a sender.
    if (head.look_ms < head.wait_ms) await lookAgain(runtime, [head.id], head.wait_ms + lookWithinMs);
    return { ...waiting, waitMs: head.wait_ms, why: head.why };
  }
  if (head.delivery_state === 'sending') {
    // Whoever claimed it died with the call under way: whether it was sent cannot be told. Or it was just recorded.
    const settled = await settleExpiredClaim(runtime, target.workspaceId, head.id);
    return settled
      ? { kind: 'progress', messageId: head.id, status: 'unknown' }
      : { ...waiting, waitMs: fewMs, why: 'attempt' };
  }

  const result = await claimAndSend(runtime, {
    workspaceId: target.workspaceId,
    messageId: head.id,
    numberPk: head.number_pk,
    lane: 'agent',
    slotBooked: head.slot_booked,
  });
  if (result.kind === 'held') return result;
  if (result.kind === 'retry') return { why: 'retry', ...waiting, ...result, kind: 'wait' };
  if (result.kind === 'gone') return { ...waiting, waitMs: fewMs, why: 'attempt' };
  const { status, more = true } = result;
  return { kind: 'progress', messageId: head.id, status, more };
}

const noRoom: SendResult = { kind: 'retry', waitMs: roomMs };

/** Waits up to this long are done on the spot; longer ones are given back, so that a caller can make them durable. */
const shortWaitMs = 4_000;

/** A message that keeps no order with others, and the number that it goes out by. */
interface NoticeTarget {
  readonly workspaceId: number;
  readonly messageId: number;
  /** Null where the number is gone. */
  readonly numberPk: number | null;
}

/**
 * Brings one message to its end that keeps no order with others (stage notifications); it takes what agents leave of
 * the number's throughput. `retry` says when to ask again; a claim whose sender died is settled as unknown, never sent
 * a second time.
 */
export async function deliverMessage(runtime: Runtime, target: NoticeTarget): Promise<SendResult> {
  const until = Date.now() + shortWaitMs;
  for (let asked = 1; ; asked += 1) {
    const result = (await underPermit(runtime, target.workspaceId, () => tryMessage(runtime, target))) ?? noRoom;
    // Hundreds may wait for the same slots: each asks more seldom the longer it has waited, and not with the others.
    const waitMs = result.kind === 'retry' ? result.waitMs * asked * (1 + Math.random()) : 0;
    // What the platform answered is the caller's to tell, whenever it is tried again.
    if (result.kind !== 'retry' || result.why === 'refused' || Date.now() + waitMs > until) return result;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

async function tryMessage(runtime: Runtime, target: NoticeTarget): Promise<SendResult> {
  const result = await claimAndSend(runtime, { ...target, lane: 'bulk' });
  return result.kind === 'gone' ? whyNotClaimed(runtime, target) : result;
}

/** Says what became of a message that was not there to be claimed. */
async function whyNotClaimed(runtime: Runtime, { workspaceId, messageId }: NoticeTarget): Promise<SendResult> {
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
  // One that is due came back a moment ago, or its claim was settled.
  return { kind: 'retry', waitMs: Math.max(row.wait_ms, fewMs) };
}
