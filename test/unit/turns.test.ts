import { Turns } from '../../api/core/db/connectionTurns';

/** Connections are given in the turns of the workspaces (contract 16). */
describe('places that are given in turns', () => {
  let served: string[];
  beforeEach(() => {
    served = [];
  });

  /** Takes all places, so that who comes has to wait. */
  async function full(size: number): Promise<Turns> {
    const turns = new Turns(size);
    for (let place = 0; place < size; place += 1) expect(await turns.enter(9, 0)).toBe(true);
    return turns;
  }
  function wait(turns: Turns, workspaceId: number | null, name: string): void {
    void turns.enter(workspaceId, 60_000).then((entered) => entered && served.push(name));
  }
  /** Gives back the place of the one that was served last, so many times. */
  async function leave(turns: Turns, times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      turns.leave();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('are free until all of them are taken', async () => {
    const turns = await full(2);
    expect(await turns.enter(1, 1)).toBe(false);
    expect(turns.waiting).toBe(0);
    turns.leave();
    expect(await turns.enter(1, 1)).toBe(true);
    expect(await turns.enter(1, 1)).toBe(false);
  });

  it('go to one workspace after the other, however many wait in it', async () => {
    const turns = await full(1);
    for (const name of ['a1', 'a2', 'a3']) wait(turns, 1, name);
    wait(turns, 2, 'b1');
    wait(turns, 3, 'c1');
    expect(turns.waiting).toBe(5);
    await leave(turns, 5);
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  it('go first to what is done for no workspace', async () => {
    const turns = await full(1);
    wait(turns, 1, 'a1');
    wait(turns, null, 'n1');
    wait(turns, 1, 'a2');
    wait(turns, null, 'n2');
    await leave(turns, 4);
    expect(served).toEqual(['n1', 'n2', 'a1', 'a2']);
  });

  it('are not lost to who gave up', async () => {
    const turns = await full(1);
    expect(await turns.enter(1, 1)).toBe(false);
    wait(turns, 2, 'b1');
    await leave(turns, 2);
    expect(served).toEqual(['b1']);
    expect(await turns.enter(3, 0)).toBe(true);
  });
});
