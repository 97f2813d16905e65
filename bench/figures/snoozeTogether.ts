import type { Context } from '../support/context';
import { atMost, exactly, type Figure } from '../support/figure';
import { seedContacts } from '../support/seed';
import { snoozeAll } from '../support/snoozes';

/** Ten thousand snoozes that are due in the same second: how long until the last one is awake. */
export const figure: Figure = {
  name: 'snooze-together',
  async run(context: Context) {
    const count = context.quick ? 300 : 10_000;
    const installation = await context.install();
    const handles = await seedContacts(installation, count);
    const api = await installation.startApi();
    await installation.startWorker();
    // All must be armed before they are due, on a slow machine, too (87 a second here).
    const together = await snoozeAll(context, installation, api, handles, (_index, firstAt) => firstAt, 60);
    return [
      atMost(`${count} timers due in one second: all awake after, in s`, Math.max(...together.lateMs) / 1000, 75),
      exactly('woken early', together.lateMs.filter((late) => late < 0).length, 0),
      exactly('never woken', together.lost, 0),
      { what: 'woken with others, not by their timer', value: together.together },
    ];
  },
};
