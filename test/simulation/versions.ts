/*
 * The version before, as far as it can be played by the code of this one: it does not know a workflow and what that has
 * done. Its rows, calls and tasks all go through here.
 */

/** What an older version does not know. Its intents are written by the API, and no loop of a worker needs it. */
const newWorkflow = 'snoozeTimer';
const newActivities: ReadonlySet<string> = new Set(['wakeConversation', 'reopenConversation']);

const known = new RegExp(`(workflow = ANY\\('\\{[^}]*)\\b${newWorkflow},?`, 'g');

/** Returns a statement as an older version has it: the workflows that it knows are fewer. */
export const asOlder = (text: string): string => text.replace(known, '$1');

/** Returns whether an older version does not know a workflow. */
export const isNewWorkflow = (workflow: string): boolean => workflow === newWorkflow;

/** Throws what Temporal's SDK says of an activity that a worker has not. */
export function missAsOlder(activity: string): void {
  if (newActivities.has(activity)) throw new Error(`Activity function ${activity} is not registered on this Worker`);
}
