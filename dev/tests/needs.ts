import { importsOf, lanesFolder } from './files';

/**
 * What test files need beside themselves, by the modules of test/support that hand it to them: who does not import one
 * cannot use what it gives, and a module that finds nothing prepared fails its tests.
 */
const providers = {
  servers: ['handed.ts'],
  browser: ['browser.ts'],
  timeSkipping: ['skipping.ts'],
  pooler: ['programs.ts'],
  temporalServer: ['topology.ts'],
  alerting: ['alerting.ts'],
} as const;

export type Need = keyof typeof providers;

/** Returns what these test files need; a lane needs all that the gate does, since it runs whatever lies in a folder. */
export function needsOf(files: readonly string[]): ReadonlySet<Need> {
  const needs = new Set<Need>();
  if (files.some((file) => file.startsWith(lanesFolder)))
    for (const need of ['servers', 'browser', 'timeSkipping', 'pooler'] as const) needs.add(need);
  for (const file of files)
    for (const [need, modules] of Object.entries(providers) as [Need, readonly string[]][])
      if (modules.some((name) => importsOf(file).has(`test/support/${name}`))) needs.add(need);
  return needs;
}
