import { createContact } from '../factories/contacts';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { startApi, type TestApi } from '../support/api';

/*
 * The activity of a conversation is that of two subjects, the contact and the conversation: one list in one order,
 * although each subject is read by itself.
 */

interface Entry {
  readonly id: number;
  readonly kind: string;
}
interface Envelope {
  readonly results: Entry[];
}

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi();
});
afterAll(() => desk.close());

/** Adds entries of the given kinds and subjects; three share each instant. */
async function addEntries(
  workspace: TestWorkspace,
  entries: readonly { readonly type: string; readonly id: number; readonly at: number }[],
): Promise<void> {
  await desk.runtime.db.rows(
    `INSERT INTO events (workspace_id, subject_type, subject_id, kind, actor_type, created_at)
     SELECT $workspaceId, r.type, r.id, r.type || '_made_up', 'system',
       timestamptz '2026-01-01Z' + r.at * interval '1 second'
     FROM jsonb_to_recordset($entries::jsonb) AS r(type text, id bigint, at int)`,
    { workspaceId: workspace.id, entries: JSON.stringify(entries) },
  );
}

async function oneTrail(): Promise<{ path: string; workspace: TestWorkspace; expected: number[] }> {
  const workspace = await createWorkspace(desk);
  const made = [await createContact(workspace, { name: 'Ada' }), await createContact(workspace, { name: 'Bob' })];
  const stranger = await createContact(await createWorkspace(desk), { name: 'Eve' });
  const [own, other] = made.map(({ id }) => Number(id));
  if (own === undefined || other === undefined) throw new Error('no contacts');
  const types = ['conversation', 'contact', 'contact', 'conversation', 'conversation', 'ticket'];
  await addEntries(
    workspace,
    Array.from({ length: 60 }, (_unused, index) => ({
      type: types[(index * 7) % types.length] ?? 'contact',
      id: index % 5 === 4 ? other : own,
      // Not in the order of the ids.
      at: Math.floor(((index * 37) % 60) / 3),
    })),
  );
  await addEntries(workspace, [{ type: 'conversation', id: Number(stranger.id), at: 5 }]);
  const rows = await desk.runtime.db.rows<{ id: number }>(
    `SELECT id FROM events
     WHERE workspace_id = $workspaceId AND subject_type IN ('contact', 'conversation') AND subject_id = $own
     ORDER BY created_at DESC, id DESC`,
    { workspaceId: workspace.id, own },
  );
  const path = `/api/v1/conversations/${String(made[0]?.receiver_id)}/activity/`;
  return { path, workspace, expected: rows.map(({ id }) => id) };
}

const idsOf = (page: Envelope): number[] => page.results.map(({ id }) => id);

it('lists contact and conversation as one trail', async () => {
  const { path, workspace, expected } = await oneTrail();
  expect(expected.length).toBeGreaterThan(30);
  const page = (await workspace.api.get<Envelope>(`${path}?page_size=60`)).body;
  expect(idsOf(page)).toEqual(expected);
  expect(new Set(page.results.map(({ kind }) => kind)).size).toBeGreaterThan(1);
});
