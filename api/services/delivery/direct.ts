import type { MessageDeliveryInput } from '../../../workflows/contract';
import type { Ctx } from '../../core/context';
import { inTurnOf } from '../../core/db/database';
import { reasonOf } from '../../core/http/faults';
import { kept, type Runtime } from '../../core/runtime';
import { maxCallsAtOnce } from '../../core/queue/parallel';
import { deliverNext } from './sends';
import { startDelivery } from './waitingMessages';

/** The sends that a process makes itself. */
export interface DirectSends {
  /** Waits until the sends under way are recorded. */
  drain(): Promise<void>;
  /** Begins no other send, and waits for those under way. */
  stop(): Promise<void>;
}

/** The one sender of a conversation in this process. */
interface Sender {
  /** Whether a message was accepted since it last looked. */
  again: boolean;
}

/** How this process sends the messages that it accepted. A process without it leaves them to the workers' look. */
const senderOf = kept((): { begin?: (target: MessageDeliveryInput) => void } => ({}));

/** Makes this process send the queued messages of a conversation, once the surrounding transaction has committed. */
export function sendAfterCommit({ runtime, workspaceId }: Ctx, conversationId: number): void {
  const { db, tracing } = runtime;
  const trace = tracing.current();
  db.afterCommit(() => tracing.within(trace, () => senderOf(runtime).begin?.({ workspaceId, conversationId })));
}

/**
 * Makes this process send the messages that it accepts right after the commit: the usual way of a reply, without a
 * workflow. A message that must wait (for a rate, for its next attempt) is left to the workflow of its conversation.
 * Both use the same claim, so the row decides which of them sends.
 */
export function startDirectSends(runtime: Runtime): DirectSends {
  const senders = new Map<string, Sender>();
  const ending = new Set<Promise<void>>();
  let starting = 0;
  let stopping = false;

  /** Sends what is queued in a conversation until nothing is left; returns whether something has to wait. */
  async function deliver(key: string, target: MessageDeliveryInput, sender: Sender): Promise<boolean> {
    try {
      while (!stopping) {
        sender.again = false;
        const outcome = await deliverNext(runtime, target);
        // Another process has claimed the first message, and looks for the next one afterwards.
        if (outcome.kind === 'wait') return outcome.why !== 'attempt';
        if ((outcome.kind !== 'progress' || outcome.more === false) && !sender.again) return false;
      }
      return true;
    } finally {
      // Deleted in the same step as the decision to end, so that a message which finds a sender here is always sent by
      // it.
      senders.delete(key);
    }
  }

  /**
   * Leaves the wait to the workflow, if Temporal accepts it now; else the workers' look finds the message when it is
   * due.
   */
  async function leaveToWorkflow(target: MessageDeliveryInput): Promise<void> {
    if (starting >= maxCallsAtOnce || !runtime.temporal.available()) return;
    starting += 1;
    try {
      await startDelivery(runtime, target);
    } finally {
      starting -= 1;
    }
  }

  async function send(key: string, target: MessageDeliveryInput, sender: Sender): Promise<void> {
    try {
      if (await deliver(key, target, sender)) await leaveToWorkflow(target);
    } catch (error) {
      runtime.logger.debug(
        { event: 'delivery.left_to_look', ...target, reason: reasonOf(error) },
        'a message is left to be found again',
      );
    }
  }

  senderOf(runtime).begin = (target) => {
    const key = `${target.workspaceId}/${target.conversationId}`;
    const known = senders.get(key);
    if (known) {
      known.again = true;
      return;
    }
    const sender = { again: false };
    senders.set(key, sender);
    const ended = runtime.tracing.span(
      'direct send',
      { attributes: { 'msgdesk.workspace_id': target.workspaceId } },
      () => inTurnOf(target.workspaceId, () => send(key, target, sender)),
    );
    ending.add(ended);
    void ended.finally(() => ending.delete(ended));
  };

  async function drain(): Promise<void> {
    while (ending.size > 0) await Promise.all([...ending]);
  }

  return {
    drain,
    async stop() {
      stopping = true;
      await drain();
    },
  };
}
