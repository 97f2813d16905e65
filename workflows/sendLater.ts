import { defineQuery, defineSignal, setHandler } from '@temporalio/workflow';
import { activities } from './activities';
import { signals, type SendLaterState } from './contract';
import { Deadline, type DeadlineEnd } from './deadline';
import { failsOnErrors } from './failures';

/** Sent by an operator: send the message now. */
const sendSignal = defineSignal(signals.send);
const stateQuery = defineQuery<SendLaterState>('state');

/** How the wait ended; `gone`: the message was sent, held or discarded before an operator's word came. */
type SendLaterEnd = 'queued' | 'held' | 'gone' | Exclude<DeadlineEnd, 'done'>;

/** Queues one message when its moment has come. The row decides; the workflow only waits for the time to ask it. */
export async function sendLater(initial: SendLaterState): Promise<SendLaterEnd> {
  const deadline = new Deadline<SendLaterState, 'send' | 'hold'>(initial, 'hold');
  setHandler(sendSignal, () => deadline.request('send'), { description: 'Sends the message now.' });
  setHandler(stateQuery, () => deadline.state, { description: 'When the message is sent.' });

  const { workspaceId, messageId, conversationId } = initial;
  const end = await deadline.wait<Exclude<SendLaterEnd, DeadlineEnd>>({
    ask: ({ version }) => activities.sendScheduledMessage({ workspaceId, messageId, version }),
    act: (what) => activities.decideScheduledMessage({ workspaceId, messageId, what }),
    show: (time, { version }) => ({
      summary: `Sent at ${time}`,
      details:
        `Message ${messageId} of conversation ${conversationId} is sent at ${time} (version ${version}). ` +
        'The signal "send" sends it now, "cancel" holds it until a member decides.',
    }),
  });
  return end === 'done' ? 'queued' : end;
}
failsOnErrors(sendLater);
