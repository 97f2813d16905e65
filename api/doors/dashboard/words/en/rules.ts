import type {
  ChangedField,
  RuleEndEvent,
  RuleOperator,
  RuleRepeat,
  RuleRunState,
  RuleStartEvent,
  RuleState,
  SkipReason,
} from '../../../../../models/ruleParts';
import type { PublicCode } from '../../../../core/http/errors';
import { plural } from '../plural';
import { priorities, statuses } from './states';

type Changed = Exclude<ChangedField, `custom_fields.${string}`>;

/** Codes of requests, and of what passes: no step of a macro is refused for good by one. */
type CodeOfRequests =
  | 'address_not_allowed'
  | 'authentication_failed'
  | 'headers_too_large'
  | 'idempotency_in_flight'
  | 'idempotency_key_reused'
  | 'internal_error'
  | 'macro_step_failed'
  | 'method_not_allowed'
  | 'parse_error'
  | 'precondition_failed'
  | 'range_not_satisfiable'
  | 'reauthentication_required'
  | 'request_timeout'
  | 'second_factor_required'
  | 'throttled'
  | 'unavailable'
  | 'unsupported_media_type';

/** Why a run came to what became of it. */
type RunReason =
  SkipReason | RuleEndEvent | Exclude<PublicCode, CodeOfRequests> | ('by_member' | 'expired' | 'fault' | 'rejected');

const minutes = { one: 'minute', other: 'minutes' };
const hours = { one: 'hour', other: 'hours' };
const days = { one: 'day', other: 'days' };

/** Rules: sentences that one reads, built by choosing. */
export const rules = {
  title: 'Rules',
  new: 'New rule',
  empty: {
    title: 'No rules yet',
    text: 'A rule runs a macro by itself: when something happens, after a time, unless somebody was faster.',
  },
  ready: {
    title: 'Ready to take',
    text: 'Each is filled in for you, and off until you switch it on.',
    take: 'Take it',
  },
  saved: (waitsEnded: number) =>
    waitsEnded === 0
      ? 'The rule is saved.'
      : `The rule is saved. ${plural(waitsEnded, { one: 'wait', other: 'waits' })} of it ended.`,
  made: 'The rule is saved, and off. Look what it would have done, then switch it on.',
  deleted: 'The rule is deleted.',
  macroTaken: (name: string) => `Make “${name}”`,
  states: { on: 'on', off: 'off', paused: 'paused' } satisfies Record<RuleState, string>,
  switched: {
    on: 'The rule is on. It looks at what happens from now on.',
    off: 'The rule is off.',
    paused: 'The rule is paused. What waits goes on waiting.',
  } satisfies Record<RuleState, string>,
  switch: {
    title: 'This rule',
    on: 'Switch on',
    again: 'Go on',
    off: 'Switch off',
    pause: 'Pause',
    offAsk: (name: string) => `Switch “${name}” off?`,
    offText: (waiting: number) =>
      `${plural(waiting, { one: 'conversation waits', other: 'conversations wait' })} for it: these waits end.`,
  },
  delete: {
    title: 'Delete this rule?',
    named: (name: string) => `Delete “${name}”?`,
    text: 'What waits of it ends. What it did stays done.',
    button: 'Delete this rule',
  },
  tabs: { rule: 'Rule', runs: 'Runs', label: 'About this rule' },
  counts: {
    waiting: (count: number) => `${plural(count, { one: 'waits', other: 'wait' })}`,
    applied: (count: number) => `${plural(count, { one: 'time applied', other: 'times applied' })}`,
    failed: (count: number) => `${count} failed`,
    none: 'has done nothing yet',
  },
  runsAs: (name: string) => `acts as ${name}`,
  nobody: 'acts for nobody: whoever saves it lends it their rights',
  ends: (waiting: number) =>
    `${plural(waiting, { one: 'conversation waits', other: 'conversations wait' })} for this rule. If you change ` +
    'when, if, after, unless or the macro, these waits end.',
  attention: {
    owner_gone: 'It stopped: whoever lent it their rights has left. Save it in your name.',
    missing_scope: 'It stopped: whoever lent it their rights may not do all of it any more. Save it in your name.',
    reference_gone: 'It stopped: something that it names was deleted.',
    unusual_volume: 'It stopped itself: it would have applied to more than 500 conversations in an hour.',
    failing: 'It stopped itself: it failed five times in a row in the same way.',
    late: 'Some of what it would have sent was too late and was left out.',
    other: (reason: string) => `It asks for a look: ${reason.replaceAll('_', ' ')}.`,
  },
  brake: {
    button: 'Stop all rules',
    ask: 'Stop all rules now?',
    text: 'Within a second nothing starts or is applied. Waits run on; what is due is judged when rules go on.',
    reason: 'Why',
    hint: 'Every page shows it.',
    stopped: 'All rules stand still.',
    since: 'All rules stand still since',
    go: 'Let them go on',
    released: 'Rules go on.',
  },
  sentence: {
    when: 'When',
    if: 'if',
    after: 'after',
    unless: 'unless',
    run: 'run',
    or: ' or ',
    and: ' and ',
    either: (parts: string) => `any of these holds: ${parts}`,
    noMacro: 'a macro that was deleted',
    notYet: '…',
  },
  starts: {
    'message.received': 'a customer writes',
    'conversation.answered': 'somebody answers',
    'conversation.created': 'a conversation begins',
    'conversation.reopened': 'a conversation is opened again',
    'conversation.woken': 'a snoozed conversation wakes',
    'conversation.rated': 'a customer rates us',
    'call.missed': 'a call is missed',
    'flow.submitted': 'a customer sends in a flow',
  } satisfies Record<Exclude<RuleStartEvent, 'conversation.updated'>, string>,
  stops: {
    'message.received': 'the customer writes',
    'conversation.answered': 'somebody answers',
  } satisfies Record<Exclude<RuleEndEvent, 'conversation.updated'>, string>,
  changed: {
    conv_status: 'the status',
    priority: 'the priority',
    assigned_member: 'the assigned member',
    assigned_team_inbox: 'the team inbox',
    tags: 'the tags',
  } satisfies Record<Changed, string>,
  changes: (what: string) => `${what} ${what.endsWith('tags') ? 'change' : 'changes'}`,
  becomes: (what: string, value: string) => `${what} ${what.endsWith('tags') ? 'become' : 'becomes'} ${value}`,
  anyValue: 'whatever it becomes',
  fields: {
    hours: 'the team',
    waiting: 'the customer',
    conv_status: 'the status',
    priority: 'the priority',
    assigned_member: 'the assigned member',
    assigned_team_inbox: 'the team inbox',
    tags: 'the tags',
    window_open: 'the window',
    opted_out: 'opted out',
    inbound_count: 'the number of their messages',
    phone_number_id: 'our number',
    text: 'the message',
    type: 'the kind of message',
    button_id: 'the id of the button',
  },
  fieldLabels: {
    hours: 'Working hours',
    waiting: 'Waits for an answer',
    conv_status: 'Status',
    priority: 'Priority',
    assigned_member: 'Assigned member',
    assigned_team_inbox: 'Team inbox',
    tags: 'Tags of the contact',
    window_open: 'Window of 24 hours',
    opted_out: 'Opted out of marketing',
    inbound_count: 'Messages from this customer',
    phone_number_id: 'Our number',
    text: 'Text of the message',
    type: 'Kind of message',
    button_id: 'Id of the button',
  },
  custom: (label: string) => `“${label}”`,
  customLabel: (label: string) => `Field: ${label}`,
  flags: {
    hours: { open: 'the team is open', closed: 'the team is closed' },
    waiting: { true: 'the customer waits for an answer', false: 'the customer waits for nothing' },
    window_open: { true: 'the window is open', false: 'the window is closed' },
    opted_out: { true: 'the customer has opted out', false: 'the customer has not opted out' },
  },
  yesNo: { true: 'Yes', false: 'No' },
  open: { open: 'Open', closed: 'Closed' },
  operators: {
    is: 'is',
    is_not: 'is not',
    any_of: 'is one of',
    none_of: 'is none of',
    set: 'is set',
    not_set: 'is not set',
    has_any: 'have any of',
    has_all: 'have all of',
    has_none: 'have none of',
    above: 'is above',
    below: 'is below',
    before: 'is before',
    after: 'is after',
    equals: 'says exactly',
    contains: 'contains',
    words: 'has the words',
  } satisfies Record<RuleOperator, string>,
  statuses,
  priorities,
  messageTypes: {
    text: 'text',
    image: 'picture',
    audio: 'voice message',
    video: 'video',
    document: 'document',
    sticker: 'sticker',
    location: 'place',
    contacts: 'contact card',
    interactive: 'button or list choice',
    button: 'button of a template',
    order: 'order',
  },
  gone: (id: string) => `something that was deleted (${id})`,
  span: (all: number) =>
    all % 1_440 === 0 ? plural(all / 1_440, days) : all % 60 === 0 ? plural(all / 60, hours) : plural(all, minutes),
  waits: {
    clock: (span: string) => `after ${span}`,
    hours: (span: string) => `after ${span} of working time`,
    opening: 'when the team opens',
    afterOpening: (span: string) => `${span} after the team opens`,
    beforeEnd: (span: string) => `${span} before the window closes`,
  },
  form: {
    name: 'Name',
    description: 'What it is for',
    when: 'When',
    whenHint: 'Any of these starts it.',
    addWhen: 'Or when…',
    to: 'To',
    if: 'If',
    ifNone: 'Nothing more is asked.',
    addIf: 'Add a condition',
    groups: { all: 'must hold', any: 'or one of these' },
    group: 'How it counts',
    field: 'What',
    op: 'Compared',
    value: 'With',
    list: 'Separated by commas.',
    after: 'After',
    wait: 'It waits',
    waitKinds: {
      none: 'not at all',
      clock: 'so long, by the clock',
      hours: 'so long, in working time',
      opening: 'until the team opens',
      before: 'until so long before the window closes',
    },
    amount: 'How long',
    more: 'And so much more',
    needsAmount: 'Say how long.',
    unit: 'Of',
    units: { minutes: 'minutes', hours: 'hours', days: 'days' },
    unless: 'Unless, meanwhile,',
    then: 'Then run',
    macro: 'Macro',
    chooseMacro: 'Choose a macro',
    macroHint: 'All of its steps are done, or none.',
    newMacro: 'New macro',
    does: 'What this macro does',
    changeMacro: 'Change this macro',
    options: 'More',
    repeat: 'How often for one customer',
    repeats: {
      each: 'Each time',
      per_episode: 'Once in a conversation, until it is resolved',
      once: 'Once ever',
    } satisfies Record<RuleRepeat, string>,
    repeatAuto: 'Once in a conversation if it sends, else each time',
    autonomy: 'What reaches a customer',
    autonomies: { autonomous: 'Goes out by itself', approval: 'Waits for an approval', draft: 'Is a draft' },
    after_rules: 'What other rules did starts it, too',
    remove: 'Remove',
    start: (number: number) => `start ${number}`,
    condition: (number: number) => `condition ${number}`,
    refresh: 'Show what fits',
    rehearse: 'Rehearse as it stands here',
    macroFirst: 'This macro is made when the rule is saved. Save it, switched off; then it can be rehearsed.',
    save: 'Save',
    create: 'Save, switched off',
    reads: 'It reads',
  },
  notes: {
    noHours: 'No hours are set yet: until then the team counts as open all the time.',
    setHours: 'Set hours',
    noRating: 'Customers are not asked for a rating yet: until they are, this never starts.',
    askRating: 'Ask them',
  },
  rehearsal: {
    title: 'What would have happened',
    text: 'Nothing is sent and nothing is changed: it walks what happened, with hours and answers of then.',
    days: 'Look back',
    daysText: (count: number) => plural(count, days),
    run: 'Rehearse',
    again: 'Rehearse again',
    between: (from: string, to: string) => `${from} to ${to}`,
    start: (count: number) => plural(count, { one: 'time started', other: 'times started' }),
    apply: (count: number) => plural(count, { one: 'time applied', other: 'times applied' }),
    ended: (count: number) => `${plural(count, { one: 'time', other: 'times' })} somebody was faster`,
    skipped: (count: number, why: string) => `${count} left out: ${why}`,
    failed: (count: number, why: string) => `${count} failed: ${why}`,
    messages: (count: number) => plural(count, { one: 'message sent', other: 'messages sent' }),
    cost: (amount: string) => `cost ${amount}`,
    examples: 'For example',
    none: 'It would not have started once.',
    notKnown: 'What cannot be known',
    unavailable: (why: string) => `It could not be rehearsed: ${why}`,
    first: 'Rehearse it first: then you see here what it would have done, and switch it on.',
  },
  runs: {
    title: (name: string) => `Runs of ${name}`,
    empty: { title: 'No runs yet', text: 'Each time the rule starts it stands here, with what became of it and why.' },
    all: 'All of them',
    filter: 'State',
    find: 'Show',
    customer: 'Customer',
    by: 'Because',
    started: 'Started',
    moment: 'Due',
    end: 'What became of it',
    states: {
      waiting: 'waits',
      applied: 'applied',
      parked: 'waits for approval',
      ended: 'not needed',
      failed: 'failed',
      skipped: 'left out',
    } satisfies Record<RuleRunState, string>,
    changed: 'the conversation changed',
  },
  reasons: {
    conditions: 'its conditions did not hold any more',
    opted_out: 'the customer had opted out',
    window_closed: 'the window was closed: only a template would have reached them',
    late: 'it was too late',
    too_often: 'the customer had heard enough of rules',
    rule_off: 'the rule was switched off',
    rule_changed: 'the rule was changed',
    paused_owner: 'nobody lent it their rights',
    gone: 'the conversation was gone',
    by_member: 'a member ended it',
    rejected: 'a member rejected it',
    expired: 'nobody decided in time',
    invalid: 'a step of its macro was refused',
    permission_denied: 'whoever lent it their rights may not do that',
    missing_scope: 'whoever lent it their rights may not do that',
    trial_expired: 'the trial of the workspace was over',
    not_found: 'something that its macro names was gone',
    conflict: 'something was in a state that forbids it',
    payload_too_large: 'a file was too large',
    template_not_approved: 'its template was not approved',
    phone_number_required: 'its template needs a customer with a phone number',
    needs_approval: 'it may not send without approval',
    fault: 'something went wrong on our side',
    'message.received': 'the customer wrote',
    'conversation.answered': 'somebody answered',
    'conversation.updated': 'the conversation was changed',
  } satisfies Record<RunReason, string>,
  starters: {
    unanswered: {
      name: 'Nobody answered in 10 minutes',
      about: 'Somebody waits while you are open.',
      macro: 'Make it urgent',
    },
    window: {
      name: 'The window closes in an hour',
      about:
        'For 24 hours after they write, customers can be answered freely: this is the window. Then only templates ' +
        'reach them.',
      macro: 'Still there?',
      text: 'Are you still there? We are glad to help you further.',
    },
    quiet: {
      name: 'No answer of the customer for three days',
      about: 'What is quiet is resolved.',
      macro: 'Resolve',
    },
    missedCall: {
      name: 'A missed call',
      about:
        'Who wrote in the last 24 hours hears of you at once; a call alone opens no window, so others need a template.',
      macro: 'We missed your call',
      text: 'Sorry, we missed your call. Write to us here, and we answer as soon as we can.',
    },
    lowRating: {
      name: 'A low rating',
      about:
        'It goes by the last button of your satisfaction question: where you change its text, change the rule, too.',
      macro: 'Look at it again',
    },
  },
};
