/** What Node itself offers, kept before the simulation puts its own in the place of it. */
export const real = {
  Date,
  now: Date.now.bind(Date),
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
} as const;

/** Waits in real time. */
export function realPause(ms: number): Promise<void> {
  return new Promise((resolve) => void real.setTimeout(resolve, ms));
}

/** Lets everybody go on with what came, as far as that needs nothing from outside. */
export function realTurn(): Promise<void> {
  return new Promise((resolve) => void real.setImmediate(resolve));
}
