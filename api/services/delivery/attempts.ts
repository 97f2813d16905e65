import type { DeliveryWait } from '../../../workflows/contract';
import type { Ctx } from '../../core/context';
import { aheadOfTurns } from '../../core/db/database';
import { notFound } from '../../core/http/errors';
import type { Runtime } from '../../core/runtime';
import type { SendOutcome } from '../../core/platform/answers';
import type { Rank } from '../../core/platform/permits';
import { unseal } from '../resources/accounts/service';
import { ensureUploaded, withPlatformFileId } from '../resources/files/platform';
import { adoptPlatformPhone } from '../resources/contacts/aliases';
import { claimMessage, postponeMessage, type Claimed, type Sendable } from '../resources/messages/rows/claims';
import { recordOutcomes, recorderOf, type AttemptOutcome } from '../resources/messages/rows/outcomes';
import { applyRefusedCall, applyConsequence } from './consequences';
import { backoffMs, pauseAfter, refuseNow, upstreamPayload } from './decisions';
import { shortWaitMs } from './permits';
import { reserveSlots } from './slots';

/** The workspace of a message, and its rank. */
interface Scoped extends Pick<Ctx, 'runtime' | 'workspaceId'> {
  readonly rank: Rank;
}

/** The result of an attempt. `gone`: the row could not be claimed. */
export type SendResult =
  | {
      readonly kind: 'settled';
      readonly status: 'sent' | 'failed' | 'unknown';
      /** Another message may wait in its conversation. */
      readonly more?: boolean;
    }
  /** Not sent yet, and why: the number's rate, no permit, or the upstream's answer to this attempt. */
  | {
      readonly kind: 'retry';
      readonly waitMs: number;
      readonly why?: Extract<DeliveryWait['why'], 'number_rate' | 'room' | 'refused' | 'file'>;
      readonly attempts?: number;
      readonly answer?: NonNullable<DeliveryWait['answer']>;
    }
  /** The upstream refuses the whole number or account: nothing is tried until that is lifted. */
  | { readonly kind: 'held' }
  | { readonly kind: 'gone' };

/** The message of an attempt. */
interface Target extends Pick<Ctx, 'workspaceId'> {
  readonly messageId: number;
  /** The number that sends it; null when it was deleted. */
  readonly numberPk: number | null;
  readonly rank: Rank;
  /** Whether the time of the slot that the row has booked has come: no other one is taken then. */
  readonly slotBooked?: boolean;
}

/**
 * Sends a single message, for a caller that holds a permit: the only way to do so (broadcasts claim in bulk, and share
 * `callUpstream`). Takes a slot of the number's throughput, claims a queued row, checks again what may have changed
 * since it was accepted, makes exactly one call, and records the outcome. A row that is not queued is `gone`, so two
 * callers never send one message twice; without a slot it is `retry`, without a claim.
 */
export async function claimAndSend(
  runtime: Runtime,
  { workspaceId, messageId, numberPk, rank, slotBooked = false }: Target,
): Promise<SendResult> {
  const scoped = { runtime, workspaceId, rank };
  if (numberPk !== null && !slotBooked) {
    const slot = await reserveSlots(runtime, numberPk, 1, rank);
    if (slot.waitMs > shortWaitMs || slot.granted === 0) {
      if (rank === 'people') await postponeMessage(scoped, messageId, slot);
      return { kind: 'retry', waitMs: slot.waitMs, why: 'number_rate' };
    }
    // It keeps its permit meanwhile: at most a second's throughput of a number waits here.
    if (slot.waitMs > 0) await new Promise((resolve) => setTimeout(resolve, slot.waitMs));
  }

  const claimed = await claimMessage(scoped, messageId);
  return claimed ? attempt(scoped, claimed) : { kind: 'gone' };
}

/** Makes the attempt of a claim: checks again what may have changed, makes one call and records the outcome. */
async function attempt(scoped: Scoped, claimed: Claimed): Promise<SendResult> {
  const refusal = refuseNow(claimed);
  if (refusal) {
    return { kind: 'settled', status: 'failed', more: await end(scoped, claimed, { kind: 'failed', ...refusal }) };
  }
  const accessToken = await prepareCall(scoped, claimed);
  const { runtime, rank } = scoped;
  const { file_id: fileId, file, number, number_pk: numberPk } = claimed;
  if (fileId === null)
    return record(scoped, claimed, await callUpstream(runtime, accessToken, number ?? '', claimed, rank));

  const found = await ensureUploaded(runtime, file, { pk: numberPk ?? 0, number: number ?? '', accessToken });
  if ('waitMs' in found) {
    await end(scoped, claimed, { kind: 'retry', waitMs: found.waitMs, waitsForFile: true });
    return { kind: 'retry', waitMs: found.waitMs, why: 'file', attempts: claimed.tries - 1 };
  }
  if ('kind' in found) return record(scoped, claimed, found);
  const sent = file === null ? claimed : { ...claimed, body: withPlatformFileId(claimed.body, file, found.id) };
  return record(scoped, claimed, await callUpstream(runtime, accessToken, number ?? '', sent, rank));
}

/**
 * Records the outcome of an attempt, ahead of every workspace's turn, because it cannot be learned again. Outcomes of
 * mass sends are recorded several at a time. Returns whether another message may wait in the conversation.
 */
async function end(
  { runtime, workspaceId, rank }: Scoped,
  { id, attempts }: Claimed,
  made: Omit<AttemptOutcome, 'id' | 'attempts'>,
): Promise<boolean> {
  const outcome = { ...made, id, attempts };
  if (rank === 'people') return aheadOfTurns(() => recordOutcomes(runtime, workspaceId, [outcome]));
  await recorderOf(runtime, workspaceId)(outcome);
  return false;
}

/** Prepares the call. After an error here nothing was sent: the row is queued again, instead of ending as unknown. */
async function prepareCall(scoped: Scoped, claimed: Claimed): Promise<string> {
  try {
    if (claimed.account === null) throw notFound();
    return unseal(scoped.runtime, claimed.account).accessToken;
  } catch (error) {
    await end(scoped, claimed, { kind: 'retry', waitMs: backoffMs(-1, claimed.tries) });
    throw error;
  }
}

/**
 * Makes the one call of an attempt; only for a message that the caller has claimed just now, under a permit of the
 * pool.
 */
export async function callUpstream(
  runtime: Runtime,
  accessToken: string,
  phoneNumberId: string,
  message: Sendable,
  rank: Rank,
): Promise<SendOutcome> {
  const outcome = await runtime.upstream.sendMessage(accessToken, phoneNumberId, upstreamPayload(message));
  runtime.counts.platformCall(rank, outcome);
  return outcome;
}

async function record(scoped: Scoped, claimed: Claimed, outcome: SendOutcome): Promise<SendResult> {
  const { runtime, workspaceId } = scoped;
  if (outcome.kind === 'accepted') {
    const { wamid, held = false } = outcome;
    const more = await end(scoped, claimed, { kind: 'accepted', wamid, held });
    await learnPhone(runtime, workspaceId, claimed, outcome.waId);
    return { kind: 'settled', status: 'sent', more };
  }
  if (outcome.kind === 'unknown') {
    runtime.logger.warn(
      { event: 'message.outcome_unknown', workspaceId, messageId: claimed.id, reason: outcome.reason },
      'the outcome of a send is unknown',
    );
    return { kind: 'settled', status: 'unknown', more: await end(scoped, claimed, { kind: 'unknown' }) };
  }

  const { code, title, message } = outcome;
  await applyRefusedCall(runtime, workspaceId, {
    code,
    title,
    at: runtime.clock.now(),
    businessAccountId: claimed.account?.id ?? 0,
    messageId: claimed.id,
    contactId: claimed.contact_id,
  });
  const waitMs = pauseAfter(outcome, claimed);
  if (waitMs !== null) {
    await end(scoped, claimed, { kind: 'retry', waitMs });
    if (outcome.class === 'stop') return { kind: 'held' };
    const answer = { status: outcome.status ?? null, code };
    return { kind: 'retry', waitMs, why: 'refused', attempts: claimed.tries, answer };
  }
  return {
    kind: 'settled',
    status: 'failed',
    more: await end(scoped, claimed, { kind: 'failed', code, title, message }),
  };
}

/** Stores the phone number under which the upstream knows the recipient, if it is another one. */
export async function learnPhone(
  runtime: Runtime,
  workspaceId: number,
  message: { readonly id: number; readonly contact_id: number; readonly phone: string | null },
  waId: string | undefined,
): Promise<void> {
  const { phone } = message;
  if (waId === undefined || phone === null || waId === phone) return;
  await applyConsequence(runtime, workspaceId, message.id, (ctx) =>
    adoptPlatformPhone(ctx, message.contact_id, phone, waId),
  );
}
