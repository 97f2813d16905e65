import { startChild } from '../lib/children';
import { runToEnd, type Cleanup } from '../lib/cleanup';
import { root, simulationScript, type Launcher } from '../lib/launcher';

async function run(cleanup: Cleanup): Promise<number> {
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
export function main(launcher: Launcher): Promise<void> {
  return runToEnd(launcher, run);
}
