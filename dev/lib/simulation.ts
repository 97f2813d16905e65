import path from 'node:path';
import { endOf, startChild } from './children';
import { root, UserError } from './launcher';

/** The simulation as a program: it runs outside of jest, whose modules and timers are its own. */
export const simulationScript = path.join(root, 'dist', 'test', 'simulation', 'main.js');

/** Compiles the simulation beside the build that it takes hold of. */
export async function buildSimulation(): Promise<void> {
  const compiler = startChild({
    name: 'compiler',
    script: path.join(root, 'dev', 'bootstrap', 'compile.cjs'),
    args: ['test/simulation'],
    env: process.env,
    cwd: root,
    inherit: true,
  });
  await compiler.exited;
  if (compiler.code !== 0) throw new UserError(`The simulation could not be compiled: ${endOf(compiler)}`);
}
