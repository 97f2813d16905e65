import crypto from 'node:crypto';

const { scrypt } = crypto;

/**
 * Lets passwords be derived with a small factor: each takes half a second of a processor else. What
 * the product asks for is looked at in test/unit/secrets.test.ts.
 */
export function easePasswords(): void {
  crypto.scrypt = ((...[password, salt, bytes, , done]: Parameters<typeof scrypt>) =>
    scrypt(password, salt, bytes, { N: 1024 }, done)) as typeof scrypt;
}

/** Lets them be derived as they are in the product. */
export function restorePasswords(): void {
  crypto.scrypt = scrypt;
}
