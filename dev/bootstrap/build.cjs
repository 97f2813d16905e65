'use strict';

/** Builds the checkout where a source changed since the last build: `npm run build`, which checks types as well. */
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '..', '..');
const dist = path.join(root, 'dist');
const stampFile = path.join(dist, '.build-stamp');
const folders = ['api', 'workflows', 'activities', 'models', 'worker', 'admin', 'dev', 'bench', 'test'];

/** Returns what a file holds; nothing where it is not there. */
function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Lists the files below a folder as paths from there; none where there is no such folder. */
function filesBelow(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

/** Returns a text that changes when any source, the compiler's settings or the dependencies do. */
function sourceStamp() {
  const hash = crypto.createHash('sha256');
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'])
    hash.update(readText(path.join(root, name)));
  for (const folder of folders)
    for (const name of filesBelow(path.join(root, folder))) {
      // Jest compiles the tests by itself.
      if (/\.(cjs|mjs|md|test\.ts)$/.test(name)) continue;
      const stat = fs.statSync(path.join(root, folder, name));
      if (stat.isFile()) hash.update(`${folder}/${name} ${stat.size} ${stat.mtimeMs}\n`);
    }
  return hash.digest('hex');
}

/** Removes what the compiler made of sources that are gone: Node would still find it. */
function pruneOutput() {
  for (const folder of folders)
    for (const name of filesBelow(path.join(dist, folder))) {
      const source = /^(.*)\.js(\.map)?$/.exec(name)?.[1];
      if (!source || name.startsWith('workflowBundle.')) continue;
      // Scripts for browsers are copied as they are.
      if (['.ts', '.tsx', '.js'].some((end) => fs.existsSync(path.join(root, folder, source + end)))) continue;
      fs.rmSync(path.join(dist, folder, name));
    }
}

/**
 * Builds where anything changed, with `npm` (launch.cjs) and a log; returns what the compiler said where it failed,
 * else an empty text.
 */
async function build(npm, log) {
  const stamp = sourceStamp();
  if (readText(stampFile) === stamp) return '';
  log('Building');
  fs.rmSync(stampFile, { force: true });
  pruneOutput();
  const { code, output, seconds } = await npm(['run', '--silent', 'build'], { log, label: 'building' });
  if (code !== 0) return output || `the build ended with code ${code}`;
  fs.writeFileSync(stampFile, stamp);
  log(`Built in ${seconds} s`);
  return '';
}

module.exports = { build, readText };
