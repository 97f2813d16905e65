'use strict';

require('./lib/checkNode.cjs')();

const fs = require('fs');
const path = require('path');
const http = require('http');
const { createLog, printError, UserError } = require('./lib/log.cjs');
const { startChild, run, until, onParentGone } = require('./lib/processes.cjs');
const { root, readSettings, openDataDir, openSecrets, writePrivate } = require('./lib/settings.cjs');
const { checkPorts } = require('./lib/ports.cjs');
const { prepare } = require('./lib/prepare.cjs');
const { clearPrevious, writeRunning, removeRunning } = require('./lib/running.cjs');
const { createSupervisor } = require('./lib/supervisor.cjs');
const { fillDemo } = require('./lib/demoContent.cjs');
const { connectReceiver, provision, registerAccount, syncWorkspace } = require('./lib/provision.cjs');
const { provideTemporalCli } = require('./temporal/provide.cjs');
const { startTemporal } = require('./temporal/start.cjs');
const { startPostgres } = require('./postgres/start.cjs');

const log = createLog();
let supervisor = null;
let dataDir = '';

/** The ports that this run will listen on: an embedded part that is replaced needs none. */
function portsOf(settings) {
  const ports = [
    { port: settings.port, variable: 'PORT', what: 'API, dashboard and MCP' },
    { port: settings.workerPort, variable: 'WORKER_PORT', what: 'worker health and metrics' },
  ];
  if (!settings.upstreamUrl)
    ports.push({ port: settings.sandboxPort, variable: 'SANDBOX_PORT', what: 'sandbox upstream' });
  if (!settings.temporalAddress) {
    ports.push({ port: settings.temporalPort, variable: 'TEMPORAL_PORT', what: 'Temporal' });
    ports.push({ port: settings.temporalUiPort, variable: 'TEMPORAL_UI_PORT', what: 'Temporal Web UI' });
  }
  if (!settings.databaseUrl) ports.push({ port: settings.postgresPort, variable: 'POSTGRES_PORT', what: 'PostgreSQL' });
  return ports;
}

/** The environment of the API, the worker, the migrations and the CLI. */
function serviceEnvironment(settings, databaseUrl, temporalAddress, secretsKey) {
  const env = Object.assign({}, process.env, {
    NODE_ENV: process.env.NODE_ENV || 'development',
    HOST: settings.host,
    PORT: String(settings.port),
    BASE_URL: settings.baseUrl,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: settings.temporalNamespace,
    MSGAPP_API_URL: settings.upstreamUrl || 'http://127.0.0.1:' + settings.sandboxPort,
    SECRETS_KEY: secretsKey,
    DATA_DIR: settings.dataDir,
    // The demo's receivers are on this machine.
    WEBHOOK_ALLOW_PRIVATE: process.env.WEBHOOK_ALLOW_PRIVATE || '1',
  });
  if (!settings.temporalAddress) {
    // Credentials for another server make no sense towards the embedded one.
    for (const name of Object.keys(env)) if (/^TEMPORAL_(TLS|API_KEY)/.test(name)) delete env[name];
    env.TEMPORAL_UI_URL = 'http://127.0.0.1:' + settings.temporalUiPort;
  }
  return env;
}

function statusOf(url) {
  return new Promise((resolve) => {
    const request = http.get(url, { timeout: 5000 }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(0));
  });
}

/** Waits until `url` answers 200, or `child` ends, or a minute and a half is over. */
async function waitForUrl(url, child, accept) {
  const up = await until(async () => !child.running || accept(await statusOf(url)), 90000, 100);
  if (up && child.running) return;
  // The pipe may still hold what it said last.
  await until(() => false, 100);
  const tail = child
    .tail()
    .slice(-20)
    .map((line) => '  ' + line)
    .join('\n');
  throw new UserError(
    child.name +
      (child.running
        ? ' does not answer at ' + url
        : ' ended at start (' + (child.signal || 'code ' + child.code) + ')') +
      (tail ? ':\n' + tail : ''),
  );
}

function table(rows) {
  const width =
    Math.max.apply(
      null,
      rows.map((row) => row[0].length),
    ) + 3;
  return rows.map((row) => '  ' + row[0].padEnd(width) + row[1]).join('\n');
}

async function main() {
  const settings = readSettings();
  openDataDir(settings.dataDir);
  await clearPrevious(settings.dataDir, log);
  await checkPorts(portsOf(settings));
  // From here the folder is ours, and so is what a stop removes from it.
  dataDir = settings.dataDir;
  writeRunning(dataDir, { children: [] });
  const secrets = openSecrets(dataDir);
  const secretsKey = process.env.SECRETS_KEY || secrets.secrets_key;
  await prepare({ log });
  if (stopping) return;

  const note = { secrets_key: secretsKey };
  const logsDir = path.join(dataDir, 'logs');
  supervisor = createSupervisor({
    logsDir,
    log,
    onChange: (children) => writeRunning(dataDir, Object.assign({ children }, note)),
    onGiveUp: (error) => stop(error),
  });
  const temporalCli = settings.temporalAddress ? '' : await provideTemporalCli({ log });
  if (stopping) return;
  // Preparing may have taken minutes.
  await checkPorts(portsOf(settings));

  let databaseUrl = settings.databaseUrl;
  let temporalAddress = settings.temporalAddress;
  const waits = [];
  if (!databaseUrl) {
    const handle = supervisor.add('postgres', {
      start: (onLine) =>
        startPostgres({
          dir: path.join(dataDir, 'postgres'),
          port: settings.postgresPort,
          password: secrets.postgres_password,
          database: 'msgdesk',
          durable: true,
          onLine,
        }),
      quiet: true,
      patience: 5,
      graceMs: 30000,
    });
    waits.push(
      handle.waitReady(120000).then((ready) => {
        databaseUrl = ready.url;
        log('PostgreSQL is ready on port ' + settings.postgresPort);
      }),
    );
  }
  if (!temporalAddress) {
    const handle = supervisor.add('temporal', {
      start: (onLine) =>
        startTemporal({
          cli: temporalCli,
          port: settings.temporalPort,
          uiPort: settings.temporalUiPort,
          dbFile: path.join(dataDir, 'temporal.db'),
          namespace: settings.temporalNamespace,
          onLine,
        }),
      quiet: true,
      patience: 5,
    });
    waits.push(
      handle.waitReady(90000).then((ready) => {
        temporalAddress = ready.address;
        log('Temporal is ready on port ' + settings.temporalPort);
      }),
    );
  }
  await Promise.all(waits);
  if (stopping) return;

  const env = serviceEnvironment(settings, databaseUrl, temporalAddress, secretsKey);
  Object.assign(note, { msgapp_api_url: env.MSGAPP_API_URL });
  const migration = await run(process.execPath, [path.join(root, 'dist', 'admin', 'migrate.js')], {
    cwd: root,
    env,
    log,
    label: 'migrating',
    limitMs: 30 * 60000,
  });
  if (stopping) return;
  if (migration.code !== 0) throw new UserError('Migrating the database failed:\n' + migration.output.trim());
  log('The database is up to date');
  const webhookUrl = 'http://127.0.0.1:' + settings.port + '/webhooks/msgapp/';
  const demo = await provision({ dataDir, databaseUrl, env, webhookUrl, log });
  if (stopping) return;

  const sandboxUrl = settings.upstreamUrl ? '' : env.MSGAPP_API_URL;
  function service(name, script, extra) {
    return supervisor.add(name, {
      start: (onLine) =>
        startChild({
          name,
          script: path.join(root, 'dist', script),
          env: Object.assign({}, env, extra),
          cwd: root,
          onLine,
        }),
      // A worker is given time to finish what it has in hand; it gives up by itself after 40 s.
      graceMs: name === 'worker' ? 45000 : 20000,
    });
  }
  const sandbox = sandboxUrl
    ? service('sandbox', 'dev/sandbox/index.js', {
        SANDBOX_PORT: String(settings.sandboxPort),
        SANDBOX_STATE_FILE: path.join(dataDir, 'sandbox.json'),
      })
    : null;
  const api = service('api', 'api/index.js', {});
  const worker = service('worker', 'worker/index.js', { WORKER_PORT: String(settings.workerPort) });
  if (sandbox) {
    await waitForUrl(sandboxUrl + '/', sandbox, (status) => status > 0);
    await registerAccount(demo, sandboxUrl, webhookUrl);
  }
  // A service that listens everywhere is reached on the loopback.
  const reach = /^(0\.0\.0\.0|::)$/.test(settings.host) ? '127.0.0.1' : settings.host;
  const reachUrl = 'http://' + (reach.includes(':') ? '[' + reach + ']' : reach) + ':' + settings.port;
  await waitForUrl(reachUrl + '/readyz', api, (status) => status === 200);
  if (sandbox) await syncWorkspace(demo, env);
  if (stopping) return;
  if (!worker.running) await waitForUrl('', worker, () => false);
  // The webhook comes first: the examples of the documentation know it as number 1.
  if (sandbox) await connectReceiver({ dataDir, baseUrl: reachUrl, sandboxUrl, demo, log });
  if (sandbox) await fillDemo({ dataDir, baseUrl: reachUrl, sandboxUrl, demo, log });
  if (stopping) return;
  supervisor.settle();

  const base = settings.baseUrl;
  const workerUrl = 'http://' + (reach.includes(':') ? '[' + reach + ']' : reach) + ':' + settings.workerPort;
  const uiUrl = settings.temporalAddress
    ? process.env.TEMPORAL_UI_URL || ''
    : 'http://127.0.0.1:' + settings.temporalUiPort;
  const facts = {
    base_url: base,
    api_key: demo.api_key,
    mcp_url: base + '/mcp',
    dashboard_url: base + '/dashboard/',
    dashboard_email: demo.email,
    dashboard_password: demo.password,
    docs_url: base + '/docs/',
    temporal_address: temporalAddress,
    temporal_namespace: settings.temporalNamespace,
    temporal_ui_url: uiUrl,
    sandbox_url: sandboxUrl,
    worker_url: workerUrl,
    database_url: databaseUrl,
    workspace_id: demo.workspace_id,
  };
  writePrivate(path.join(dataDir, 'dev.json'), facts);
  log('Ready');
  const rows = [
    ['API', base + '/api/v1/'],
    ['API key', demo.api_key],
    ['Docs', facts.docs_url],
    ['Dashboard', facts.dashboard_url + '   ' + demo.email + ' / ' + demo.password],
    ['MCP', facts.mcp_url],
  ];
  if (uiUrl) rows.push(['Temporal Web UI', uiUrl]);
  rows.push(['Worker', workerUrl + '/healthz and /metrics']);
  rows.push(['Sandbox upstream', sandboxUrl || 'not started (MSGAPP_API_URL is set)']);
  console.log(
    '\n' +
      table(rows) +
      '\n\n  Logs are in ' +
      path.relative(process.cwd(), logsDir) +
      '. Ctrl-C stops everything; the next `npm start` goes on with the same data.\n',
  );
}

let stopping = false;
let stopAskedAt = 0;

/** Stops all in order: worker, api, sandbox, temporal, postgres. */
async function stop(error) {
  if (stopping) return;
  stopping = true;
  if (error) printError(error);
  try {
    if (dataDir) fs.rmSync(path.join(dataDir, 'dev.json'), { force: true });
    if (supervisor) await supervisor.stop();
    if (dataDir) removeRunning(dataDir);
  } catch (failure) {
    printError(failure);
  }
  if (!error) log('Stopped');
  process.exit(error ? 1 : 0);
}

function asked() {
  const now = Date.now();
  if (!stopping) {
    stopAskedAt = now;
    console.log('');
    stop(null);
    return;
  }
  // One Ctrl-C reaches us twice under npm: from the terminal, and passed on by npm.
  if (now - stopAskedAt < 1000) return;
  log('Ending everything now');
  if (supervisor) supervisor.force();
}

process.on('SIGINT', asked);
process.on('SIGTERM', asked);
process.on('SIGHUP', asked);
if (process.env.npm_lifecycle_event) onParentGone(() => stop(null));
// A closed terminal must not keep us from stopping in order.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
process.on('uncaughtException', (error) => stop(error));
process.on('unhandledRejection', (error) => stop(error));

main().catch((error) => {
  if (!stopping) stop(error);
});
