import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { cut } from '../text/cut';
import { errorOf, parseJson, refusalOf, type Refused } from './answers';

/** A file as the platform is told of it. */
export interface Sent {
  readonly mimeType: string;
  readonly filename: string;
  readonly size: number;
}

/** Returns a file as the multipart form that the platform takes, streamed: it is never in memory as a whole. */
export function formOf(
  file: Sent,
  bytes: Readable,
): { readonly headers: Readonly<Record<string, string>>; readonly body: Readable } {
  const boundary = `msgdesk-${randomUUID()}`;
  const field = (name: string, value: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const name = file.filename.replace(/[\u0000-\u001f"\\]/g, '_') || 'file';
  const head = Buffer.from(
    field('messaging_product', 'whatsapp') +
      field('type', file.mimeType) +
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
      `Content-Type: ${file.mimeType}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* body(): AsyncGenerator<Buffer> {
    yield head;
    yield* bytes as AsyncIterable<Buffer>;
    yield tail;
  }
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + file.size + tail.length),
      accept: 'application/json',
    },
    body: Readable.from(body(), { objectMode: false }),
  };
}

/** Reads the answer to an upload. One that cannot be read may be asked again: a second copy does no harm. */
export function readUploadAnswer(status: number, body: string): string | Refused {
  const parsed = parseJson(body);
  const id = parsed?.['id'];
  if (status >= 200 && status < 300 && typeof id === 'string' && id !== '') return cut(id, 64);
  const fault = errorOf(parsed);
  if (fault) return refusalOf(status, fault);
  const title = `HTTP ${status}`;
  const message = 'The upstream answered an upload without a readable error.';
  return { kind: 'rejected', class: 'retry', status, code: status, title, message };
}
