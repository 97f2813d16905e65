import { readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from '../lib/launcher';
import { readSource } from './files';
import { secondsOf } from './seconds';

/** Folders whose files need the real stack. */
const real = ['activities', 'api', 'dashboard', 'mcp', 'models', 'oauth', 'workflows'];
/** Loading the product for a lane. */
const beginningSeconds = 8;

/** Returns the test files of folders below `test`, from there. */
export function filesOf(folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(root, 'test', folder))
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`),
  );
}

const seconds = (name: string): number => secondsOf(path.posix.join('test', name));

/** Returns the kind of desk that a file asks for; `own` where it starts what it needs itself. */
function kindOf(name: string): string {
  return /\bsharedDesk\('([^']+)'/.exec(readSource(`test/${name}`))?.[1] ?? 'own';
}

/** Returns the files of a share, in order: all shares of a kind take about as long. */
export function shareOf(kind: string, share: number, shares: number): string[] {
  const loads = Array.from({ length: shares }, (): { seconds: number; files: string[] } => ({ seconds: 0, files: [] }));
  const files = filesOf(real).filter((name) => kindOf(name) === kind);
  // The longest first, each to whoever has least.
  for (const name of files.sort((left, right) => seconds(right) - seconds(left) || (left < right ? -1 : 1))) {
    const least = loads.reduce((best, load) => (load.seconds < best.seconds ? load : best));
    least.files.push(name);
    least.seconds += seconds(name);
  }
  return loads[share - 1]?.files.sort() ?? [];
}

/** Returns how long a file that jest runs takes, from the repository's root: a lane, or a file by itself. */
export function secondsOfRun(test: string): number {
  const lane = /\blane\('([^']+)', (\d+), (\d+)\)/.exec(test.startsWith('test/lanes/') ? readSource(test) : '');
  if (!lane) return secondsOf(test);
  const [, kind = '', share, shares] = lane;
  return shareOf(kind, Number(share), Number(shares)).reduce((sum, name) => sum + seconds(name), beginningSeconds);
}
