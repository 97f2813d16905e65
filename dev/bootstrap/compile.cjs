'use strict';

/**
 * Makes JavaScript of TypeScript sources, file by file; types are `npm run typecheck`'s, and part of `npm test`. As a
 * command (`npm run build` begins with it) it compiles the folders that it is given to dist.
 */
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { isMainThread, parentPort, Worker, workerData } = require('node:worker_threads');

const root = path.resolve(__dirname, '..', '..');
const dist = path.join(root, 'dist');
/** Fewer files than this are sooner done than another thread has loaded the compiler. */
const filesPerThread = 100;

/** Returns what a file holds; nothing where it is not there. */
function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Returns what, when it changes, makes all output stale: this file, the compiler and its settings. */
function settingsStamp() {
  const hash = crypto.createHash('sha256');
  for (const file of [__filename, 'tsconfig.json', 'node_modules/typescript/package.json'])
    hash.update(readText(path.resolve(root, file)));
  return hash.digest('hex');
}

/** Lists the TypeScript files below a folder of the checkout, without tests: jest compiles them by itself. */
function sourcesBelow(folder) {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(d|test)\.ts$/.test(name))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}

/** An output has its source's time. Not every file system keeps fractions of a millisecond. */
function isCurrent({ source, target }) {
  const written = fs.statSync(target, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Math.abs(written - fs.statSync(path.join(root, source)).mtimeMs) < 2;
}

/** Puts a file in its place at once: another run may be reading it. */
function write(file, text, { atime, mtime }) {
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, text);
  fs.utimesSync(draft, atime, mtime);
  fs.renameSync(draft, file);
}

function compileFiles(files) {
  const ts = require('typescript');
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options: compilerOptions } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  for (const { source, target } of files) {
    const file = path.join(root, source);
    const stat = fs.statSync(file);
    const made = ts.transpileModule(readText(file), { fileName: file, compilerOptions, reportDiagnostics: true });
    const [fault] = made.diagnostics;
    if (fault) throw new Error(ts.formatDiagnostic(fault, ts.createCompilerHost(compilerOptions)).trim());
    fs.mkdirSync(path.dirname(target), { recursive: true });
    write(`${target}.map`, made.sourceMapText, stat);
    write(target, made.outputText, stat);
  }
}

/** Compiles in a thread of its own; rejects with what the compiler says. */
function compileInThread(files) {
  return new Promise((resolve, reject) => {
    const thread = new Worker(__filename, { workerData: files });
    thread.on('message', (fault) => (fault ? reject(new Error(fault)) : resolve()));
    thread.on('error', reject);
  });
}

/**
 * Compiles what changed below `folders`, whose names in `out` begin after `base`. Throws with the place and the
 * compiler's words where a file is no TypeScript.
 */
async function compile({ folders, base = '', out = dist }) {
  const stampFile = path.join(out, '.compiled-by');
  const stamp = settingsStamp();
  const isKnown = readText(stampFile) === stamp;
  const files = folders
    .flatMap((folder) => sourcesBelow(base + folder))
    .map((source) => ({ source, target: path.join(out, source.slice(base.length).replace(/\.ts$/, '.js')) }))
    .filter((file) => !isKnown || !isCurrent(file));
  const threads = Math.min(os.availableParallelism(), Math.floor(files.length / filesPerThread));
  if (threads < 2) {
    if (files.length > 0) compileFiles(files);
  } else {
    const shareOf = (thread) => files.filter((_, index) => index % threads === thread);
    await Promise.all(Array.from({ length: threads }, (_, thread) => compileInThread(shareOf(thread))));
  }
  if (isKnown) return;
  fs.mkdirSync(out, { recursive: true });
  fs.writeFileSync(stampFile, stamp);
}

module.exports = { compile, readText };

if (!isMainThread && workerData && parentPort) {
  try {
    compileFiles(workerData);
    parentPort.postMessage('');
  } catch (error) {
    parentPort.postMessage(error.message);
  }
} else if (require.main === module) {
  compile({ folders: process.argv.slice(2) }).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
