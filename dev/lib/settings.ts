import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeFolder, readJson, writePrivate } from './files';
import { codeOf, root, UserError } from './launcher';
import type { WantedPort } from './ports';

/** The launchers' own settings, from the environment and `.env`. */
export interface Settings {
  readonly port: number;
  readonly sandboxPort: number;
  readonly workerPort: number;
  readonly temporalPort: number;
  readonly temporalUiPort: number;
  readonly postgresPort: number;
  readonly dataDir: string;
  readonly host: string;
  readonly baseUrl: string;
  /** Each one that is set replaces its embedded part. */
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly upstreamUrl: string;
  readonly temporalNamespace: string;
}

/** The secrets of a data folder. */
export interface Secrets {
  /** Encrypts upstream credentials. */
  readonly secrets_key: string;
  /** The embedded database's. */
  readonly postgres_password: string;
  /** Signs web push. */
  readonly vapid_private_key: string;
}

/** Reads `.env` in the repository's root into the environment; what is really set there wins. */
function loadDotEnv(): void {
  let text: string;
  try {
    text = fs.readFileSync(path.join(root, '.env'), 'utf8');
  } catch {
    return;
  }
  for (const line of text.split(/\r?\n/)) {
    const [, name, assigned = ''] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const given = assigned.trim();
    const quoted = /^(["'])(.*)\1$/.exec(given);
    const value = quoted?.[2] ?? given.replace(/(^|\s)#.*$/, '').trimEnd();
    if (value !== '' && process.env[name] === undefined) process.env[name] = value;
  }
}

function port(variable: string, fallback: number): number {
  const text = process.env[variable];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 65535)
    throw new UserError(`${variable} must be a port from 1 to 65535; it is "${text}".`);
  return value;
}

/** Reads the launchers' settings; throws where one cannot be. */
export function readSettings(): Settings {
  loadDotEnv();
  const env = process.env;
  const apiPort = port('PORT', 3000);
  return {
    port: apiPort,
    sandboxPort: port('SANDBOX_PORT', 3001),
    workerPort: port('WORKER_PORT', 3002),
    temporalPort: port('TEMPORAL_PORT', 7233),
    temporalUiPort: port('TEMPORAL_UI_PORT', 8233),
    postgresPort: port('POSTGRES_PORT', 5433),
    dataDir: path.resolve(root, env['DATA_DIR'] || '.data'),
    host: env['HOST'] || '127.0.0.1',
    baseUrl: env['BASE_URL'] || `http://127.0.0.1:${apiPort}`,
    databaseUrl: env['DATABASE_URL'] || '',
    temporalAddress: env['TEMPORAL_ADDRESS'] || '',
    temporalNamespace: env['TEMPORAL_NAMESPACE'] || 'default',
    upstreamUrl: env['MSGAPP_API_URL'] || '',
  };
}

/** Returns the ports that a run will listen on: an embedded part that is replaced needs none. */
export function portsOf(settings: Settings): { readonly services: WantedPort[]; readonly servers: WantedPort[] } {
  const services = [
    { port: settings.port, variable: 'PORT', what: 'API, dashboard and MCP' },
    { port: settings.workerPort, variable: 'WORKER_PORT', what: 'worker health and metrics' },
  ];
  const servers: WantedPort[] = [];
  if (!settings.upstreamUrl) services.push({ port: settings.sandboxPort, variable: 'SANDBOX_PORT', what: 'sandbox' });
  if (!settings.temporalAddress)
    servers.push(
      { port: settings.temporalPort, variable: 'TEMPORAL_PORT', what: 'Temporal' },
      { port: settings.temporalUiPort, variable: 'TEMPORAL_UI_PORT', what: 'Temporal Web UI' },
    );
  if (!settings.databaseUrl)
    servers.push({ port: settings.postgresPort, variable: 'POSTGRES_PORT', what: 'PostgreSQL' });
  return { services, servers };
}

/** Makes the data folder, or says in one message that it cannot be used. */
export function openDataDir(dataDir: string): void {
  try {
    makeFolder(dataDir, 0o711);
    const probe = path.join(dataDir, `.writable-${process.pid}`);
    fs.writeFileSync(probe, '');
    fs.unlinkSync(probe);
    makeFolder(path.join(dataDir, 'logs'), 0o755);
  } catch (error) {
    throw new UserError(
      `The data folder ${dataDir} cannot be written (${codeOf(error)}). Choose another with DATA_DIR=<folder>.`,
    );
  }
}

/**
 * Returns the secrets of a data folder, made once; losing them makes its database useless, so a damaged file is an
 * error.
 */
export function openSecrets(dataDir: string): Secrets {
  const file = path.join(dataDir, 'secrets.json');
  const found = fs.existsSync(file) ? (readJson<Partial<Secrets>>(file) ?? {}) : null;
  if (found && !(found.secrets_key && found.postgres_password))
    throw new UserError(`${file} is damaged. Restore it, or begin with empty data: npm start -- --fresh`);
  const secrets = {
    secrets_key: found?.secrets_key ?? crypto.randomBytes(32).toString('base64'),
    postgres_password: found?.postgres_password ?? crypto.randomBytes(18).toString('hex'),
    // Any 32 bytes are a key of its curve, but for a few of 2^256. A folder of before has none yet.
    vapid_private_key: found?.vapid_private_key ?? crypto.randomBytes(32).toString('base64'),
  };
  if (!found?.vapid_private_key) writePrivate(file, secrets);
  return secrets;
}

/** Returns whether webhooks may go to private addresses, as a setting: the demo's receivers are on this machine. */
export const allowsPrivate = (): string => process.env['WEBHOOK_ALLOW_PRIVATE'] || '1';

/** Returns the environment of the API, the worker, the migrations and the CLI. */
export function serviceEnvironment(
  settings: Settings,
  found: Record<'databaseUrl' | 'temporalAddress' | 'secretsKey' | 'vapidKey', string>,
): NodeJS.ProcessEnv & { readonly MSGAPP_API_URL: string } {
  const { databaseUrl, temporalAddress, secretsKey, vapidKey } = found;
  const env = {
    ...process.env,
    NODE_ENV: process.env['NODE_ENV'] || 'development',
    HOST: settings.host,
    PORT: String(settings.port),
    BASE_URL: settings.baseUrl,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: settings.temporalNamespace,
    MSGAPP_API_URL: settings.upstreamUrl || `http://127.0.0.1:${settings.sandboxPort}`,
    SECRETS_KEY: secretsKey,
    VAPID_PRIVATE_KEY: vapidKey,
    DATA_DIR: settings.dataDir,
    FILES_DIR: process.env['FILES_DIR'] || path.join(settings.dataDir, 'files'),
    WEBHOOK_ALLOW_PRIVATE: allowsPrivate(),
  };
  if (settings.temporalAddress) return env;
  // Credentials for another server make no sense towards the embedded one.
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !/^TEMPORAL_(TLS|API_KEY)/.test(name)));
  return { ...own, MSGAPP_API_URL: env.MSGAPP_API_URL, TEMPORAL_UI_URL: `http://127.0.0.1:${settings.temporalUiPort}` };
}
