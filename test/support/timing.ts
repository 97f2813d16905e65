import { usualTiming, type Timing } from '../../api/core/process';

/**
 * For tests of processes that die: what a dead one held is free after a second or two instead of twenty. An honest
 * process that is slower than that loses nothing by it: the outcome of its own attempt still counts.
 */
export const impatient: Partial<Timing> = {
  messageClaimMs: 2_000,
  claimGraceMs: 500,
  handedOverMs: 3_000,
  relayLeaseMs: 3_000,
  relayBeginsForMs: 1_000,
  eventLeaseMs: 3_000,
  keyClaimMs: 3_000,
  looks: { ...usualTiming.looks, sweepsMs: 1_000 },
};
