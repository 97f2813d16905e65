import type { DeliveryOutcome } from '../../../workflows/contract';
import { systemCtx, type Ctx } from '../../core/context';
import type { Runtime } from '../../core/runtime';
import { reserveSlots, slowDown, type Lane } from '../../core/sendSlots';
import type { SendOutcome } from '../../core/upstream';
import { credentialsOf } from '../accounts/service';
import { adoptPlatformPhone } from '../contacts/moves';
import { applyPreference } from '../contacts/preference';
import { onFailureCode } from './consequences';
import { noteAgentSend } from './lines';
import { recordAccepted, recordFailure, recordRetry, recordUnknown } from './outcomes';
import { windowClosed } from './rules';

/** How long a claim holds: longer than the upstream's timeout, as long as the activity's own limit. */
export const claimMs = 20_000;

/** Messages to one customer cost six seconds each; what was not used can be borrowed, a little less than the upstream allows (upstream-wire.md 1.7). */
const pairCost = "interval '6 seconds'";
const pairBurst = "interval '240 seconds'";
/** How often a stopped number or account is looked at again; lifting the stop wakes who waits. */
const stoppedMs = 60_000;

/** What became of an attempt. `gone`: the row was not there to be claimed. */
export type SendResult =
  | { readonly kind: 'settled'; readonly status: 'sent' | 'failed' | 'unknown' }
  | {
      readonly kind: 'retry';
      readonly waitMs: number;
      /** The upstream refuses the whole number or account, and why. */ readonly stopped?: string;
    }
  | { readonly kind: 'gone' };

interface Head {
  id: number;
  number_pk: number | null;
  delivery_state: 'queued' | 'sending';
  wait_ms: number;
}

/** Sends the first undelivered message of a conversation, or says how long to wait for it (architecture.md 5). */
export async function deliverNext(
  runtime: Runtime,
  target: { workspaceId: number; conversationId: number },
): Promise<DeliveryOutcome> {
  const head = await runtime.db.row<Head>(
    `SELECT id, phone_number_id AS number_pk, delivery_state,
       ceil(extract(epoch FROM greatest(coalesce(CASE delivery_state WHEN 'sending' THEN claim_expires_at ELSE next_attempt_at END, clock_timestamp()) - clock_timestamp(),
         CASE delivery_state WHEN 'queued' THEN (SELECT pair_free_at FROM conversations v WHERE v.id = conversation_id) - clock_timestamp() - ${pairBurst} END, interval '0')) * 1000)::int AS wait_ms
     FROM messages WHERE workspace_id = $workspaceId AND conversation_id = $conversationId AND send_seq IS NOT NULL AND delivery_state IN ('queued', 'sending')
     ORDER BY send_seq LIMIT 1`,
    target,
  );
  if (!head) return { kind: 'idle' };
  if (head.wait_ms > 0) return { kind: 'wait', waitMs: head.wait_ms };
  if (head.delivery_state === 'sending') {
    // Whoever claimed it died with the call under way: nobody can tell whether it was sent.
    await recordUnknown(runtime, target.workspaceId, head.id, 'The sender stopped during the call.');
    return { kind: 'progress', messageId: head.id, status: 'unknown' };
  }
  const result = await claimAndSend(runtime, target.workspaceId, head.id, { numberPk: head.number_pk });
  if (result.kind === 'retry') return { kind: 'wait', waitMs: result.waitMs };
  if (result.kind === 'gone') return { kind: 'wait', waitMs: 100 };
  return { kind: 'progress', messageId: head.id, status: result.status, more: await hasMore(runtime, target) };
}

/** Whether a message is left to deliver. The outcome is recorded already, so a failure here only costs another look. */
async function hasMore(runtime: Runtime, target: { workspaceId: number; conversationId: number }): Promise<boolean> {
  const row = await runtime.db
    .row(
      `SELECT 1 AS more FROM messages WHERE workspace_id = $workspaceId AND conversation_id = $conversationId AND send_seq IS NOT NULL AND delivery_state IN ('queued', 'sending') LIMIT 1`,
      { workspaceId: target.workspaceId, conversationId: target.conversationId },
    )
    .catch(() => ({ more: 1 }));
  return row !== null;
}

/** Waits up to this long are done on the spot; longer ones are given back, so that a caller can make them durable. */
const shortWaitMs = 4_000;

/**
 * Brings one message to its end that keeps no order with others (stage notifications); it takes what agents leave of
 * the number's throughput. `retry` says when to ask again; a claim whose sender died is settled as unknown, never sent
 * a second time.
 */
export async function deliverMessage(
  runtime: Runtime,
  target: { workspaceId: number; messageId: number },
): Promise<SendResult> {
  const until = Date.now() + shortWaitMs;
  for (;;) {
    const result = await tryMessage(runtime, target);
    if (result.kind !== 'retry' || Date.now() + result.waitMs > until) return result;
    // Neighbours wait for the same slots: spread, they do not all ask at once.
    await new Promise((resolve) => setTimeout(resolve, result.waitMs + Math.random() * 20));
  }
}

async function tryMessage(runtime: Runtime, target: { workspaceId: number; messageId: number }): Promise<SendResult> {
  const row = await runtime.db.row<{
    number_pk: number | null;
    delivery_state: string;
    message_status: string;
    wait_ms: number;
  }>(
    `SELECT phone_number_id AS number_pk, delivery_state, message_status,
       ceil(extract(epoch FROM greatest(coalesce(CASE delivery_state WHEN 'sending' THEN claim_expires_at ELSE next_attempt_at END, clock_timestamp()) - clock_timestamp(), interval '0')) * 1000)::int AS wait_ms
     FROM messages WHERE workspace_id = $workspaceId AND id = $messageId`,
    target,
  );
  if (!row) return { kind: 'gone' };
  if (row.delivery_state === 'settled')
    return {
      kind: 'settled',
      status: row.message_status === 'failed' || row.message_status === 'unknown' ? row.message_status : 'sent',
    };
  if (row.wait_ms > 0) return { kind: 'retry', waitMs: row.wait_ms };
  if (row.delivery_state === 'sending') {
    await recordUnknown(runtime, target.workspaceId, target.messageId, 'The sender stopped during the call.');
    return { kind: 'settled', status: 'unknown' };
  }
  const result = await claimAndSend(runtime, target.workspaceId, target.messageId, {
    numberPk: row.number_pk,
    lane: 'bulk',
  });
  return result.kind === 'gone' ? { kind: 'retry', waitMs: 100 } : result;
}

interface Claimed {
  id: number;
  workspace_id: number;
  attempts: number;
  body: Record<string, unknown>;
  type: string;
  opaque: string;
  reply_to_wamid: string;
  deliver_by: Date | null;
  phone: string | null;
  bsuid: string | null;
  marketing_opt_out: boolean;
  number: string | null;
  business_account_id: number | null;
  number_pk: number | null;
  window_open_until: Date | null;
  template_status: string | null;
  template_category: string | null;
  contact_id: number;
  conversation_id: number;
  send_seq: number | null;
  stopped: string | null;
}

/**
 * The only place that sends to the upstream (architecture.md 5). Claims a queued row, looks again at what may have
 * changed since it was accepted, makes exactly one call, and records the outcome. A row that is not queued is `gone`,
 * so two callers never send one message twice. `numberPk`, where the caller knows it, saves a look-up; the lane says who
 * goes first when the number's throughput is short (`retry` then, without a claim).
 */
export async function claimAndSend(
  runtime: Runtime,
  workspaceId: number,
  messageId: number,
  options: { readonly numberPk?: number | null; readonly lane?: Lane } = {},
): Promise<SendResult> {
  if ((options.lane ?? 'agent') === 'agent') noteAgentSend(runtime);
  const numberPk = options.numberPk === undefined ? await numberOf(runtime, workspaceId, messageId) : options.numberPk;
  if (numberPk !== null) {
    const slot = await reserveSlots(runtime, numberPk, 1, options.lane ?? 'agent');
    if (slot.granted === 0) return { kind: 'retry', waitMs: slot.waitMs };
    if (slot.waitMs > 0) await new Promise((resolve) => setTimeout(resolve, slot.waitMs));
  }
  const claimed = await runtime.db.row<Claimed>(
    `UPDATE messages m SET delivery_state = 'sending', attempts = m.attempts + 1, claim_expires_at = clock_timestamp() + ${claimMs} * interval '1 millisecond', updated_at = now()
     FROM conversations v JOIN contacts c ON c.id = v.contact_id
     WHERE m.workspace_id = $workspaceId AND m.id = $messageId AND m.delivery_state = 'queued' AND v.id = m.conversation_id
     RETURNING m.id, m.workspace_id, m.attempts, m.body, m.type, m.opaque, m.reply_to_wamid, m.deliver_by, m.conversation_id, m.send_seq, c.id AS contact_id, c.phone, c.bsuid, c.marketing_opt_out,
       (SELECT phone_number_id FROM phone_numbers p WHERE p.id = m.phone_number_id) AS number,
       (SELECT business_account_id FROM phone_numbers p WHERE p.id = m.phone_number_id) AS business_account_id,
       m.phone_number_id AS number_pk,
       (SELECT coalesce(p.stopped_reason, a.stopped_reason, 'stopped') FROM phone_numbers p JOIN business_accounts a ON a.id = p.business_account_id
         WHERE p.id = m.phone_number_id AND coalesce(p.stopped_at, a.stopped_at) IS NOT NULL) AS stopped,
       (SELECT open_until FROM conversation_windows w WHERE w.conversation_id = m.conversation_id AND w.phone_number_id = m.phone_number_id) AS window_open_until,
       (SELECT status FROM templates t WHERE t.id = m.template_pk) AS template_status,
       (SELECT category FROM templates t WHERE t.id = m.template_pk) AS template_category`,
    { workspaceId, messageId },
  );
  if (!claimed) return { kind: 'gone' };
  const refusal = refuseNow(claimed, runtime.clock.now());
  if (refusal) {
    await recordFailure(runtime, claimed, refusal);
    return { kind: 'settled', status: 'failed' };
  }
  if (claimed.stopped !== null) {
    await recordRetry(runtime, claimed, stoppedMs);
    return { kind: 'retry', waitMs: stoppedMs, stopped: claimed.stopped };
  }
  const accessToken = await prepareCall(runtime, claimed);
  const outcome = await callUpstream(runtime, accessToken, claimed.number ?? '', claimed);
  return record(runtime, claimed, outcome);
}

/** What is left to do before the call. A fault here sent nothing: the row goes back, instead of ending as unknown. */
async function prepareCall(runtime: Runtime, claimed: Claimed): Promise<string> {
  try {
    await countPair(runtime, claimed);
    return (await credentialsOf(runtime, claimed.business_account_id ?? 0)).accessToken;
  } catch (error) {
    await recordRetry(runtime, claimed, backoffMs(-1, claimed.attempts));
    throw error;
  }
}

/** What a call needs of a claimed message. */
export type Sendable = Pick<Claimed, 'phone' | 'bsuid' | 'body' | 'type' | 'reply_to_wamid' | 'opaque'>;

/** The one call of an attempt; only for a message that the caller has claimed just now. */
export function callUpstream(
  runtime: Runtime,
  accessToken: string,
  phoneNumberId: string,
  message: Sendable,
): Promise<SendOutcome> {
  return runtime.upstream.sendMessage(accessToken, phoneNumberId, upstreamPayload(message));
}

/** The number that a message goes out by; none where the row or the number is gone. */
async function numberOf(runtime: Runtime, workspaceId: number, messageId: number): Promise<number | null> {
  const row = await runtime.db.row<{ number_pk: number | null }>(
    'SELECT phone_number_id AS number_pk FROM messages WHERE workspace_id = $workspaceId AND id = $messageId',
    { workspaceId, messageId },
  );
  return row?.number_pk ?? null;
}

/** Books the message on the pair of number and customer. A statement of its own: the conversation's row must not be held during the call. */
async function countPair(runtime: Runtime, claimed: Claimed): Promise<void> {
  if (claimed.send_seq === null) return;
  await runtime.db.rows(
    `UPDATE conversations SET pair_free_at = greatest(pair_free_at, clock_timestamp()) + ${pairCost} WHERE workspace_id = $workspaceId AND id = $id`,
    { workspaceId: claimed.workspace_id, id: claimed.conversation_id },
  );
}

/** What forbids the send now, though it was allowed when it was accepted. */
function refuseNow(claimed: Claimed, now: Date): { code: number; title: string; message: string } | null {
  if (claimed.number === null)
    return {
      code: 33,
      title: 'Phone number removed',
      message: 'The phone number that this message was to be sent from is gone.',
    };
  if (claimed.deliver_by !== null && claimed.deliver_by <= now)
    return { code: -1, title: 'Delivery expired', message: 'The upstream could not be reached within 24 hours.' };
  if (claimed.type === 'template') {
    if (claimed.template_status !== 'APPROVED')
      return {
        code: 132001,
        title: 'Template not approved',
        message: `The template is not approved any more (${claimed.template_status ?? 'deleted'}).`,
      };
    if (claimed.template_category === 'MARKETING' && claimed.marketing_opt_out)
      return {
        code: 131050,
        title: 'Contact opted out',
        message: 'The contact opted out of marketing messages before this one was sent.',
      };
    return null;
  }
  if (claimed.window_open_until === null || claimed.window_open_until <= now)
    return { code: 131047, title: 'Messaging window closed', message: windowClosed };
  return null;
}

/** The request of upstream-wire.md 1.1: phones always with a plus, user ids verbatim and never in `to`. */
function upstreamPayload(claimed: Sendable): Record<string, unknown> {
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...(claimed.phone === null ? { recipient: claimed.bsuid } : { to: `+${claimed.phone}` }),
    ...claimed.body,
    ...(claimed.reply_to_wamid === '' || claimed.type === 'reaction'
      ? {}
      : { context: { message_id: claimed.reply_to_wamid } }),
    biz_opaque_callback_data: claimed.opaque,
  };
}

async function record(runtime: Runtime, claimed: Claimed, outcome: SendOutcome): Promise<SendResult> {
  if (outcome.kind === 'accepted') {
    await recordAccepted(runtime, claimed, outcome.wamid);
    if (outcome.waId !== undefined && claimed.phone !== null && outcome.waId !== claimed.phone)
      await learn(runtime, claimed, (ctx) =>
        adoptPlatformPhone(ctx, claimed.contact_id, claimed.phone ?? '', outcome.waId ?? ''),
      );
    return { kind: 'settled', status: 'sent' };
  }
  if (outcome.kind === 'unknown') {
    await recordUnknown(runtime, claimed.workspace_id, claimed.id, outcome.reason);
    return { kind: 'settled', status: 'unknown' };
  }
  if (outcome.code === 130429 && claimed.number_pk !== null) await slowDown(runtime, claimed.number_pk);
  const stops = outcome.class === 'stop';
  if (outcome.class !== 'retry') await learn(runtime, claimed, (ctx) => conclude(ctx, claimed, outcome));
  if (outcome.class !== 'permanent') {
    const waitMs = stops ? stoppedMs : (outcome.retryAfterMs ?? backoffMs(outcome.code, claimed.attempts));
    const limit = claimed.deliver_by === null ? Number.POSITIVE_INFINITY : claimed.deliver_by.getTime();
    const closes = claimed.type === 'template' ? Number.POSITIVE_INFINITY : (claimed.window_open_until?.getTime() ?? 0);
    if (runtime.clock.now().getTime() + waitMs < Math.min(limit, closes)) {
      await recordRetry(runtime, claimed, waitMs);
      return { kind: 'retry', waitMs, ...(stops ? { stopped: outcome.title } : {}) };
    }
  }
  await recordFailure(runtime, claimed, outcome);
  return { kind: 'settled', status: 'failed' };
}

/** What the refusal says beyond this message (upstream-wire.md 1.6). */
async function conclude(
  ctx: Ctx,
  claimed: Claimed,
  refusal: { readonly code: number; readonly title: string },
): Promise<void> {
  if (refusal.code === 131050)
    await applyPreference(ctx, claimed.contact_id, true, ctx.runtime.clock.now(), 'platform');
  await onFailureCode(ctx, {
    code: refusal.code,
    title: refusal.title,
    businessAccountId: claimed.business_account_id ?? 0,
    messageId: claimed.id,
    numberId: claimed.number_pk,
  });
}

/** Writes down what an answer taught besides its message's outcome, which must not depend on it. */
async function learn(runtime: Runtime, claimed: Claimed, work: (ctx: Ctx) => Promise<unknown>): Promise<void> {
  const ctx = systemCtx(runtime, claimed.workspace_id, `message/${claimed.id}`);
  try {
    await runtime.db.transaction(() => work(ctx));
  } catch (error) {
    runtime.logger.warn(
      { messageId: claimed.id, errorName: error instanceof Error ? error.name : 'unknown' },
      'what an answer of the upstream said could not be written down',
    );
  }
}

/** Pause before the next try: 4^n s under the pair rate (upstream-wire.md 1.6), else doubling from 1 s to 5 min. */
export function backoffMs(code: number, attempts: number): number {
  if (code === 131056) return 4 ** Math.min(attempts - 1, 4) * 1000;
  if (code === 131057) return 60_000;
  return Math.min(300_000, 2 ** Math.min(attempts - 1, 9) * 1000);
}

export { rearmStranded, settleStaleClaims, settleUnknown } from './settlement';
