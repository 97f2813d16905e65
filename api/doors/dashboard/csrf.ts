import { randomBytes } from 'node:crypto';
import { cut } from '../../core/text/cut';
import { safeEqual, sha256 } from '../../core/secrets';

/**
 * Returns the session's secret under a fresh mask. Pages are compressed, and a secret that is the same in each could
 * be guessed letter by letter from their sizes (BREACH).
 */
export function maskCsrf(secret: string): string {
  const plain = Buffer.from(secret, 'utf8');
  const mask = randomBytes(plain.length);
  return Buffer.concat([mask, mask.map((byte, index) => byte ^ (plain[index] ?? 0))]).toString('base64url');
}

/** Returns whether a form or request sent back the secret of its session. */
export function isCsrfToken(secret: string, given: string): boolean {
  if (secret === '') return false;
  const bytes = Buffer.from(cut(given, 500), 'base64url');
  const half = bytes.length / 2;
  const plain = bytes.subarray(half).map((byte, index) => byte ^ (bytes[index] ?? 0));
  return safeEqual(sha256(Buffer.from(plain).toString('utf8')), sha256(secret));
}
