import { reasonOf } from '../../../core/http/faults';
import type { Refused } from '../../../core/platform/answers';
import { kept, type Runtime } from '../../../core/runtime';
import { storeName, type CarriedFile } from './rows';

/** How long a send waits for the upload of its file; together with its call this is less than its claim lasts. */
const waitOnSpotMs = 4_000;
/** When the send is tried again: while the upload is under way, and after it failed. */
const [askAgainMs, storeAwayMs] = [1_000, 15_000];

/** The platform's id of a file, or when to try again, or why the platform refuses it. */
type AtPlatform = { readonly id: string } | { readonly waitMs: number } | Refused;

/** A number that sends. */
interface SendingNumber {
  readonly pk: number;
  /** The platform's id of it. */
  readonly number: string;
  readonly accessToken: string;
}

/** The uploads that this process is making, so that many sends of one file make one upload. */
const underWay = kept(() => new Map<string, Promise<AtPlatform>>());

/** The refusal of a message whose file was deleted. */
const fileGone: Refused = {
  kind: 'rejected',
  class: 'permanent',
  code: 131053,
  title: 'Media upload error',
  message: 'The file does not exist any more.',
};

/**
 * Returns the platform's id of a file, after uploading it if that was not done yet for this number. A long upload goes
 * on while the caller tries again later. Never throws: after a failure the file is tried again.
 */
export async function ensureUploaded(
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

/** Returns the body of a message with our id of the file replaced by the platform's. */
export function withPlatformFileId<T>(body: T, { public_id: ours }: Pick<CarriedFile, 'public_id'>, theirs: string): T {
  return JSON.parse(JSON.stringify(body).replaceAll(`"${ours}"`, JSON.stringify(theirs))) as T;
}
