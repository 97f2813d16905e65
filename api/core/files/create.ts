import type { Readable } from 'node:stream';
import type { Config } from '../config';
import { directoryStore } from './directory';
import { s3Store } from './s3';
import { FileStoreError, type FileStore } from './store';

/** Gives the bytes on and notes what fails in reading them, which is no failure of whoever takes them. */
async function* given(bytes: Readable, failed: (error: unknown) => void): AsyncGenerator<Buffer> {
  const chunks = bytes[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const read = (): Promise<IteratorResult<Buffer>> =>
    chunks.next().catch((error: unknown) => {
      failed(error);
      throw error;
    });
  for (let next = await read(); next.done !== true; next = await read()) yield next.value;
}

/**
 * Opens the store that the settings name: a bucket, else a directory. Whatever fails in it is a `FileStoreError`, and
 * `onFailure` is called for it; an error of the bytes that are to be written is passed on as it is.
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
      const failure = new FileStoreError(error);
      onFailure(failure);
      throw failure;
    }
  }
  async function write(name: string, bytes: Readable): Promise<void> {
    const ofBytes: unknown[] = [];
    const writing = store.write(
      name,
      given(bytes, (error) => ofBytes.push(error)),
    );
    try {
      await reporting(writing.catch((error: unknown) => (ofBytes.length > 0 ? undefined : Promise.reject(error))));
    } finally {
      bytes.destroy();
    }
    if (ofBytes.length > 0) throw ofBytes[0];
  }
  return {
    write,
    read: (name, range) => reporting(store.read(name, range)),
    remove: (name) => reporting(store.remove(name)),
    room: () => reporting(store.room()),
    tidy: () => reporting(store.tidy()),
    close: () => store.close(),
  };
}
