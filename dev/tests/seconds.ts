import fs from 'node:fs';
import path from 'node:path';
import { readJson } from '../lib/files';
import { root } from '../lib/launcher';

/** How long test files took, as a run with UPDATE_SECONDS=1 has measured them: what to begin with, and who shares. */
const file = path.join(root, 'test', 'seconds.json');
/** Of a file that nobody has measured; files that take less are not listed. */
const usual = 3;

let kept: Readonly<Record<string, number>> | undefined;

/** Returns how long a test file takes, by its path from the repository's root. */
export function secondsOf(test: string): number {
  kept ??= readJson<Record<string, number>>(file) ?? {};
  return kept[test] ?? usual;
}

/** Stores what a run has measured, beside what it did not run. */
export function keepSeconds(measured: ReadonlyMap<string, number>): void {
  const all = { ...readJson<Record<string, number>>(file), ...Object.fromEntries(measured) };
  const lines = Object.entries(all)
    .map(([test, seconds]): [string, number] => [test, Math.round(seconds)])
    .filter(([test, seconds]) => seconds !== usual && fs.existsSync(path.join(root, test)))
    .sort(([left], [right]) => (left < right ? -1 : 1));
  fs.writeFileSync(file, `${JSON.stringify(Object.fromEntries(lines), null, 2)}\n`);
}
