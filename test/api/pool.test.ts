import { createContact, createConversation } from '../factories/contacts';
import type { TestApi } from '../support/api';
import { eventually } from '../support/eventually';
import { fiftyAtOnce, narrow, waitForConnection } from '../support/narrowPool';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain', narrow);
});
afterAll(() => desk.close());

// All others: test/faults/pool.test.ts.
fiftyAtOnce('few', () => desk);

it('one conversation, every kind of write at once: no deadlock', async () => {
  const { receiver_id: handle } = await createConversation(desk.workspace, { status: 'pending' });
  const path = `/api/v1/conversations/${handle}/`;
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_unused, index) =>
      index % 3 === 0
        ? desk.api.post(`${path}read/`)
        : index % 3 === 1
          ? desk.api.patch(path, { priority: index % 2 ? 'low' : 'high' })
          : desk.api.patch(`/api/v1/contacts/${handle}/`, { company: `C${index}` }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
});

it('a full pool answers 503 soon, says when to come back, and recovers', async () => {
  const { receiver_id: handle } = await createContact(desk.workspace);
  waitForConnection(desk, 2_000);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const holders = [1, 2].map(() =>
    desk.runtime.db.transaction(async () => {
      await desk.runtime.db.ping();
      await held;
    }),
  );
  const { status, headers, body } = await desk.api.get(`/api/v1/contacts/${handle}/`);
  expect([status, headers['retry-after'], body]).toEqual([
    503,
    '1',
    { error: 'The service is busy. Try again shortly.' },
  ]);
  release();
  await Promise.all(holders);
  await eventually(async () => expect((await desk.api.get(`/api/v1/contacts/${handle}/`)).status).toBe(200));
});
