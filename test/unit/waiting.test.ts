import { toldInTime, WorkspaceTurns, type Tell } from '../../api/core/db/workspaceTurns';

describe('those who wait in turns', () => {
  let turns: WorkspaceTurns<string>;

  beforeEach(() => {
    turns = new WorkspaceTurns();
    for (const name of ['a1', 'a2', 'a3']) turns.add(1, name);
    turns.add(2, 'b1');
    turns.add(2, 'b2');
  });

  const served = (mayServe?: (workspaceId: number) => boolean): (string | undefined)[] =>
    Array.from({ length: turns.size + 1 }, () => turns.shift(mayServe)?.waiter);

  it('serves one workspace after the other', () => {
    expect(served()).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', undefined]);
    expect(turns.size).toBe(0);
  });

  it('passes over a workspace that may not be served, and keeps its turn', () => {
    expect(turns.shift((workspaceId) => workspaceId !== 1)).toEqual({ workspaceId: 2, waiter: 'b1' });
    expect(turns.shift(() => false)).toBeUndefined();
    expect(served()).toEqual(['a1', 'b2', 'a2', 'a3', undefined]);
  });

  it('forgets who gave up', () => {
    turns.remove(1, 'a1');
    turns.remove(2, 'b1');
    turns.remove(2, 'b2');
    turns.remove(3, 'nobody');
    expect(served()).toEqual(['a2', 'a3', undefined]);
  });

  it('gives a workspace that all left a new turn, after those who stayed', () => {
    turns.remove(2, 'b1');
    turns.remove(2, 'b2');
    turns.add(3, 'c1');
    turns.add(2, 'b3');
    expect(served()).toEqual(['a1', 'c1', 'b3', 'a2', 'a3', undefined]);
  });
});

describe('a wait to be told', () => {
  it('ends with what was told, and gives nothing up', async () => {
    const left: unknown[] = [];
    const told = toldInTime<string>(60_000, {
      join: (tell) => setImmediate(() => tell('done')),
      leave: (tell) => left.push(tell),
    });
    expect(await told).toBe('done');
    expect(left).toEqual([]);
  });

  it('is given up no more once it was told', async () => {
    let left = 0;
    const told = toldInTime<string>(1, { join: (tell) => tell('done'), leave: () => (left += 1) });
    expect(await told).toBe('done');
    // A later timer fires after one that would give it up.
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(left).toBe(0);
  });

  it('gives up the one that it joined with, when the time is over', async () => {
    const joined: Tell<string>[] = [];
    const left: Tell<string>[] = [];
    const told = toldInTime<string>(1, { join: (tell) => joined.push(tell), leave: (tell) => left.push(tell) });
    expect(await told).toBeUndefined();
    expect(left).toEqual(joined);
    expect(joined).toHaveLength(1);
  });
});
