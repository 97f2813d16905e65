import { createHash, randomUUID } from 'node:crypto';
import type { Db } from './db';
import { conflict, type AppError } from './errors';

/** Seconds after which the claim of a process that died is free again (contract 3). */
const claimSeconds = 60;

/** An answer as it is kept under its key. */
export interface KeptAnswer {
  readonly status: number;
  /** Null: it was erased with the person whom it spoke of. */
  readonly body: string | null;
  /** What the request made, where it made something. */
  readonly subjectId: number | null;
}

/** A claimed key: run the operation, then `finish` or give the key up. */
export interface Claim {
  readonly kind: 'claimed';
  /**
   * Keeps the answer. In the transaction of the effect both commit or neither does. Gives false when the claim is not
   * ours any more: the work must then be undone.
   */
  finish(answer: KeptAnswer): Promise<boolean>;
  /** Forgets the key after work that certainly changed nothing. */
  forget(): Promise<void>;
  /**
   * Gives the key up after work of unknown end. Waits for a COMMIT that is still under way, and gives the answer that
   * was kept by it; `undone` says that without a kept answer nothing was done.
   */
  release(undone: boolean): Promise<KeptAnswer | null>;
}

/** The first answer to the same request. */
export interface Replay extends KeptAnswer {
  readonly kind: 'replay';
}

/** Who uses which key for what. */
interface KeyUse {
  readonly workspaceId: number;
  /** Bucket of the credential. */
  readonly credential: string;
  readonly path: string;
  readonly key: string;
  readonly print: Buffer;
}

/** Whether a key can be taken: 1 to 255 printable ASCII characters. */
export function isKey(key: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(key);
}

/** SHA-256 of the parsed body with its keys in order: JSON and forms that mean the same match. */
export function fingerprint(body: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(body)).digest();
}

/** JSON with its keys in order: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

const inProgress = 'A request with this Idempotency-Key is still in progress.';

/** The 409 of a key whose first request is still under way. */
export function keyInFlight(): AppError {
  return conflict(inProgress, 'idempotency_in_flight');
}

/**
 * Claims an Idempotency-Key for a credential and path, or gives the answer to replay. Throws 409 when the key was
 * used with another body or is still in flight. After draft-ietf-httpapi-idempotency-key-header-07.
 *
 * The claim is a fence: an answer is kept only by the claim that holds the key. Kept in the transaction of the effect,
 * it makes a second effect impossible whatever becomes of the process, the connection or the COMMIT.
 */
export async function claimKey(db: Db, use: KeyUse): Promise<Claim | Replay> {
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
           AND (k.released OR k.claimed_at < now() - ${claimSeconds} * interval '1 second'))
     RETURNING claim`,
    { ...place, workspaceId: use.workspaceId, print: use.print, claim },
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
    async forget() {
      await db.rows(`DELETE FROM idempotency_keys WHERE ${ours} AND status IS NULL`, bind);
    },
    async release(undone) {
      // A transaction that is still committing holds the row: this waits for it, and then sees the status.
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
 * Erases kept answers of a workspace that hold one of these texts (a phone number, a user id). Their keys stay used: a
 * repeat is told what the object is now, and makes no second one.
 */
export async function eraseAnswers(db: Db, workspaceId: number, texts: readonly string[]): Promise<void> {
  await db.rows(
    `UPDATE idempotency_keys SET body = NULL WHERE workspace_id = $workspaceId AND body IS NOT NULL
       AND EXISTS (SELECT FROM unnest($texts::text[]) AS t(value) WHERE position(t.value IN body) > 0)`,
    { workspaceId, texts },
  );
}
