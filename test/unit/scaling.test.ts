import { readFileSync } from 'node:fs';
import path from 'node:path';
import { bytes, costs, logKilobytes, needsOf, peak, sizes, table } from '../../bench/scaling';

const fail = (): never => {
  throw new Error('that size is gone');
};
const read = (file: string): string => readFileSync(path.join(__dirname, '..', '..', file), 'utf8');

/** The cells of a table in Markdown, without the ruler and however the columns are padded. */
function cellsOf(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s:|-]+\|$/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** The value of a measured row, found by its words. */
function measured(figure: string, what: string, column: 'value' | 'baseline' = 'value'): number {
  const row = cellsOf(read('bench/README.md')).find((cells) => cells[0] === figure && cells[1] === what);
  if (!row) throw new Error(`bench/README.md has no figure "${figure}: ${what}"`);
  return Number(row[column === 'value' ? 2 : 3]);
}

it('reckons with the measured costs', () => {
  expect(costs).toEqual({
    reply: {
      api: measured('delivery', 'processor ms per answered conversation: API'),
      worker: measured('delivery', 'processor ms per answered conversation: worker'),
      temporal: measured('delivery', 'processor ms per answered conversation: Temporal'),
      database: measured('replicas', '1 API, 1 worker: a reply, processor ms of PostgreSQL'),
    },
    notification: {
      worker: measured('stage-move', 'processor ms per notification: worker'),
      temporal: measured('stage-move', 'processor ms per notification: Temporal'),
      database: measured('stage-move', 'processor ms per notification: PostgreSQL'),
    },
    broadcastMessage: {
      worker: measured('broadcast', 'worker: processor ms per message'),
      database: measured('broadcast', 'PostgreSQL: processor ms per message'),
    },
    snooze: {
      worker: measured('timers', 'processor ms per armed timer: worker'),
      temporal: measured('timers', 'processor ms per armed timer: Temporal'),
      database: measured('timers', 'processor ms per armed timer: PostgreSQL'),
    },
    eventOut: {
      worker: measured('webhooks', 'worker: processor ms per event'),
      database: measured('webhooks', 'PostgreSQL: processor ms per event'),
    },
    inboundEvent: {
      api: measured('inbound', 'intake: processor ms per event, API'),
      database: measured('inbound', 'intake: processor ms per event, PostgreSQL'),
      worker: measured('inbound', 'backlog: processor ms per event, worker'),
      databaseProcessing: measured('inbound', 'backlog: processor ms per event, PostgreSQL'),
    },
    apiRequest: {
      api: measured('list', 'GET 50 contacts, processor ms per request'),
      database: expect.closeTo(
        2_000 / measured('list', 'GET 50 contacts, requests/s', 'baseline') -
          measured('list', 'GET 50 contacts, processor ms per request', 'baseline'),
        2,
      ) as number,
    },
  });
});

it('reckons with the measured rows and log', () => {
  expect(bytes).toEqual({
    message: measured('rows', 'bytes of a message of 108 characters'),
    recipient: measured('rows', 'bytes of a recipient'),
    arrival: measured('rows', 'bytes of an arrival (usage)'),
    activity: measured('rows', 'bytes of an activity'),
    episode: measured('rows', 'bytes of an episode'),
    notice: measured('rows', 'bytes of a notice'),
    file: measured('rows', "bytes of a file's row"),
    contact: measured('rows', 'bytes of a contact'),
    conversation: measured('rows', 'bytes of a conversation'),
    eventOut: measured('rows', 'bytes of an event out with one delivery'),
  });
  expect(logKilobytes).toEqual({
    reply: measured('log', 'kB per reply'),
    broadcastMessage: measured('log', 'kB per recipient of a broadcast'),
    customerMessage: measured('log', "kB per customer's message"),
    snooze: measured('log', 'kB per snooze, set and woken'),
  });
});

it('counts whatever a load has: none of it is free', () => {
  const whole = needsOf(sizes['A few machines'] ?? fail(), 1);
  for (const part of Object.keys(sizes['A few machines'] ?? {})) {
    const without = needsOf({ ...(sizes['A few machines'] ?? fail()), [part]: 0 }, 1);
    expect([part, without]).not.toEqual([part, whole]);
  }
});

it('is what SCALING.md says', () => {
  const page = read('SCALING.md');
  const shown = page.slice(page.indexOf('<!-- scaling -->'), page.indexOf('<!-- /scaling -->'));
  expect(cellsOf(shown)).toEqual(cellsOf(table()));
  expect(page).toContain(`, ${peak} times the average of a month`);
});

it('doubles with the load, and counts three statuses for each message that goes out', () => {
  const load = sizes['A few machines'] ?? fail();
  const once = needsOf(load, 1);
  const twice = needsOf(load, 2);
  expect(twice.cores.worker).toBeCloseTo(2 * once.cores.worker);
  expect(once.perSecond['inbound events'] * 30 * 86_400).toBeCloseTo(
    load.customerMessages + 3 * (load.broadcastMessages + load.replies + load.stageNotifications),
  );
});
