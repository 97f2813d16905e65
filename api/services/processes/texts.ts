import { reasonsOf } from '../../core/http/reasons';

/** What is told and refuses nothing: what will happen by itself, and what a rehearsal does not know. */
export const toldTexts = {
  snoozeEnds: 'The snooze ends: the conversation opens again.',
  messageSent: 'A message is sent: {words}',
  messageAfterHold: 'A message waits for the end of the operator’s hold: {words}',
  messageHeld: 'A message is held, because {why}: {words}',
  heldAsRefused: 'it would be refused',
  heldByWindow: 'the 24-hour window will have closed',
  heldByOptOut: 'the customer has opted out of marketing',
  heldByTemplate: 'its template cannot be sent',
  heldByNumber: 'its number is gone',
  heldByMember: 'whoever wrote it may not send any more',
  heldByTrial: 'the trial will be over',
  broadcastBegins: 'The broadcast “{name}” begins.',
  broadcastAfterHold: 'The broadcast “{name}” begins once the operator’s hold ends.',
  broadcastFails: 'The broadcast “{name}” fails, because its template cannot be sent.',
  ruleLooks: 'The rule “{name}” looks whether to run “{macro}”.',
  ruleAfterPlan:
    'The rule “{name}” looks whether to run “{macro}” once the workspace has a plan: the trial will be over.',
  ruleAfterHold: 'The rule “{name}” looks whether to run “{macro}” once the operator’s hold ends.',
  ruleOptedOut: 'The rule “{name}” runs nothing: the customer has opted out.',
  ruleFails: 'The rule “{name}” looks whether to run “{macro}”, which fails: its template cannot be sent.',
  firstAnswerDue: 'The time for the first answer ends.',
  ticketAnswerDue: 'The time for the first answer to the ticket “{title}” ends.',
  conversationDue: 'The time for resolving the conversation ends.',
  ticketDue: 'The time for resolving the ticket “{title}” ends.',
  approvalExpires: 'What {name} asks for expires, and is not sent.',
  triedAgain: 'A message is tried again (attempt {attempt}): {words}',
  triedAfterHold: 'A message is tried again once the operator’s hold ends: {words}',
  walkedPart: 'After ten seconds {walked} of {all} conversations were walked through; the numbers are of these.',
  calendarsChanged: 'Calendars were changed meanwhile: hours are those of today.',
  waitsOpen: '{count} waits are not over yet.',
  tooManyInHour: 'In one hour it would act {count} times: above {max} it pauses itself and asks.',
  rateMissing: 'What its templates would cost: a rate is missing.',
  notCarriedOn: 'What its macro would do to tickets, contacts or by a snooze is not carried on.',
  asOfToday: 'Rights, templates and numbers are those of today.',
} as const;

/** Returns what is told, by its key. */
export const say = reasonsOf(toldTexts);
