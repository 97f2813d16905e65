import { autonomyLevels } from '../../../core/http/access';
import { from, shapeOf, wire } from '../../../core/http/shapes';
import type { WebhookSubscriptionRow } from '../../../../models';
import { deliveryStates, type DeliveryState } from './eventTypes';

/** A subscription, without its secret. */
export const { schema: webhookShape, serialize: serializeWebhook } = shapeOf<WebhookSubscriptionRow>('Webhook').with({
  id: wire.integer(),
  url: wire.text('Where events are sent.'),
  events: wire.list(wire.text('Type of event, or `*` for all.')),
  description: wire.text(),
  scopes: wire.list(wire.text('What the actions of its answers may do.')),
  autonomy: {
    ...wire.oneOf(autonomyLevels),
    description: 'Whether messages of its actions need approval, as for the credential that made it.',
  },
  is_active: wire.boolean(),
  created_by: from(
    wire.nullable(wire.integer('The member who made it, or whose key did.')),
    ({ created_by_id }) => created_by_id,
  ),
  failing_since: {
    ...wire.nullable(wire.datetime()),
    description: 'Since when no delivery has succeeded; null while they do.',
  },
  disabled_at: {
    ...wire.nullable(wire.datetime()),
    description: 'When the service deactivated it; null where it did not.',
  },
  disabled_reason: wire.text('Why the service deactivated it; empty where it did not.'),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
});

/** A subscription with its secret, at creation and rotation. */
export const webhookWithSecretShape = wire.extended('WebhookWithSecret', webhookShape, {
  secret: wire.text('Signs what is sent (Standard Webhooks). Shown this once.'),
});

/** A delivery with what its event tells. */
export interface DeliveryView {
  readonly id: number;
  readonly event_id: string;
  readonly type: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly last_status_code: number | null;
  readonly last_error: string;
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
  readonly actions: unknown;
}

/** One event on its way to one subscription. */
export const { schema: deliveryShape, serialize: serializeDelivery } = shapeOf<DeliveryView>('WebhookDelivery').with({
  id: wire.integer(),
  event_id: wire.text('The `id` of the payload, and the header `webhook-id`.'),
  type: wire.text('Type of the event.'),
  status: from(wire.oneOf(deliveryStates), ({ state }) => state),
  attempts: wire.integer(),
  last_status_code: wire.nullable(wire.integer('Status of the last answer; null where there was none.')),
  last_error: wire.text('Why the last attempt failed; empty where it did not.'),
  next_attempt_at: wire.nullable(wire.datetime()),
  created_at: wire.datetime(),
  actions: from(
    wire.any('What became of the actions of the answer; null where it had none.'),
    ({ actions }) => actions ?? null,
  ),
});
