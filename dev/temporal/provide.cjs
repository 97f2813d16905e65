'use strict';

const fs = require('fs');
const path = require('path');
const { run, onPath, reasonOf, windows } = require('../lib/processes.cjs');
const { cacheDir, draftBeside, sweepDrafts } = require('../lib/cache.cjs');
const { UserError } = require('../lib/log.cjs');

// The last version that `go install` can build: later ones carry a replace directive, which it refuses.
const version = '1.5.1';
const goPackage = 'github.com/temporalio/cli/cmd/temporal@v' + version;
const downloadLimitMs = 60000;

/** Empty when `file` is a CLI whose dev server takes the options that we start it with, else what is wrong. */
async function faultOf(file) {
  const help = await run(file, ['server', 'start-dev', '--help'], { limitMs: 20000 });
  if (help.code !== 0) return 'it does not run (' + reasonOf(help.output) + ')';
  if (!help.output.includes('--sqlite-pragma') || !help.output.includes('--search-attribute')) return 'it is too old';
  return '';
}

async function fromEnvironment() {
  const file = process.env.TEMPORAL_CLI_PATH;
  if (!file) return { skipped: true };
  const fault = fs.existsSync(file) ? await faultOf(path.resolve(file)) : 'there is no such file';
  return fault ? { failed: 'TEMPORAL_CLI_PATH=' + file + ': ' + fault } : { path: path.resolve(file) };
}

async function fromPath() {
  const file = onPath('temporal');
  if (!file) return { failed: 'no `temporal` on PATH' };
  const fault = await faultOf(file);
  return fault ? { failed: file + ': ' + fault } : { path: file };
}

async function fromCache(target) {
  if (!fs.existsSync(target)) return { failed: 'not in the cache (' + target + ')' };
  const fault = await faultOf(target);
  return fault ? { failed: target + ': ' + fault } : { path: target };
}

async function byDownload(target, log) {
  log('Temporal: downloading the server (once)');
  const draft = draftBeside(target);
  try {
    const result = await run(process.execPath, [path.join(__dirname, 'download.cjs'), 'dev-server', draft], {
      limitMs: downloadLimitMs,
      log,
      label: 'downloading',
    });
    const found = /^DOWNLOADED (.+)$/m.exec(result.output);
    if (!found)
      return {
        failed:
          'download by the SDK: ' +
          (result.timedOut ? 'nothing after ' + downloadLimitMs / 1000 + ' s' : reasonOf(result.output)),
      };
    fs.renameSync(found[1], target);
    return { path: target };
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

async function byGo(target, log) {
  const go = onPath('go');
  if (!go) return { failed: '`go install`: no Go on PATH' };
  log('Temporal: building the server with Go (once, a few minutes)');
  const draft = draftBeside(target);
  try {
    const env = Object.assign({}, process.env, { GOBIN: draft, GOFLAGS: '', CGO_ENABLED: '0' });
    const result = await run(go, ['install', goPackage], {
      env,
      cwd: draft,
      limitMs: 20 * 60000,
      log,
      label: 'building',
    });
    const built = path.join(draft, windows ? 'temporal.exe' : 'temporal');
    if (result.code !== 0 || !fs.existsSync(built))
      return {
        failed:
          '`go install ' +
          goPackage +
          '`: ' +
          (result.timedOut ? 'not done after 20 minutes' : reasonOf(result.output)),
      };
    const fault = await faultOf(built);
    if (fault) return { failed: '`go install ' + goPackage + '`: ' + fault };
    // Two runs may have built it at once: whichever moves last puts an equal file in place.
    fs.renameSync(built, target);
    log('Temporal: built in ' + Math.round(result.seconds) + ' s, kept as ' + target);
    return { path: target };
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Gives the path of a Temporal CLI (contract 2): TEMPORAL_CLI_PATH, PATH, the per-user cache, the SDK's download, Go.
 * Every failed attempt is one line; when all fail, one error says what to install.
 */
async function provideTemporalCli(options) {
  const log = options.log;
  const target = path.join(cacheDir(), 'temporal', version, windows ? 'temporal.exe' : 'temporal');
  sweepDrafts(target);
  const failures = [];
  for (const attempt of [fromEnvironment, fromPath, fromCache, byDownload, byGo]) {
    let result;
    try {
      result = await attempt(
        attempt === fromCache || attempt === byDownload || attempt === byGo ? target : undefined,
        log,
      );
    } catch (error) {
      result = { failed: error.message };
    }
    if (result.path) {
      // Nothing is worth a line on the usual way, which ends at a cached or installed CLI.
      if (failures.length > 0 && attempt !== fromCache) log('Temporal: using ' + result.path);
      return result.path;
    }
    if (result.failed) failures.push(result.failed);
    if (result.failed && attempt !== fromPath && attempt !== fromCache) log('Temporal: ' + result.failed);
  }
  throw new UserError(
    'No Temporal server could be had:\n' +
      failures.map((line) => '  - ' + line).join('\n') +
      '\nInstall the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH, or name it with TEMPORAL_CLI_PATH,' +
      '\nor install Go 1.24 or newer so that it can be built, or point TEMPORAL_ADDRESS at a running server.',
  );
}

module.exports = { provideTemporalCli, version };
