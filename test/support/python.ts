import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { cacheDir, draftBeside, sweepDrafts } from '../../dev/lib/cache';
import { onPath, reasonOf } from '../../dev/lib/processes';

const limitMs = 240_000;

/** A Python whose environment finds the packages, or why there is none. */
type Python = { readonly program: string; readonly env: NodeJS.ProcessEnv } | { readonly skipped: string };

/**
 * A group of tests that need Python 3.10 with packages of PyPI (`name==version`), kept in the cache. Where either
 * cannot be had, the group counts as skipped and its name says why.
 */
export function describePython(
  packages: readonly string[],
  name: string,
  body: (python: { readonly program: string; readonly env: NodeJS.ProcessEnv }) => void,
): void {
  const python = providePython(packages);
  if ('skipped' in python) describe.skip(`${name} (${python.skipped})`, () => test('skipped', () => undefined));
  else describe(name, () => body(python));
}

function providePython(packages: readonly string[]): Python {
  const program = onPath('python3');
  if (!program) return { skipped: 'no Python: `python3` is not on PATH' };
  const asked = spawnSync(program, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], { encoding: 'utf8' });
  const [, minor = '0'] = asked.stdout.trim().split('.');
  if (Number(minor) < 10) return { skipped: `no Python 3.10: python3 is ${asked.stdout.trim() || 'broken'}` };
  const print = createHash('sha256')
    .update([asked.stdout.trim(), ...packages].join(' '))
    .digest('hex')
    .slice(0, 16);
  const target = path.join(cacheDir(), 'python', print);
  const found = { program, env: { ...process.env, PYTHONPATH: target } };
  sweepDrafts(target);
  if (fs.existsSync(target)) return found;
  const draft = draftBeside(target);
  try {
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', draft, ...packages];
    const { status, stderr } = spawnSync(program, pip, { encoding: 'utf8', timeout: limitMs });
    if (status !== 0) return { skipped: `no packages of PyPI: ${reasonOf(stderr ?? '') || 'pip did not end'}` };
    fs.renameSync(draft, target);
    return found;
  } catch (error) {
    // Another run was first.
    if (fs.existsSync(target)) return found;
    throw error;
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}
