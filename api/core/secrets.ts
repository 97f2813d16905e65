import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { AppError } from './errors';

const scryptCost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };
const scryptKeyBytes = 32;

/** SHA-256 of a high-entropy token: what is stored in place of it. */
export function sha256(value: string | Buffer): Buffer {
  return createHash('sha256').update(value).digest();
}

/** A URL-safe random token of `bytes` bytes. */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

/** Whether two byte strings are equal, in a time that does not depend on where they differ. */
export function safeEqual(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Encrypts a credential at rest with AES-256-GCM: `v1.<iv>.<tag>.<data>`. */
export function encryptSecret(key: Buffer, plain: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const data = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return ['v1', iv.toString('base64url'), cipher.getAuthTag().toString('base64url'), data.toString('base64url')].join(
    '.',
  );
}

/** Reverses `encryptSecret`; throws when the key is another one or the text was changed. */
export function decryptSecret(key: Buffer, sealed: string): string {
  const [version, iv, tag, data] = sealed.split('.');
  if (version !== 'v1' || !iv || !tag || data === undefined)
    throw new Error('The stored credential has an unknown form.');
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'));
  decipher.setAuthTag(Buffer.from(tag, 'base64url'));
  return Buffer.concat([decipher.update(Buffer.from(data, 'base64url')), decipher.final()]).toString('utf8');
}

/** A keyed hash of something personal that must be recognised but not kept. */
export function keyedHash(key: Buffer, value: string): Buffer {
  return createHmac('sha256', key).update(value).digest();
}

/** HMAC-SHA256 in hexadecimal, as the upstream signs its webhooks (upstream-wire.md 2.2). */
export function hmacHex(secret: string, body: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

// Two at once: a burst of sign-ins must not fill the thread pool, which file and DNS work share.
const maxRunning = 2;
const maxWaiting = 20;
let running = 0;
const waiting: (() => void)[] = [];

/** Runs the work when a slot is free. Refuses it where a burst has filled the queue: whoever waits there waits for long. */
async function withSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxRunning) {
    if (waiting.length >= maxWaiting)
      throw new AppError('unavailable', 'Too many people are signing in. Try again shortly.', { retryAfter: 5 });
    // Whoever ends hands over the slot itself, so that a newcomer cannot take it from the one who was waiting.
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

/** Whether the password is the stored one. A member without a password costs the same time and never matches. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, salt, key] = (stored ?? `scrypt.${Buffer.alloc(16).toString('base64url')}.`).split('.');
  const derived = await withSlot(() => derive(password, Buffer.from(salt ?? '', 'base64url')));
  return stored !== null && safeEqual(derived, Buffer.from(key ?? '', 'base64url'));
}
