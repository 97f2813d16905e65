import { cut } from '../../../core/text/cut';
import type { StoredFileRow } from '../../../../models';
import { dueNowSql } from '../../../core/clock';
import { inTurnOf } from '../../../core/db/database';
import { inTurnsSql } from '../../../core/db/workspaceTurnsSql';
import { fileLimits } from '../../../core/files/contents';
import { FileTooLarge, inspectFile } from '../../../core/files/inspect';
import { reasonOf } from '../../../core/http/faults';
import { isUnknownObject } from '../../../core/platform/upstream';
import { kept, type Runtime } from '../../../core/runtime';
import { credentialsOf } from '../../resources/accounts/service';
import { isFileKind, storeName } from '../../resources/files/rows';
import { touchMessagesOfFile } from '../../resources/messages/rows/read';

/**
 * The most files that a process fetches at the same time: each holds a connection to the platform and one chunk in
 * memory.
 */
const maxFetches = 16;
/** From one try to the next it doubles up to a quarter of an hour: after an outage all are here within that. */
const maxPauseMs = 15 * 60_000;
/** A file may not be known everywhere at the platform the moment after its message: so many answers say it is gone. */
const answersThatItIsGone = 5;

interface Due extends Pick<
  StoredFileRow,
  | 'id'
  | 'workspace_id'
  | 'public_id'
  | 'message_type'
  | 'platform_id'
  | 'mime_type'
  | 'filename'
  | 'attempts'
  | 'gone_answers'
> {
  readonly business_account_id: number | null;
  /** The platform has it no longer after this try. */
  readonly is_last: boolean;
}

/** Why a file cannot be had, now or ever. */
class NotFetched extends Error {
  constructor(
    message: string,
    readonly isFinal = false,
  ) {
    super(message);
  }
}

/** What a process fetches at present: a file that takes minutes keeps its place, and holds up no other one. */
const underWay = kept(() => new Set<Promise<void>>());

/**
 * Begins to fetch due files of customers, the workspaces in turn, up to the limit. A row stays due until its file is
 * stored, so the end of this process only costs another try. Returns whether there may be more now.
 */
export async function beginFetches(runtime: Runtime): Promise<boolean> {
  const fetches = underWay(runtime);
  if (fetches.size >= maxFetches) await Promise.race(fetches);
  const due = await takeDue(runtime, maxFetches - fetches.size);
  for (const file of due) {
    const ended = inTurnOf(file.workspace_id, () => fetchOne(runtime, file));
    fetches.add(ended);
    void ended.finally(() => fetches.delete(ended));
  }
  return due.length > 0;
}

/** Waits for those that are under way, which end within a lease. */
export async function fetchesEnded(runtime: Runtime): Promise<void> {
  await Promise.all(underWay(runtime));
}

/** Fetches what is due, to its end. Returns whether there was any. */
export async function fetchDueFiles(runtime: Runtime): Promise<boolean> {
  const some = await beginFetches(runtime);
  await fetchesEnded(runtime);
  return some;
}

/** Takes files for this process, as long as a fetch may last. */
async function takeDue(runtime: Runtime, room: number): Promise<Due[]> {
  const now = dueNowSql(runtime.clock);
  return runtime.db.rows<Due>(
    `WITH next AS MATERIALIZED (${inTurnsSql({
      table: 'files',
      where: 'next_attempt_at IS NOT NULL',
      due: `next_attempt_at <= ${now}`,
      order: 'next_attempt_at',
      limit: room,
      lock: true,
    })}
     )
     UPDATE files f SET attempts = f.attempts + 1, next_attempt_at = ${now} + $leaseMs * interval '1 millisecond'
     WHERE f.id = ANY(ARRAY(SELECT id FROM next))
     RETURNING f.id, f.workspace_id, f.public_id, f.message_type, f.platform_id, f.mime_type, f.filename, f.attempts,
       f.gone_answers, f.fetch_until <= ${now} AS is_last,
       (SELECT business_account_id FROM phone_numbers p WHERE p.id = f.phone_number_id) AS business_account_id`,
    { leaseMs: runtime.process.timing.fileLeaseMs },
  );
}

async function fetchOne(runtime: Runtime, file: Due): Promise<void> {
  const name = storeName(file);
  try {
    const { body, announced } = await openAtPlatform(runtime, file);
    const kind = isFileKind(file.message_type) ? file.message_type : 'document';
    const inspected = await inspectFile(
      body,
      { declared: file.mime_type, filename: file.filename },
      () => fileLimits[kind].maxBytes,
    );
    await runtime.files.write(name, inspected.body);
    const { size, sha256 } = inspected.result();
    if (size === 0 || (announced.size !== null && announced.size !== size))
      throw new NotFetched('The download was cut short.');
    if (announced.sha256 !== null && announced.sha256 !== sha256)
      throw new NotFetched('The bytes are not those that the platform announced.');
    await settle(runtime, file, { status: 'stored', error: '', mimeType: inspected.mimeType, size, sha256 });
    runtime.counts.fileFetched('stored');
  } catch (error) {
    // What cannot be written down either is tried again when its lease ends.
    await noteFailure(runtime, file, error).catch((fault: unknown) =>
      runtime.logger.warn(
        { event: 'files.not_noted', fileId: file.id, reason: reasonOf(fault) },
        'what became of a fetch could not be written',
      ),
    );
  }
}

interface Opened {
  readonly body: Awaited<ReturnType<Runtime['upstream']['download']>>['body'];
  readonly announced: { readonly size: number | null; readonly sha256: string | null };
}

/** Asks the platform for a link, which lives five minutes, and opens it. */
async function openAtPlatform(runtime: Runtime, file: Due): Promise<Opened> {
  if (file.business_account_id === null) throw new NotFetched('The number that received it is gone.', true);
  const { accessToken } = await credentialsOf(runtime, file.business_account_id);
  // Without the number: the platform takes that parameter for files that were uploaded on it only (upstream 3.1).
  const node = await runtime.upstream.get(accessToken, encodeURIComponent(file.platform_id)).catch((error: unknown) => {
    const isGone = isUnknownObject(error) && file.gone_answers + 1 >= answersThatItIsGone;
    throw isGone ? new NotFetched('The platform does not have it any more.', true) : error;
  });
  const { url, sha256, file_size: size } = node;
  if (typeof url !== 'string') throw new NotFetched('The platform gave no link.');
  const answer = await runtime.upstream.download(accessToken, url);
  if (answer.status !== 200) {
    await answer.body.dump();
    throw new NotFetched(`The link answered with status ${answer.status}.`);
  }
  return {
    body: answer.body,
    announced: {
      size: Number.isSafeInteger(Number(size ?? Number.NaN)) ? Number(size) : null,
      sha256: typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256) ? sha256 : null,
    },
  };
}

interface Settled {
  readonly status: 'stored' | 'lost';
  readonly error: string;
  readonly mimeType: string;
  readonly size: number | null;
  readonly sha256: string | null;
}

/** Ends the waiting of a file, unless it was erased meanwhile: what was kept of it goes as well then. */
async function settle(runtime: Runtime, file: Due, given: Settled): Promise<void> {
  const isThere = await runtime.db.transaction(async () => {
    // SQL: guarded, of two fetches one ends it.
    const row = await runtime.db.row(
      `UPDATE files SET status = $status, error = $error, mime_type = $mimeType, size = $size, sha256 = $sha256,
         next_attempt_at = NULL
       WHERE workspace_id = $workspaceId AND id = $id RETURNING id`,
      { ...given, error: cut(given.error, 255), workspaceId: file.workspace_id, id: file.id },
    );
    if (row) await touchMessagesOfFile({ runtime, workspaceId: file.workspace_id }, file.id);
    return row !== null;
  });
  if (!isThere) await runtime.files.remove(storeName(file));
}

async function noteFailure(runtime: Runtime, file: Due, error: unknown): Promise<void> {
  const reason = reasonOf(error);
  const isFinal = file.is_last || error instanceof FileTooLarge || (error instanceof NotFetched && error.isFinal);
  const told = error instanceof FileTooLarge ? 'It is larger than a file of its type may be.' : reason;
  runtime.counts.fileFetched(isFinal ? 'lost' : 'retried');
  if (isFinal) {
    runtime.logger.error(
      { event: 'files.lost', workspaceId: file.workspace_id, fileId: file.id, attempts: file.attempts, reason },
      'a file of a customer is lost',
    );
    await settle(runtime, file, { status: 'lost', error: told, mimeType: file.mime_type, size: null, sha256: null });
    return;
  }
  runtime.logger.debug(
    { event: 'files.not_fetched', workspaceId: file.workspace_id, fileId: file.id, attempts: file.attempts, reason },
    'a file could not be fetched; it is tried again',
  );
  // SQL: the database's clock decides.
  await runtime.db.rows(
    `UPDATE files SET error = $error, gone_answers = gone_answers + $gone,
       next_attempt_at = ${dueNowSql(runtime.clock)} + $pauseMs * interval '1 millisecond'
     WHERE workspace_id = $workspaceId AND id = $id AND status = 'pending'`,
    {
      error: cut(told, 255),
      // Not each attempt: an outage says nothing of the file.
      gone: isUnknownObject(error) ? 1 : 0,
      pauseMs: Math.min(maxPauseMs, 1_000 * 2 ** Math.min(file.attempts - 1, 10)),
      workspaceId: file.workspace_id,
      id: file.id,
    },
  );
}
