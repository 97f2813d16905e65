import type { FieldErrors } from '../../../core/http/errors';
import type { Page } from '../../../core/http/operations';
import { deliveryStates, testEventType, webhookEventTypes } from '../../../services/resources/webhooks/eventTypes';
import { localOf } from '../formats';
import type { PageAnswer, PageRequest } from '../page';
import { settingsPage } from './settings';

export const webhooksPath = '/dashboard/webhooks/';

/** A subscription, as the API gives it. */
export interface Webhook {
  readonly id: number;
  readonly url: string;
  readonly is_active: boolean;
}

interface Delivery {
  readonly status: string;
  readonly next_attempt_at: string | null;
}

/** The log looks for news by itself while something is due this soon. */
const soonMs = 2 * 60_000;
const dayMs = 86_400_000;

/** Returns the subscription that the path names. */
export function loadWebhook(page: PageRequest): Promise<Webhook> {
  return page.call<Webhook>('webhooks.get', { id: page.params['id'] });
}

/** Answers with a subscription and the log of its deliveries; only the log where the page asks for it. */
export async function webhookPage(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const webhook = await loadWebhook(page);
  const { status, event, cursor, page: number } = page.query;
  const list = { id: webhook.id, page_size: 25 };
  const read = await page.attempt(() =>
    page.call<Page<Delivery>>('webhooks.deliveries', { ...list, status, event, cursor, page: number }),
  );
  const deliveries =
    'value' in read ? read.value : { items: [] as readonly Delivery[], count: 0, next: null, previous: null };
  const data = {
    webhook,
    deliveries,
    // What follows is to be seen without reloading, but nobody asks all day long for what is due tomorrow.
    follows: deliveries.items.some((item) => item.status === 'pending' && isSoon(page, item.next_attempt_at)),
    query: { status, event },
    at: { cursor, page: number },
    states: [{ value: '', label: 'Any state' }, ...deliveryStates.map((value) => ({ value, label: value }))],
    events: [
      { value: '', label: 'Any event' },
      ...[...webhookEventTypes, testEventType].map((value) => ({ value, label: value })),
    ],
    replay: {
      from: page.form['from'] ?? localOf(new Date(page.now.getTime() - dayMs), page.workspace.timezone),
      to: page.form['to'] ?? '',
    },
    errors: errors ?? ('errors' in read ? read.errors : undefined),
    path: webhooksPath,
    own: `${webhooksPath}${webhook.id}/`,
  };
  if (page.isPartial) return page.part('/webhooks/deliveries', data);
  return settingsPage(page, '/webhooks/one', data, {
    section: 'webhooks',
    title: 'Webhook',
    ...(errors ? { status: 422 } : {}),
  });
}

function isSoon(page: PageRequest, at: string | null): boolean {
  return at !== null && new Date(at).getTime() - page.now.getTime() < soonMs;
}
