import { createCustomer } from '../factories/customers';
import { createMember, createSession } from '../factories/members';
import { createAgent } from '../support/agent';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

/* Who has hundreds of calls to decide reads none: how many ask at a time is bounded. */

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

it('20 calls of a connection ask at a time, 100 of a workspace; a decision makes room', async () => {
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hello');
  const send = { to: customer.phone, text: 'Hi' };
  const agents = await Promise.all(
    Array.from({ length: 6 }, async () =>
      createAgent((await desk.workspace.key(['all'], { autonomy: 'approval' })).api),
    ),
  );
  const [first, ...others] = agents;
  if (!first) throw new Error('there is no agent');
  const ids: unknown[] = [];
  for (let made = 0; made < 19; made += 1) ids.push((await first.call('send_message', send)).json['approval_id']);
  // Together: the last place is not given twice.
  const last = await Promise.all([1, 2, 3].map(() => first.call('send_message', send)));
  expect(last.filter(({ isError }) => !isError)).toHaveLength(1);
  expect(await first.call('send_message', send)).toMatchObject({
    isError: true,
    text: expect.stringContaining('20 calls of this connection wait for approval: go on when') as string,
  });
  for (const agent of others.slice(0, 4))
    for (let made = 0; made < 20; made += 1) expect((await agent.call('send_message', send)).isError).toBe(false);
  expect(JSON.stringify(await others[4]?.call('send_message', send))).toContain('100 calls of this workspace wait');

  const session = await createSession(await createMember(desk.workspace, { role: 'owner' }));
  expect((await session.api.post(`/api/v1/approvals/${String(ids[0])}/reject/`)).status).toBe(200);
  expect((await others[4]?.call('send_message', send))?.isError).toBe(false);
});
