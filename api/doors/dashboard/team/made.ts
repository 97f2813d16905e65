import type { FieldGiven } from '../fieldViews';
import { amountText } from '../formats';
import type { PageRequest } from '../page';

/** What a member or key made that goes on by itself, as the API shows it. */
interface Made {
  readonly webhooks: readonly { readonly id: number; readonly url: string }[];
  readonly broadcasts: readonly { readonly id: number; readonly name: string; readonly scheduled_at: string }[];
}

/** Returns the boxes that stop what a member or key made: one for each kind that goes on by itself. */
export async function loadMade(
  page: PageRequest,
  operation: 'teamMembers.made' | 'apiKeys.made',
  id: number,
): Promise<readonly FieldGiven[]> {
  const { webhooks, broadcasts } = await page.call<Made>(operation, { id });
  const box = (name: string, label: string, hint: string): FieldGiven => ({
    name,
    type: 'checkbox',
    value: true,
    label,
    hint,
  });
  const hooks = amountText(webhooks.length, 'webhook');
  const planned = broadcasts.map(({ name, scheduled_at: at }) => `${name} (${page.moment(at)})`);
  return [
    ...(webhooks.length > 0
      ? [
          box(
            'stop_webhooks',
            `Stop ${hooks}, which would go on telling their receivers what happens`,
            webhooks.map(({ url }) => url).join(', '),
          ),
        ]
      : []),
    ...(broadcasts.length > 0
      ? [box('stop_broadcasts', `Unschedule ${amountText(broadcasts.length, 'broadcast')}`, planned.join(', '))]
      : []),
  ];
}

/** Returns what goes on, by the boxes of `partials/made`: what is not ticked is not stopped. */
export function keptOf(page: PageRequest): { readonly keep_webhooks: boolean; readonly keep_broadcasts: boolean } {
  const { stop_webhooks: webhooks, stop_broadcasts: broadcasts } = page.form;
  return { keep_webhooks: webhooks !== 'true', keep_broadcasts: broadcasts !== 'true' };
}

/** Returns the id of the path; what cannot be one names nothing. */
export function idOfPath(page: PageRequest): number {
  const text = page.params['id'] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
