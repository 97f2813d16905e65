import type { Runtime } from '../api/core/runtime';
import { reopenByOperator, wakeIfDue } from '../api/services/resources/conversations/snooze';
import type { Activities } from '../workflows/contract';

/** Ends of snoozes. */
export function conversationActivities(runtime: Runtime): Pick<Activities, 'wakeConversation' | 'reopenConversation'> {
  return {
    wakeConversation: (input) => wakeIfDue(runtime, input),
    reopenConversation: (input) => reopenByOperator(runtime, input),
  };
}
