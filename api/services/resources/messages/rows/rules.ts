import { reason } from '../../reasons';
/** The words of the closed window, the same wherever it is found closed. */
export const windowClosed = reason('windowClosed');

/** The end of a message whose 24 hours are over. */
export const deliveryExpired = {
  code: -1,
  title: 'Delivery expired',
  message: 'It could not be sent within 24 hours.',
} as const;
