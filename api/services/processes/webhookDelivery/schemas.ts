import { collectSchemas, pascal, type NamedSchemas } from '../../../core/http/openapiSchemas';
import { wire, type JsonSchema } from '../../../core/http/shapes';
import { contactShape } from '../../resources/contacts/serializer';
import { activityShape } from '../../resources/conversations/activity';
import { conversationShape } from '../../resources/conversations/serializer';
import { broadcastShape } from '../../resources/broadcasts/serializer';
import { submissionShape } from '../../resources/flows/serializer';
import { messageShape } from '../../resources/messages/serializer';
import { templateShape } from '../../resources/templates/serializer';
import { commentShape, ticketInEventShape as ticketShape } from '../../resources/tickets/serializer';
import { testEventType, webhookEventTypes, type WebhookEventType } from '../../resources/webhooks/eventTypes';
import { maxRunsPerHour } from './loops';
import { paymentRefusedShape } from '../../resources/accounts/payment';
import { approvalShape } from '../approvals/operations';
import { runShape } from '../macroRuns/serializer';
import { ruleShape } from '../ruleSettings/serializer';

const idOnly = wire.named('Deleted', { id: wire.integer('Id of what was deleted.') });

const gone = wire.named('GoneObject', { id: wire.integer('Id of what was gone before it could be shown.') });
const goneOnTicket = wire.named('GoneOnTicket', {
  id: wire.integer('Id of what was gone before it could be shown.'),
  ticket: wire.named('GoneTicket', { id: wire.integer() }),
});

const extended = (name: string, shape: JsonSchema, properties: Record<string, JsonSchema>): JsonSchema =>
  wire.named(name, { ...(shape['properties'] as Record<string, JsonSchema>), ...properties });

const stageNotification = extended('StageNotification', activityShape, { ticket: ticketShape });

/** What happened, and the object that `data` shows. */
const told: Readonly<Record<WebhookEventType | typeof testEventType, readonly [summary: string, data: JsonSchema]>> = {
  'message.received': ['A customer wrote.', messageShape],
  'message.status_changed': ["An outbound message's status changed.", messageShape],
  'message.edited': [
    'Its author changed a message: `body` is the new content, `edits` has the earlier ones.',
    messageShape,
  ],
  'message.deleted': ['Its author deleted a message; its body stays.', messageShape],
  'conversation.created': ['The first message of a conversation, in either direction.', conversationShape],
  'conversation.updated': ['Status, priority or assignment of a conversation changed.', conversationShape],
  'conversation.snoozed': ['A conversation was snoozed, or its time changed.', conversationShape],
  'conversation.woken': ['A snoozed conversation is open again.', conversationShape],
  'conversation.reopened': ['A conversation that was done is open again.', conversationShape],
  'conversation.rated': ['A customer said how satisfied they are: `changes.rating`.', conversationShape],
  'contact.created': ['A contact was created.', contactShape],
  'contact.updated': ['A contact changed.', contactShape],
  'contact.deleted': ['A contact was erased.', idOnly],
  'contact.merged': ['Two contacts became one; `changes.id` names both.', contactShape],
  'contact.opted_out': ['A contact wants no marketing messages.', contactShape],
  'contact.opted_in': ['A contact wants marketing messages again.', contactShape],
  'ticket.created': ['A ticket was created.', ticketShape],
  'ticket.updated': ['A ticket changed.', ticketShape],
  'ticket.stage_changed': ['A ticket moved to another stage.', ticketShape],
  'ticket.commented': [
    'A comment was added to a ticket.',
    extended('CommentOnTicket', commentShape, { ticket: ticketShape }),
  ],
  'ticket.escalated': ['A ticket was escalated.', ticketShape],
  'ticket.sla_breached': ['A deadline of a ticket has passed.', ticketShape],
  'ticket.deleted': ['A ticket was deleted.', idOnly],
  'stage_notification.sent': ['A contact was told of a new stage.', stageNotification],
  'stage_notification.skipped': ['A contact was not told of a new stage, on purpose.', stageNotification],
  'stage_notification.failed': ['A contact could not be told of a new stage.', stageNotification],
  'broadcast.scheduled': ['A broadcast was confirmed for later.', broadcastShape],
  'broadcast.started': ['A broadcast began.', broadcastShape],
  'broadcast.completed': ['A broadcast is through.', broadcastShape],
  'broadcast.failed': ['A broadcast ended before it was through.', broadcastShape],
  'macro.ran': ['A macro, or the actions of an answer, were applied.', runShape],
  'rule.stopped': [
    'A rule that was on acts no more: it was paused, switched off, deleted, or paused itself.',
    ruleShape,
  ],
  'approval.requested': ["A member's approval is asked for.", approvalShape],
  'approval.decided': ['An approval was given, refused, or has expired.', approvalShape],
  'template.status_changed': ["The platform changed a template's status.", templateShape],
  'flow.submitted': ['A customer submitted a flow.', submissionShape],
  'account.payment_refused': [
    'The platform does not deliver what the account would have to pay for.',
    paymentRefusedShape,
  ],
  [testEventType]: ['Sent by `POST …/test/`.', wire.named('TestEventData', { subscription_id: wire.integer() })],
};

/** Returns what `data` may be: the object, or its id where it was gone before it could be shown. */
function dataOf(type: WebhookEventType | typeof testEventType): JsonSchema {
  const [, shown] = told[type];
  if (shown === idOnly || type === testEventType) return shown;
  return { anyOf: [shown, type === 'ticket.commented' || shown === stageNotification ? goneOnTicket : gone] };
}

const nameOf = (type: string): string => `${pascal(type)}Event`;

/** Returns the schema of the payload of a type of event. */
export function payloadSchema(type: WebhookEventType | typeof testEventType): JsonSchema {
  const properties = {
    id: wire.text('The same each time that the event is sent: the header `webhook-id`.'),
    type: { type: 'string', const: type },
    created_at: wire.datetime(),
    workspace_id: wire.integer(),
    sequence: wire.integer('Rises by one with each event of the same conversation, ticket or other subject.'),
    data: dataOf(type),
  };
  return {
    title: nameOf(type),
    type: 'object',
    properties: { ...properties, changes: wire.map('Field name to `{from, to}`, where there are any.') },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

const header = (name: string, description: string): Record<string, unknown> => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string' },
  description,
});

const action = {
  title: 'WebhookAction',
  type: 'object',
  properties: {
    type: wire.text("Type of a macro's action."),
    params: wire.map(),
    dry_run: wire.boolean('true only checks the action.'),
  },
  required: ['type'],
};

const webhookAnswer = {
  title: 'WebhookAnswer',
  type: 'object',
  properties: { actions: { type: 'array', maxItems: 10, items: action } },
};

const types = [...webhookEventTypes, testEventType] as const;

/** Returns the schema of whatever a subscription is sent: one of the payloads, told apart by `type`. */
function anyEvent(named: NamedSchemas): JsonSchema {
  const references = types.map((type) => {
    const { $ref } = named.refer(payloadSchema(type));
    return [type, String($ref)] as const;
  });
  return {
    description: 'What a subscription is sent: the body of each webhook.',
    oneOf: references.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(references) },
  };
}

/**
 * Adds the section `webhooks`, one entry for each type of event, and `WebhookEvent`, which is any of them. Without the
 * section the schemas are there all the same: some generators take it for calls and write broken code.
 */
export function withWebhooks(document: Record<string, unknown>, hasSection = true): Record<string, unknown> {
  const named = collectSchemas();
  named.store('WebhookEvent', anyEvent(named));
  const entries = types.map((type) => [
    type,
    {
      post: {
        operationId: `webhook.${type}`,
        tags: ['Webhooks'],
        summary: told[type][0],
        security: [],
        parameters: [
          header('webhook-id', 'Id of the event; the same in every attempt.'),
          header('webhook-timestamp', 'Time of this attempt, in seconds.'),
          header(
            'webhook-signature',
            '`v1,` and the Base64 HMAC-SHA256 of `{id}.{timestamp}.{body}`; several after a rotation.',
          ),
        ],
        requestBody: { required: true, content: { 'application/json': { schema: named.refer(payloadSchema(type)) } } },
        responses: {
          '2XX': {
            description:
              'Delivered. The answer may ask for up to ten actions, run like one macro. The answer to an event that ' +
              'such actions caused does not act, and answers act on one conversation or ticket at most ' +
              `${maxRunsPerHour} times an hour.`,
            content: {
              'application/json': {
                schema: named.refer(webhookAnswer),
              },
            },
          },
          '410': { description: 'The subscription is deactivated.' },
          default: { description: 'Tried again, after `Retry-After` where it is given.' },
        },
      },
    },
  ]);
  const payloads = Object.fromEntries(
    types.map((type) => [
      nameOf(type),
      { description: `\`${type}\`: ${told[type][0]}`, ...named.schemas[nameOf(type)] },
    ]),
  );
  const components = document['components'] as Record<string, Record<string, unknown>>;
  return {
    ...document,
    ...(hasSection ? { webhooks: Object.fromEntries(entries) as Record<string, unknown> } : {}),
    components: { ...components, schemas: { ...named.schemas, ...payloads, ...components['schemas'] } },
  };
}
