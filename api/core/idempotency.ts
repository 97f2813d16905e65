import { createHash, randomUUID } from 'node:crypto';
import type { Db } from './db';
import { conflict } from './errors';

/** Seconds after which the claim of a process that died is free again (contract C3). */
const claimSeconds = 60;

/** A claimed key: run the operation, then `finish` or `release` it. */
export interface Claim {
  readonly kind: 'claimed';
  readonly id: string;
  finish(status: number, body: string): Promise<void>;
  release(): Promise<void>;
}

/** The first answer to the same request. */
export interface Replay {
  readonly kind: 'replay';
  readonly status: number;
  readonly body: string;
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

/**
 * Claims an Idempotency-Key for a credential and path, or gives the answer to replay. Throws 409 when the key was
 * used with another body or is still in flight. After draft-ietf-httpapi-idempotency-key-header-07.
 */
export async function claimKey(
  db: Db,
  credential: string,
  path: string,
  key: string,
  print: Buffer,
): Promise<Claim | Replay> {
  const id = randomUUID();
  const bind = { credential, path, key, print, id };
  const claimed = await db.row<{ claim: string }>(
    `INSERT INTO idempotency_keys AS k (credential, path, key, fingerprint, claim) VALUES ($credential, $path, $key, $print, $id)
     ON CONFLICT (credential, path, key) DO UPDATE SET fingerprint = excluded.fingerprint, claim = excluded.claim, claimed_at = now(), status = NULL, body = NULL, finished_at = NULL
       WHERE k.claimed_at < now() - interval '24 hours'
          OR (k.status IS NULL AND k.claimed_at < now() - ${claimSeconds} * interval '1 second' AND k.fingerprint = excluded.fingerprint)
     RETURNING claim`,
    bind,
  );
  if (claimed) {
    return {
      kind: 'claimed',
      id,
      async finish(status, body) {
        await db.rows(
          'UPDATE idempotency_keys SET status = $status, body = $body, finished_at = now() WHERE credential = $credential AND path = $path AND key = $key AND claim = $id',
          { ...bind, print: undefined, status, body },
        );
      },
      async release() {
        await db.rows(
          'DELETE FROM idempotency_keys WHERE credential = $credential AND path = $path AND key = $key AND claim = $id',
          { ...bind, print: undefined },
        );
      },
    };
  }
  const stored = await db.row<{ fingerprint: Buffer; status: number | null; body: string | null }>(
    'SELECT fingerprint, status, body FROM idempotency_keys WHERE credential = $credential AND path = $path AND key = $key',
    { credential, path, key },
  );
  if (!stored) throw conflict('A request with this Idempotency-Key is still in progress.');
  if (!stored.fingerprint.equals(print))
    throw conflict('This Idempotency-Key was already used with a different request body.');
  if (stored.status === null) throw conflict('A request with this Idempotency-Key is still in progress.');
  return { kind: 'replay', status: stored.status, body: stored.body ?? '' };
}
