import type { MessageDeliveryInput } from '../../../workflows/contract';
import { inTurnOf } from '../../core/db';
import type { AtOnce } from '../../core/outbox';
import type { Runtime } from '../../core/runtime';
import { maxDirectSends, maxRelayedSends } from '../../core/sendLimits';
import { Places } from './places';
import { deliverNext } from './sends';

/**
 * How long what a relay found waits for a place. Where the platform is so slow that places do not change hands
 * meanwhile, a workflow is made for it, which costs as much as three sends; else the relay comes again. Below the
 * relay's lease.
 */
const patienceMs = 5_000;
/** Messages of one conversation that are sent one after the other before its workflow takes over. */
const mostInTurn = 20;

/** The sends that a process makes itself. */
export interface DirectSends {
  /** Begins no other one, and waits until those under way are recorded. */
  stop(): Promise<void>;
}

/** The one sender of a conversation in this process. */
interface Sender {
  /** A message was accepted since it looked last. */
  again: boolean;
  readonly ended: Promise<AtOnce>;
}

/**
 * Lets this process send what it accepted, and what its relay finds, by itself: right after the commit, and without a
 * workflow where nothing has to wait. What a message waits for (an earlier one, a rate, its next attempt) is the
 * workflow's. The rows decide who sends: the claim is the same.
 */
export function startDirectSends(runtime: Runtime): DirectSends {
  const senders = new Map<string, Sender>();
  const accepted = new Places(maxDirectSends);
  const relayed = new Places(maxRelayedSends);
  let stopping = false;

  /** Sends what is queued in a conversation until nothing is left, or something has to wait. */
  async function deliver(
    key: string,
    target: MessageDeliveryInput,
    sender: Pick<Sender, 'again'>,
    places: Places,
  ): Promise<AtOnce> {
    try {
      for (let turn = 0; turn < mostInTurn && !stopping; turn += 1) {
        sender.again = false;
        const outcome = await deliverNext(runtime, target);
        // Somebody else has claimed the first message: whoever records its end looks for the next one.
        if (outcome.kind === 'wait') return outcome.why === 'attempt' ? 'busy' : 'waits';
        const over = outcome.kind !== 'progress' || outcome.more === false;
        // Of a stopped number nothing is asked again: whoever lifts the stop writes the intent anew.
        if (over && !sender.again) return 'done';
      }
      return 'waits';
    } finally {
      // In the same step as the decision: whoever finds a sender is looked after by it.
      senders.delete(key);
      places.giveBack(target.workspaceId);
    }
  }

  /** Leaves a message to whoever sends in its conversation already; null where nobody does. */
  function joinSender(key: string): Promise<AtOnce> | null {
    const known = senders.get(key);
    if (!known) return null;
    known.again = true;
    return known.ended;
  }

  /** Becomes the sender of a conversation; for who has taken one of the places. */
  function begin(key: string, target: MessageDeliveryInput, places: Places, background: boolean): Promise<AtOnce> {
    const sender = { again: false };
    const ended = runtime.tracing.span(
      'direct send',
      { attributes: { 'msgdesk.workspace_id': target.workspaceId } },
      () =>
        inTurnOf(target.workspaceId, () => deliver(key, target, sender, places), {
          background,
          // Else more would be accepted than sent, until the places are taken and workflows have to be made.
          ending: !background,
        }),
    );
    senders.set(key, Object.assign(sender, { ended }));
    return ended;
  }

  async function beginSoon(key: string, target: MessageDeliveryInput): Promise<AtOnce> {
    const wish = stopping ? 'none' : await relayed.takeSoon(target.workspaceId, patienceMs);
    if (wish !== 'given') return wish === 'later' ? 'later' : 'waits';
    const joined = joinSender(key);
    if (!joined && !stopping) return begin(key, target, relayed, true);
    relayed.giveBack(target.workspaceId);
    return joined ?? 'waits';
  }

  runtime.outbox.tryAtOnce('messageDelivery', (target, mayWait) => {
    const key = `${target.workspaceId}/${target.conversationId}`;
    const joined = joinSender(key);
    if (joined) return joined;
    if (mayWait) return beginSoon(key, target);
    return stopping || !accepted.take(target.workspaceId) ? null : begin(key, target, accepted, false);
  });

  return {
    async stop() {
      stopping = true;
      relayed.refuseWaiting();
      await Promise.allSettled([...senders.values()].map(({ ended }) => ended));
    },
  };
}
