/** How long an address counts as one of the upstream's after its last valid webhook. */
const knownForMs = 60 * 60_000;
/** The most addresses of each sort that are remembered; the oldest is dropped first. */
const maxAddresses = 10_000;

/** Remembers which addresses sent valid webhooks to this process, and which did not. */
export interface WebhookAddresses {
  /** Returns whether a valid webhook came from there lately. */
  isKnown(address: string): boolean;
  /** Remembers that a valid webhook came from there. */
  welcome(address: string): void;
  /** Seconds for which the address is refused before anything is read; 0 for one that is not. */
  refusedFor(address: string): number;
  /** Refuses the address for a while, unless valid webhooks come from there, too. */
  refuse(address: string, seconds: number): void;
}

/** Makes the memory of one process. */
export function createWebhookAddresses(now: () => number = Date.now): WebhookAddresses {
  const knownUntil = new Map<string, number>();
  const refusedUntil = new Map<string, number>();
  const remember = (map: Map<string, number>, address: string, until: number): void => {
    map.delete(address);
    map.set(address, until);
    if (map.size > maxAddresses) map.delete(map.keys().next().value ?? '');
  };
  const isKnown = (address: string): boolean => (knownUntil.get(address) ?? 0) > now();
  return {
    isKnown,
    welcome(address) {
      remember(knownUntil, address, now() + knownForMs);
      refusedUntil.delete(address);
    },
    refusedFor: (address) =>
      isKnown(address) ? 0 : Math.max(0, Math.ceil(((refusedUntil.get(address) ?? 0) - now()) / 1000)),
    refuse(address, seconds) {
      if (!isKnown(address)) remember(refusedUntil, address, now() + seconds * 1000);
    },
  };
}
