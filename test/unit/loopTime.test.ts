import { LoopTime } from '../../api/core/loopTime';

const round = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

let now: number;
let time: LoopTime;
beforeEach(() => {
  now = 0;
  time = new LoopTime(() => now);
});

/** Works for a workspace, or for none. */
function work(workspaceId: number | null, ms: number): void {
  time.begin(workspaceId);
  now += ms;
}

describe('the time of an event loop', () => {
  it('counts for who began last, and for nobody once the loop has gone round', async () => {
    work(1, 10);
    work(2, 20);
    work(1, 30);
    work(null, 40);
    work(3, 50);
    await round();
    now += 60;
    work(null, 70);
    expect(Object.fromEntries(time.take())).toEqual({ 1: 40, 2: 20, 3: 50 });
    expect(time.take().size).toBe(0);
  });

  it('counts again what the same workspace does in a later round', async () => {
    work(1, 10);
    await round();
    now += 1_000;
    work(1, 5);
    await round();
    expect(Object.fromEntries(time.take())).toEqual({ 1: 15 });
  });

  it('says when a workspace is below its share of the last minute again', () => {
    // A tenth: six seconds.
    work(1, 4_000);
    work(null, 10_000);
    work(1, 2_000);
    work(2, 1);
    expect([time.secondsAbove(1, 0.1), time.secondsAbove(2, 0.1)]).toEqual([0, 0]);
    work(1, 1_500);
    work(null, 0);
    // What was done first ended in the fifth second.
    expect(time.secondsAbove(1, 0.1)).toBe(4 + 60 - 17);
    now += 46_000;
    expect(time.secondsAbove(1, 0.1)).toBe(1);
    now += 1_000;
    expect(time.secondsAbove(1, 0.1)).toBe(0);
    expect(time.secondsAbove(1, 0.01)).toBeGreaterThan(0);
  });
});
