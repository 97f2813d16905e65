import { codes, type SendOutcome } from '../../core/platform/answers';
import type { Claimed, Sendable } from '../resources/messages/rows/claims';
import { deliveryExpired, windowClosed } from '../resources/messages/rows/rules';

/*
 * Decisions about a claimed message, made from its data alone.
 */

/** Returns why the send is not allowed any more, although it was when the message was accepted. */
export function refuseNow(claimed: Claimed): { code: number; title: string; message: string } | null {
  if (claimed.number === null)
    return {
      code: codes.numberGone,
      title: 'Phone number removed',
      message: 'The phone number that this message was to be sent from is gone.',
    };
  if (claimed.expires_in_ms !== null && claimed.expires_in_ms <= 0) return deliveryExpired;
  if (claimed.type === 'template') {
    if (claimed.template_status !== 'APPROVED')
      return {
        code: codes.templateUnknown,
        title: 'Template not approved',
        message: `The template is not approved any more (${claimed.template_status ?? 'deleted'}).`,
      };
    // A stage notification goes to nobody who opted out, whatever its category (contract 8.3).
    if (claimed.marketing_opt_out && (claimed.template_category === 'MARKETING' || claimed.is_notification))
      return {
        code: codes.marketingStopped,
        title: 'Contact opted out',
        message: 'The contact opted out of marketing messages before this one was sent.',
      };
    return null;
  }
  if (claimed.window_in_ms === null || claimed.window_in_ms <= 0)
    return { code: codes.windowClosed, title: 'Messaging window closed', message: String(windowClosed) };
  return null;
}

/** Builds the request: phones always with a plus, user ids verbatim and never in `to`. */
export function upstreamPayload(claimed: Sendable): Record<string, unknown> {
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

/**
 * Returns the pause before a message that was refused for now is tried again: 0 when its number or account is stopped,
 * which makes it wait anyway; null when it was refused for good, or would come too late.
 */
export function pauseAfter(outcome: Extract<SendOutcome, { kind: 'rejected' }>, claimed: Claimed): number | null {
  if (outcome.class === 'permanent') return null;
  const waitMs = outcome.class === 'stop' ? 0 : (outcome.retryAfterMs ?? backoffMs(outcome.code, claimed.tries));
  const expiresInMs = claimed.expires_in_ms ?? Number.POSITIVE_INFINITY;
  const windowInMs = claimed.type === 'template' ? Number.POSITIVE_INFINITY : (claimed.window_in_ms ?? 0);
  return waitMs < Math.min(expiresInMs, windowInMs) ? waitMs : null;
}

/** Pause before the next try: 4^n s under the pair rate, else doubling from 1 s to 5 min. */
export function backoffMs(code: number, tries: number): number {
  if (code === codes.pairRate) return 4 ** Math.min(tries - 1, 4) * 1000;
  if (code === codes.maintenance) return 60_000;
  return Math.min(300_000, 2 ** Math.min(tries - 1, 9) * 1000);
}
