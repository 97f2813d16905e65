import { randomInt } from 'node:crypto';
import { eventually } from '../support/eventually';
import { afterTheClaims, createStageDesk, type StageDesk } from '../support/stageDesk';
import { impatient } from '../support/timing';
import { spawnWorker } from '../support/worker';

let stage: StageDesk;
beforeEach(async () => {
  stage = await createStageDesk({ timing: impatient });
});
afterEach(() => stage.test.close());

it('workers killed at any instant: each is told at most once over two pages, and none is forgotten', async () => {
  const { test, prepare, move, states, sends, twice, completed } = stage;
  // So many that some are left for every worker, however long it lives.
  const recipients = 1_000;
  await prepare(recipients);
  test.sandbox.faults.add({ kind: 'latency', delay_ms: 60 });
  const moveId = await move();
  for (let round = 0; round < 4; round += 1) {
    const before = sends().length;
    const doomed = await spawnWorker(test);
    await eventually(() => expect(sends().length).toBeGreaterThan(before), afterTheClaims);
    await new Promise((resolve) => setTimeout(resolve, randomInt(10, 400)));
    await doomed.kill('SIGKILL');
  }
  await spawnWorker(test);
  await completed(moveId);
  const { sent = 0, unknown = 0, ...others } = await states(moveId);
  expect([sent + unknown, others]).toEqual([recipients, {}]);
  expect(twice()).toEqual([]);
  // Who is not known to be told may have been; who is known to be told was.
  expect(sends().length).toBeGreaterThanOrEqual(sent);
});
