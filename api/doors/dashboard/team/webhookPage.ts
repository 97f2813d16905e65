import type { FieldErrors } from '../../../core/http/errors';
import type { Page } from '../../../core/http/operations';
import {
  allEvents,
  deliveryStates,
  testEventType,
  webhookEventTypes,
} from '../../../services/resources/webhooks/eventTypes';
import { pagerView, statusTag, type TagView } from '../fieldViews';
import { localOf } from '../../../core/zones';
import type { PageAnswer, PageRequest } from '../page';
import { settingsPage } from './settings';

export const webhooksPath = '/dashboard/webhooks/';

/** A subscription, as the API gives it. */
export interface Webhook {
  readonly id: number;
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
  readonly scopes: readonly string[];
  readonly autonomy: string;
  readonly is_active: boolean;
  readonly disabled_at: string | null;
  readonly disabled_reason: string;
  readonly failing_since: string | null;
  readonly created_at: string;
}

/** Returns whether a subscription sends, and whether what it sends arrives. */
export function stateOf({ disabled_at: disabledAt, is_active: isActive, failing_since: failing }: Webhook): TagView {
  if (disabledAt !== null) return { text: 'disabled', style: 'tag-bad' };
  if (!isActive) return { text: 'inactive', style: '' };
  return failing === null ? { text: 'active', style: 'tag-good' } : { text: 'failing', style: 'tag-warn' };
}

/** Returns what a subscription asks for, in words. */
export function eventsText({ events }: Pick<Webhook, 'events'>): string {
  return events.includes(allEvents) ? 'All' : events.join(', ');
}

/** A delivery, as the API gives it. */
interface Delivery {
  readonly id: number;
  readonly event_id: string;
  readonly type: string;
  readonly status: string;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly last_status_code: number | null;
  readonly last_error: string;
  readonly actions: unknown;
  readonly created_at: string;
}

/** A delivery as a row of the log. */
interface DeliveryView extends Pick<Delivery, 'id' | 'event_id' | 'type' | 'created_at' | 'last_error'> {
  readonly state: TagView;
  readonly attempts: string;
  /** When it is tried again; null: it is not. */
  readonly next: string | null;
  /** Null: there was no answer yet. */
  readonly code: number | null;
  readonly hasNoAnswer: boolean;
  /** What its answer asked for, as JSON; empty: nothing. */
  readonly actions: string;
  /** Where it is sent again; null: that cannot be. */
  readonly again: string | null;
  readonly at: string;
}

function deliveryView(page: PageRequest, webhook: Webhook, delivery: Delivery): DeliveryView {
  const { status, attempts, actions, next_attempt_at: next, last_status_code: code, ...rest } = delivery;
  const mayRedeliver = status !== 'pending' && webhook.is_active && page.may('webhooks.redeliver');
  return {
    ...rest,
    state: statusTag(status),
    attempts: attempts === 1 ? 'one attempt' : `${attempts} attempts`,
    next: status === 'pending' ? next : null,
    code,
    hasNoAnswer: !code && !rest.last_error,
    actions: actions ? JSON.stringify(actions, null, 2) : '',
    again: mayRedeliver ? `${webhooksPath}${webhook.id}/deliveries/${rest.id}/redeliver/` : null,
    at: page.moment(rest.created_at),
  };
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
  const { scopes, autonomy } = webhook;
  const own = `${webhooksPath}${webhook.id}/`;
  const data = {
    webhook,
    title: webhook.description || 'Webhook',
    state: stateOf(webhook),
    asksFor: eventsText(webhook),
    answersMay: scopes.length > 0 ? `${scopes.join(', ')} (${autonomy})` : 'do nothing',
    deliveries: deliveries.items.map((delivery) => deliveryView(page, webhook, delivery)),
    pager: pagerView(deliveries, own, { status, event }),
    isFiltered: Boolean(status || event),
    // The page follows deliveries that are due soon, but does not ask all day for one that is due tomorrow.
    follows: deliveries.items.some((item) => item.status === 'pending' && isSoon(page, item.next_attempt_at)),
    query: { status, event },
    self: page.link(own, { status, event, cursor, page: number }),
    zone: `In ${page.workspace.timezone}.`,
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
    own,
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
