import { operations } from '../../api/operations';
import { createContact, createConversation } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { objectsInPaths } from '../factories/foreign';
import { uniquePhone } from '../factories/unique';
import { startApi, type TestApi } from '../support/api';
import { eventually } from '../support/eventually';

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi({ env: { DATABASE_POOL: '2' } });
  // A busy machine must not look like a deadlock: what waits for good is still told from what waits its turn.
  waitForConnection(20_000);
});
afterAll(() => desk.close());

/** How long a statement waits for a connection of the pool. */
function waitForConnection(ms: number): void {
  (
    desk.runtime.db.sequelize.connectionManager as unknown as { pool: { acquireTimeoutMillis: number } }
  ).pool.acquireTimeoutMillis = ms;
}

/** A body that the operation takes, where an empty one is refused before any work. */
const bodies: Readonly<Record<string, () => unknown>> = {
  'contacts.create': () => ({ phone: uniquePhone() }),
  'contacts.update': () => ({
    notes: uniquePhone(),
    status: 'pending',
    assigned_member: desk.workspace.owner.id,
    tags: [uniquePhone()],
  }),
  'conversations.update': () => ({
    status: 'snoozed',
    snoozed_until: new Date(Date.now() + 3_600_000 + Math.random() * 1e6).toISOString(),
    assigned_member: desk.workspace.owner.id,
  }),
  'messages.create': () => ({ to: target, body: 'Hi', phone_number_id: desk.workspace.account.phoneNumberId }),
};
let target = '';
beforeAll(async () => {
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hi');
  target = customer.phone;
});

const writes = operations.filter((operation) => operation.method !== 'GET' && operation.audience !== 'session');

it.each(writes.map((operation) => [operation.id, operation] as const))(
  '%s: fifty at once on two connections all finish (T18)',
  async (_id, operation) => {
    // Fifty at once reach the ceiling of pipelines: the next operation finds room.
    await desk.runtime.db.rows(
      `DELETE FROM ticket_pipelines p
       WHERE NOT is_default AND NOT EXISTS (SELECT 1 FROM tickets t WHERE t.pipeline_id = p.id)`,
    );
    const prefix = operation.path.slice(0, operation.path.indexOf('}') + 1);
    const object = operation.path.includes('{')
      ? await (objectsInPaths[prefix] ?? (() => Promise.resolve(1)))(desk.workspace)
      : '';
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_unused, index) =>
        desk.api.request(
          operation.method,
          operation.path.replace(/\{\w+\}/g, String(object)),
          operation.method === 'DELETE' ? undefined : (bodies[operation.id]?.() ?? operation.examples?.request ?? {}),
          operation.idempotent ? { 'idempotency-key': `pool-${operation.id}-${index}` } : {},
        ),
      ),
    );
    // No worker runs here: that a macro says so in time is its way to finish.
    const finished = ({ status, body }: (typeof answers)[number]): boolean =>
      status < 500 ||
      (operation.id === 'macros.run' && body['error'] === 'The macro could not be run in time. Nothing was applied.');
    expect(answers.filter((answer) => !finished(answer)).map(({ status, body }) => [status, body])).toEqual([]);
  },
);

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
  waitForConnection(2_000);
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
