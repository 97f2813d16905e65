import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Place } from './store';

/** A part that is older than this, longer than any write takes, was left by a process that was killed. */
const maxPartAgeMs = 24 * 3_600_000;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Keeps files in a directory, which all processes share. */
export function directoryStore(directory: string): Place {
  const parts = path.join(directory, 'parts');
  return {
    async write(name, bytes) {
      const target = path.join(directory, name);
      const part = path.join(parts, randomUUID());
      try {
        await mkdir(parts, { recursive: true });
        await mkdir(path.dirname(target), { recursive: true });
        await pipeline(bytes, createWriteStream(part, { flush: true }));
        await rename(part, target);
        await sync(path.dirname(target));
      } catch (error) {
        await rm(part, { force: true }).catch(() => undefined);
        throw error;
      }
    },
    async read(name, range) {
      try {
        const file = await open(path.join(directory, name));
        return file.createReadStream(range);
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    remove: (name) => rm(path.join(directory, name), { force: true }),
    async room() {
      await mkdir(directory, { recursive: true });
      const { bavail, blocks, bsize } = await statfs(directory);
      return { free: bavail * bsize, size: blocks * bsize };
    },
    async tidy() {
      const names = await readdir(parts).catch(() => []);
      for (const name of names) {
        const part = path.join(parts, name);
        const found = await stat(part).catch(() => null);
        if (found && Date.now() - found.mtimeMs > maxPartAgeMs) await rm(part, { force: true });
      }
    },
    close: () => undefined,
  };
}

/** Makes a new name outlast a loss of power. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
