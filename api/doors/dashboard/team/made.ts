import type { PageRequest } from '../page';

/** What a member or key made that goes on by itself, as the API shows it. */
export interface Made {
  readonly webhooks: readonly { readonly id: number; readonly url: string }[];
  readonly broadcasts: readonly { readonly id: number; readonly name: string; readonly scheduled_at: string }[];
}

/** Returns what a member or key made that goes on by itself. */
export function loadMade(page: PageRequest, operation: 'teamMembers.made' | 'apiKeys.made', id: number): Promise<Made> {
  return page.call<Made>(operation, { id });
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
