import crypto from 'node:crypto';
import type { AppError } from '../../api/core/http/errors';
import { verifyPassword } from '../../api/core/secrets';

it('20 password checks wait behind the 2 that run, the next is refused with 503, and the queue empties', async () => {
  let derivations = 0;
  const finish: (() => void)[] = [];
  const held = jest.spyOn(crypto, 'scrypt').mockImplementation(((...args: unknown[]) => {
    derivations += 1;
    finish.push(() => (args.at(-1) as (error: null, key: Buffer) => void)(null, Buffer.alloc(32)));
  }) as never);
  const checks = Array.from({ length: 25 }, () => verifyPassword('guess', null));
  const refused = await Promise.allSettled(checks.slice(22));
  expect(derivations).toBe(2);
  expect(
    refused.map((outcome) => {
      const { status, details } = (outcome as PromiseRejectedResult).reason as AppError;
      return [status, details.retryAfter];
    }),
  ).toEqual([
    [503, 5],
    [503, 5],
    [503, 5],
  ]);

  let most = 0;
  while (finish.length > 0) {
    most = Math.max(most, finish.length);
    finish.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await Promise.all(checks.slice(0, 22))).toEqual(Array.from({ length: 22 }, () => false));
  expect([derivations, most]).toEqual([22, 2]);
  held.mockRestore();
});
