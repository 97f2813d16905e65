import { makeParts, type Part } from '../../dev/demo/content';

it('a demo that was interrupted is filled on where it was left, and nothing is made twice', async () => {
  const made: string[] = [];
  const failing = new Set(['ticket']);
  const part = (name: string): Part => ({
    name,
    make: () => {
      if (failing.has(name)) return Promise.reject(new Error('fetch failed'));
      made.push(name);
      return Promise.resolve();
    },
  });
  const parts = ['customer', 'ticket', 'macro'].map(part);
  let noted: readonly string[] = [];
  const start = (): Promise<void> => makeParts(parts, noted, (done) => (noted = [...done]));
  await expect(start()).rejects.toThrow('fetch failed');
  expect([made, noted]).toEqual([['customer'], ['customer']]);
  failing.clear();
  await start();
  expect([made, noted]).toEqual([
    ['customer', 'ticket', 'macro'],
    ['customer', 'ticket', 'macro'],
  ]);
});

it('what was made before the start could note it counts as made', async () => {
  let noted: readonly string[] = [];
  const member = {
    name: 'member',
    make: () => Promise.reject(new Error('400: member with this email already exists.')),
  };
  await makeParts([member], [], (done) => (noted = done));
  expect(noted).toEqual(['member']);
});
