import { requireBuild } from '../lib/build';
import { startChild } from '../lib/children';
import { createCleanup, type Cleanup } from '../lib/cleanup';
import { printError, root, type Launcher } from '../lib/launcher';
import { buildSimulation, simulationScript } from '../lib/simulation';

async function run(launcher: Launcher, cleanup: Cleanup): Promise<number> {
  await requireBuild(launcher);
  await buildSimulation();
  const simulation = startChild({
    name: 'simulation',
    script: simulationScript,
    args: process.argv.slice(2),
    env: process.env,
    cwd: root,
    inherit: true,
  });
  cleanup.add(() => simulation.stop(5_000));
  await simulation.exited;
  return simulation.code ?? 1;
}

/** `npm run simulate`: tries interleavings and faults of delivery (test/simulation/README.md). */
export async function main(launcher: Launcher): Promise<void> {
  const cleanup = createCleanup(launcher);
  const code = await run(launcher, cleanup).catch((error: unknown) => {
    if (!cleanup.isInterrupted) printError(error);
    return 1;
  });
  // The interrupt's own clean-up ends the process.
  if (cleanup.isInterrupted) return;
  await cleanup.run();
  process.exit(code);
}
