/** Subscriptions to events. */
export const webhooks = {
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
