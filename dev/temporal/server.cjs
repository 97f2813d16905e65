'use strict';

// One Temporal dev server as a child process of its own: runs the CLI in the foreground, registers what the service
// needs, says `{ready: true, address, pid}` over IPC, and stops it on SIGTERM. Settings come as JSON in argv[2]:
// cli, port, uiPort (none: no Web UI), dbFile (none: in memory), namespace, searchAttributes {name: type}, retention,
// synchronous (SQLite's).
const { spawn, execFile } = require('child_process');

const settings = JSON.parse(process.argv[2]);
const address = '127.0.0.1:' + settings.port;

// A user's own CLI settings (a cloud address, a key) must not reach the embedded server.
const env = Object.assign({}, process.env, { TEMPORAL_CONFIG_FILE: '/nonexistent/temporal.toml' });
for (const name of Object.keys(env)) {
  if (name.startsWith('TEMPORAL_') && name !== 'TEMPORAL_CONFIG_FILE') delete env[name];
}

const args = [
  'server',
  'start-dev',
  '--ip',
  '127.0.0.1',
  '--port',
  String(settings.port),
  '--log-level',
  'warn',
  '--namespace',
  settings.namespace,
];
if (settings.uiPort) args.push('--ui-port', String(settings.uiPort));
else args.push('--headless');
if (settings.dbFile)
  args.push(
    '--db-filename',
    settings.dbFile,
    '--sqlite-pragma',
    'journal_mode=WAL',
    '--sqlite-pragma',
    'synchronous=' + (settings.synchronous || 'NORMAL'),
  );
for (const name of Object.keys(settings.searchAttributes || {}))
  args.push('--search-attribute', name + '=' + settings.searchAttributes[name]);

const server = spawn(settings.cli, args, { stdio: ['ignore', 'inherit', 'inherit'], env, windowsHide: true });
let running = true;
let stopping = false;

server.on('error', (error) => {
  console.error('The Temporal server could not be started: ' + error.message);
  process.exit(1);
});
server.on('exit', (code, signal) => {
  running = false;
  if (!stopping) console.error('The Temporal server ended (' + (signal || 'code ' + code) + ').');
  process.exit(stopping ? 0 : 1);
});

function stop() {
  stopping = true;
  server.kill('SIGTERM');
  setTimeout(() => server.kill('SIGKILL'), 8000).unref();
}
process.on('SIGTERM', stop);
process.on('SIGINT', stop);

function operator(words) {
  return new Promise((resolve) => {
    execFile(
      settings.cli,
      ['operator'].concat(words, ['--address', address]),
      { env, timeout: 10000 },
      (error, stdout, stderr) => {
        resolve({ ok: !error, output: stdout + stderr });
      },
    );
  });
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function ready() {
  for (;;) {
    if (!running) return;
    const health = await operator(['cluster', 'health']);
    if (health.ok && health.output.includes('SERVING')) {
      const namespace = await operator(['namespace', 'describe', '--namespace', settings.namespace]);
      if (namespace.ok) break;
    }
    await sleep(100);
  }
  if (settings.retention) {
    const update = await operator([
      'namespace',
      'update',
      '--namespace',
      settings.namespace,
      '--retention',
      settings.retention,
    ]);
    if (!update.ok) console.error('Temporal: the retention could not be set: ' + update.output.trim());
  }
  // The start option registers them only in a new database.
  const known = settings.dbFile
    ? await operator(['search-attribute', 'list', '--namespace', settings.namespace])
    : null;
  for (const name of Object.keys(settings.searchAttributes || {})) {
    if (known === null || known.output.includes(name)) continue;
    const added = await operator([
      'search-attribute',
      'create',
      '--namespace',
      settings.namespace,
      '--name',
      name,
      '--type',
      settings.searchAttributes[name],
    ]);
    if (!added.ok)
      console.error('Temporal: the search attribute ' + name + ' could not be registered: ' + added.output.trim());
  }
  if (!running || stopping) return;
  console.log('READY temporal on ' + address);
  if (process.send) process.send({ ready: true, address, pid: server.pid });
}

ready().catch((error) => {
  console.error(error);
  stop();
});
