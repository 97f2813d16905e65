import type { Scope } from '../../../core/http/access';

export { webhookEventTypes, type WebhookEventType } from '../../../core/queue/eventKinds';

/** What a subscriber must be allowed to see, by the beginning of an event's type. */
const viewScopes = {
  message: 'chat.view',
  conversation: 'chat.view',
  approval: 'chat.view',
  contact: 'contact.view',
  ticket: 'ticket.view',
  stage_notification: 'ticket.view',
  broadcast: 'broadcast.manage',
  template: 'template.view',
  flow: 'flow.view',
  macro: 'macro.view',
  rule: 'macro.view',
  account: 'workspace.manage',
} as const satisfies Readonly<Record<string, Scope>>;
type Family = keyof typeof viewScopes;

/** Returns the scope that a subscriber to a type of event needs. */
export function viewScopeOf(type: string): Scope {
  return viewScopes[type.split('.')[0] as Family];
}

/** Scopes that events of some type need. */
export const eventScopes: readonly Scope[] = [...new Set(Object.values(viewScopes))];

const scopeSql = `CASE split_part(e.type, '.', 1)
  ${Object.entries(viewScopes)
    .map(([family, scope]) => `WHEN '${family}' THEN '${scope}'`)
    .join(' ')} END`;

/** SQL: a subscription `s` asks for an event `e`, and its maker may see it: `*` is no more than that. */
export const asksForSql = `s.events && ARRAY['*', e.type::text] AND s.view_scopes && ARRAY[${scopeSql}]`;

/** Type of the event that `POST …/test/` sends; no subscription names it. */
export const testEventType = 'webhook.test';

/** Stands for every type. */
export const allEvents = '*';

export const deliveryStates = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Pauses after the first, second, … failed attempt; when they are used up, the delivery has failed. */
export const retryDelaysMs = [10, 60, 5 * 60, 30 * 60, 2 * 3_600, 6 * 3_600, 12 * 3_600, 24 * 3_600, 24 * 3_600].map(
  (seconds) => seconds * 1_000,
);

/** How long a replaced secret goes on signing beside the new one. */
export const secretOverlapMs = 24 * 3_600_000;
