import type { Ctx } from '../../../core/context';
import { AppError, conflict } from '../../../core/http/errors';
import { reasonOf } from '../../../core/http/faults';
import { UpstreamError } from '../../../core/platform/upstream';
import { credentialsOf } from '../../resources/accounts/service';
import { otherApp, setThreadOwner } from '../../resources/conversations/sentByOtherApps';
import type { ConversationView, LastMessage } from '../../resources/conversations/serializer';
import { findConversation } from '../../resources/conversations/service';
import { narrowNumbers, requireNumber } from '../../resources/messages/numbers';
import { reason } from '../../resources/reasons';

export const threadActions = ['take', 'release'] as const;

/**
 * Takes a thread from another application of the platform, or gives it back. Throws 409 where the platform refuses, and
 * 503 where it does not answer: nothing has changed here then.
 */
export async function controlThread(
  ctx: Ctx,
  handle: string,
  asked: { readonly action: (typeof threadActions)[number]; readonly phone_number_id?: string | undefined },
): Promise<ConversationView & LastMessage> {
  const { action } = asked;
  const conversation = await findConversation(ctx, handle);
  const number = requireNumber(await narrowNumbers(ctx, asked, conversation.phone_number_id));
  const { accessToken } = await credentialsOf(ctx.runtime, number.business_account_id);
  const { phone, bsuid } = conversation;
  try {
    await ctx.runtime.upstream.post(accessToken, `${encodeURIComponent(number.phone_number_id)}/thread_control`, {
      messaging_product: 'whatsapp',
      ...(phone === null ? { recipient: bsuid } : { to: `+${phone}` }),
      action,
    });
  } catch (error) {
    if (error instanceof UpstreamError && error.status >= 400 && error.status < 500)
      throw conflict(reason('platformRefused', { why: error.message }));
    ctx.logger.warn(
      { event: 'thread_control.failed', reason: reasonOf(error) },
      'the platform did not answer who has a thread',
    );
    throw new AppError('unavailable', reason('platformSilent'), { retryAfter: 5 });
  }
  await ctx.runtime.db.transaction(() =>
    setThreadOwner(ctx, conversation.id, action === 'take' ? '' : otherApp, ctx.runtime.clock.now()),
  );
  return findConversation(ctx, handle);
}
