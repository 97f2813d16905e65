import { Places } from '../../api/services/delivery/places';

describe('places of a process', () => {
  let nowMs: number;
  let places: Places;
  const takeAll = (workspaceId: number): number => {
    let taken = 0;
    while (places.take(workspaceId)) taken += 1;
    return taken;
  };
  beforeEach(() => {
    nowMs = 0;
    places = new Places(6, () => nowMs);
  });

  it('all go to a workspace that sends alone', () => {
    expect(takeAll(1)).toBe(6);
    expect(places.take(2)).toBe(false);
  });

  it('one gets two thirds while another sends, and what is given back can be taken again', () => {
    expect(places.take(2)).toBe(true);
    expect([takeAll(1), takeAll(2)]).toEqual([4, 1]);
    places.giveBack(1);
    expect([takeAll(2), takeAll(1)]).toEqual([1, 0]);
  });

  it('one that found no place counts: the others give up what they have beyond their part', () => {
    expect(takeAll(1)).toBe(6);
    expect(places.take(2)).toBe(false);
    places.giveBack(1);
    places.giveBack(1);
    places.giveBack(1);
    expect([takeAll(1), takeAll(2)]).toEqual([1, 2]);
  });

  it('one that holds a place counts, however long ago it wished for it', () => {
    expect(places.take(2)).toBe(true);
    nowMs = 10_001;
    expect(takeAll(1)).toBe(4);
    places.giveBack(2);
    expect(takeAll(1)).toBe(2);
  });

  it('go to those who wait in the turns of their workspaces, and to none of them beyond its part', async () => {
    expect(takeAll(1)).toBe(6);
    const served: number[] = [];
    const wait = (workspaceId: number): Promise<unknown> =>
      places.takeSoon(workspaceId, 60_000).then((wish) => wish === 'given' && served.push(workspaceId));
    const waiting = [1, 1, 1, 2, 2, 3].map(wait);
    for (let place = 0; place < 6; place += 1) places.giveBack(1);
    await Promise.all(waiting);
    // The first workspace had all of them: it gets one again when it has given back more than its part.
    expect(served.slice(0, 3)).toEqual([2, 3, 1]);
    expect([...served].sort()).toEqual([1, 1, 1, 2, 2, 3]);
    expect(places.take(3)).toBe(false);
  });

  it('are refused to those who wait when the process stops, and when none comes free in time', async () => {
    expect(takeAll(1)).toBe(6);
    const waiting = places.takeSoon(2, 60_000);
    places.refuseWaiting();
    expect(await waiting).toBe('none');
    expect(await places.takeSoon(2, 1)).toBe('none');
    places.giveBack(1);
    expect(places.take(2)).toBe(true);
  });

  it('are worth another wish where all of them changed hands while one waited', async () => {
    expect([places.take(1), takeAll(2)]).toEqual([true, 4]);
    expect(places.take(1)).toBe(true);
    // Of the two workspaces one has its part, so what the other gives back is not for it.
    const waiting = places.takeSoon(2, 50);
    for (let turn = 0; turn < 6; turn += 1) {
      places.giveBack(1);
      expect(places.take(1)).toBe(true);
    }
    expect(await waiting).toBe('later');
  });

  it('are given at once where one is free, and refused where fewer came back while one waited', async () => {
    expect(await places.takeSoon(1, 60_000)).toBe('given');
    expect(takeAll(1)).toBe(5);
    for (let turn = 0; turn < 9; turn += 1) {
      places.giveBack(1);
      expect(places.take(1)).toBe(true);
    }
    expect(await places.takeSoon(2, 1)).toBe('none');
  });

  it('go to whoever holds none, also where there is only one', () => {
    places = new Places(1, () => nowMs);
    expect(places.take(2)).toBe(true);
    places.giveBack(2);
    expect(places.take(1)).toBe(true);
  });

  it('others that hold none count for ten seconds after their last wish', () => {
    expect(places.take(2)).toBe(true);
    places.giveBack(2);
    nowMs = 9_999;
    expect(takeAll(1)).toBe(4);
    nowMs = 10_000;
    expect(takeAll(1)).toBe(2);
  });

  it('others count no longer because one wished before and after them', () => {
    for (const [at, workspaceId] of [
      [0, 1],
      [5_000, 2],
    ] as const) {
      nowMs = at;
      expect(places.take(workspaceId)).toBe(true);
      places.giveBack(workspaceId);
    }
    nowMs = 15_000;
    expect(takeAll(1)).toBe(6);
  });
});
