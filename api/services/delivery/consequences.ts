import { systemCtx, type Ctx } from '../../core/context';
import type { Runtime } from '../../core/runtime';
import { of } from '../../core/db/scoped';
import { slowDown } from './slots';
import { classify, codes, limitsOfSender } from '../../core/platform/answers';
import { pauseBroadcasts } from '../resources/broadcasts/pauses';
import { requestSync, stopSending } from '../resources/accounts/stops';
import { requestRead } from '../resources/accounts/syncs';
import { applyPreference } from '../resources/contacts/preference';
import { setTemplateStatus } from '../resources/templates/status';

/** A refusal by the upstream, as the answer to a call or in a later status, for any kind of send. */
interface Refusal {
  readonly code: number;
  readonly title: string;
  readonly at: Date;
  readonly businessAccountId: number;
  readonly messageId: number;
  readonly contactId: number;
  /** Whether it came in a status of an accepted message, not as the answer to a call. */
  readonly reported?: boolean;
}

const { marketingStopped, notReached, pairRate, templateUnknown, tooFast } = codes;
/** Codes of values that the template does not take: it may have changed, or the client is wrong again and again. */
const misfilled = new Set<number>([codes.parameterCount, codes.parameterFormat]);
const templateStatus: Readonly<Record<number, string>> = {
  [codes.templatePaused]: 'PAUSED',
  [codes.templateDisabled]: 'DISABLED',
};

/** Returns what a code concerns besides its message; null when it concerns the message alone. */
function subjectOf(code: number): 'contact' | 'sender' | null {
  if (code === marketingStopped) return 'contact';
  const sender =
    classify(code) === 'stop' ||
    code === tooFast ||
    code === templateUnknown ||
    misfilled.has(code) ||
    templateStatus[code] !== undefined ||
    limitsOfSender.has(code);
  return sender ? 'sender' : null;
}

/**
 * Applies the consequences of a refusal beyond its message: the contact has opted out, the number or account is stopped
 * or slowed down, the template is marked, the account is read again, operators are told. The one place for all ways to
 * send, and for answers and statuses.
 */
export async function applyRefusal(ctx: Ctx, refusal: Refusal): Promise<void> {
  const { code, title, businessAccountId, messageId } = refusal;
  const { db } = ctx.runtime;
  if (code === marketingStopped) await applyPreference(ctx, refusal.contactId, true, refusal.at, 'platform');
  if (subjectOf(code) !== 'sender') return;

  const message = await of(ctx, db.models.Message).findOne({
    attributes: ['phone_number_id', 'template_pk'],
    where: { id: messageId },
    raw: true,
  });
  const numberId = message?.phone_number_id ?? null;
  if (classify(code) === 'stop')
    await stopSending(ctx, {
      code,
      title,
      businessAccountId,
      numberId,
      reportedAt: refusal.reported ? refusal.at : null,
    });
  if (code === tooFast && numberId !== null) await slowDown(ctx.runtime, numberId);

  const status = templateStatus[code];
  if (status !== undefined && message?.template_pk)
    await setTemplateStatus(ctx, message.template_pk, status, refusal.at);
  if (code === templateUnknown || status !== undefined) await requestSync(ctx, businessAccountId);
  if (misfilled.has(code)) await requestRead(ctx, businessAccountId);
  if (!limitsOfSender.has(code)) return;
  if (numberId !== null) await pauseBroadcasts(ctx, { code, title, numberId });
  ctx.logger.error(
    {
      event: 'upstream.sending_limited',
      alert: 'sending_limited',
      workspaceId: ctx.workspaceId,
      businessAccountId,
      platform_code: code,
      title,
    },
    'the platform limits this number or account',
  );
}

/**
 * Applies the consequences of a refusal that was the answer to a call. The message's own outcome must not depend on
 * them, so a failure here is only logged. `concluded` holds the codes that a run of many sends has already applied to
 * its sender.
 */
export async function applyRefusedCall(
  runtime: Runtime,
  workspaceId: number,
  refusal: Refusal,
  concluded: Set<number> = new Set(),
): Promise<void> {
  warnOfRefusal(runtime, workspaceId, refusal);
  const subject = subjectOf(refusal.code);
  if (subject === null || concluded.has(refusal.code)) return;
  // Each "too fast" counts, as the share of the throughput shrinks with each.
  if (subject === 'sender' && refusal.code !== tooFast) concluded.add(refusal.code);
  await applyConsequence(runtime, workspaceId, refusal.messageId, (ctx) => applyRefusal(ctx, refusal));
}

/** Tells operators that the platform refuses an account for the moment, for reasons that are not the recipient's. */
function warnOfRefusal(runtime: Runtime, workspaceId: number, { code, title, businessAccountId }: Refusal): void {
  if (code === pairRate || (classify(code) !== 'retry' && code !== notReached)) return;
  const calls = runtime.counts.platformRefuses(businessAccountId);
  if (calls !== null)
    runtime.logger.warn(
      {
        event: 'upstream.refusing',
        workspaceId,
        businessAccount: businessAccountId,
        platform_code: code,
        title,
        calls,
      },
      'the platform refuses calls of an account for the moment; they are tried again',
    );
}

/** Applies a consequence of an answer in a transaction of its own; a failure is only logged. */
export async function applyConsequence(
  runtime: Runtime,
  workspaceId: number,
  messageId: number,
  work: (ctx: Ctx) => Promise<unknown>,
): Promise<void> {
  const ctx = systemCtx(runtime, workspaceId, `message/${messageId}`);
  try {
    await runtime.db.transaction(() => work(ctx));
  } catch (error) {
    runtime.logger.warn(
      { event: 'message.outcome_not_written', messageId, errorName: error instanceof Error ? error.name : 'unknown' },
      'the outcome of a send could not be written',
    );
  }
}
