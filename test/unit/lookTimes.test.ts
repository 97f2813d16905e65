import { glanceMs, LookTimes } from '../../api/services/processes/macroRuns/lookTimes';

describe('when to look whether a macro run has ended', () => {
  const lookTimesAfter = (...tookMs: number[]): LookTimes => {
    const times = new LookTimes();
    for (const took of tookMs) times.learn(took);
    return times;
  };
  const many = (tookMs: number): number[] => Array<number>(50).fill(tookMs);

  it('waits most of the time that runs took lately before the first look', () => {
    expect(lookTimesAfter(...many(400)).firstMs()).toBeCloseTo(320, 0);
    expect(lookTimesAfter(...many(400), ...many(30)).firstMs()).toBeCloseTo(24, 0);
  });

  it('forgets slow ones soon', () => {
    expect(lookTimesAfter(...many(900), ...Array<number>(20).fill(50)).firstMs()).toBeLessThan(50);
  });

  it('is not misled by one run that hung', () => {
    const before = lookTimesAfter(...many(50)).firstMs();
    expect(lookTimesAfter(...many(50), 60_000).firstMs()).toBeLessThan(before + 200);
  });

  it('looks again after pauses that grow, never longer than 200 ms and never shorter than a glance', () => {
    const times = new LookTimes();
    expect([1, 100, 500, 1_000, 9_000].map((waitedMs) => times.againMs(waitedMs))).toEqual([10, 10, 50, 100, 200]);
    expect(lookTimesAfter(...many(1)).firstMs()).toBe(glanceMs);
  });
});
