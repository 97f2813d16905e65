import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import type { Config } from '../config';

/** A browser as its push service knows it (RFC 8030); the keys are those for which is encrypted (RFC 8291). */
export interface PushTarget {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** What a push service is sent by POST. */
interface PushRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const curve = 'prime256v1';
/** Push services take at most so much, and browsers read one record of this size (RFC 8291, 4). */
const recordBytes = 4_096;
/** How long a push service may take our signature: at most a day (RFC 8292, 2). */
const signedForSeconds = 12 * 3_600;

/** Returns why keys are none that can be encrypted for, or null. */
export function pushKeysProblem({ p256dh, auth }: Pick<PushTarget, 'p256dh' | 'auth'>): string | null {
  if (Buffer.from(auth, 'base64url').length !== 16) return 'auth must be 16 bytes in base64url.';
  try {
    const own = createECDH(curve);
    own.generateKeys();
    own.computeSecret(Buffer.from(p256dh, 'base64url'));
    return null;
  } catch {
    return 'p256dh must be a public key of P-256 in base64url.';
  }
}

/** Returns the public key by which browsers subscribe, in base64url. */
export function vapidPublicKey({ privateKey }: NonNullable<Config['vapid']>): string {
  const own = createECDH(curve);
  own.setPrivateKey(privateKey);
  return own.getPublicKey('base64url');
}

/** Builds the request that brings a text to a browser: encrypted for it, and signed as ours (RFC 8291, 8292). */
export function pushRequest(
  vapid: NonNullable<Config['vapid']>,
  target: PushTarget,
  text: string,
  { now, ttlSeconds }: { readonly now: Date; readonly ttlSeconds: number },
): PushRequest {
  return {
    headers: {
      authorization: authorizationFor(vapid, target.endpoint, now),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(ttlSeconds),
      urgency: 'high',
    },
    body: encryptPush(target, text),
  };
}

/** Encrypts a text for a browser, as one record of `aes128gcm`. The parameters beyond are chance, but in tests. */
export function encryptPush(
  { p256dh, auth }: Pick<PushTarget, 'p256dh' | 'auth'>,
  text: string,
  salt: Buffer = randomBytes(16),
  privateKey?: Buffer,
): Buffer {
  const own = createECDH(curve);
  if (privateKey) own.setPrivateKey(privateKey);
  else own.generateKeys();
  const ownPublic = own.getPublicKey();
  const theirPublic = Buffer.from(p256dh, 'base64url');
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), theirPublic, ownPublic]);
  const secret = derive(own.computeSecret(theirPublic), Buffer.from(auth, 'base64url'), about, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // The 2 ends the last record.
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.update(Buffer.from([2])), cipher.final()]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(recordBytes);
  return Buffer.concat([salt, size, Buffer.from([ownPublic.length]), ownPublic, sealed, cipher.getAuthTag()]);
}

function derive(key: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, info, length));
}

function authorizationFor(vapid: NonNullable<Config['vapid']>, endpoint: string, now: Date): string {
  const exp = Math.floor(now.getTime() / 1_000) + signedForSeconds;
  const claims = { aud: new URL(endpoint).origin, exp, sub: vapid.subject };
  const signed = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const publicKey = vapidPublicKey(vapid);
  const key = signingKey(vapid, publicKey);
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`;
}

function signingKey(vapid: NonNullable<Config['vapid']>, publicKey: string): KeyObject {
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const d = vapid.privateKey.toString('base64url');
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d }, format: 'jwk' });
}
