import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { root, UserError } from '../lib/launcher';

/** Files that run many others, for the whole gate. */
export const lanesFolder = 'test/lanes/';
/** What is slow by nature: processes killed, servers taken away, other languages' tools. */
export const faultsFolder = 'test/faults/';

/** Returns the test files that jest would run with these arguments, as paths from the repository's root. */
export function listTests(args: readonly string[]): string[] {
  const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const options = ['--config', path.join(root, 'jest.config.cjs'), '--listTests', '--json', ...args];
  const listed = spawnSync(process.execPath, [jest, ...options], { cwd: root, encoding: 'utf8' });
  if (listed.status !== 0) throw new UserError(listed.stderr.trim() || 'jest could not list the tests');
  return (JSON.parse(listed.stdout) as string[]).map((file) => path.relative(root, file).replaceAll('\\', '/'));
}

const closures = new Map<string, ReadonlySet<string>>();

/**
 * Returns a test file and all that it imports, as paths from the repository's root; of the product only what it and its
 * support import themselves, since nothing there leads back to tests.
 */
export function importsOf(file: string): ReadonlySet<string> {
  const known = closures.get(file);
  if (known) return known;
  const found = new Set<string>();
  const pending = [file];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    if (!/^(test|dev)\//.test(name)) continue;
    for (const [, target = ''] of readSource(name).matchAll(/(?:from|import|import\(|require\()\s*'(\.[^']+)'/g)) {
      const base = path.posix.join(path.posix.dirname(name), target);
      const candidates = [`${base}.ts`, `${base}.tsx`, `${base}/index.ts`, base];
      const source = candidates.find((candidate) => readSource(candidate) !== '');
      if (source) pending.push(source);
    }
  }
  closures.set(file, found);
  return found;
}

const sources = new Map<string, string>();

/** Returns the text of a file of the repository; empty where there is none. */
export function readSource(name: string): string {
  const file = path.join(root, name);
  if (!sources.has(name))
    sources.set(name, fs.statSync(file, { throwIfNoEntry: false })?.isFile() ? fs.readFileSync(file, 'utf8') : '');
  return sources.get(name) ?? '';
}
