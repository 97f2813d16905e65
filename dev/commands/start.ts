import fs from 'node:fs';
import path from 'node:path';
import { endOf, lastLines, startChild, type Child } from '../lib/children';
import { readJson, writePrivate } from '../lib/files';
import { startOver } from '../lib/fresh';
import { printError, root, UserError, type Launcher } from '../lib/launcher';
import { checkPorts } from '../lib/ports';
import { onParentGone } from '../lib/processes';
import { clearPrevious, removeRunning, writeRunning } from '../lib/running';
import {
  allowsPrivate,
  openDataDir,
  openSecrets,
  portsOf,
  readSettings,
  serviceEnvironment,
  type Settings,
} from '../lib/settings';
import { createSupervisor, type Supervisor } from '../lib/supervisor';
import { waitForPage } from '../lib/web';
import { startPostgres } from '../postgres/start';
import { provideTemporalCli } from '../temporal/provide';
import { startTemporal } from '../temporal/start';

const migrationLimitMs = 30 * 60_000;
/** One Ctrl-C reaches us twice under npm: from the terminal, and passed on by npm. */
const sameKeyMs = 1_000;

type Environment = ReturnType<typeof serviceEnvironment>;

/** One `npm start`, from its beginning to its end. */
class Start {
  private dataDir = '';
  private supervisor: Supervisor | null = null;
  private isStopping = false;
  private stopAskedAt = 0;

  constructor(private readonly launcher: Launcher) {}

  async run(args: readonly string[]): Promise<void> {
    const { log } = this.launcher;
    const settings = readSettings();
    openDataDir(settings.dataDir);
    await clearPrevious(settings.dataDir, log);
    const ports = portsOf(settings);
    await checkPorts([...ports.services, ...ports.servers]);
    if (args.includes('--fresh')) startOver(settings, log);
    // From here the folder is ours, and so is what a stop removes from it.
    this.dataDir = settings.dataDir;
    const secrets = openSecrets(settings.dataDir);
    const secretsKey = process.env['SECRETS_KEY'] || secrets.secrets_key;
    const note = {
      secrets_key: secretsKey,
      msgapp_api_url: settings.upstreamUrl || `http://127.0.0.1:${settings.sandboxPort}`,
      webhook_allow_private: allowsPrivate(),
    };
    writeRunning(settings.dataDir, { children: [], ...note });
    const supervisor = createSupervisor({
      logsDir: path.join(settings.dataDir, 'logs'),
      log,
      onChange: (children) => writeRunning(settings.dataDir, { children, ...note }),
      onGiveUp: (error) => this.stop(error),
    });
    this.supervisor = supervisor;

    const [databaseUrl, temporalAddress] = await this.together(
      this.database(settings, secrets.postgres_password),
      this.temporal(settings),
    );
    // Preparing may have taken minutes.
    await checkPorts(ports.services);
    this.goOn();

    const vapidKey = process.env['VAPID_PRIVATE_KEY'] || secrets.vapid_private_key;
    const env = serviceEnvironment(settings, { databaseUrl, temporalAddress, secretsKey, vapidKey });
    const sandboxUrl = settings.upstreamUrl ? '' : env.MSGAPP_API_URL;
    if (sandboxUrl)
      this.service('sandbox', 'dev/sandbox/index.js', env, {
        SANDBOX_PORT: String(settings.sandboxPort),
        SANDBOX_STATE_FILE: path.join(settings.dataDir, 'sandbox.json'),
      });
    await this.step('migrating', 'admin/migrate.js', env);
    log('The database is up to date');

    const api = this.service('api', 'api/index.js', env);
    const worker = this.service('worker', 'worker/index.js', env, { WORKER_PORT: String(settings.workerPort) });
    const local = localUrl(settings);
    const demo = JSON.stringify({
      dataDir: settings.dataDir,
      apiUrl: local(settings.port),
      webhookUrl: `http://127.0.0.1:${settings.port}/webhooks/msgapp/`,
      sandboxUrl,
    });
    await this.together(
      waitForPage(`${local(settings.port)}/readyz`, api),
      waitForPage(`${local(settings.workerPort)}/healthz`, worker),
      this.step('provisioning the demo workspace', 'dev/demo/index.js', env, [demo]),
    );
    supervisor.settle();
    this.announce(settings, { env, databaseUrl, temporalAddress, sandboxUrl, workerUrl: local(settings.workerPort) });
  }

  /** Stops all in order: worker, api, sandbox, temporal, postgres. */
  stop(error: unknown): void {
    if (this.isStopping) return;
    this.isStopping = true;
    if (error !== null) printError(error);
    this.stopAll()
      .catch(printError)
      .finally(() => {
        if (error === null) this.launcher.log('Stopped');
        process.exit(error === null ? 0 : 1);
      });
  }

  /** Stops in order when it is asked for the first time, and at once when it is asked again. */
  ask(): void {
    const now = Date.now();
    if (!this.isStopping) {
      this.stopAskedAt = now;
      console.log('');
      this.stop(null);
    } else if (now - this.stopAskedAt >= sameKeyMs) {
      this.launcher.log('Ending everything now');
      this.supervisor?.force();
    }
  }

  private async stopAll(): Promise<void> {
    if (!this.dataDir) return;
    fs.rmSync(path.join(this.dataDir, 'dev.json'), { force: true });
    await this.supervisor?.stop();
    removeRunning(this.dataDir);
  }

  /** Ends the run's own course once it is being stopped: nothing is started any more. */
  private goOn(): void {
    if (this.isStopping) throw new UserError('stopped');
  }

  private async together<T extends readonly unknown[]>(
    ...work: { [Key in keyof T]: Promise<T[Key]> }
  ): Promise<{ -readonly [Key in keyof T]: T[Key] }> {
    const results = await Promise.all(work);
    this.goOn();
    return results as { -readonly [Key in keyof T]: T[Key] };
  }

  private async database(settings: Settings, password: string): Promise<string> {
    if (settings.databaseUrl) return settings.databaseUrl;
    const { postgresPort: port, dataDir } = settings;
    const dir = path.join(dataDir, 'postgres');
    const postgres = this.supervised().add('postgres', {
      start: (onLine) => startPostgres({ dir, port, password, database: 'msgdesk', durable: true, onLine }),
      quiet: true,
      patience: 5,
      graceMs: 30_000,
    });
    const { url = '' } = await postgres.waitReady(120_000);
    this.launcher.log(`PostgreSQL is ready on port ${port}`);
    return url;
  }

  private async temporal(settings: Settings): Promise<string> {
    if (settings.temporalAddress) return settings.temporalAddress;
    const { temporalPort: port, temporalUiPort: uiPort, temporalNamespace: namespace, dataDir } = settings;
    const cli = await provideTemporalCli(this.launcher.log);
    this.goOn();
    const dbFile = path.join(dataDir, 'temporal.db');
    const temporal = this.supervised().add('temporal', {
      start: (onLine) => startTemporal({ cli, port, uiPort, dbFile, namespace, onLine }),
      quiet: true,
      patience: 5,
    });
    const { address = '' } = await temporal.waitReady(90_000);
    this.launcher.log(`Temporal is ready on port ${port}`);
    return address;
  }

  private supervised(): Supervisor {
    if (!this.supervisor) throw new Error('there is no supervisor yet');
    return this.supervisor;
  }

  private service(name: string, script: string, env: Environment, more: Record<string, string> = {}): Child {
    return this.supervised().add(name, {
      start: (onLine) =>
        startChild({ name, script: path.join(root, 'dist', script), env: { ...env, ...more }, cwd: root, onLine }),
      // A worker is given time to finish what it has in hand; it gives up by itself after 40 s.
      graceMs: name === 'worker' ? 45_000 : 20_000,
    });
  }

  /** Runs one step as a process of its own; the lines that it prints for people are shown. */
  private async step(label: string, script: string, env: Environment, args: readonly string[] = []): Promise<void> {
    const child = startChild({
      name: label,
      script: path.join(root, 'dist', script),
      args,
      env,
      cwd: root,
      onLine: (line, stream) => {
        if (stream === 'stdout' && args.length > 0) this.launcher.log(line);
      },
    });
    const limit = setTimeout(() => void child.stop(0), migrationLimitMs);
    await child.exited;
    clearTimeout(limit);
    this.goOn();
    if (child.code !== 0) throw new UserError(`${label} failed (${endOf(child)})${lastLines(child)}`);
  }

  /** Writes `dev.json` and prints the table of addresses. */
  private announce(
    settings: Settings,
    run: {
      readonly env: Environment;
      readonly databaseUrl: string;
      readonly temporalAddress: string;
      readonly sandboxUrl: string;
      readonly workerUrl: string;
    },
  ): void {
    const demo = readJson<Record<string, unknown>>(path.join(settings.dataDir, 'demo.json')) ?? {};
    const base = settings.baseUrl;
    const facts = {
      base_url: base,
      api_key: String(demo['api_key']),
      mcp_url: `${base}/mcp`,
      dashboard_url: `${base}/dashboard/`,
      dashboard_email: String(demo['email']),
      dashboard_password: String(demo['password']),
      docs_url: `${base}/docs/`,
      temporal_address: run.temporalAddress,
      temporal_namespace: settings.temporalNamespace,
      temporal_ui_url: run.env['TEMPORAL_UI_URL'] ?? '',
      sandbox_url: run.sandboxUrl,
      worker_url: run.workerUrl,
      database_url: run.databaseUrl,
      workspace_id: demo['workspace_id'],
    };
    writePrivate(path.join(settings.dataDir, 'dev.json'), facts);
    this.launcher.log('Ready');
    const rows = [
      ['API', `${base}/api/v1/`],
      ['API key', facts.api_key],
      ['Docs', facts.docs_url],
      ['Dashboard', `${facts.dashboard_url}   ${facts.dashboard_email} / ${facts.dashboard_password}`],
      ['MCP', facts.mcp_url],
      ...(facts.temporal_ui_url ? [['Temporal Web UI', facts.temporal_ui_url]] : []),
      ['Worker', `${run.workerUrl}/healthz and /metrics`],
      ['Sandbox', run.sandboxUrl || 'not started (MSGAPP_API_URL is set)'],
    ];
    const table = rows.map(([name = '', value = '']) => `  ${name.padEnd(19)}${value}`).join('\n');
    const logs = path.relative(process.cwd(), path.join(settings.dataDir, 'logs'));
    console.log(
      `\n${table}\n\n  Logs are in ${logs}. Ctrl-C stops everything; ` +
        `the next \`npm start\` goes on with the same data\n` +
        '  (`npm start -- --fresh` starts over).\n',
    );
  }
}

/** Returns the address of a port on this machine: a service that listens everywhere is reached on the loopback. */
function localUrl({ host }: Settings): (port: number) => string {
  const reach = /^(0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host;
  return (port) => `http://${reach.includes(':') ? `[${reach}]` : reach}:${port}`;
}

/** `npm start`: runs everything on this machine until it is stopped. */
export function main(launcher: Launcher): void {
  const args = process.argv.slice(2);
  const unknown = args.find((arg) => arg !== '--fresh');
  if (unknown !== undefined) {
    console.error(`npm start does not know ${unknown}.\n\n${launcher.usage}`);
    process.exit(1);
  }

  const start = new Start(launcher);
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => start.ask());
  onParentGone(launcher.parentPid, () => start.stop(null));
  // A closed terminal must not keep us from stopping in order.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error: unknown) => start.stop(error));
  start.run(args).catch((error: unknown) => start.stop(error));
}
