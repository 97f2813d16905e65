import type { Ctx } from '../../../core/context';
import type { Frozen } from '../../../core/frozenSends';
import { invalidField } from '../../../core/http/errors';
import { validate } from '../../../core/http/validate';
import { createMessageInput } from '../../resources/messages/schema';
import { createMessage } from '../outbound/service';
import { decide, getApproval, lockPending, type ApprovalRow } from './service';
import { requireShown } from './compareShown';
import { reason } from '../../resources/reasons';

/**
 * Rejects a parked text message and sends another text in its place, as the member's own message; both or neither.
 * Throws 400 for any other call, 409 as `approve` does, and the refusal of the message, which leaves it undecided.
 */
export async function answerInstead(
  ctx: Ctx,
  id: number,
  { text, digest }: { readonly text: string; readonly digest?: string | null | undefined },
): Promise<ApprovalRow> {
  await ctx.runtime.db.transaction(async () => {
    const approval = await lockPending(ctx, id);
    requireShown(approval, digest ?? null);
    const [send] = approval.frozen as readonly Frozen[];
    if (approval.call_kind !== 'message' || send?.kind !== 'message' || send.type !== 'text')
      throw invalidField('text', reason('onlyText'));
    const to = { to: send.to.receiver_id, phone_number_id: send.phone_number_id };
    const reply = send.reply_to_wamid === '' ? {} : { reply_to_wamid: send.reply_to_wamid };
    const message = validate(createMessageInput, { ...to, ...reply, type: 'text', text: { body: text } });
    const result = await createMessage(ctx, message, { origin: 'api', dedupeKey: `approval:${id}` });
    await decide(ctx, approval, 'rejected', { result, runId: null });
  });
  return getApproval(ctx, id);
}
