/**
 * Returns how often a property is tried with other values: as often as the gate has time for, or `TEST_RUNS` times as
 * often (`TEST_RUNS=10 npm test -- test/api/identity`).
 */
export function runs(count: number): number {
  return count * Number(process.env['TEST_RUNS'] || 1);
}
