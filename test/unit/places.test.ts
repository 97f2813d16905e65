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

  it('others that hold none count for ten seconds after their last wish', () => {
    expect(places.take(2)).toBe(true);
    places.giveBack(2);
    expect(takeAll(1)).toBe(4);
    nowMs = 10_001;
    expect(takeAll(1)).toBe(2);
  });
});
