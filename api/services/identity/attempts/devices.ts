import { cut } from '../../../core/text/cut';
import type { Runtime } from '../../../core/runtime';
import { keyedHash, randomToken, safeEqual, subkey } from '../../../core/secrets';

const purpose = 'sign-in device';

/**
 * Returns a cookie which proves that a browser has signed in to the account before, so that wrong passwords of
 * strangers do not count against it. It proves nothing more: the password is still required.
 */
export function newDeviceCookie(runtime: Runtime, email: string): string {
  const id = randomToken(16);
  const [key] = runtime.config.secretsKeys;
  if (!key) throw new Error('SECRETS_KEY holds no key to sign with.');
  return `${id}.${signatureOf(key, id, email).toString('base64url')}`;
}

/** Returns the id of the device if the cookie was signed here for this account. */
export function deviceIdOf(runtime: Runtime, email: string, cookie: string | null): string | null {
  const [id = '', signature = ''] = cut(cookie ?? '', 200).split('.');
  const given = Buffer.from(signature, 'base64url');
  const { secretsKeys } = runtime.config;
  return secretsKeys.some((key) => safeEqual(signatureOf(key, id, email), given)) ? id : null;
}

function signatureOf(key: Buffer, id: string, email: string): Buffer {
  return keyedHash(subkey(key, purpose), `${id}:${email.trim().toLowerCase()}`);
}
