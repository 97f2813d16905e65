import { reasonOf } from '../../../core/http/faults';
import type { Refused } from '../../../core/platform/answers';
import { kept, type Runtime } from '../../../core/runtime';
import { storeName, type CarriedFile } from './rows';

/** How long a send waits for its file on the spot: with the call itself, less than its claim lasts. */
const waitOnSpotMs = 4_000;
/** After that it asks again; sooner while the file is on its way, later where the store did not give it. */
const [askAgainMs, storeAwayMs] = [1_000, 15_000];

/** Whether the platform has a file: what it calls it, or when to ask again, or why it will not have it. */
type AtPlatform = { readonly id: string } | { readonly waitMs: number } | Refused;

/** A number that sends. */
interface SendingNumber {
  readonly pk: number;
  /** The platform's id of it. */
  readonly number: string;
  readonly accessToken: string;
}

/** Uploads of this process that are under way, so that many sends of one file make one upload. */
const underWay = kept(() => new Map<string, Promise<AtPlatform>>());

/** The file of a message that was removed from under it. */
const fileGone: Refused = {
  kind: 'rejected',
  class: 'permanent',
  code: 131053,
  title: 'Media upload error',
  message: 'The file is not kept any more.',
};

/**
 * Returns what the platform calls a file, and uploads it where it does not have it from this number. An upload that
 * takes longer goes on by itself. Never throws: what went wrong is worth another try.
 */
export async function fileAtPlatform(
  runtime: Runtime,
  file: CarriedFile | null,
  number: SendingNumber,
): Promise<AtPlatform> {
  if (file === null) return fileGone;
  if (file.platform_id !== null) return { id: file.platform_id };
  const uploads = underWay(runtime);
  const key = `${file.id}/${number.pk}`;
  let upload = uploads.get(key);
  if (!upload) {
    upload = uploadFile(runtime, file, number).finally(() => uploads.delete(key));
    uploads.set(key, upload);
  }
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<AtPlatform>((resolve) => {
    timer = setTimeout(() => resolve({ waitMs: askAgainMs }), waitOnSpotMs);
  });
  return Promise.race([upload, patience]).finally(() => clearTimeout(timer));
}

async function uploadFile(runtime: Runtime, file: CarriedFile, number: SendingNumber): Promise<AtPlatform> {
  try {
    const bytes = await runtime.files.read(storeName(file));
    if (!bytes) return fileGone;
    const sent = { mimeType: file.mime_type, filename: file.filename, size: file.size ?? 0 };
    const answer = await runtime.upstream.uploadMedia(number.accessToken, number.number, sent, bytes);
    if (typeof answer !== 'string') return answer;
    // SQL: an upsert.
    await runtime.db.rows(
      `INSERT INTO file_uploads (file_id, phone_number_id, platform_id) VALUES ($fileId, $numberPk, $platformId)
       ON CONFLICT (file_id, phone_number_id)
         DO UPDATE SET platform_id = excluded.platform_id, uploaded_at = excluded.uploaded_at`,
      { fileId: file.id, numberPk: number.pk, platformId: answer },
    );
    return { id: answer };
  } catch (error) {
    runtime.logger.warn(
      { event: 'files.not_uploaded', workspaceId: file.workspace_id, fileId: file.id, reason: reasonOf(error) },
      'a file could not be brought to the platform; its messages wait',
    );
    return { waitMs: storeAwayMs };
  }
}

/** Returns a body in which our id of a file stands, with the platform's in its place. */
export function withPlatformId<T>(body: T, { public_id: ours }: Pick<CarriedFile, 'public_id'>, theirs: string): T {
  return JSON.parse(JSON.stringify(body).replaceAll(`"${ours}"`, JSON.stringify(theirs))) as T;
}
