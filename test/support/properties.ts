import fc from 'fast-check';

/*
 * The same cases in every run, so that a change is refused for what it changes, and never for a case that was drawn for
 * the first time that day. `TEST_RUNS=10 npm test -- test/api/identity` draws others, ten times as many.
 */
const times = process.env['TEST_RUNS'];
if (!times) fc.configureGlobal({ seed: 1 });

/** Returns how often a property is tried: as often as the gate has time for, or `TEST_RUNS` times as often. */
export function runs(count: number): number {
  return count * Number(times || 1);
}

export { fc };
