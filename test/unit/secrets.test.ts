import { randomBytes } from 'node:crypto';
import { decryptSecret, encryptSecret } from '../../api/core/secrets';

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
