import { allScopes } from '../../../core/http/access';
import { boolean, choice, datetime, described, input, list, required, text } from '../../../core/http/fields';
import { pagingQuery } from '../../../core/http/paging';
import { allEvents, deliveryStates, webhookEventTypes } from './eventTypes';

const fields = {
  url: described(
    text({ max: 2048, blank: false }),
    'Where events are sent: https, without a user name and password, at a public address.',
    'https://example.com/hooks/msgdesk',
  ),
  events: described(
    list(choice([allEvents, ...webhookEventTypes]), { min: 1, max: webhookEventTypes.length }),
    'Types of events, each with the scope to view what it shows; `["*"]`, alone, is all that you may view.',
    ['message.received', 'ticket.stage_changed'],
  ),
  description: text({ max: 255 }),
  scopes: described(
    list(choice(allScopes), { max: allScopes.length }),
    'What the actions of its answers may do: at most what you hold yourself. Default: nothing.',
    ['chat.assign'],
  ),
  is_active: described(boolean(), 'While it is false, nothing is sent, and what happens is not sent later.'),
};

/** `POST /webhooks/`. */
export const createWebhookInput = input({ ...fields, url: required(fields.url), events: required(fields.events) });
/** `PATCH /webhooks/{id}/`. */
export const updateWebhookInput = input(fields);

/** `GET /webhooks/{id}/deliveries/`. */
export const deliveryListQuery = input({
  ...pagingQuery,
  status: described(choice(deliveryStates), 'Only deliveries in this state.'),
  event: described(choice([...webhookEventTypes, 'webhook.test']), 'Only deliveries of this type of event.'),
});

/** `POST /webhooks/{id}/replay/`. */
export const replayInput = input({
  from: required(described(datetime(), 'The first moment of what is sent again.')),
  to: described(datetime(), 'The last moment; now unless given.'),
});
