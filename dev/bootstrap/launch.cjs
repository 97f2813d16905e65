'use strict';

/**
 * Runs before anything is installed: installs the dependencies when they are missing or stale, builds what changed,
 * and hands over to one of the launchers (TypeScript in dev/).
 */
const fs = require('node:fs');
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

/** Returns the places in node_modules of what a start needs: all that root and sandbox lead to, as Node finds it. */
function startPlaces(packages) {
  const places = new Set();
  const visit = (place) => {
    if (places.has(place)) return;
    places.add(place);
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
    for (const name of kinds.flatMap((kind) => Object.keys(packages[place][kind] ?? {})))
      for (let above = place; ; above = above.slice(0, Math.max(0, above.lastIndexOf('/node_modules/')))) {
        const found = `${above}/node_modules/${name}`.replace(/^\//, '');
        if (packages[found]) visit(found);
        if (packages[found] || !above) break;
      }
  };
  for (const place of ['', 'dev/sandbox']) visit(place);
  return places;
}

/**
 * Returns what an installation lacks, for a start or of all; an empty text where it lacks nothing. npm keeps in
 * node_modules/.package-lock.json what it installed, and writes it last, so an install that was cut short leaves none.
 */
function installFault(isForStart) {
  const wanted = JSON.parse(readText(path.join(root, 'package-lock.json')) || 'null');
  if (!wanted) throw new UserError('package-lock.json is missing; restore it from the repository.');
  const have = JSON.parse(readText(path.join(root, 'node_modules', '.package-lock.json')) || 'null');
  if (!have) return 'they are not installed';
  for (const place of isForStart ? startPlaces(wanted.packages) : Object.keys(wanted.packages)) {
    const entry = wanted.packages[place];
    // What lies in the checkout is there: the sandbox.
    if (!place.startsWith('node_modules/') || entry.link) continue;
    const found = have.packages[place];
    // What is meant for other platforms is left out by npm.
    if (!found && (entry.optional || entry.devOptional || entry.peer)) continue;
    const name = place.replace('node_modules/', '');
    if (found?.version !== entry.version || found.integrity !== entry.integrity)
      return `${name} is not at ${entry.version}`;
    if (!fs.existsSync(path.join(root, place, 'package.json'))) return `${name} is missing`;
  }
  return '';
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
  const kill = () => {
    try {
      process.kill(windows ? child.pid : -child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  process.on('exit', kill);
  return { child, release: () => process.removeListener('exit', kill) };
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

/**
 * Installs what is missing or stale: for a start what it needs to run, else all. What tests need besides is added to
 * what is there, under which a start may be running.
 */
async function install(log, isForStart) {
  const fault = installFault(isForStart);
  if (!fault) return;
  const isAdded = !isForStart && !installFault(true);
  log(`Installing dependencies (${fault}) from the npm registry: up to 3 minutes`);
  // The calling npm's settings, such as --silent, come by the environment and would hide the reason of a failure.
  const flags = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  if (isForStart) flags.push('--include-workspace-root', '--workspace=dev/sandbox');
  const adding = ['install', '--no-save', ...flags];
  let result = await npm(isAdded ? adding : ['ci', ...flags], { log, label: 'installing' });
  if (result.code !== 0 && !isAdded && /package-lock\.json[\s\S]* are in sync/.test(result.output)) {
    // A lock file made where the registry lacked some platform's optional package is refused by `npm ci` alone.
    log('`npm ci` refuses package-lock.json as incomplete; using `npm install`, which leaves that file as it is');
    result = await npm(adding, { log, label: 'installing' });
  }
  if (result.code !== 0)
    throw new UserError(`Installing the dependencies failed:\n${result.output.split('\n').slice(-30).join('\n')}`);
  const left = installFault(isForStart);
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
 * `failed` where nothing could be run; `isForStart`: it needs no package of tests and checks.
 */
async function launch(name, { quiet = false, failed = '', isForStart = false } = {}) {
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
      await install(log, isForStart);
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

module.exports = { launch, startPlaces };
