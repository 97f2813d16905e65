import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { filesBelow } from './files';
import { root, UserError, type Launcher } from './launcher';

/** Jest compiles the tests by itself. */
const sourceFolders = ['api', 'workflows', 'activities', 'models', 'worker', 'admin', 'dev', 'bench'];
const dist = path.join(root, 'dist');
const stampFile = path.join(dist, '.build-stamp');

/** What a build did; a fault is the compiler's output. */
interface Built {
  readonly seconds: number;
  readonly fault: string;
}

/** Returns a text that changes when any source, the compiler's settings or the dependencies do. */
function sourceStamp(): string {
  const hash = crypto.createHash('sha256');
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json'])
    hash.update(name).update(fs.readFileSync(path.join(root, name)));
  for (const file of sourceFolders.flatMap((folder) => filesBelow(path.join(root, folder)))) {
    if (/\.(cjs|mjs|md|test\.ts)$/.test(file)) continue;
    const stat = fs.statSync(file);
    hash.update(`${path.relative(root, file)} ${stat.size} ${stat.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** Removes what the compiler made of sources that are gone: Node would still find it. */
function pruneOutput(): void {
  for (const file of sourceFolders.flatMap((folder) => filesBelow(path.join(dist, folder)))) {
    const match = /^(.*)\.js(\.map)?$/.exec(file);
    if (!match?.[1] || path.basename(file).startsWith('workflowBundle.')) continue;
    const source = path.join(root, path.relative(dist, match[1]));
    // Scripts for browsers are copied as they are.
    if (!fs.existsSync(`${source}.ts`) && !fs.existsSync(`${source}.js`)) fs.unlinkSync(file);
  }
}

function isBuilt(stamp: string): boolean {
  try {
    return fs.readFileSync(stampFile, 'utf8') === stamp;
  } catch {
    return false;
  }
}

/** Builds the checkout where a source changed since the last build. Several runs may call it at once. */
export function build({ log, npm, withLock }: Pick<Launcher, 'log' | 'npm' | 'withLock'>): Promise<Built> {
  return withLock(async () => {
    const stamp = sourceStamp();
    if (isBuilt(stamp)) return { seconds: 0, fault: '' };
    log('Building');
    fs.rmSync(stampFile, { force: true });
    pruneOutput();
    const { code, output, seconds } = await npm(['run', '--silent', 'build'], 'building');
    if (code !== 0) return { seconds, fault: output || `the build ended with code ${code}` };
    fs.writeFileSync(stampFile, stamp);
    log(`Built in ${seconds} s`);
    return { seconds, fault: '' };
  });
}

/** Builds as `build` does, and throws where it fails. */
export async function requireBuild(launcher: Launcher): Promise<void> {
  const { fault } = await build(launcher);
  if (fault) throw new UserError(`The build failed:\n${fault}`);
}
