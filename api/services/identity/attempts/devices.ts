import type { Runtime } from '../../../core/runtime';
import { keyedHash, randomToken, safeEqual, subkey } from '../../../core/secrets';

const purpose = 'sign-in device';

/**
 * Returns the cookie of a browser that has signed in as this account: guesses of strangers are then not counted as its
 * own. It proves the success and nothing more: the password is asked for as ever.
 */
export function newDevice(runtime: Runtime, email: string): string {
  const id = randomToken(16);
  const [key] = runtime.config.secretsKeys;
  if (!key) throw new Error('There is no key to sign with.');
  return `${id}.${signatureOf(key, id, email).toString('base64url')}`;
}

/** Returns the id of the device if the cookie was signed here for this account. */
export function deviceOf(runtime: Runtime, email: string, cookie: string | null): string | null {
  const [id = '', signature = ''] = (cookie ?? '').slice(0, 200).split('.');
  const given = Buffer.from(signature, 'base64url');
  const { secretsKeys } = runtime.config;
  return secretsKeys.some((key) => safeEqual(signatureOf(key, id, email), given)) ? id : null;
}

function signatureOf(key: Buffer, id: string, email: string): Buffer {
  return keyedHash(subkey(key, purpose), `${id}:${email.trim().toLowerCase()}`);
}
