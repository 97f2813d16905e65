import { createContact } from '../factories/contacts';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

/*
 * The activity of a conversation is that of two subjects, the contact and the conversation: one list in one order,
 * although each subject is read by itself.
 */

interface Entry {
  readonly id: number;
  readonly kind: string;
}
interface Envelope {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: Entry[];
}

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

/** Adds entries of the given kinds and subjects; three share each instant, so that pages end within a tie. */
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

it.each([7, 50])('lists contact and conversation as one trail, walked by pages of %i there and back', async (size) => {
  const { path, workspace, expected } = await oneTrail();
  expect(expected.length).toBeGreaterThan(30);
  const first = (await workspace.api.get<Envelope>(`${path}?page_size=${size}`)).body;
  const pages = [first];
  for (let page = first; page.next !== null; pages.push(page))
    page = (await workspace.api.get<Envelope>(page.next)).body;
  expect(pages.flatMap(idsOf)).toEqual(expected);
  expect(new Set(pages.map(({ count }) => count))).toEqual(new Set([expected.length]));
  expect(new Set(pages.flatMap(({ results }) => results.map(({ kind }) => kind))).size).toBeGreaterThan(1);

  const back: number[][] = [];
  for (let page = pages.at(-1); page?.previous; back.unshift(idsOf(page)))
    page = (await workspace.api.get<Envelope>(page.previous)).body;
  expect(back).toEqual(pages.slice(0, -1).map(idsOf));
});
