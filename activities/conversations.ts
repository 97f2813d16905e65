import { systemCtx, type Ctx } from '../api/core/context';
import type { Runtime } from '../api/core/runtime';
import { assignWaiting } from '../api/services/processes/assignment/service';
import { reopenByOperator, wakeIfDue } from '../api/services/resources/conversations/snooze';
import type { Activities } from '../workflows/contract';

/** Activities that end snoozes, and that find members for what waits in a team inbox. */
export function conversationActivities(
  runtime: Runtime,
): Pick<Activities, 'wakeConversation' | 'reopenConversation' | 'assignConversations'> {
  const ctxOf = (input: { workspaceId: number; conversationId: number }): Ctx =>
    systemCtx(runtime, input.workspaceId, `snooze/${input.conversationId}`);
  return {
    wakeConversation: (input) => wakeIfDue(ctxOf(input), input),
    reopenConversation: (input) => reopenByOperator(ctxOf(input), input.conversationId),
    assignConversations: ({ workspaceId, inboxId }) =>
      assignWaiting(systemCtx(runtime, workspaceId, `assignment/${inboxId}`), inboxId),
  };
}
