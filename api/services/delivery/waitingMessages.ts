import { deliveryIntent } from '../../../workflows/starts';
import { batchRows, forEachOf, maxCallsAtOnce } from '../../core/queue/parallel';
import { reasonOf } from '../../core/http/faults';
import type { Runtime } from '../../core/runtime';
import { lookAgain, takeWaiting, type WaitingConversation } from '../resources/messages/rows/waitingConversations';

/**
 * Starts or signals the conversation's workflow, which delivers its waiting messages. Throws when Temporal does not
 * accept it.
 */
export async function startDelivery(
  { temporal, tracing }: Runtime,
  { workspaceId, conversationId }: WaitingConversation,
): Promise<void> {
  const { start, input, signal = '' } = deliveryIntent(workspaceId, conversationId);
  await tracing.span(
    `start ${start.workflow}`,
    { kind: 'producer', attributes: { 'msgdesk.workspace_id': workspaceId } },
    () => temporal.signalWithStart(start, input, signal, undefined),
  );
}

/**
 * Finds waiting messages that no process or workflow is sending, and starts the workflows of their conversations. They
 * are messages whose process was killed or had no permit free, which became due while Temporal was away, or whose stop
 * or hold was lifted. Returns whether there may be more now.
 */
export async function startWaiting(runtime: Runtime): Promise<boolean> {
  const { temporal, logger } = runtime;
  // While Temporal is away, one call a second asks whether it is back, and no rows are taken.
  if (!temporal.available() || (temporal.state() === 'down' && (await temporal.probe()) === 'down')) return false;
  const { conversations, isMore } = await takeWaiting(runtime, batchRows);
  const left: number[] = [];
  await forEachOf(conversations, maxCallsAtOnce, async (conversation) => {
    try {
      await startDelivery(runtime, conversation);
    } catch (error) {
      left.push(conversation.messageId);
      const { workspaceId, conversationId } = conversation;
      logger.warn(
        { event: 'delivery.not_started', workspaceId, conversationId, reason: reasonOf(error) },
        'the delivery of a message could not be started yet',
      );
    }
  });
  await lookAgain(runtime, left);
  return isMore && left.length === 0;
}
