import { createBroadcast, insertContacts } from '../factories/broadcasts';
import { createCustomer } from '../factories/customers';
import { createWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { adminJson } from '../support/cli';
import { eventually } from '../support/eventually';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('worker');
});
afterAll(() => desk.close());

it('operators list what waits for the platform, and what waits for a hold', async () => {
  const refused = createCustomer(desk.workspace);
  await refused.writes('Hello');
  desk.sandbox.faults.add({ kind: 'error', code: 131016, to: refused.handle, times: 1_000 });
  expect((await desk.api.post('/api/v1/messages/', { to: refused.phone, body: 'Hello' })).status).toBe(201);

  const held = await createWorkspace(desk);
  await insertContacts(held, 2, 49_350_000_000);
  const broadcast = await createBroadcast(held);
  await adminJson(desk.test, 'delivery', 'hold', '--workspace', String(held.id), '--reason', 'a test');
  expect((await held.api.post(`/api/v1/broadcasts/${broadcast}/confirm/`, {})).status).toBe(200);

  const waitingFor = async (what: string, workspace: number): Promise<string[]> => {
    const query = `Waits = '${what}' AND WorkspaceId = '${workspace}' AND ExecutionStatus = 'Running'`;
    const types: string[] = [];
    for await (const { type } of desk.runtime.temporal.client().workflow.list({ query })) types.push(type);
    return types;
  };
  await eventually(async () =>
    expect([await waitingFor('platform', desk.workspace.id), await waitingFor('hold', held.id)]).toEqual([
      ['messageDelivery'],
      ['broadcast'],
    ]),
  );
  expect(await waitingFor('rate', desk.workspace.id)).toEqual([]);
});
