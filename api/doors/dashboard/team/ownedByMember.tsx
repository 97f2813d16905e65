import { madeShape } from '../../../services/processes/credentials/ownedByMember';
import type { Html } from '../html';
import type { PageRequest } from '../page';
import { Field } from '../parts';
import { readOne } from '../typedCalls';
import { words } from '../words';

const { stop } = words.members;

/** Draws the boxes that stop what a member or key made: one for each kind that goes on by itself. */
export async function madeBoxes(
  page: PageRequest,
  operation: 'teamMembers.made' | 'apiKeys.made',
  id: number,
): Promise<Html> {
  const { webhooks, broadcasts } = await readOne(page, madeShape, operation, { id });
  const planned = broadcasts.map(({ name, scheduled_at: at }) => `${name} (${page.moment(at)})`);
  return (
    <>
      {webhooks.length > 0 && (
        <Field
          name="stop_webhooks"
          type="checkbox"
          value
          label={stop.webhooks(webhooks.length)}
          hint={webhooks.map(({ url }) => url).join(', ')}
        />
      )}
      {broadcasts.length > 0 && (
        <Field
          name="stop_broadcasts"
          type="checkbox"
          value
          label={stop.broadcasts(broadcasts.length)}
          hint={planned.join(', ')}
        />
      )}
    </>
  );
}

/** Returns what goes on, by those boxes: what is not ticked is not stopped. */
export function keptOf(page: PageRequest): { readonly keep_webhooks: boolean; readonly keep_broadcasts: boolean } {
  const { stop_webhooks: webhooks, stop_broadcasts: broadcasts } = page.form;
  return { keep_webhooks: webhooks !== 'true', keep_broadcasts: broadcasts !== 'true' };
}

/** Returns the id of the path; what cannot be one names nothing. */
export function idOfPath(page: PageRequest): number {
  const text = page.params['id'] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
