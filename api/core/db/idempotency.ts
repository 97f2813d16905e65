import { createHash, randomUUID } from 'node:crypto';
import type { Db } from './database';
import type { Runtime } from '../runtime';
import { conflict, type AppError } from '../http/errors';

/** A stored answer. */
export interface KeptAnswer {
  readonly status: number;
  /** Null once it was erased together with the contact it mentioned. */
  readonly body: string | null;
  /** The id of the object that the request created, if any. */
  readonly subjectId: number | null;
}

/** A claimed key: run the operation, then `finish` or `release`. */
export interface Claim {
  readonly kind: 'claimed';
  /**
   * Stores the answer; called in the transaction of the effect, so that both commit or neither does. Returns false when
   * another request has taken over the claim: the work must then be undone.
   */
  finish(answer: KeptAnswer): Promise<boolean>;
  /**
   * Releases the key after a refusal, or after work whose result is unknown. Waits for a COMMIT that is still under way
   * and returns the answer that it stored, else null. `undone`: the caller knows that work without a stored answer had
   * no effect, so the key may be used again, even with another body; else it stays bound to this body.
   */
  release(undone: boolean): Promise<KeptAnswer | null>;
}

/** The stored answer to an earlier request with the same key. */
export interface Replay extends KeptAnswer {
  readonly kind: 'replay';
}

/** The key of a request, with the credential, path and body that it is used with. */
interface KeyUse {
  readonly workspaceId: number;
  /** The name of the credential, as in the rate limit. */
  readonly credential: string;
  readonly path: string;
  readonly key: string;
  readonly print: Buffer;
}

/** Returns whether a key is valid: 1 to 255 printable ASCII characters. */
export function isIdempotencyKey(key: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(key);
}

/** Returns the SHA-256 of the parsed body with its keys in order, so that JSON and forms of the same content match. */
export function fingerprint(body: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(body)).digest();
}

/** Returns JSON with its keys in order, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

const inProgress = 'A request with this Idempotency-Key is still in progress.';

/** Returns the 409 of a key whose first request is still running. */
export function keyInFlight(): AppError {
  return conflict(inProgress, 'idempotency_in_flight');
}

/**
 * Claims an Idempotency-Key for a credential and path, or returns the answer to replay. Throws 409 when the key was
 * used with another body or its first request is still running. Follows draft-ietf-httpapi-idempotency-key-header-07.
 *
 * The claim is exclusive: only the request that holds it can store an answer. As the answer is stored in the
 * transaction of the effect, there is no second effect, whatever happens to the process, the connection or the COMMIT.
 */
export async function claimKey({ db, process }: Pick<Runtime, 'db' | 'process'>, use: KeyUse): Promise<Claim | Replay> {
  const claim = randomUUID();
  const place = { credential: use.credential, path: use.path, key: use.key };
  const claimed = await db.row(
    `INSERT INTO idempotency_keys AS k (workspace_id, credential, path, key, fingerprint, claim)
       VALUES ($workspaceId, $credential, $path, $key, $print, $claim)
     ON CONFLICT (credential, path, key) DO UPDATE SET fingerprint = excluded.fingerprint, claim = excluded.claim,
         claimed_at = now(), released = false, status = NULL, body = NULL,
       subject_id = NULL, finished_at = NULL
       WHERE k.claimed_at < now() - interval '24 hours'
          OR (k.status IS NULL AND k.fingerprint = excluded.fingerprint
           AND (k.released OR k.claimed_at < now() - $abandonedMs * interval '1 millisecond'))
     RETURNING claim`,
    {
      ...place,
      workspaceId: use.workspaceId,
      print: use.print,
      claim,
      // A claim this old belongs to a process that counts as dead.
      abandonedMs: process.timing.keyClaimMs,
    },
  );
  if (claimed) return claimOf(db, { ...place, claim });
  const stored = await db.row<{
    fingerprint: Buffer;
    status: number | null;
    body: string | null;
    subject_id: number | null;
  }>(
    'SELECT fingerprint, status, body, subject_id FROM idempotency_keys WHERE credential = $credential AND path ' +
      '= $path AND key = $key',
    place,
  );
  // The key was deleted between the two statements.
  if (!stored) throw keyInFlight();
  if (!stored.fingerprint.equals(use.print))
    throw conflict('This Idempotency-Key was already used with a different request body.', 'idempotency_key_reused');
  if (stored.status === null) throw keyInFlight();
  return { kind: 'replay', status: stored.status, body: stored.body, subjectId: stored.subject_id };
}

function claimOf(db: Db, bind: { credential: string; path: string; key: string; claim: string }): Claim {
  const ours = 'credential = $credential AND path = $path AND key = $key AND claim = $claim';
  return {
    kind: 'claimed',
    async finish(answer) {
      const kept = await db.row(
        `UPDATE idempotency_keys SET status = $status, body = $body, subject_id = $subjectId, finished_at = now()
         WHERE ${ours} AND status IS NULL
         RETURNING claim`,
        { ...bind, ...answer },
      );
      return kept !== null;
    },
    async release(undone) {
      // A transaction that is still committing holds the lock of the row: this waits for it, then sees the status it
      // stored.
      const free = await db.row(
        undone
          ? `DELETE FROM idempotency_keys WHERE ${ours} AND status IS NULL RETURNING claim`
          : `UPDATE idempotency_keys SET released = true WHERE ${ours} AND status IS NULL RETURNING claim`,
        bind,
      );
      if (free) return null;
      const kept = await db.row<{ status: number; body: string | null; subject_id: number | null }>(
        `SELECT status, body, subject_id FROM idempotency_keys WHERE ${ours} AND status IS NOT NULL`,
        bind,
      );
      return kept && { status: kept.status, body: kept.body, subjectId: kept.subject_id };
    },
  };
}

/**
 * Erases the workspace's stored answers that contain one of these texts (a phone number, a user id). Their keys stay
 * used: a repeated request gets the object as it is now, and creates no second one.
 */
export async function eraseAnswers(db: Db, workspaceId: number, texts: readonly string[]): Promise<void> {
  await db.rows(
    `UPDATE idempotency_keys SET body = NULL WHERE workspace_id = $workspaceId AND body IS NOT NULL
       AND EXISTS (SELECT FROM unnest($texts::text[]) AS t(value) WHERE position(t.value IN body) > 0)`,
    { workspaceId, texts },
  );
  // Keys whose path contains one of the texts are deleted: a repeated request gets the 404 of the erased contact.
  await db.rows(
    `DELETE FROM idempotency_keys WHERE workspace_id = $workspaceId
       AND EXISTS (
         SELECT FROM unnest($texts::text[]) AS t(value) WHERE path ~ ('/(\\+|%2[Bb])?' || t.value || '(/|$)'))`,
    { workspaceId, texts },
  );
}
