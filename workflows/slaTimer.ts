import { defineQuery, setHandler } from '@temporalio/workflow';
import { activities } from './activities';
import type { SlaState } from './contract';
import { Deadline, type DeadlineEnd } from './deadline';
import { failsOnErrors } from './failures';

const slaStateQuery = defineQuery<SlaState>('state');

/** How the wait ended. */
type SlaEnd = 'breached' | Exclude<DeadlineEnd, 'done'>;

/** Marks one ticket or conversation when its next deadline passes. The row decides; this only knows when to ask it. */
export async function slaTimer(initial: SlaState): Promise<SlaEnd> {
  const deadline = new Deadline<SlaState>(initial);
  setHandler(slaStateQuery, () => deadline.state, { description: 'The next deadline.' });

  const { workspaceId, subject, subjectId } = initial;
  const end = await deadline.wait({
    ask: ({ version }) => activities.breachSla({ workspaceId, subject, subjectId, version }),
    show: (time, { version }) => ({ summary: `Due at ${time}`, details: `Due at ${time} (version ${version})` }),
  });
  return end === 'done' ? 'breached' : end;
}
failsOnErrors(slaTimer);
