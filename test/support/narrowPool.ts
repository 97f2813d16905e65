import { operations } from '../../api/operations';
import { createCustomer } from '../factories/customers';
import { objectsInPaths } from '../factories/foreign';
import { makeRoomForPipelines } from '../factories/tickets';
import { uniquePhone } from '../factories/unique';
import type { TestApi } from './api';

/**
 * An API whose pool has two connections. On a busy machine a statement waits long for one (`connectionWaitMs`), which
 * must not look like a deadlock: what waits for good is still told from what waits its turn.
 */
export const narrow = { env: { DATABASE_POOL: '2' } } as const;

/** Sets how long a statement waits for a connection of the pool. */
export function waitForConnection({ runtime }: TestApi, ms: number): void {
  (
    runtime.db.sequelize.connectionManager as unknown as { pool: { acquireTimeoutMillis: number } }
  ).pool.acquireTimeoutMillis = ms;
}

/** Writes that differ most in what they do. */
const fewOfAll = ['contacts.create', 'contacts.update', 'conversations.update', 'messages.create', 'tickets.update'];
const writes = operations.filter((operation) => operation.method !== 'GET' && operation.audience !== 'session');

/** Bodies that operations take, where an empty one is refused before any work. */
const bodies: Readonly<Record<string, (desk: TestApi, phone: string) => unknown>> = {
  'contacts.create': () => ({ phone: uniquePhone() }),
  'contacts.update': (desk) => ({
    notes: uniquePhone(),
    status: 'pending',
    assigned_member: desk.workspace.owner.id,
    tags: [uniquePhone()],
  }),
  'conversations.update': (desk) => ({
    status: 'snoozed',
    snoozed_until: new Date(Date.now() + 3_600_000 + Math.random() * 1e6).toISOString(),
    assigned_member: desk.workspace.owner.id,
  }),
  'messages.create': (desk, phone) => ({
    to: phone,
    body: 'Hi',
    phone_number_id: desk.workspace.account.phoneNumberId,
  }),
};
/** Declares that fifty at once on two connections all finish, of a few writes or of all others. */
export function fiftyAtOnce(which: 'few' | 'others', deskOf: () => TestApi): void {
  let target = '';
  beforeAll(async () => {
    const customer = createCustomer(deskOf().workspace);
    await customer.writes('Hi');
    target = customer.phone;
  });

  it.each(
    writes
      .filter(({ id }) => fewOfAll.includes(id) === (which === 'few'))
      .map((operation) => [operation.id, operation] as const),
  )('%s: fifty at once on two connections all finish (T18)', async (_id, operation) => {
    const desk = deskOf();
    await makeRoomForPipelines(desk.workspace);
    const prefix = operation.path.slice(0, operation.path.indexOf('}') + 1);
    const object = operation.path.includes('{')
      ? await (objectsInPaths[prefix] ?? (() => Promise.resolve(1)))(desk.workspace)
      : '';
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_unused, index) =>
        desk.api.request(
          operation.method,
          operation.path.replace(/\{\w+\}/g, String(object)),
          operation.method === 'DELETE'
            ? undefined
            : (bodies[operation.id]?.(desk, target) ?? operation.examples?.request ?? {}),
          operation.idempotent ? { 'idempotency-key': `pool-${operation.id}-${index}` } : {},
        ),
      ),
    );
    // No worker runs here: that a macro says so in time is its way to finish.
    const finished = ({ status, body }: (typeof answers)[number]): boolean =>
      status < 500 ||
      (operation.id === 'macros.run' && body['error'] === 'The macro could not be run in time. Nothing was applied.');
    expect(answers.filter((answer) => !finished(answer)).map(({ status, body }) => [status, body])).toEqual([]);
  });
}
