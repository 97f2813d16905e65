import { defineQuery, setHandler } from '@temporalio/workflow';
import { activities } from './activities';
import type { RuleTimerState } from './contract';
import { Deadline, type DeadlineEnd } from './deadline';
import { failsOnErrors } from './failures';

const ruleTimerQuery = defineQuery<RuleTimerState>('state');

/** How the wait ended. */
type RuleTimerEnd = 'judged' | Exclude<DeadlineEnd, 'done'>;

/** Has the rules judged that wait on a conversation, when each is due. The rows decide; this only knows when to ask. */
export async function ruleTimer(initial: RuleTimerState): Promise<RuleTimerEnd> {
  const deadline = new Deadline<RuleTimerState>(initial);
  setHandler(ruleTimerQuery, () => deadline.state, { description: 'The earliest wait, and those that follow.' });

  const { workspaceId, conversationId } = initial;
  const end = await deadline.wait({
    ask: () => activities.judgeRules({ workspaceId, conversationId }),
    show: (time, { waits }) => ({
      summary: `Rules due at ${time}`,
      details: waits.map(({ ruleId, version, at }) => `Rule ${ruleId} (version ${version}) at ${at}`).join(', then '),
    }),
  });
  return end === 'done' ? 'judged' : end;
}
failsOnErrors(ruleTimer);
