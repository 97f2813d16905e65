import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { closeSharedDesks, shareDesks, type DeskKind } from '../support/sharedDesk';

const tests = path.join(__dirname, '..');
/** Folders whose files need the real stack. */
const real = ['activities', 'api', 'dashboard', 'mcp', 'models', 'oauth', 'workflows'];

/**
 * Declares the tests of a share of the files that use a desk of one kind, so that they share one server, and one copy
 * of packages and product: to load them for every file takes about two seconds of processor time each. `own`: of the
 * files that start what they need themselves.
 */
export function lane(kind: DeskKind | 'own', share: number, shares: number): void {
  shareDesks();
  declare(
    filesOf(real).filter((file) => kindOf(file) === kind),
    share,
    shares,
  );
  afterAll(closeSharedDesks);
}

/** Declares the tests of all files of folders that need no servers. */
export function laneOf(folders: readonly string[]): void {
  declare(filesOf(folders), 1, 1);
}

function filesOf(folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(tests, folder))
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`),
  );
}

/** Returns the kind of desk that a file asks for. */
function kindOf(file: string): string {
  return /\bsharedDesk\('([^']+)'/.exec(readFileSync(path.join(tests, file), 'utf8'))?.[1] ?? 'own';
}

function declare(files: readonly string[], share: number, shares: number): void {
  for (const [index, file] of files.entries())
    if (index % shares === share - 1) describe(file, () => void jest.requireActual(path.join(tests, file)));
}
