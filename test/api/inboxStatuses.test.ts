import { claimEvents } from '../../api/services/processes/events/claim';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { leaveNothingTo } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
let workspace: TestWorkspace;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  workspace = await createWorkspace(desk, {});
  await leaveNothingTo(desk, 'claimEvents');
});
afterAll(() => desk.close());

describe('statuses of a backlog', () => {
  const add = (kind: string, count: number) =>
    desk.runtime.db.rows(
      `INSERT INTO inbox_events (workspace_id, business_account_id, kind, payload, available_at)
       SELECT workspace_id, id, $kind, '{}', now() - interval '1 second'
       FROM business_accounts, generate_series(1, $count::int)
       WHERE workspace_id = $id`,
      { id: workspace.id, kind, count },
    );

  it('are taken many at a time where nothing else waits', async () => {
    await add('status', 60);
    expect(await claimEvents(desk.runtime, 10, 50)).toHaveLength(50);
    await add('unknown', 3);
    const kinds = (await claimEvents(desk.runtime, 10, 50)).map(({ kind }) => kind);
    expect(kinds).toEqual(['unknown', 'unknown', 'unknown']);
    expect(await claimEvents(desk.runtime, 10, 50)).toHaveLength(10);
  });
});
