'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { goPackage, version } = require('../temporal/cli.json');

/**
 * Lets Go fetch and compile the Temporal CLI while npm installs, where nothing but a download could spare its build
 * (dev/temporal/provide.ts). Returns what ends it: Go's own caches keep what is done, so the build goes on from there.
 */
module.exports = function goAhead(log) {
  const { env, platform } = process;
  const onPath = (name) => (env.PATH ?? '').split(path.delimiter).some((dir) => fs.existsSync(path.join(dir, name)));
  const cache = env.MSGDESK_CACHE_DIR || path.join(env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'msgdesk');
  const isThere = onPath('temporal') || fs.existsSync(path.join(cache, 'temporal', version, 'temporal'));
  if (platform === 'win32' || isThere || env.TEMPORAL_CLI_PATH || env.TEMPORAL_ADDRESS || !onPath('go'))
    return () => undefined;
  log('Temporal: no server is installed; Go begins to compile one meanwhile, in case that it cannot be downloaded');
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'msgdesk-go-'));
  const go = spawn('go', ['install', goPackage], {
    cwd: scratch,
    env: { ...env, GOBIN: scratch, GOFLAGS: '', CGO_ENABLED: '0' },
    stdio: 'ignore',
    detached: true,
  });
  go.on('error', () => undefined);
  const end = () => {
    process.removeListener('exit', end);
    try {
      process.kill(-go.pid, 'SIGINT');
    } catch {
      // It is done.
    }
    fs.rmSync(scratch, { recursive: true, force: true });
  };
  process.on('exit', end);
  return end;
};
