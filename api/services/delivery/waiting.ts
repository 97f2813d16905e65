import { deliveryIntent } from '../../../workflows/starts';
import { forEachOf, maxCallsAtOnce } from '../../core/queue/parallel';
import { reasonOf } from '../../core/http/faults';
import type { Runtime } from '../../core/runtime';
import { lookAgain, takeWaiting, type WaitingConversation } from '../resources/messages/rows/waiting';

/** Conversations of one look: few enough to be started within a second or two. */
const maxFound = 200;

/** Has a conversation's workflow deliver what waits in it; throws where Temporal does not take it. */
export async function startDelivery(
  { engine, tracing }: Runtime,
  { workspaceId, conversationId }: WaitingConversation,
): Promise<void> {
  const { start, input, signal = '' } = deliveryIntent(workspaceId, conversationId);
  await tracing.span(
    `start ${start.workflow}`,
    { kind: 'producer', attributes: { 'msgdesk.workspace_id': workspaceId } },
    () => engine.signalWithStart(start, input, signal, undefined),
  );
}

/**
 * Finds what waits without a sender and has the workflows of its conversations deliver it: messages whose process was
 * killed or had no room, those whose time has come while Temporal was away, those of a stop or hold that was lifted.
 * Returns whether there may be more at once.
 */
export async function startWaiting(runtime: Runtime): Promise<boolean> {
  const { engine, logger } = runtime;
  // While Temporal is away one call a second asks for it, and rows are left alone.
  if (!engine.available() || (engine.state() === 'down' && (await engine.probe()) === 'down')) return false;
  const { conversations, isMore } = await takeWaiting(runtime, maxFound);
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
