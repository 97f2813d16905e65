import type { Context } from '../support/context';
import { atMost, exactly, type Figure } from '../support/figure';
import { memoryOf } from '../support/processes';
import { seedContacts } from '../support/seed';
import { snoozeAll, spreadOver } from '../support/snoozes';
import { percentile } from '../support/stats';

/**
 * Ten thousand snoozes spread over ten minutes: how fast they are armed, how late they wake, what they cost the worker.
 */
export const figure: Figure = {
  name: 'snooze',
  async run(context: Context) {
    const count = context.quick ? 300 : 10_000;
    const spreadMs = context.quick ? 10_000 : 600_000;
    const installation = await context.install();
    const handles = await seedContacts(installation, count);
    const api = await installation.startApi();
    const worker = await installation.startWorker();
    const before = memoryOf(worker.pid);
    const spread = await snoozeAll(context, installation, api, handles, spreadOver(count, spreadMs), 50);
    return [
      { what: `${count} timers over ${spreadMs / 1000} s: armed per second`, value: spread.armedPerSecond },
      { what: 'wake latency, p50 in ms', value: percentile(spread.lateMs, 0.5) },
      atMost('wake latency, p99 in ms', percentile(spread.lateMs, 0.99), 1_500),
      exactly('woken early', spread.lateMs.filter((late) => late < 0).length, 0),
      exactly('never woken', spread.lost, 0),
      { what: 'woken with others, not by their timer', value: spread.together },
      { what: 'worker memory before, in MB', value: before.nowMb },
      { what: 'worker memory at its highest, in MB', value: memoryOf(worker.pid).peakMb },
    ];
  },
};
