import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { contentOf, headBytes } from './contents';

/** Says that a file has more bytes than its type allows. */
export class FileTooLarge extends Error {
  constructor(readonly maxBytes: number) {
    super(`the file has more than ${maxBytes} bytes`);
    this.name = 'FileTooLarge';
  }
}

/** A file that is about to be stored: its type, and its bytes, which are counted and hashed while they are read. */
export interface Inspected {
  readonly mimeType: string;
  readonly isEmpty: boolean;
  /** Fails with `FileTooLarge` at the first byte beyond the limit. */
  readonly body: Readable;
  /** Returns size and hash; complete once the body has ended. */
  readonly result: () => { readonly size: number; readonly sha256: string };
}

/**
 * Detects the type of a file from its first bytes, before anything is stored. `limitOf` returns the most bytes that a
 * file of this type may have, or throws to refuse it.
 */
export async function inspectFile(
  source: Readable,
  { declared, filename }: { readonly declared: string; readonly filename: string },
  limitOf: (mimeType: string) => number,
): Promise<Inspected> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const first: Buffer[] = [];
  let read = 0;
  let ended = false;
  try {
    while (!ended && read < headBytes) {
      const next = await chunks.next();
      ended = next.done === true;
      if (next.done === true) continue;
      first.push(next.value);
      read += next.value.length;
    }
    const mimeType = await contentOf(Buffer.concat(first).subarray(0, headBytes), declared, filename);
    const maxBytes = limitOf(mimeType);
    const hash = createHash('sha256');
    let size = 0;
    const pass = (chunk: Buffer): Buffer => {
      size += chunk.length;
      if (size > maxBytes) throw new FileTooLarge(maxBytes);
      hash.update(chunk);
      return chunk;
    };
    async function* passed(): AsyncGenerator<Buffer> {
      try {
        for (const chunk of first) yield pass(chunk);
        while (!ended) {
          const next = await chunks.next();
          if (next.done === true) return;
          yield pass(next.value);
        }
      } finally {
        source.destroy();
      }
    }
    return {
      mimeType,
      isEmpty: read === 0,
      body: Readable.from(passed(), { objectMode: false }),
      result: () => ({ size, sha256: hash.copy().digest('hex') }),
    };
  } catch (error) {
    source.destroy();
    throw error;
  }
}
