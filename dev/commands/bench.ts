import path from 'node:path';
import { startChild } from '../lib/children';
import { runToEnd, type Cleanup } from '../lib/cleanup';
import { root, type Launcher } from '../lib/launcher';
import { startThrowawayStack } from '../lib/stack';
import { settingArguments } from '../postgres/start';

async function run({ log }: Launcher, cleanup: Cleanup): Promise<number> {
  const args = process.argv.slice(2);
  const env = { ...process.env };
  // Names and usage need no servers.
  if (!args.includes('--list') && !args.includes('--help')) {
    // Figures are taken with the safety that a real installation has, and its statistics of statements.
    process.env['PG_ARGUMENTS'] = JSON.stringify(settingArguments({ shared_preload_libraries: 'pg_stat_statements' }));
    const stack = await startThrowawayStack({ log, durable: true });
    cleanup.add(stack.close);
    Object.assign(env, {
      DATABASE_URL: stack.databaseUrl,
      TEMPORAL_ADDRESS: stack.temporalAddress,
      TEMPORAL_NAMESPACE: 'default',
      BENCH_TMP: stack.folder,
      BENCH_POSTGRES_PID: String(stack.postgresPid),
      BENCH_TEMPORAL_PID: String(stack.temporalPid),
    });
  }
  const script = path.join(root, 'dist', 'bench', 'index.js');
  const bench = startChild({ name: 'bench', script, args, env, cwd: root, inherit: true });
  cleanup.add(() => bench.stop(5_000));
  await bench.exited;
  return bench.code ?? 1;
}

/** `npm run bench`: measures on servers of its own. stdout belongs to the figures. */
export function main(launcher: Launcher): Promise<void> {
  return runToEnd(launcher, (cleanup) => run(launcher, cleanup));
}
