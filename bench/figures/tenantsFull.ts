import { measureTenants } from '../support/besideNoise';
import type { Figure } from '../support/figure';

/**
 * The same beside fifty workspaces on full processors: everything gets slower together, nothing may be lost or doubled.
 * Without an aim for the times.
 */
export const figure: Figure = {
  name: 'tenants-full',
  run: (context) =>
    measureTenants(
      context,
      context.quick
        ? { workspaces: 10, recipients: 250, perSecond: 10, queued: 500, wakes: 300, busyShare: null }
        : { workspaces: 50, recipients: 1_000, perSecond: 10, queued: 5_000, wakes: 10_000, busyShare: null },
      null,
    ),
};
