import { randomInt } from 'node:crypto';

let last = randomInt(100_000, 800_000);

/** Returns a number that no other call in this process gave. */
export function unique(): number {
  last += 1;
  return last;
}

/** Returns a phone number in E.164 that nobody else has, outside the sandbox's magic ranges. */
export function uniquePhone(): string {
  return `+4915${String(unique()).padStart(9, '0')}`;
}
