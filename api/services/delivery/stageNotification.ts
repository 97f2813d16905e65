import type { RecipientOutcome } from '../../../workflows/contract';
import type { Ctx } from '../../core/context';
import { AppError } from '../../core/http/errors';
import { heldForMs, stoppedCodeSql } from '../resources/accounts/stops';
import { reflectOutcome } from '../resources/tickets/stageMoves/outcomes';
import { prepareNotification, type NotifiedRecipient } from '../resources/tickets/stageMoves/recipient';
import type { SendResult } from './attempts';
import { deliverMessage } from './sends';

/** A recipient, and whether it may wait until a stop or hold is lifted. */
interface Asked extends NotifiedRecipient {
  readonly mayWaitForStop: boolean;
}

/**
 * Notifies one recipient of a move. The message row is unique to move and contact and is claimed before the one call
 * that is made for it, so this may run any number of times, and be cut off at any instant, without a second send
 * (contract 8). Throws while the message has to wait: the error says why, and for how long. Returns `held` where it may
 * not wait for a stop.
 */
export async function notifyRecipient(ctx: Ctx, { mayWaitForStop, ...target }: Asked): Promise<RecipientOutcome> {
  const { runtime, workspaceId } = ctx;
  const prepared = await prepareNotification(ctx, target);
  if ('state' in prepared) return prepared;
  const { messageId } = prepared;
  const result = await deliverMessage(runtime, { workspaceId, ...prepared });
  switch (result.kind) {
    case 'retry':
      throw new AppError('unavailable', whyItWaits(result), { retryAfter: result.waitMs / 1000 });
    case 'held':
      if (!mayWaitForStop) return { state: 'held' };
      throw new AppError('unavailable', await whyItIsHeld(ctx, messageId), { retryAfter: heldForMs / 1_000 });
    case 'gone':
      return { state: 'gone' };
    case 'settled':
      await reflectOutcome(runtime, messageId);
      return { state: result.status };
  }
}

/** Returns as a text why a message is tried later: the platform's answer to this attempt, if there was one. */
function whyItWaits({ why, answer }: Extract<SendResult, { kind: 'retry' }>): string {
  if (answer && answer.status === null) return 'The platform could not be reached.';
  if (answer) return `The platform answered ${answer.status} (code ${answer.code}).`;
  if (why === 'file') return 'Its file is not at the platform yet.';
  if (why === 'room') return 'The worker makes as many calls to the platform as it may (PLATFORM_CALLS).';
  return why === 'number_rate'
    ? "The number's rate is used up."
    : 'An earlier attempt, or the pause after it, is not over yet.';
}

async function whyItIsHeld({ runtime, workspaceId }: Ctx, messageId: number): Promise<string> {
  const row = await runtime.db.row<{ code: number | null }>(
    `SELECT ${stoppedCodeSql('m.phone_number_id')} AS code
     FROM messages m WHERE m.workspace_id = $workspaceId AND m.id = $messageId`,
    { workspaceId, messageId },
  );
  const code = row?.code ?? null;
  return code === null
    ? 'Sending is held until the operator resumes it.'
    : `The platform has stopped the number or its account (code ${code}).`;
}
