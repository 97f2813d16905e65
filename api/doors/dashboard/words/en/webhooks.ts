import type { WebhookEventType } from '../../../../core/queue/eventKinds';

/** What happened, by the type of its event. */
const events: Readonly<Record<WebhookEventType | 'webhook.test', string>> = {
  'message.received': 'A customer writes',
  'message.status_changed': 'A message is sent, delivered, read or fails',
  'message.edited': 'A customer edits a message',
  'message.deleted': 'A customer deletes a message',
  'conversation.created': 'A conversation begins',
  'conversation.updated': 'A conversation changes',
  'conversation.snoozed': 'A conversation is snoozed',
  'conversation.woken': 'A snoozed conversation is back',
  'conversation.reopened': 'A resolved conversation is opened again',
  'conversation.rated': 'A customer gives a rating',
  'contact.created': 'A contact is made',
  'contact.updated': 'A contact changes',
  'contact.deleted': 'A contact is deleted',
  'contact.merged': 'Two contacts become one',
  'contact.opted_out': 'A customer wants no marketing',
  'contact.opted_in': 'A customer wants marketing again',
  'ticket.created': 'A ticket is made',
  'ticket.updated': 'A ticket changes',
  'ticket.stage_changed': 'A ticket moves to another stage',
  'ticket.commented': 'Somebody comments on a ticket',
  'ticket.escalated': 'A ticket is escalated',
  'ticket.sla_breached': 'A ticket misses its deadline',
  'ticket.deleted': 'A ticket is deleted',
  'stage_notification.sent': 'A customer is told of a stage',
  'stage_notification.skipped': 'A customer is not told of a stage',
  'stage_notification.failed': 'A message about a stage fails',
  'broadcast.scheduled': 'A broadcast is scheduled',
  'broadcast.started': 'A broadcast starts',
  'broadcast.completed': 'A broadcast is done',
  'broadcast.failed': 'A broadcast fails',
  'macro.ran': 'A macro has run',
  'rule.stopped': 'A rule is stopped',
  'approval.requested': 'An agent asks for approval',
  'approval.decided': 'A call of an agent is decided',
  'template.status_changed': 'The platform judges a template',
  'flow.submitted': 'A customer fills in a form',
  'account.payment_refused': 'A payment at the platform is refused',
  'webhook.test': 'A test',
};

/** Subscriptions to events. */
export const webhooks = {
  names: events,
  title: 'Webhooks',
  one: 'Webhook',
  new: 'New webhook',
  about:
    'Your own programs are told what happens here: signed, and at least once each. {reference} describes each event.',
  reference: 'The API reference',
  empty: {
    title: 'No webhooks yet',
    text:
      'Make one with the address of your endpoint and the events that it wants. A test event shows at once whether ' +
      'it works.',
  },
  allEvents: 'all events',
  kinds: (count: number) => `${count} kinds of events`,
  failing: '· no delivery has arrived since',
  states: { disabled: 'disabled', inactive: 'inactive', active: 'active', failing: 'failing' },
  fields: {
    url: { label: 'Address', hint: 'Where events are sent: https, at a public address.' },
    description: { label: 'Description', hint: 'What it is for, for example “Warehouse”.' },
    events: { label: 'Events' },
    scopes: {
      label: 'What its answers may do',
      hint: 'An answer may carry actions, such as tagging a conversation. Leave this empty if yours does not.',
    },
  },
  everything: { label: 'All events', detail: 'Also those that are added later.' },
  change: 'Change the subscription',
  subscription: 'The subscription',
  made: 'The subscription is made',
  saved: 'The subscription is saved.',
  secret: {
    button: 'New secret',
    ask: {
      title: 'Make a new secret?',
      text: 'The old one signs beside it for 24 hours. Give your endpoint the new one before then.',
      button: 'Make a new secret',
    },
    made: 'The new secret',
    copy: 'Copy the secret now: it is shown this once. Your endpoint needs it to check that an event is from here.',
    label: 'Signing secret',
    copied: 'I have copied it',
  },
  activate: {
    button: 'Activate',
    done: 'It is active again. What happened meanwhile can be replayed below.',
  },
  deactivate: {
    button: 'Deactivate',
    ask: {
      title: 'Deactivate this subscription?',
      text: 'What waits to be sent is cancelled, and nothing is sent until it is activated again.',
      button: 'Deactivate',
    },
    done: 'It is not active any more.',
  },
  delete: {
    button: 'Delete',
    ask: {
      title: 'Delete this subscription?',
      text: 'Nothing is sent to it any more, and its log goes, too. This cannot be undone.',
      button: 'Delete',
    },
    done: 'The subscription is deleted.',
  },
  facts: {
    address: 'Address',
    state: 'State',
    events: 'Events',
    answers: 'Its answers may',
    made: 'Made',
    all: 'All',
    nothing: 'do nothing',
  },
  test: {
    button: 'Send a test event',
    done: 'The test event is on its way. The log shows what becomes of it.',
  },
  notes: {
    disabled: 'Disabled {at}.',
    mend: 'Mend the endpoint, try it with a test event, activate the subscription, and replay what it missed.',
    inactive: 'It is not active: nothing is sent. What happens meanwhile can be replayed later.',
    failing: 'No delivery has arrived since {at}.',
    tries: 'Each event is tried again for about three days. The log says what the endpoint answers.',
  },
  log: {
    title: 'Deliveries',
    label: 'Log',
    filters: { status: 'State', event: 'Event', anyState: 'Any state', anyEvent: 'Any event', filter: 'Filter' },
    none: 'None fits.',
    all: 'Show all',
    empty: 'Nothing was sent yet. Send a test event to see whether the endpoint works.',
    columns: { when: 'When', event: 'Event', state: 'State', answer: 'Answer' },
    id: 'Id',
    attempts: (count: number) => (count === 1 ? 'one attempt' : `${count} attempts`),
    next: '· next',
    noAnswer: '–',
    actions: 'Its actions',
    again: 'Send again',
    ofType: (type: string, at: string) => ` ${type} of ${at}`,
    sentAgain: 'The event goes out again, with the same id.',
  },
  replay: {
    title: 'Replay',
    about:
      'Sends everything again that happened in a time, with the same ids, so that an endpoint can tell what it has ' +
      'seen.',
    activateFirst:
      'Activate the subscription first. Then everything that happened since it was made can be sent again.',
    fields: { from: { label: 'From' }, to: { label: 'To', hint: 'Empty: until now.' } },
    zone: (zone: string) => `In ${zone}.`,
    noMoment: 'Enter a date and a time.',
    noEnd: 'Enter a date and a time, or leave it empty for now.',
    done: (count: number) =>
      count === 0
        ? 'Nothing happened in that time that it asks for.'
        : count === 1
          ? 'One event goes out again.'
          : `${count} events go out again.`,
  },
};
