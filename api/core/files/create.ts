import type { Config } from '../config';
import { directoryStore } from './directory';
import { s3Store } from './s3';
import { FileStoreError, type FileStore } from './store';

/**
 * Opens the store that the settings name: a bucket, else a directory. `onFailure` is called for each call that fails.
 */
export function createFileStore(
  { files }: Pick<Config, 'files'>,
  onFailure: (error: FileStoreError) => void,
): FileStore {
  const store = files.s3 === null ? directoryStore(files.directory) : s3Store(files.s3);
  async function reporting<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof FileStoreError) onFailure(error);
      throw error;
    }
  }
  return {
    write: (name, bytes) => reporting(store.write(name, bytes)),
    read: (name, range) => reporting(store.read(name, range)),
    remove: (name) => reporting(store.remove(name)),
    tidy: () => reporting(store.tidy()),
    close: () => store.close(),
  };
}
