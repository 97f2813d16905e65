'use strict';

/**
 * Runs before anything is installed: installs the dependencies when they are missing or stale, builds what changed,
 * and hands over to one of the launchers (TypeScript in dev/).
 */
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { build, readText } = require('./build.cjs');

const root = path.resolve(__dirname, '..', '..');
const windows = process.platform === 'win32';
const startedAt = Date.now();
/** An error whose message is meant for the person at the terminal: it is printed without a stack. */
class UserError extends Error {
  name = 'UserError';
}

/** Returns a log: one line per event, with the seconds since the beginning. */
function createLog(stream) {
  return (line) => stream.write(`[${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)}s] ${line}\n`);
}

/**
 * Returns what an installation lacks, or an empty text: npm keeps in node_modules/.package-lock.json what it installed,
 * and writes it last, so an install that was cut short leaves none.
 */
function installFault() {
  const wanted = JSON.parse(readText(path.join(root, 'package-lock.json')) || 'null');
  if (!wanted) throw new UserError('package-lock.json is missing; restore it from the repository.');
  const have = JSON.parse(readText(path.join(root, 'node_modules', '.package-lock.json')) || 'null');
  if (!have) return 'they are not installed';
  for (const [name, entry] of Object.entries(wanted.packages)) {
    // What lies in the checkout is there: the sandbox.
    if (!name.startsWith('node_modules/') || entry.link) continue;
    const found = have.packages[name];
    // What is meant for other platforms is left out by npm.
    if (!found && (entry.optional || entry.devOptional || entry.peer)) continue;
    if (found?.version !== entry.version || found.integrity !== entry.integrity)
      return `${name.replace('node_modules/', '')} is not at ${entry.version}`;
  }
  const direct = wanted.packages[''] ?? {};
  const missing = Object.keys({ ...direct.dependencies, ...direct.devDependencies }).find(
    (name) => !fs.existsSync(path.join(root, 'node_modules', name, 'package.json')),
  );
  return missing ? `${missing} is missing` : '';
}

/** Returns how to call npm: the one that runs us, else the one beside this Node, else the one on PATH. */
function npmCommand() {
  const modules = windows ? 'node_modules' : '../lib/node_modules';
  const beside = path.join(path.dirname(process.execPath), modules, 'npm', 'bin', 'npm-cli.js');
  const script = [process.env.npm_execpath, beside].find(
    (file) => file && /npm-cli\.c?js$/.test(file) && fs.existsSync(file),
  );
  return script ? { command: process.execPath, args: [script] } : { command: 'npm', args: [] };
}

/** Starts a process and those that it starts in the checkout; none of them outlives us, unless released. */
function startGroup(command, args, options) {
  const child = spawn(command, args, { cwd: root, detached: !windows, windowsHide: true, ...options });
  const signal = (name) => {
    try {
      process.kill(windows ? child.pid : -child.pid, name);
    } catch {
      // It has ended.
    }
  };
  const kill = () => signal('SIGKILL');
  process.on('exit', kill);
  return { child, signal, release: () => process.removeListener('exit', kill) };
}

/**
 * Lets Go fetch and compile the Temporal CLI while npm installs, where only a download could spare us that
 * (dev/temporal/provide.ts). Returns what ends it: Go's own caches keep what is done, and the build goes on from there.
 */
function startGo(log) {
  const { env } = process;
  const { goPackage, version } = require('../temporal/cli.json');
  const cache = env.MSGDESK_CACHE_DIR || path.join(env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'msgdesk');
  const onPath = (name) => (env.PATH ?? '').split(path.delimiter).some((dir) => fs.existsSync(path.join(dir, name)));
  const isThere = onPath('temporal') || fs.existsSync(path.join(cache, 'temporal', version, 'temporal'));
  if (isThere || env.TEMPORAL_CLI_PATH || env.TEMPORAL_ADDRESS || !onPath('go')) return () => undefined;
  log('Temporal: not installed; Go begins to compile it meanwhile, in case that it cannot be downloaded');
  const goEnv = { ...env, GOBIN: path.join(root, 'dist', 'go'), GOFLAGS: '', CGO_ENABLED: '0' };
  const { child, signal } = startGroup('go', ['install', goPackage], { stdio: 'ignore', env: goEnv });
  child.on('error', () => undefined);
  // It clears its working folder away before it ends.
  return () => signal('SIGINT');
}

/** Runs npm in the checkout and returns how it ended; a line every 15 s says that it still works. */
function npm(args, { log, label }) {
  const { command, args: first } = npmCommand();
  return new Promise((resolve) => {
    const began = Date.now();
    const seconds = () => Math.round((Date.now() - began) / 1000);
    let output = '';
    const stdio = ['ignore', 'pipe', 'pipe'];
    const { child, release } = startGroup(command, [...first, ...args], {
      stdio,
      shell: windows && first.length === 0,
    });
    const ticker = setInterval(() => log(`  still ${label} (${seconds()} s)`), 15000);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-200000)));
    const finish = (code) => {
      release();
      clearInterval(ticker);
      resolve({ code, output: output.trim(), seconds: seconds() });
    };
    child.on('error', (error) => {
      output += `${error.message} (is npm installed?)`;
      finish(127);
    });
    child.on('close', (code) => finish(code ?? 1));
  });
}

async function install(log) {
  const fault = installFault();
  if (!fault) return;
  log(
    `Installing dependencies (${fault}) from ${process.env.npm_config_registry ?? 'the npm registry'}: 1 to 3 minutes`,
  );
  // The calling npm's settings, such as --silent, come by the environment and would hide the reason of a failure.
  const flags = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=warn'];
  const endGo = startGo(log);
  let result = await npm(['ci', ...flags], { log, label: 'installing' });
  if (result.code !== 0 && /package-lock\.json[\s\S]* are in sync/.test(result.output)) {
    // A lock file made where the registry lacked some platform's optional package is refused by `npm ci` alone.
    log('`npm ci` refuses package-lock.json as incomplete; using `npm install`, which leaves that file as it is');
    result = await npm(['install', '--no-save', ...flags], { log, label: 'installing' });
  }
  endGo();
  if (result.code !== 0)
    throw new UserError(`Installing the dependencies failed:\n${result.output.split('\n').slice(-30).join('\n')}`);
  const left = installFault();
  if (left)
    throw new UserError(`npm ended well, but ${left}. Check for an .npmrc or environment that leaves packages out.`);
  log(`Dependencies installed in ${result.seconds} s`);
}

/** Runs `work` while no other run prepares this checkout. The holder keeps its lock fresh; a stale one is taken. */
async function withLock(log, work) {
  // Beside the build, since `npm ci` empties node_modules.
  const file = path.join(root, 'dist', '.prepare.lock');
  const isStale = (of) => Date.now() - (fs.statSync(of, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > 15000;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  let hasWaited = false;
  for (;;) {
    try {
      fs.writeFileSync(file, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isStale(file)) fs.rmSync(file, { force: true });
    else if (!hasWaited) log('Waiting for another run that prepares this checkout');
    hasWaited = true;
    await new Promise((resolve) => setTimeout(resolve, 250 + Math.random() * 250));
  }
  const touch = setInterval(() => fs.utimesSync(file, new Date(), new Date()), 1000).unref();
  const release = () => readText(file) === String(process.pid) && fs.rmSync(file);
  process.on('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(touch);
    process.removeListener('exit', release);
    release();
  }
}

/**
 * Prepares what a launcher needs and runs it; `quiet`: stdout belongs to its own output, whose last line is
 * `failed` where nothing could be run.
 */
async function launch(name, { quiet = false, failed = '' } = {}) {
  // zsh takes no comment at its prompt: what follows a pasted `#` would be taken for arguments.
  const comment = process.argv.indexOf('#');
  if (comment > 1) process.argv.length = comment;
  const usageFile = path.join(__dirname, 'usage', `${name}.txt`);
  const usage = fs.existsSync(usageFile) ? fs.readFileSync(usageFile, 'utf8') : '';
  if (usage && process.argv.slice(2).some((arg) => arg === '--help' || arg === '-h')) return console.log(usage);
  const log = createLog(quiet ? process.stderr : process.stdout);
  const parentPid = process.ppid;
  const interrupt = () => process.exit(130);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, interrupt);
  try {
    await withLock(log, async () => {
      await install(log);
      const fault = await build(npm, log);
      if (fault) throw new UserError(`The build failed:\n${fault}`);
    });
  } catch (error) {
    console.error(`\n${error instanceof UserError ? error.message : error.stack}`);
    if (failed) console.log(failed);
    process.exit(1);
  }
  for (const signal of signals) process.removeListener(signal, interrupt);
  return require(path.join(root, 'dist', 'dev', 'commands', `${name}.js`)).main({ log, parentPid, usage });
}

module.exports = { launch };
