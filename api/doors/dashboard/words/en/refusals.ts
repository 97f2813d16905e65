import { refusalTexts } from '../../../../services/resources/reasons';

/**
 * Why something is refused, by the keys that those who refuse it give: their texts are what REST says in English. The
 * others pages say in their own words, or alone.
 */
export const refusals = {
  ...refusalTexts,
  gone: 'Nothing was found for "{value}".',
  pageOld: 'This page was open for too long. Reload it and try again.',
  maybeDone: 'This may have gone through already: look before you send it again.',
  maybeDoneBefore: 'What you sent before you changed it may have gone through: look before you send it again.',
  stepNoTicket: 'There is no ticket: in a conversation, a step before this one must create it.',
  stepFailed: 'Step {index}: {why}',
  sentBefore: 'This was sent before. Reload the page to see it.',
};
