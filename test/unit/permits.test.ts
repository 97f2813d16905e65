import { Permits } from '../../api/core/platform/permits';

/** Contract 16: calls at a time, people before mass sends, workspaces in turns. */
const soon = 20;
const long = 60_000;

/** Takes all that people of several workspaces may have. */
async function fill(permits: Permits, count: number): Promise<void> {
  for (let taken = 0; taken < count; taken += 1) expect(await permits.takeOne(taken, soon)).toBe(true);
}

/** Notes who was served, in their order. */
function ask(permits: Permits, served: string[], name: string, workspaceId: number): Promise<void> {
  return permits.takeOne(workspaceId, long).then(() => void served.push(name));
}

it('gives no more than there are, and one that comes back to the workspace whose turn it is', async () => {
  const permits = new Permits(12);
  await fill(permits, 12);
  expect(await permits.takeOne(99, soon)).toBe(false);
  const served: string[] = [];
  const all = [
    ask(permits, served, 'a1', 101),
    ask(permits, served, 'a2', 101),
    ask(permits, served, 'b1', 102),
    ask(permits, served, 'a3', 101),
  ];
  for (let back = 0; back < 4; back += 1) permits.giveBack('people', back);
  await Promise.all(all);
  expect(served).toEqual(['a1', 'b1', 'a2', 'a3']);
});

it('one who gave up takes nothing from those who wait', async () => {
  const permits = new Permits(10);
  await fill(permits, 10);
  expect(await permits.takeOne(50, 1)).toBe(false);
  const other = permits.takeOne(51, long);
  permits.giveBack('people', 0);
  expect(await other).toBe(true);
});

it('one that comes back is one', async () => {
  const permits = new Permits(10);
  await fill(permits, 10);
  permits.giveBack('people', 0);
  expect(await permits.takeOne(50, soon)).toBe(true);
  expect(await permits.takeOne(51, soon)).toBe(false);
});

it('people of one workspace get half of them, though nobody else asks', async () => {
  const permits = new Permits(20);
  for (let taken = 0; taken < 10; taken += 1) expect(await permits.takeOne(1, soon)).toBe(true);
  expect(await permits.takeOne(1, soon)).toBe(false);
  expect(await permits.takeOne(2, soon)).toBe(true);
  const next = permits.takeOne(1, long);
  permits.giveBack('people', 1);
  expect(await next).toBe(true);
});

describe('mass sends', () => {
  it('leave a sixth to people, however many they want', async () => {
    const permits = new Permits(60);
    expect(await permits.takeMany(1, 1_000, soon)).toBe(50);
    expect(await permits.takeMany(2, 1, soon)).toBe(0);
    await fill(permits, 10);
    expect(await permits.takeOne(99, soon)).toBe(false);
  });

  it('come after people who wait', async () => {
    const permits = new Permits(12);
    expect(await permits.takeMany(1, 10, soon)).toBe(10);
    await fill(permits, 2);
    const served: string[] = [];
    const mass = permits.takeMany(2, 1, long).then(() => served.push('mass'));
    const person = ask(permits, served, 'person', 3);
    permits.giveBack('mass', 1);
    await person;
    permits.giveBack('mass', 1);
    await mass;
    expect(served).toEqual(['person', 'mass']);
  });

  it('wait until enough are free for a statement, or all that they want', async () => {
    const permits = new Permits(60);
    expect(await permits.takeMany(1, 50, soon)).toBe(50);
    const many = permits.takeMany(2, 100, long);
    const few = permits.takeMany(3, 2, long);
    permits.giveBack('mass', 1, 15);
    expect(await few).toBe(2);
    permits.giveBack('mass', 1, 3);
    expect(await many).toBe(16);
  });

  it('take nothing from others once they gave up', async () => {
    const permits = new Permits(12);
    expect(await permits.takeMany(1, 10, soon)).toBe(10);
    expect(await permits.takeMany(2, 10, 1)).toBe(0);
    permits.giveBack('mass', 1, 10);
    expect(await permits.takeMany(3, 10, soon)).toBe(10);
  });

  it('take turns', async () => {
    const permits = new Permits(24);
    expect(await permits.takeMany(1, 20, soon)).toBe(20);
    const served: string[] = [];
    const want = (workspaceId: number): Promise<unknown> =>
      permits.takeMany(workspaceId, 20, long).then((given) => {
        served.push(`${workspaceId}: ${given}`);
        permits.giveBack('mass', workspaceId, given);
      });
    const all = [want(1), want(1), want(2)];
    permits.giveBack('mass', 1, 20);
    await Promise.all(all);
    expect(served).toEqual(['1: 20', '2: 20', '1: 20']);
  });

  it('get some of a process that makes few calls', async () => {
    expect(await new Permits(10).takeMany(1, 100, soon)).toBe(8);
  });
});
