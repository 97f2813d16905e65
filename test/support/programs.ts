import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** Folders of the programs that `npm test` and `npm run test:faults` provide; empty: there is none. */
export const topologyPrograms = {
  temporal: process.env['TEST_TEMPORAL_SERVER'] ?? '',
  pooler: process.env['TEST_PGBOUNCER'] ?? '',
  prometheus: process.env['TEST_PROMETHEUS'] ?? '',
};

const reason = process.env['TEST_TOPOLOGY_REASON'];

/** A group of tests that need some of them. Where one cannot be had, the group is skipped and its name says why. */
export function describeWith(needed: readonly (keyof typeof topologyPrograms)[], name: string, body: () => void): void {
  if (needed.every((program) => topologyPrograms[program])) describe(name, body);
  else if (!reason) throw new Error('the topology was not prepared: run `npm test` or `npm run test:faults`');
  else describe.skip(`${name} (${reason})`, body);
}

/**
 * Returns DATABASE_PREPARE for the PgBouncer at hand: docker-compose.yml has a newer one than some Debian, which
 * follows prepared statements.
 */
export function preparedSetting(): 'true' | 'false' {
  const program = path.join(topologyPrograms.pooler, 'pgbouncer');
  const [, minor = '0'] = /PgBouncer 1\.(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(minor) >= 24 ? 'true' : 'false';
}
