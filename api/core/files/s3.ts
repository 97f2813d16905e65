import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import type { Config } from '../config';
import type { Place } from './store';

type S3 = typeof import('@aws-sdk/client-s3') & typeof import('@aws-sdk/lib-storage');

const connectTimeoutMs = 3_000;
/** For an answer, not for a whole file. */
const answerTimeoutMs = 30_000;

/** Keeps files in a bucket of S3, or of anything that speaks its language. */
export function s3Store(settings: NonNullable<Config['files']['s3']>): Place {
  let client: S3Client | null = null;
  /** The SDK is large: a process that keeps no files there does not load it. */
  async function open(): Promise<{ readonly s3: S3; readonly client: S3Client }> {
    const s3 = { ...(await import('@aws-sdk/client-s3')), ...(await import('@aws-sdk/lib-storage')) };
    client ??= new s3.S3Client({
      region: settings.region,
      ...(settings.endpoint === '' ? {} : { endpoint: settings.endpoint, forcePathStyle: true }),
      ...(settings.accessKeyId === ''
        ? {}
        : { credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey } }),
      requestHandler: { connectionTimeout: connectTimeoutMs, requestTimeout: answerTimeoutMs },
      // The SDK tries twice; further tries are those of the callers.
      maxAttempts: 2,
    });
    return { s3, client };
  }
  const object = (name: string) => ({ Bucket: settings.bucket, Key: name });

  return {
    async write(name, bytes) {
      const { s3, client: own } = await open();
      const body = Readable.from(bytes, { objectMode: false });
      // Uploads one part of five megabytes after the other; a failed upload leaves no parts behind.
      await new s3.Upload({ client: own, params: { ...object(name), Body: body }, queueSize: 1 }).done();
    },
    async read(name, range) {
      try {
        const { s3, client: own } = await open();
        const found = await own.send(
          new s3.GetObjectCommand({
            ...object(name),
            ...(range ? { Range: `bytes=${range.start}-${range.end}` } : {}),
          }),
        );
        return found.Body as Readable;
      } catch (error) {
        if (error instanceof Error && error.name === 'NoSuchKey') return null;
        throw error;
      }
    },
    async remove(name) {
      const { s3, client: own } = await open();
      await own.send(new s3.DeleteObjectCommand(object(name)));
    },
    // A lifecycle rule of the bucket removes what a killed process left unfinished (docs/operate.md).
    room: () => Promise.resolve(null),
    tidy: () => Promise.resolve(),
    close: () => client?.destroy(),
  };
}
