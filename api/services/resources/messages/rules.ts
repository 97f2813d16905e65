/** The words of the closed window, the same wherever it is found closed. */
export const windowClosed = 'The 24-hour messaging window is closed. Send an approved template instead.';

/** How long an inbound message opens the window. */
export const windowMs = 24 * 3_600_000;

/** The end of a message whose 24 hours are over. */
export const deliveryExpired = {
  code: -1,
  title: 'Delivery expired',
  message: 'The upstream could not be reached within 24 hours.',
} as const;

/** SQL: messages to one customer cost six seconds each; what was not used can be borrowed, a little less than the upstream allows. */
export const pairCost = "interval '6 seconds'";
export const pairBurst = "interval '240 seconds'";
