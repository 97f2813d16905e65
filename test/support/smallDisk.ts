import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { chmod, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A disk of a few hundred megabytes, in memory, that may be filled up. */
interface SmallDisk {
  readonly folder: string;
  /** Leaves no byte. */
  fill(): Promise<void>;
  free(): Promise<void>;
  close(): Promise<void>;
}

const megabyte = 1_048_576;

/** A test that needs one. Where there is none, it counts as skipped and its name says why. */
export function itOnSmallDisk(disk: SmallDisk | string, name: string, body: (disk: SmallDisk) => Promise<void>): void {
  if (typeof disk === 'string') it.skip(`${name} (there is no small disk: ${disk})`, () => undefined);
  else it(name, () => body(disk));
}

/** Mounts one. Gives the reason as a text where this machine does not let us. */
export function smallDisk(megabytes: number): SmallDisk | string {
  const folder = mkdtempSync(path.join(process.env['TEST_TMP'] || tmpdir(), 'disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=711`, 'tmpfs', folder], {
    encoding: 'utf8',
  });
  if (mounted.status !== 0) return (mounted.error?.message ?? mounted.stderr).trim() || 'mount failed';
  const ballast = path.join(folder, 'ballast');
  return {
    folder,
    async fill() {
      const file = await open(ballast, 'w');
      try {
        for (let size = megabyte; size >= 512; size = size === megabyte ? 512 : 0) {
          const block = Buffer.alloc(size);
          try {
            for (;;) await file.writeFile(block);
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          }
        }
      } finally {
        await file.close();
      }
    },
    free: () => rm(ballast, { force: true }),
    async close() {
      await chmod(folder, 0o700);
      spawnSync('umount', ['--lazy', folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
