'use strict';

const fs = require('fs');
const path = require('path');
const crypto = require('crypto');
const { UserError } = require('./log.cjs');

const root = path.resolve(__dirname, '..', '..');

/** Reads `.env` in the repository's root into the environment; what is really set there wins. */
function loadDotEnv() {
  let text;
  try {
    text = fs.readFileSync(path.join(root, '.env'), 'utf8');
  } catch (error) {
    return;
  }
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line);
    if (!match) continue;
    const quoted = /^(["'])(.*)\1$/.exec(match[2]);
    const value = quoted ? quoted[2] : match[2].replace(/(^|\s+)#.*$/, '');
    if (value !== '' && process.env[match[1]] === undefined) process.env[match[1]] = value;
  }
}

function port(variable, fallback) {
  const text = process.env[variable];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 65535)
    throw new UserError(variable + ' must be a port from 1 to 65535; it is "' + text + '".');
  return value;
}

/** The launcher's own settings (contract 1), from the environment and `.env`. */
function readSettings() {
  loadDotEnv();
  const apiPort = port('PORT', 3000);
  return {
    root,
    port: apiPort,
    sandboxPort: port('SANDBOX_PORT', 3001),
    workerPort: port('WORKER_PORT', 3002),
    temporalPort: port('TEMPORAL_PORT', 7233),
    temporalUiPort: port('TEMPORAL_UI_PORT', 8233),
    postgresPort: port('POSTGRES_PORT', 5433),
    dataDir: path.resolve(root, process.env.DATA_DIR || '.data'),
    host: process.env.HOST || '127.0.0.1',
    baseUrl: process.env.BASE_URL || 'http://127.0.0.1:' + apiPort,
    databaseUrl: process.env.DATABASE_URL || '',
    temporalAddress: process.env.TEMPORAL_ADDRESS || '',
    temporalNamespace: process.env.TEMPORAL_NAMESPACE || 'default',
    upstreamUrl: process.env.MSGAPP_API_URL || '',
  };
}

/** Makes a folder and those above it. Node's own recursive way never ends where a file system refuses with ENOENT. */
function makeFolder(folder, mode) {
  if (fs.existsSync(folder)) return;
  if (path.dirname(folder) !== folder) makeFolder(path.dirname(folder), 0o755);
  try {
    fs.mkdirSync(folder, { mode });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** Makes the data folder, or says in one message that it cannot be used. */
function openDataDir(dataDir) {
  try {
    makeFolder(dataDir, 0o711);
    const probe = path.join(dataDir, '.writable-' + process.pid);
    fs.writeFileSync(probe, '');
    fs.unlinkSync(probe);
    makeFolder(path.join(dataDir, 'logs'), 0o755);
  } catch (error) {
    throw new UserError(
      'The data folder ' + dataDir + ' cannot be written (' + error.code + '). Choose another with DATA_DIR=<folder>.',
    );
  }
}

/** Writes JSON that only its owner may read, whole or not at all. */
function writePrivate(file, value) {
  const draft = file + '.' + process.pid + '.tmp';
  fs.writeFileSync(draft, JSON.stringify(value, null, 2) + '\n', { mode: 0o600 });
  fs.renameSync(draft, file);
}

/** The JSON in a file, or null when there is none that can be read. */
function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    return null;
  }
}

/**
 * The secrets of this data folder: the key that encrypts upstream credentials and the embedded database's
 * password. Made once; losing them makes the folder's database useless, so a damaged file is an error.
 */
function openSecrets(dataDir) {
  const file = path.join(dataDir, 'secrets.json');
  if (fs.existsSync(file)) {
    const found = readJson(file);
    if (found && found.secrets_key && found.postgres_password) return found;
    throw new UserError(file + ' is damaged. Restore it, or remove ' + dataDir + ' to begin with empty data.');
  }
  const secrets = {
    secrets_key: crypto.randomBytes(32).toString('base64'),
    postgres_password: crypto.randomBytes(18).toString('hex'),
  };
  writePrivate(file, secrets);
  return secrets;
}

module.exports = { root, readSettings, openDataDir, openSecrets, writePrivate, readJson };
