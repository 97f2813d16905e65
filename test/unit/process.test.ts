import { createProcess, usualTiming } from '../../api/core/process';
import { kept } from '../../api/core/runtime';
import type { Runtime } from '../../api/core/runtime';

const runtime = (): Runtime => ({ process: createProcess(usualTiming) }) as Runtime;

describe('what a process keeps', () => {
  it('is made once for each process, when it is first asked for', () => {
    let made = 0;
    const numbers = kept(() => [(made += 1)]);
    const [one, other] = [runtime(), runtime()];
    expect(made).toBe(0);
    expect(numbers(one)).toBe(numbers(one));
    expect([numbers(one), numbers(other)]).toEqual([[1], [2]]);
  });

  it('is kept apart from what else the process keeps', () => {
    const [left, right] = [kept(() => 'left'), kept(() => 'right')];
    const process = runtime();
    expect([left(process), right(process)]).toEqual(['left', 'right']);
  });
});

it('a relay begins its last call, which may take two seconds, before its lease ends', () => {
  expect(usualTiming.relayBeginsForMs + 2_000).toBeLessThan(usualTiming.relayLeaseMs);
});
