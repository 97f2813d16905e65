import { Turns, type Turn } from '../../api/core/turns';

/** Connections are given in turns: what people wait for first, and what nobody waits for in the end as well. */
const person = (workspaceId: number, ending = false): Turn => ({ workspaceId, background: false, ending });
const nobodyWaits = (workspaceId: number): Turn => ({ workspaceId, background: true, ending: false });

describe('places that are given in turns', () => {
  let served: string[];
  beforeEach(() => {
    served = [];
  });

  /** Takes all places, so that whoever comes has to wait. */
  async function full(size: number): Promise<Turns> {
    const turns = new Turns(size);
    for (let place = 0; place < size; place += 1) expect(await turns.enter(person(9), 0)).toBe(true);
    return turns;
  }
  function wait(turns: Turns, turn: Turn | null, name: string): void {
    void turns.enter(turn, 60_000).then((entered) => entered && served.push(name));
  }
  /** Gives back the place of the one that was served last, so many times. */
  async function leave(turns: Turns, times: number, turn: Turn | null = person(9)): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      turns.leave(turn);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('are free until all of them are taken', async () => {
    const turns = await full(2);
    expect(await turns.enter(person(1), 1)).toBe(false);
    expect(turns.waiting).toBe(0);
    turns.leave(person(9));
    expect(await turns.enter(person(1), 1)).toBe(true);
    expect(await turns.enter(person(1), 1)).toBe(false);
  });

  it.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [8, 5],
  ])('go to background work up to two thirds, and to one at least: of %d, %d', async (size, most) => {
    const turns = new Turns(size);
    for (let place = 0; place < most; place += 1) expect(await turns.enter(nobodyWaits(1), 0)).toBe(true);
    expect(await turns.enter(nobodyWaits(2), 1)).toBe(false);
    for (let place = most; place < size; place += 1) expect(await turns.enter(null, 0)).toBe(true);
    turns.leave(nobodyWaits(1));
    expect(await turns.enter(nobodyWaits(2), 0)).toBe(true);
  });

  it('go to the background one for each that it gave back', async () => {
    const turns = new Turns(9);
    for (let place = 0; place < 6; place += 1) expect(await turns.enter(nobodyWaits(1), 0)).toBe(true);
    turns.leave(nobodyWaits(1));
    expect(await turns.enter(nobodyWaits(2), 1)).toBe(true);
    expect(await turns.enter(nobodyWaits(2), 1)).toBe(false);
  });

  it('go to background work two at a time while people are about, all of its own a moment later', async () => {
    let nowMs = 1_000;
    const turns = new Turns(9, () => nowMs);
    const enter = (turn: Turn): Promise<boolean> => turns.enter(turn, 1);
    expect(await enter(person(1))).toBe(true);
    expect([await enter(nobodyWaits(1)), await enter(nobodyWaits(1)), await enter(nobodyWaits(2))]).toEqual([
      true,
      true,
      false,
    ]);
    turns.leave(person(1));
    nowMs += 249;
    expect(await enter(nobodyWaits(2))).toBe(false);
    for (let name = 1; name <= 5; name += 1) wait(turns, nobodyWaits(3), `waited ${name}`);
    nowMs += 1;
    // Those that have waited go before whoever comes now.
    wait(turns, nobodyWaits(4), 'later');
    await leave(turns, 1, nobodyWaits(1));
    expect(served).toEqual(['waited 1', 'later', 'waited 2', 'waited 3', 'waited 4']);
    expect(turns.waiting).toBe(1);
    expect(await enter(nobodyWaits(5))).toBe(false);
    // What ends is people's work, too.
    expect(await enter(person(1, true))).toBe(true);
    await leave(turns, 4, nobodyWaits(3));
    expect(served).toHaveLength(5);
    await leave(turns, 1, nobodyWaits(3));
    expect(served).toEqual(['waited 1', 'later', 'waited 2', 'waited 3', 'waited 4', 'waited 5']);
  });

  it('go to what is done for no workspace, then to people, then to the background', async () => {
    const turns = await full(1);
    wait(turns, nobodyWaits(1), 'background');
    wait(turns, person(1), 'person');
    wait(turns, null, 'nobody');
    expect(turns.waiting).toBe(3);
    await leave(turns, 1);
    expect(served).toEqual(['nobody']);
    expect(await turns.enter(person(2), 1)).toBe(false);
    await leave(turns, 1, null);
    expect(served).toEqual(['nobody', 'person']);
    await leave(turns, 1);
    expect(served).toEqual(['nobody', 'person', 'background']);
    expect(turns.waiting).toBe(0);
  });

  it('go by workspaces in turn, and within one to what ends before what begins', async () => {
    const turns = await full(1);
    for (const name of ['a1', 'a2']) wait(turns, person(1), name);
    wait(turns, person(2), 'b1');
    wait(turns, person(1, true), 'a0');
    await leave(turns, 4);
    expect(served).toEqual(['a0', 'b1', 'a1', 'a2']);
  });

  it('go to the background in turns of workspaces as well', async () => {
    const turns = await full(1);
    for (const name of ['a1', 'a2']) wait(turns, nobodyWaits(1), name);
    wait(turns, nobodyWaits(2), 'b1');
    await leave(turns, 1);
    await leave(turns, 2, nobodyWaits(1));
    expect(served).toEqual(['a1', 'b1', 'a2']);
  });

  it('go to the background after four people in a row', async () => {
    const turns = await full(2);
    for (let name = 1; name <= 10; name += 1) wait(turns, person(name), 'person');
    wait(turns, nobodyWaits(1), 'background');
    wait(turns, nobodyWaits(1), 'background');
    await leave(turns, 5);
    expect(served).toEqual([...Array.from({ length: 4 }, () => 'person'), 'background']);
    // One of two is the part of the background: until that one ends, the next may not follow.
    await leave(turns, 5);
    expect(served.slice(5)).toEqual(Array.from({ length: 5 }, () => 'person'));
    await leave(turns, 1, nobodyWaits(1));
    await leave(turns, 1);
    expect(served.slice(10)).toEqual(['background', 'person']);
  });

  it('go to the background after the next four people again', async () => {
    const turns = await full(4);
    for (let name = 1; name <= 8; name += 1) wait(turns, person(name), 'person');
    for (const name of [1, 2]) wait(turns, nobodyWaits(name), 'background');
    await leave(turns, 10);
    const round = ['person', 'person', 'person', 'person', 'background'];
    expect(served).toEqual([...round, ...round]);
  });

  it('go to people without end where no background work waits', async () => {
    const turns = await full(1);
    for (let name = 1; name <= 6; name += 1) wait(turns, person(1), 'person');
    await leave(turns, 6);
    expect(served).toHaveLength(6);
  });

  it('are not kept for whoever gave up', async () => {
    const turns = await full(1);
    expect(await turns.enter(person(1), 1)).toBe(false);
    expect(await turns.enter(nobodyWaits(1), 1)).toBe(false);
    expect(await turns.enter(null, 1)).toBe(false);
    wait(turns, person(2), 'person');
    await leave(turns, 1);
    expect(served).toEqual(['person']);
    await leave(turns, 1);
    expect(await turns.enter(person(3), 0)).toBe(true);
  });
});
