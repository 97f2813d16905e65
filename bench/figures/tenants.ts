import { measureTenants } from '../support/besideNoise';
import type { Figure } from '../support/figure';

/**
 * What the people of a quiet workspace wait for, alone and beside ten noisy ones, while a third of the processors is
 * free: the bound of contract 16.
 */
export const figure: Figure = {
  name: 'tenants',
  run: (context) =>
    measureTenants(
      context,
      context.quick
        ? { workspaces: 10, recipients: 400, perSecond: 20, queued: 300, wakes: 300, busyShare: 0.64 }
        : { workspaces: 10, recipients: 1_500, perSecond: 20, queued: 1_000, wakes: 1_000, busyShare: 0.58 },
      // Milliseconds that a noisy neighbour may add at p99.
      { reply: 1_000, macro: 3_000, wake: 3_000, 'stage notification': 3_000, "customer's message": 1_000 },
    ),
};
