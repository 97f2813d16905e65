import crypto, { randomBytes } from 'node:crypto';
import { decryptSecret, encryptSecret, hashPassword, verifyPassword } from '../../api/core/secrets';

const [first, second] = [randomBytes(32), randomBytes(32)];

it('a sealed credential opens in its own place, and with a ring that still holds its key', () => {
  const sealed = encryptSecret([first], 'token', 'accounts/1/access_token');
  expect(sealed).toMatch(/^v2\.[0-9a-f]{8}\./);
  expect(decryptSecret([second, first], sealed, 'accounts/1/access_token')).toBe('token');
  expect(() => decryptSecret([first], sealed, 'accounts/2/access_token')).toThrow();
  expect(() => decryptSecret([second], sealed, 'accounts/1/access_token')).toThrow(/SECRETS_KEY does not hold/);
});

it('a shortened tag is refused', () => {
  const parts = encryptSecret([first], 'token', 'here').split('.');
  parts[3] = Buffer.from(parts[3] ?? '', 'base64url')
    .subarray(0, 4)
    .toString('base64url');
  expect(() => decryptSecret([first], parts.join('.'), 'here')).toThrow();
});

it('a password is derived at the cost that makes guessing dear, with a salt of its own', async () => {
  const derive = jest.spyOn(crypto, 'scrypt');
  const [stored, again] = [await hashPassword('a long pass phrase'), await hashPassword('a long pass phrase')];
  expect(stored).not.toBe(again);
  expect(await verifyPassword('a long pass phrase', stored)).toBe(true);
  expect(await verifyPassword('another pass phrase', stored)).toBe(false);
  for (const [, , , cost] of derive.mock.calls) expect(cost).toMatchObject({ N: 2 ** 17, r: 8, p: 1 });
  expect(derive).toHaveBeenCalledTimes(4);
  derive.mockRestore();
});
