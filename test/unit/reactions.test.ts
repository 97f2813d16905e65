import { reaction } from '../../api/core/reactions';

it('what follows a change is said once, and by somebody', async () => {
  const after = reaction<[id: number]>('a change');
  await expect(after.happen(1)).rejects.toThrow('Nobody has said what follows a change.');
  const happened: number[] = [];
  after.register(async (id) => void happened.push(id));
  await after.happen(7);
  expect(happened).toEqual([7]);
  expect(() => after.register(async () => undefined)).toThrow('Something follows a change already.');
});
