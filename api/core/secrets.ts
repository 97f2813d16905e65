import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { AppError } from './http/errors';
import { reason } from './http/reasons';

const scryptCost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };
const scryptKeyBytes = 32;

/** SHA-256 of a high-entropy token: what is stored in place of it. */
export function sha256(value: string | Buffer): Buffer {
  return createHash('sha256').update(value).digest();
}

/** Returns a URL-safe random token of `bytes` bytes. */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

/** Returns whether two byte strings are equal, in a time that does not depend on where they differ. */
export function safeEqual(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Keys of the installation, the one in use first; the others still open what was sealed with them. */
type Keyring = readonly Buffer[];

/** Names a key without telling anything of it. */
function keyId(key: Buffer): string {
  return sha256(Buffer.concat([Buffer.from('key id:'), key]))
    .toString('hex')
    .slice(0, 8);
}

/** Returns a key for one purpose, so that no two uses share one. */
export function subkey(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), purpose, 32));
}

const sealing = 'credentials at rest';
const gcm = { authTagLength: 16 } as const;

/**
 * Encrypts a credential at rest with AES-256-GCM: `v2.<key id>.<iv>.<tag>.<data>`. It opens in its own `place` only, so
 * that write access to the database is not enough to use one row's credential in another.
 */
export function encryptSecret(keys: Keyring, plain: string, place: string): string {
  const [key] = keys;
  if (!key) throw new Error('There is no key to encrypt with.');
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', subkey(key, sealing), iv, gcm).setAAD(Buffer.from(place));
  const data = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  const parts = [iv, cipher.getAuthTag(), data].map((part) => part.toString('base64url'));
  return ['v2', keyId(key), ...parts].join('.');
}

/** Reverses `encryptSecret`; throws when no key fits, the text was changed, or it belongs to another place. */
export function decryptSecret(keys: Keyring, sealed: string, place: string): string {
  const [version, ...parts] = sealed.split('.');
  const [id, iv, tag, data] = parts;
  if (version !== 'v2' || !iv || !tag || data === undefined)
    throw new Error('The stored credential has an unknown form.');
  const key = keys.find((candidate) => keyId(candidate) === id);
  if (!key)
    throw new Error(`The stored credential was encrypted with the key ${id ?? ''}, which SECRETS_KEY does not hold.`);
  return open(subkey(key, sealing), iv, tag, data, Buffer.from(place));
}

function open(key: Buffer, iv: string, tag: string, data: string, place: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), gcm);
  decipher.setAAD(place);
  decipher.setAuthTag(Buffer.from(tag, 'base64url'));
  return Buffer.concat([decipher.update(Buffer.from(data, 'base64url')), decipher.final()]).toString('utf8');
}

/** A keyed hash of something personal that must be recognised but not kept. */
export function keyedHash(key: Buffer, value: string): Buffer {
  return createHmac('sha256', key).update(value).digest();
}

/** HMAC-SHA256 in hexadecimal, as the upstream signs its webhooks (upstream 2.2). */
export function hmacHex(secret: string, body: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

// Two at once: a burst of sign-ins must not fill the thread pool, which file and DNS work share.
const maxRunning = 2;
const maxWaiting = 20;
let running = 0;
const waiting: (() => void)[] = [];

/** Runs the work when a slot is free. Refuses it when a burst has filled the queue, where it would wait too long. */
async function withSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxRunning) {
    if (waiting.length >= maxWaiting) throw new AppError('unavailable', reason('signInsBusy'), { retryAfter: 5 });
    // The end of one piece of work hands its slot to the first that waits, so that a newcomer cannot take it.
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running += 1;
  }
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, scryptKeyBytes, scryptCost, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/** scrypt (N=2^17, r=8, p=1) of a password with its salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await withSlot(() => derive(password, salt));
  return `scrypt.${salt.toString('base64url')}.${key.toString('base64url')}`;
}

/**
 * Returns whether the password is the stored one. A member without a password costs the same time and never matches.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, salt, key] = (stored ?? `scrypt.${Buffer.alloc(16).toString('base64url')}.`).split('.');
  const derived = await withSlot(() => derive(password, Buffer.from(salt ?? '', 'base64url')));
  return stored !== null && safeEqual(derived, Buffer.from(key ?? '', 'base64url'));
}
