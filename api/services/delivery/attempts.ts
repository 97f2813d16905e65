import type { Runtime } from '../../core/runtime';
import { dueNowSql } from '../../core/clock';
import { reserveSlots, type Lane } from './slots';
import type { SendOutcome, SendPool } from '../../core/upstream';
import { credentialsOf } from '../resources/accounts/service';
import { stoppedSql } from '../resources/accounts/stops';
import { adoptPlatformPhone } from '../resources/contacts/moves';
import { concludeAnswer, learn } from './consequences';
import { recordOutcomes, type AttemptOutcome } from './outcomes';
import { withSendPermit } from './permits';
import { deliveryExpired, pairCost, windowClosed } from '../resources/messages/rules';

/** How long a claim holds: longer than the upstream's timeout, as long as the activity's own limit. */
export const claimMs = 20_000;

/** A slot that comes this soon is waited for on the spot; one that comes later is written to the row. */
const maxSlotWaitMs = 1_000;
/** When to ask again after no permit came free: more sends are under way than the process has connections. */
const permitRetryMs = 1_000;

/** What became of an attempt. `gone`: the row was not there to be claimed. */
export type SendResult =
  | { readonly kind: 'settled'; readonly status: 'sent' | 'failed' | 'unknown' }
  | { readonly kind: 'retry'; readonly waitMs: number }
  /** The upstream refuses the whole number or account: nothing is asked again until that is lifted. */
  | { readonly kind: 'held' }
  | { readonly kind: 'gone' };

interface Claimed {
  id: number;
  workspace_id: number;
  attempts: number;
  body: Record<string, unknown>;
  type: string;
  opaque: string;
  reply_to_wamid: string;
  /** Milliseconds until the message must not be sent any more: its 24 hours, and the window of one that is no template. */
  expires_in_ms: number | null;
  window_in_ms: number | null;
  phone: string | null;
  bsuid: string | null;
  marketing_opt_out: boolean;
  number: string | null;
  business_account_id: number | null;
  template_status: string | null;
  template_category: string | null;
  contact_id: number;
  conversation_id: number;
  send_seq: number | null;
}

/** How an attempt is made. */
export interface AttemptOptions {
  /** Saves a look-up where the caller knows it. */
  readonly numberPk?: number | null;
  /** Who goes first when the number's throughput is short. */
  readonly lane?: Lane;
  /** The row's booked slot is now: no other one is taken. */
  readonly slotBooked?: boolean;
}

/**
 * The only place that sends to the upstream (broadcasts claim in bulk and share `callUpstream`). Takes a slot of the
 * number's throughput and a permit, claims a queued row, looks again at what may have changed since it was accepted,
 * makes exactly one call, and records the outcome. A row that is not queued is `gone`, so two callers never send one
 * message twice; without slot or permit it is `retry`, without a claim.
 */
export async function claimAndSend(
  runtime: Runtime,
  workspaceId: number,
  messageId: number,
  options: AttemptOptions = {},
): Promise<SendResult> {
  const lane = options.lane ?? 'agent';
  const numberPk = options.numberPk === undefined ? await numberOf(runtime, workspaceId, messageId) : options.numberPk;
  if (numberPk !== null && options.slotBooked !== true) {
    const slot = await reserveSlots(runtime, numberPk, 1, lane);
    if (slot.waitMs > maxSlotWaitMs || slot.granted === 0) {
      if (lane === 'agent') await bookRow(runtime, workspaceId, messageId, slot);
      return { kind: 'retry', waitMs: slot.waitMs };
    }
    if (slot.waitMs > 0) await new Promise((resolve) => setTimeout(resolve, slot.waitMs));
  }
  const result = await withSendPermit(runtime, lane === 'agent' ? 'agent' : 'notification', async () => {
    const claimed = await claim(runtime, workspaceId, messageId);
    return claimed ? attempt(runtime, claimed, lane) : ({ kind: 'gone' } as const);
  });
  return result ?? { kind: 'retry', waitMs: permitRetryMs };
}

/** Writes a slot that was booked ahead, or the time to ask again, to the row: whoever looks meanwhile waits for it too. */
async function bookRow(
  runtime: Runtime,
  workspaceId: number,
  messageId: number,
  slot: { readonly granted: number; readonly waitMs: number },
): Promise<void> {
  await runtime.db.rows(
    `UPDATE messages SET next_attempt_at = clock_timestamp() + $waitMs * interval '1 millisecond',
       slot_at = CASE WHEN $booked THEN clock_timestamp() + $waitMs * interval '1 millisecond' END, updated_at = now()
     WHERE workspace_id = $workspaceId AND id = $messageId AND delivery_state = 'queued'`,
    { workspaceId, messageId, waitMs: slot.waitMs, booked: slot.granted > 0 },
  );
}

/** Claims a queued message, unless its number or account was stopped meanwhile. */
async function claim(runtime: Runtime, workspaceId: number, messageId: number): Promise<Claimed | null> {
  const now = dueNowSql(runtime.clock);
  return runtime.db.row<Claimed>(
    `UPDATE messages m SET delivery_state = 'sending', attempts = m.attempts + 1, slot_at = NULL, updated_at = now(),
       claim_expires_at = clock_timestamp() + ${claimMs} * interval '1 millisecond'
     FROM conversations v JOIN contacts c ON c.id = v.contact_id
     WHERE m.workspace_id = $workspaceId AND m.id = $messageId AND m.delivery_state = 'queued' AND v.id = m.conversation_id
       AND (m.deliver_by <= ${now} OR NOT ${stoppedSql('m.phone_number_id')})
     RETURNING m.id, m.workspace_id, m.attempts, m.body, m.type, m.opaque, m.reply_to_wamid, m.conversation_id, m.send_seq,
       c.id AS contact_id, c.phone, c.bsuid, c.marketing_opt_out,
       (extract(epoch FROM m.deliver_by - ${now}) * 1000)::float8 AS expires_in_ms,
       (SELECT (extract(epoch FROM w.open_until - ${now}) * 1000)::float8 FROM conversation_windows w
         WHERE w.conversation_id = m.conversation_id AND w.phone_number_id = m.phone_number_id) AS window_in_ms,
       (SELECT phone_number_id FROM phone_numbers p WHERE p.id = m.phone_number_id) AS number,
       (SELECT business_account_id FROM phone_numbers p WHERE p.id = m.phone_number_id) AS business_account_id,
       (SELECT status FROM templates t WHERE t.id = m.template_pk) AS template_status,
       (SELECT category FROM templates t WHERE t.id = m.template_pk) AS template_category`,
    { workspaceId, messageId },
  );
}

/** Makes the attempt of a claim. */
async function attempt(runtime: Runtime, claimed: Claimed, lane: Lane): Promise<SendResult> {
  const refusal = refuseNow(claimed);
  if (refusal) {
    await end(runtime, claimed, { kind: 'failed', ...refusal });
    return { kind: 'settled', status: 'failed' };
  }
  const accessToken = await prepareCall(runtime, claimed);
  const outcome = await callUpstream(runtime, accessToken, claimed.number ?? '', claimed, lane);
  return record(runtime, claimed, outcome);
}

/** Records the end of a claim's attempt. */
function end(
  runtime: Runtime,
  { id, attempts, workspace_id: workspaceId }: Claimed,
  outcome: Omit<AttemptOutcome, 'id' | 'attempts'>,
): Promise<void> {
  return recordOutcomes(runtime, workspaceId, [{ ...outcome, id, attempts }]);
}

/** Does what is left to do before the call. A fault here sent nothing: the row goes back, instead of ending as unknown. */
async function prepareCall(runtime: Runtime, claimed: Claimed): Promise<string> {
  try {
    await countPair(runtime, claimed);
    return (await credentialsOf(runtime, claimed.business_account_id ?? 0)).accessToken;
  } catch (error) {
    await end(runtime, claimed, { kind: 'retry', waitMs: backoffMs(-1, claimed.attempts) });
    throw error;
  }
}

/** What a call needs of a claimed message. */
export type Sendable = Pick<Claimed, 'phone' | 'bsuid' | 'body' | 'type' | 'reply_to_wamid' | 'opaque'>;

/** Makes the one call of an attempt; only for a message that the caller has claimed just now, under a permit of the pool. */
export function callUpstream(
  runtime: Runtime,
  accessToken: string,
  phoneNumberId: string,
  message: Sendable,
  pool: SendPool,
): Promise<SendOutcome> {
  return runtime.upstream.sendMessage(accessToken, phoneNumberId, upstreamPayload(message), pool);
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
function refuseNow(claimed: Claimed): { code: number; title: string; message: string } | null {
  if (claimed.number === null)
    return {
      code: 33,
      title: 'Phone number removed',
      message: 'The phone number that this message was to be sent from is gone.',
    };
  if (claimed.expires_in_ms !== null && claimed.expires_in_ms <= 0) return deliveryExpired;
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
  if (claimed.window_in_ms === null || claimed.window_in_ms <= 0)
    return { code: 131047, title: 'Messaging window closed', message: windowClosed };
  return null;
}

/** Builds the request: phones always with a plus, user ids verbatim and never in `to`. */
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
    await end(runtime, claimed, { kind: 'accepted', wamid: outcome.wamid });
    await learnPhone(runtime, claimed.workspace_id, claimed, outcome.waId);
    return { kind: 'settled', status: 'sent' };
  }
  if (outcome.kind === 'unknown') {
    runtime.logger.warn(
      { workspaceId: claimed.workspace_id, messageId: claimed.id, reason: outcome.reason },
      'outcome of a send is not known',
    );
    await end(runtime, claimed, { kind: 'unknown' });
    return { kind: 'settled', status: 'unknown' };
  }

  const { code, title, message } = outcome;
  await concludeAnswer(runtime, claimed.workspace_id, {
    code,
    title,
    at: runtime.clock.now(),
    businessAccountId: claimed.business_account_id ?? 0,
    messageId: claimed.id,
    contactId: claimed.contact_id,
  });
  if (outcome.class !== 'permanent') {
    const stopped = outcome.class === 'stop';
    const waitMs = stopped ? 0 : (outcome.retryAfterMs ?? backoffMs(code, claimed.attempts));
    const expiresInMs = claimed.expires_in_ms ?? Number.POSITIVE_INFINITY;
    const windowInMs = claimed.type === 'template' ? Number.POSITIVE_INFINITY : (claimed.window_in_ms ?? 0);
    if (waitMs < Math.min(expiresInMs, windowInMs)) {
      await end(runtime, claimed, { kind: 'retry', waitMs });
      return stopped ? { kind: 'held' } : { kind: 'retry', waitMs };
    }
  }
  await end(runtime, claimed, { kind: 'failed', code, title, message });
  return { kind: 'settled', status: 'failed' };
}

/** Writes down a phone number that the upstream knows the recipient by, where it is another one. */
export async function learnPhone(
  runtime: Runtime,
  workspaceId: number,
  message: { readonly id: number; readonly contact_id: number; readonly phone: string | null },
  waId: string | undefined,
): Promise<void> {
  const { phone } = message;
  if (waId === undefined || phone === null || waId === phone) return;
  await learn(runtime, workspaceId, message.id, (ctx) => adoptPlatformPhone(ctx, message.contact_id, phone, waId));
}

/** Pause before the next try: 4^n s under the pair rate, else doubling from 1 s to 5 min. */
export function backoffMs(code: number, attempts: number): number {
  if (code === 131056) return 4 ** Math.min(attempts - 1, 4) * 1000;
  if (code === 131057) return 60_000;
  return Math.min(300_000, 2 ** Math.min(attempts - 1, 9) * 1000);
}
