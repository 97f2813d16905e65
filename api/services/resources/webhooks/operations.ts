import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { ceilingConflict } from '../../identity/workspaces/objectLimits';
import { findDelivery, insertTest, listDeliveries, renewDelivery, renewRange } from './deliveries';
import { createWebhookInput, deliveryListQuery, replayInput, updateWebhookInput } from './schema';
import { deliveryShape, serializeDelivery, serializeWebhook, webhookShape, webhookWithSecretShape } from './serializer';
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  requireActive,
  rotateSecret,
  updateWebhook,
  wakeDelivery,
} from './service';

const path = '/api/v1/webhooks/';
const common = { tag: 'Webhooks', scope: 'webhook.manage' } as const;
const one = { ...common, path: `${path}{id}/`, intParams: ['id'] } as const;

/** What a replay began. */
export const replayShape = wire.named('WebhookReplay', { replayed: wire.integer('How many events are due again.') });

/** Subscriptions to events, and the log of their deliveries. */
export const webhookOperations = [
  operation({
    ...common,
    id: 'webhooks.list',
    method: 'GET',
    path,
    summary: 'List webhook subscriptions',
    description: 'All subscriptions of the workspace, as a plain array.',
    status: 200,
    output: wire.list(webhookShape),
    run: async (ctx) => (await listWebhooks(ctx)).map(serializeWebhook),
  }),
  operation({
    ...common,
    id: 'webhooks.create',
    asksAgain: true,
    method: 'POST',
    path,
    summary: 'Subscribe to events',
    description:
      'The secret is in this answer only. Events are signed with it (Standard Webhooks) and sent at least once, ' +
      'with the same `webhook-id` each time.',
    body: createWebhookInput,
    status: 201,
    output: webhookWithSecretShape,
    conflicts: ceilingConflict('subscriptions'),
    examples: { request: { url: 'https://example.com/hooks/msgdesk', events: ['message.received'] } },
    run: async (ctx, input) => {
      const { row, secret } = await createWebhook(ctx, input);
      return { ...serializeWebhook(row), secret };
    },
  }),
  operation({
    ...one,
    id: 'webhooks.get',
    method: 'GET',
    summary: 'Read a webhook subscription',
    description: '`failing_since` and `disabled_reason` say whether its deliveries succeed.',
    status: 200,
    output: webhookShape,
    run: async (ctx, { id }) => serializeWebhook(await findWebhook(ctx, id)),
  }),
  operation({
    ...one,
    id: 'webhooks.update',
    asksAgain: ['url', 'events', 'scopes', 'is_active'],
    method: 'PATCH',
    summary: 'Change a webhook subscription',
    description:
      'A changed `url` is used for retries, too. Deactivating cancels pending deliveries. 403 if the ' +
      'subscription may ' +
      'do more than the credential.',
    body: updateWebhookInput,
    status: 200,
    output: webhookShape,
    examples: { request: { events: ['message.received', 'ticket.stage_changed'] } },
    locate: (ctx, { id }) => findWebhook(ctx, id),
    run: async (ctx, { id, ...values }) => serializeWebhook(await updateWebhook(ctx, id, values)),
  }),
  operation({
    ...one,
    id: 'webhooks.delete',
    method: 'DELETE',
    summary: 'Remove a webhook subscription with its log',
    description: 'No more events are sent to it.',
    status: 204,
    output: null,
    run: async (ctx, { id }) => deleteWebhook(ctx, id),
  }),
  operation({
    ...one,
    id: 'webhooks.rotateSecret',
    asksAgain: true,
    method: 'POST',
    path: `${path}{id}/rotate-secret/`,
    summary: 'Make a new secret',
    description:
      'For 24 hours events are signed with the old secret, too; where it is replaced again in them, with all. The ' +
      'new one is in this answer only.',
    status: 200,
    output: webhookWithSecretShape,
    locate: (ctx, { id }) => findWebhook(ctx, id),
    run: async (ctx, { id }) => {
      const { row, secret } = await rotateSecret(ctx, id);
      return { ...serializeWebhook(row), secret };
    },
  }),
  operation({
    ...one,
    id: 'webhooks.test',
    method: 'POST',
    path: `${path}{id}/test/`,
    summary: 'Send a test event',
    description:
      'Sends one event of the type `webhook.test`, with sequence 0, once, also to a subscription that is not active. ' +
      'Its delivery shows the result.',
    status: 200,
    output: deliveryShape,
    locate: (ctx, { id }) => findWebhook(ctx, id),
    run: async (ctx, { id }) =>
      ctx.runtime.db.transaction(async () => {
        await findWebhook(ctx, id);
        const delivery = await insertTest(ctx, id);
        await wakeDelivery(ctx, id);
        return serializeDelivery(await findDelivery(ctx, id, delivery));
      }),
  }),
  operation({
    ...one,
    id: 'webhooks.deliveries',
    method: 'GET',
    path: `${path}{id}/deliveries/`,
    summary: 'List the deliveries of a subscription, newest first',
    description: 'Each event with its attempts, the last answer, and when it is tried again.',
    query: deliveryListQuery,
    status: 200,
    output: wire.page(deliveryShape),
    locate: (ctx, { id }) => findWebhook(ctx, id),
    run: async (ctx, { id, ...filters }) => {
      await findWebhook(ctx, id);
      const page = await listDeliveries(ctx, id, filters);
      return { ...page, items: page.items.map(serializeDelivery) };
    },
  }),
  operation({
    ...common,
    id: 'webhooks.redeliver',
    method: 'POST',
    path: `${path}{id}/deliveries/{delivery_id}/redeliver/`,
    intParams: ['id', 'delivery_id'],
    summary: 'Send an event again',
    description:
      'At once, also if it waits for its next attempt, with the same `webhook-id`. If actions of an earlier answer ' +
      'were run, those of the new answer are not.',
    status: 200,
    output: deliveryShape,
    conflicts: {
      when: 'The subscription is not active.',
      example: 'This subscription is not active. Activate it first.',
    },
    locate: (ctx, { id, delivery_id }) => findDelivery(ctx, id, delivery_id),
    run: async (ctx, { id, delivery_id }) =>
      ctx.runtime.db.transaction(async () => {
        await requireActive(ctx, id);
        await renewDelivery(ctx, id, delivery_id);
        await wakeDelivery(ctx, id);
        return serializeDelivery(await findDelivery(ctx, id, delivery_id));
      }),
  }),
  operation({
    ...one,
    id: 'webhooks.replay',
    method: 'POST',
    path: `${path}{id}/replay/`,
    summary: 'Send the events of a time range again',
    description:
      'All events of these times that the subscription asks for, also those that were delivered before or happened ' +
      'while it was not active. Events from before the subscription was created are left out. At most 10,000 at once.',
    body: replayInput,
    status: 200,
    output: replayShape,
    conflicts: {
      when: 'The subscription is not active.',
      example: 'This subscription is not active. Activate it first.',
    },
    locate: (ctx, { id }) => findWebhook(ctx, id),
    examples: { request: { from: '2026-01-04T09:00:00Z', to: '2026-01-04T12:00:00Z' } },
    run: async (ctx, { id, from, to }) =>
      ctx.runtime.db.transaction(async () => {
        await requireActive(ctx, id);
        const replayed = await renewRange(ctx, id, { from, to: to ?? ctx.runtime.clock.now() });
        if (replayed > 0) await wakeDelivery(ctx, id);
        return { replayed };
      }),
  }),
];
