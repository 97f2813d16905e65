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
    'Types of events; each needs the scope to view its object. `["*"]`, alone, means all that you may view.',
    ['message.received', 'ticket.stage_changed'],
  ),
  description: text({ max: 255 }),
  scopes: described(
    list(choice(allScopes), { max: allScopes.length }),
    'Scopes of the actions that the receiver asks for in its answers: at most your own. Default: none.',
    ['chat.assign'],
  ),
  is_active: described(
    boolean(),
    'While it is false, no events are sent; events of that time are not sent later either.',
  ),
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
  from: required(described(datetime(), 'Events from this time on are sent again.')),
  to: described(datetime(), 'Events up to this time are sent again. Default: now.'),
});
