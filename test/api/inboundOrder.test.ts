import { startWebhookFanOut } from '../../worker/loops';
import { startInbox } from '../../worker/events';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { counter, countOn, expectCounted } from '../support/inboundOrder';

let desk: TestApi;
let workspace: TestWorkspace;
const loops: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  desk = await sharedDesk('plain');
  workspace = await createWorkspace(desk);
  // Nobody is at the address; what subscribers would be told is numbered.
  await workspace.api.post('/api/v1/webhooks/', { url: 'http://127.0.0.1:9/', events: ['*'] });
  // As many drainers as two workers have.
  loops.push(startInbox(desk.runtime), startInbox(desk.runtime), startWebhookFanOut(desk.runtime));
});
afterAll(async () => {
  await Promise.all(loops.map((loop) => loop.stop()));
  await desk.close();
});

describe('what a customer writes keeps its order in rows, lists, webhooks and tools', () => {
  it('in sixty webhooks in a row', async () => {
    const anna = counter();
    for (let nth = 0; nth < 60; nth += 1) await countOn(workspace, anna);
    await expectCounted(workspace, anna);
  });

  it('in one webhook of three hundred, and after it', async () => {
    const anna = counter();
    await countOn(workspace, anna, 300);
    for (let nth = 0; nth < 5; nth += 1) await countOn(workspace, anna);
    await expectCounted(workspace, anna);
  });

  it('beside thirty others who write three times each', async () => {
    const people = Array.from({ length: 30 }, counter);
    for (let nth = 0; nth < 3; nth += 1) {
      await Promise.all(people.map((person) => countOn(workspace, person)));
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    for (const person of people) await expectCounted(workspace, person);
  });
});
