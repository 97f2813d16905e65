/**
 * One Temporal dev server as a child process of its own: runs the CLI in the foreground, registers what the service
 * needs, says `{ready: true, address, pid}` over IPC, and stops it on SIGTERM. Settings come as JSON in argv[2].
 */
import { execFile, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TemporalSettings } from './start';

const stopMs = 8_000;

const settings = JSON.parse(process.argv[2] ?? '{}') as TemporalSettings;
const address = `127.0.0.1:${settings.port}`;

// A user's own CLI settings (a cloud address, a key) must not reach the embedded server.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
env['TEMPORAL_CONFIG_FILE'] = '/nonexistent/temporal.toml';

const args = [
  ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(settings.port)],
  ['--log-level', 'warn', '--namespace', settings.namespace],
  settings.uiPort ? ['--ui-port', String(settings.uiPort)] : ['--headless'],
  ['--db-filename', settings.dbFile],
  ['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', `synchronous=${settings.synchronous}`],
  ...Object.entries(settings.searchAttributes).map(([name, type]) => ['--search-attribute', `${name}=${type}`]),
  ...Object.entries(settings.dynamicConfig).map(([name, value]) => ['--dynamic-config-value', `${name}=${value}`]),
].flat();

// Its data is its owner's alone.
process.umask(0o077);
const server = spawn(settings.cli, args, { stdio: ['ignore', 'inherit', 'inherit'], env, windowsHide: true });
let isRunning = true;
let isStopping = false;

server.on('error', (error) => {
  console.error(`The Temporal server could not be started: ${error.message}`);
  process.exit(1);
});
server.on('exit', (code, signal) => {
  isRunning = false;
  if (!isStopping) console.error(`The Temporal server ended (${signal ?? `code ${code}`}).`);
  process.exit(isStopping ? 0 : 1);
});

function stop(): void {
  isStopping = true;
  server.kill('SIGTERM');
  setTimeout(() => server.kill('SIGKILL'), stopMs).unref();
}
process.on('SIGTERM', stop);
process.on('SIGINT', stop);

function operator(...words: string[]): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(
      settings.cli,
      ['operator', ...words, '--address', address],
      { env, timeout: 10_000 },
      (error, stdout, stderr) => resolve({ ok: !error, output: stdout + stderr }),
    );
  });
}

/** Waits until the server serves its namespace; gives the namespace's description. */
async function serving(): Promise<string> {
  while (isRunning) {
    const health = await operator('cluster', 'health');
    const serves = health.ok && health.output.includes('SERVING');
    const described = serves && (await operator('namespace', 'describe', '--namespace', settings.namespace));
    if (described && described.ok) return described.output;
    await sleep(100);
  }
  return '';
}

/**
 * Sets the retention and registers search attributes where the namespace lacks them: the start option registers them
 * only in a new database.
 */
async function prepare(description: string): Promise<void> {
  const { namespace, retention } = settings;
  if (!description.includes(`${retention}0m0s`)) {
    const update = await operator('namespace', 'update', '--namespace', namespace, '--retention', retention);
    if (!update.ok) console.error(`Temporal: the retention could not be set: ${update.output.trim()}`);
  }
  for (const [name, type] of Object.entries(settings.searchAttributes)) {
    if (description.includes(`:${name}`)) continue;
    const added = await operator(
      ...['search-attribute', 'create', '--namespace', namespace],
      ...['--name', name, '--type', type],
    );
    if (!added.ok)
      console.error(`Temporal: the search attribute ${name} could not be registered: ${added.output.trim()}`);
  }
}

async function main(): Promise<void> {
  const description = await serving();
  if (isRunning) await prepare(description);
  if (!isRunning || isStopping) return;
  console.log(`READY temporal on ${address}`);
  process.send?.({ ready: true, address, pid: server.pid });
}

main().catch((error: unknown) => {
  console.error(error);
  stop();
});
