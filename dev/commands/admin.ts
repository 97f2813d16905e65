import { spawn } from 'node:child_process';
import path from 'node:path';
import { readJson } from '../lib/files';
import { printError, root, UserError } from '../lib/launcher';
import { readRunning } from '../lib/running';
import { readSettings, type Secrets } from '../lib/settings';

/** Returns the CLI's environment: what is really set, else what the `npm start` beside us runs with. */
function environment(dataDir: string): NodeJS.ProcessEnv {
  const running = readRunning(dataDir);
  const facts = running ? readJson<Record<string, string>>(path.join(dataDir, 'dev.json')) : null;
  const secrets = readJson<Partial<Secrets>>(path.join(dataDir, 'secrets.json'));
  const found = {
    DATABASE_URL: facts?.['database_url'],
    TEMPORAL_ADDRESS: facts?.['temporal_address'],
    TEMPORAL_NAMESPACE: facts?.['temporal_namespace'],
    BASE_URL: facts?.['base_url'],
    MSGAPP_API_URL: running?.msgapp_api_url,
    WEBHOOK_ALLOW_PRIVATE: running?.webhook_allow_private,
    SECRETS_KEY: running?.secrets_key ?? secrets?.secrets_key,
    // The CLI's answers are for people and scripts; its log is not.
    LOG_LEVEL: 'warn',
  };
  const env: NodeJS.ProcessEnv = { ...process.env, DATA_DIR: dataDir };
  for (const [name, value] of Object.entries(found)) if (!env[name] && value) env[name] = value;
  return env;
}

function run(): void {
  const args = process.argv.slice(2);
  const { dataDir } = readSettings();
  const env = environment(dataDir);
  const asksForHelp = args.length === 0 || args.some((arg) => ['--help', '-h', 'help', '--version'].includes(arg));
  if (!env['DATABASE_URL'] && !asksForHelp)
    throw new UserError(
      `No running Msgdesk was found for ${dataDir}. ` +
        'Run `npm start` in another terminal first, or set DATABASE_URL (and SECRETS_KEY).',
    );
  const script = path.join(root, 'dist', 'admin', 'index.js');
  const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit', env });
  // The terminal sends Ctrl-C to the CLI as well; we only wait for it, and pass on what comes to us alone.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', fail);
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}

function fail(error: unknown): void {
  printError(error);
  process.exit(1);
}

/** `npm run admin`: the admin CLI beside a running `npm start`. Nothing but its own output goes to stdout. */
export function main(): void {
  try {
    run();
  } catch (error) {
    fail(error);
  }
}
