import pg from 'pg';
import { abandonRun, openRun, readRun } from '../../api/services/resources/macros/runs';
import { createContact } from '../factories/contacts';
import { createCustomer } from '../factories/customers';
import { createMacro, macrosPath, step } from '../factories/macros';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { lockedOut } from '../support/locks';
import { snapshotRows } from '../support/snapshot';

/*
 * Giving up a run and applying it are decided by the run's row: whoever gives up waits for a transaction that is
 * applying it, also longer than one statement may wait, and says what became of it.
 */

let desk: TestApi;
let applier: pg.Client;
let watcher: pg.Client;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  const connection = { connectionString: desk.test.env['DATABASE_URL'] };
  [applier, watcher] = [new pg.Client(connection), new pg.Client(connection)];
  await Promise.all([applier.connect(), watcher.connect()]);
});
afterAll(async () => {
  await Promise.all([applier.end(), watcher.end()]);
  await desk.close();
});
afterEach(() => jest.restoreAllMocks());

/** A run that another transaction is applying: it has moved the row and holds it. */
async function applying(): Promise<number> {
  const customer = createCustomer(desk.workspace);
  await customer.writes('Hi');
  const { body } = await desk.api.get(`/api/v1/conversations/${customer.handle}/`);
  const macro = await createMacro(desk.workspace, [step('set_priority', { priority: 'high' })]);
  const { id } = await openRun(desk.workspace.ctx, macro, [], { conversationId: body.id, ticketId: null });
  await applier.query('BEGIN');
  await applier.query(`UPDATE macro_runs SET state = 'applied', ran = '[]', finished_at = now() WHERE id = $1`, [id]);
  return id;
}

/** Waits until somebody waits for the row; gives the process of that connection. */
const waiter = async (): Promise<number> => (await lockedOut(watcher, 1))[0] ?? 0;

/** Ends a statement as its timeout would, without the time. */
const timeOut = async (pid: number): Promise<void> => {
  await watcher.query('SELECT pg_cancel_backend($1)', [pid]);
  await lockedOut(watcher, 0);
};

it('a run that is applied for longer than a statement may wait is told as applied', async () => {
  const id = await applying();
  const given = abandonRun(desk.workspace.ctx, id);
  for (let round = 0; round < 3; round += 1) await timeOut(await waiter());
  await waiter();
  await applier.query('COMMIT');
  expect(await given).toMatchObject({ id, state: 'applied' });
});

it('a run whose transaction came to nothing is given up, and can never be applied', async () => {
  const id = await applying();
  const given = abandonRun(desk.workspace.ctx, id);
  await timeOut(await waiter());
  await waiter();
  await applier.query('ROLLBACK');
  expect(await given).toMatchObject({ id, state: 'abandoned' });
});

it('a row that is held for too long is a 503 which says that nobody knows yet', async () => {
  const id = await applying();
  const refused = expect(abandonRun(desk.workspace.ctx, id)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('It is not known yet whether the macro was applied.') as string,
  });
  const pid = await waiter();
  const now = performance.now();
  jest.spyOn(performance, 'now').mockReturnValue(now + 60_000);
  await watcher.query('SELECT pg_cancel_backend($1)', [pid]);
  await refused;
  jest.restoreAllMocks();
  await applier.query('COMMIT');
  expect(await readRun(desk.workspace.ctx, id)).toMatchObject({ state: 'applied' });
});

it('is a 503 while Temporal is away, and changes nothing', async () => {
  const { receiver_id: handle } = await createContact(desk.workspace);
  const { body: conversation } = await desk.api.get(`/api/v1/conversations/${handle}/`);
  const macro = await createMacro(desk.workspace, [
    step('create_ticket', { title: 'From the run' }),
    step('set_priority', { priority: 'urgent' }),
  ]);
  const before = await snapshotRows(desk.runtime, desk.workspace.id);
  const run = await desk.api.post(`${macrosPath}${macro}/run/`, { chat_id: conversation['id'] });
  expect(run).toMatchObject({ status: 503 });
  const { body } = await desk.api.get(`${macrosPath}${macro}/runs/`);
  expect(body['results']).toMatchObject([{ status: 'abandoned' }]);
  expect(await snapshotRows(desk.runtime, desk.workspace.id)).toEqual(before);
});
