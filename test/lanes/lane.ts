import { readdirSync } from 'node:fs';
import path from 'node:path';

const tests = path.join(__dirname, '..');

/**
 * Declares the tests of a share of a folder's files in this one, so that they share one copy of packages and product:
 * to load them for every file takes about two seconds of processor time each. What a file sets up and takes down stays
 * its own.
 */
export function lane(folders: readonly string[], share: number, shares: number): void {
  const files = folders.flatMap((folder) =>
    readdirSync(path.join(tests, folder))
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`),
  );
  for (const [index, file] of files.entries())
    if (index % shares === share - 1) describe(file, () => void jest.requireActual(path.join(tests, file)));
}
