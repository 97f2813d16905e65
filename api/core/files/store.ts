import type { Readable } from 'node:stream';

/** Where the bytes of files lie. Names are our own: paths of letters and digits. */
export interface FileStore {
  /** Keeps what a stream gives, in place of what has the name already. Nothing of it is there before it is whole. */
  write(name: string, bytes: Readable): Promise<void>;
  /** Returns the bytes, or those from `start` to `end`; null where the name has none. */
  read(name: string, range?: ByteRange): Promise<Readable | null>;
  /** Removes what may be there. */
  remove(name: string): Promise<void>;
  /** Returns how much is free, and of how much, in bytes; null where there is no end of it. */
  room(): Promise<{ readonly free: number; readonly size: number } | null>;
  /** Removes what writers left behind that were killed long ago. */
  tidy(): Promise<void>;
  close(): void;
}

/** A place for files, as it is: its errors are its own. */
export interface Place extends Omit<FileStore, 'write'> {
  write(name: string, bytes: AsyncIterable<Buffer>): Promise<void>;
}

/** Both ends are part of it. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The store is full, away, or refuses: worth another try. */
export class FileStoreError extends Error {
  constructor(cause: unknown) {
    super(`the file store failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'FileStoreError';
  }
}
