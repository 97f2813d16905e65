/** Folders of the programs that `npm run topology` provides; empty: there is none. */
export const topologyPrograms = {
  temporal: process.env['TEST_TEMPORAL_SERVER'] ?? '',
  pooler: process.env['TEST_PGBOUNCER'] ?? '',
};

const reason = process.env['TEST_TOPOLOGY_REASON'] || 'run `npm run topology`';

/** A group of tests that need some of them. Where one cannot be had, the group is skipped and its name says why. */
export function describeWith(needed: readonly (keyof typeof topologyPrograms)[], name: string, body: () => void): void {
  if (needed.every((program) => topologyPrograms[program])) describe(name, body);
  else describe.skip(`${name} (${reason})`, body);
}
