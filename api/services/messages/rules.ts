/** The words of the closed window, the same wherever it is found closed (contract C6). */
export const windowClosed = 'The 24-hour messaging window is closed. Send an approved template instead.';

/** How long an inbound message opens the window (upstream-wire.md 1.7). */
export const windowMs = 24 * 3_600_000;
