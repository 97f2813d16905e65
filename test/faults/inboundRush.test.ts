import { startInbox } from '../../worker/events';
import { startWebhookFanOut } from '../../worker/loops';
import { createWorkspace } from '../factories/workspaces';
import { startApi, type TestApi } from '../support/api';
import { counter, countOn, expectCounted } from '../support/inboundOrder';

let desk: TestApi;
const loops: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  desk = await startApi({ env: { WEBHOOK_ALLOW_PRIVATE: '1' } });
  loops.push(startInbox(desk.runtime), startInbox(desk.runtime), startWebhookFanOut(desk.runtime));
});
afterAll(async () => {
  await Promise.all(loops.map((loop) => loop.stop()));
  await desk.close();
});

it('4,900 messages of one customer keep their order, and go before nobody else', async () => {
  const [rushed, quiet] = [await createWorkspace(desk), await createWorkspace(desk)];
  for (const { api } of [rushed, quiet])
    await api.post('/api/v1/webhooks/', { url: 'http://127.0.0.1:9/', events: ['*'] });
  const [anna, ben, carl] = [counter(), counter(), counter()];
  await countOn(rushed, anna, 4_900);
  const waiting = async (): Promise<number> =>
    Number((await desk.runtime.db.row<{ count: number }>('SELECT count(*)::int AS count FROM inbox_events'))?.count);
  for (let nth = 0; nth < 3; nth += 1) {
    // Another workspace's customer, and another one of the same workspace.
    await countOn(quiet, ben);
    await countOn(rushed, carl);
  }
  await expectCounted(quiet, ben, 120_000);
  await expectCounted(rushed, carl, 120_000);
  expect(await waiting()).toBeGreaterThan(0);
  await expectCounted(rushed, anna, 540_000);
}, 600_000);
