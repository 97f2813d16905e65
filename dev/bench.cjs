'use strict';

require('./lib/checkNode.cjs')();

const path = require('path');
const { createLog, printError } = require('./lib/log.cjs');
const { startChild, onParentGone } = require('./lib/processes.cjs');
const { root } = require('./lib/settings.cjs');
const { prepare } = require('./lib/prepare.cjs');
const { startThrowawayStack } = require('./lib/stack.cjs');

// stdout belongs to the figures.
const log = createLog(process.stderr);
const cleanups = [];

async function cleanUp() {
  while (cleanups.length > 0) await cleanups.pop()();
}

async function main() {
  await prepare({ log });
  const args = process.argv.slice(2);
  const env = Object.assign({}, process.env);
  // Names and usage need no servers.
  if (!args.includes('--list') && !args.includes('--help')) {
    // Figures are taken with the safety that a real installation has.
    const stack = await startThrowawayStack({ log, durable: true });
    cleanups.push(stack.close);
    Object.assign(env, {
      DATABASE_URL: stack.databaseUrl,
      TEMPORAL_ADDRESS: stack.temporalAddress,
      TEMPORAL_NAMESPACE: 'default',
      BENCH_TMP: stack.folder,
      BENCH_POSTGRES_PID: String(stack.postgresPid),
      BENCH_TEMPORAL_PID: String(stack.temporalPid),
    });
  }
  const bench = startChild({
    name: 'bench',
    script: path.join(root, 'dist', 'bench', 'index.js'),
    args,
    env,
    cwd: root,
    inherit: true,
  });
  cleanups.push(() => bench.stop(5000));
  await bench.exited;
  return bench.signal ? 1 : bench.code;
}

let interrupted = false;
function interrupt() {
  if (interrupted) return;
  interrupted = true;
  log('Stopping');
  cleanUp().then(
    () => process.exit(130),
    () => process.exit(130),
  );
}
process.on('SIGINT', interrupt);
process.on('SIGTERM', interrupt);
process.on('SIGHUP', interrupt);
if (process.env.npm_lifecycle_event) onParentGone(interrupt);

main()
  .catch((error) => {
    if (!interrupted) printError(error);
    return 1;
  })
  .then(async (code) => {
    if (interrupted) return;
    await cleanUp();
    process.exit(code);
  });
