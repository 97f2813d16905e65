import pg from 'pg';
import { readChanges, readPosition, snapshotFrom, oldestOpen } from '../../api/services/processes/live/changes';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

/** The dashboard's news are read without waiting for anything: what commits late is told late, and told. */
let desk: TestApi;
let late: pg.Client;
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  late = new pg.Client({ connectionString: desk.test.env['DATABASE_URL'] });
  await late.connect();
});
afterAll(async () => {
  await late.end();
  await desk.close();
});

const insert = `INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type)
  VALUES ($1, 'ticket', $2, 'ticket_updated', 'system')`;

it('an event whose transaction commits late is not missed, and each is told once', async () => {
  const { id: workspaceId } = desk.workspace;
  let position = await readPosition(desk.runtime);
  const begun = position;
  const news = async (): Promise<number[]> => {
    const { now, changes } = await readChanges(desk.runtime, [{ workspaceId, ...position }], []);
    position = now;
    return changes.map(({ id }) => id);
  };
  const commit = (id: number): Promise<unknown> =>
    desk.runtime.db.rows(insert.replace('$1', '$workspaceId').replace('$2', '$id'), { workspaceId, id });

  await late.query('BEGIN');
  await late.query(insert, [workspaceId, 1]);
  expect(await news()).toEqual([]);
  for (const id of [2, 3]) await commit(id);
  expect(await news()).toEqual([2, 3]);
  expect(await news()).toEqual([]);
  await commit(4);
  await late.query('COMMIT');
  expect(await news()).toEqual([1, 4]);
  expect(await news()).toEqual([]);

  // A browser remembers less: all since the oldest transaction that was open then.
  position = { ...begun, snapshot: snapshotFrom(oldestOpen(begun)) };
  expect(await news()).toEqual([1, 2, 3, 4]);
});

it('events of another server, restored with a dump, are no news', async () => {
  const { id: workspaceId } = desk.workspace;
  const position = await readPosition(desk.runtime);
  await desk.runtime.db.rows(
    `INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type, transaction_id)
     VALUES ($workspaceId, 'ticket', 5, 'ticket_updated', 'system', pg_current_xact_id()::text::bigint + 1000000)`,
    { workspaceId },
  );
  expect((await readChanges(desk.runtime, [{ workspaceId, ...position }], [])).changes).toEqual([]);
});
