'use strict';

require('./lib/checkNode.cjs')();

const path = require('path');
const { spawn } = require('child_process');
const { createLog, printError, UserError } = require('./lib/log.cjs');
const { root, readSettings, readJson } = require('./lib/settings.cjs');
const { prepare } = require('./lib/prepare.cjs');
const { readRunning } = require('./lib/running.cjs');

// Nothing but the CLI's own output goes to stdout.
const log = createLog(process.stderr);

/** The environment for the CLI: what is really set, else what the `npm start` beside us runs with. */
function environment(settings) {
  const env = Object.assign({}, process.env);
  const running = readRunning(settings.dataDir);
  const facts = running ? readJson(path.join(settings.dataDir, 'dev.json')) || {} : {};
  const secrets = readJson(path.join(settings.dataDir, 'secrets.json')) || {};
  const found = {
    DATABASE_URL: facts.database_url,
    TEMPORAL_ADDRESS: facts.temporal_address,
    TEMPORAL_NAMESPACE: facts.temporal_namespace,
    BASE_URL: facts.base_url,
    MSGAPP_API_URL: running && running.msgapp_api_url,
    SECRETS_KEY: (running && running.secrets_key) || secrets.secrets_key,
  };
  for (const name of Object.keys(found)) if (!env[name] && found[name]) env[name] = found[name];
  env.DATA_DIR = settings.dataDir;
  // The CLI's answers are for people and scripts; its log is not.
  if (!env.LOG_LEVEL) env.LOG_LEVEL = 'warn';
  return env;
}

async function main() {
  const args = process.argv.slice(2);
  const settings = readSettings();
  const env = environment(settings);
  const asksForHelp =
    args.length === 0 || args.some((arg) => arg === '--help' || arg === '-h' || arg === 'help' || arg === '--version');
  if (!env.DATABASE_URL && !asksForHelp) {
    throw new UserError(
      'No running Msgdesk was found for ' +
        settings.dataDir +
        '. Run `npm start` in another terminal first, or set DATABASE_URL (and SECRETS_KEY).',
    );
  }
  await prepare({ log });
  const child = spawn(process.execPath, [path.join(root, 'dist', 'admin', 'index.js')].concat(args), {
    stdio: 'inherit',
    env,
  });
  // The terminal sends Ctrl-C to the CLI as well; we only wait for it, and pass on what comes to us alone.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', (error) => {
    printError(error);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
}

main().catch((error) => {
  printError(error);
  process.exit(1);
});
