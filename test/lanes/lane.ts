import path from 'node:path';
import { filesOf, shareOf } from '../../dev/tests/lanes';
import { countFile } from '../support/costs';
import { easePasswords, restorePasswords } from '../support/passwords';
import { closeSharedDesks, shareDesks, type DeskKind } from '../support/sharedDesk';

/**
 * Declares the tests of a share of the files that use a desk of one kind, so that they share one server, and one copy
 * of packages and product: to load them for every file takes about two seconds of processor time each. `own`: of the
 * files that start what they need themselves.
 */
export function lane(kind: DeskKind | 'own', share: number, shares: number): void {
  shareDesks();
  beforeAll(easePasswords);
  declare(shareOf(kind, share, shares));
  afterAll(closeSharedDesks);
  afterAll(restorePasswords);
}

/** Declares the tests of all files of folders that need no servers. */
export function laneOf(folders: readonly string[]): void {
  declare(filesOf(folders));
}

function declare(files: readonly string[]): void {
  for (const file of files)
    describe(file, () => countFile(file, () => void jest.requireActual(path.join(__dirname, '..', file))));
}
