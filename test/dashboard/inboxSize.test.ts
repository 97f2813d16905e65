import { contactsSql } from '../../dev/makers/people';
import { createMember, createSession } from '../factories/members';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { captureStatements, Explainer } from '../support/statements';

let desk: TestApi;
let cookie = '';
beforeAll(async () => {
  desk = await sharedDesk('no sandbox');
  cookie = `token=${(await createSession(await createMember(desk.workspace, { role: 'admin' }))).token}`;
});
afterAll(() => desk.close());

let many = 0;

/** Adds conversations of which each has been written in; a thousand to a statement. */
async function grow(count: number): Promise<void> {
  for (const until = many + count; many < until; many += 1_000)
    await desk.runtime.db.rows(
      `WITH ${contactsSql({ workspaceId: desk.workspace.id, count: 1_000, firstPhone: 49_160_000_000, from: many })}
       INSERT INTO conversations (id, workspace_id, contact_id, last_message_at, unread_count,
         last_exchange_at, unanswered_since)
       SELECT id, $workspaceId, id, at, id % 3, at, at
       FROM made, LATERAL (SELECT now() - (id % 100000) * interval '1 second' AS at) told`,
      { workspaceId: desk.workspace.id },
    );
  await desk.runtime.db.rows('ANALYZE contacts, conversations');
}

interface Cost {
  readonly statements: number;
  /** Pages that were read by what is no count. */
  readonly buffers: number;
  /** Pages of the counts. */
  readonly counting: number;
}

const paths = ['/dashboard/inbox/', '/dashboard/inbox/?view=all', '/dashboard/inbox/?part=counts'];

/** What each page costs the database. */
async function costs(): Promise<Cost[]> {
  const explainer = await Explainer.open(desk.runtime.config.databaseUrl);
  const found: Cost[] = [];
  try {
    for (const path of paths) {
      const { result, statements } = await captureStatements(() => desk.anonymous.get<string>(path, { cookie }));
      expect([path, result.status]).toEqual([path, 200]);
      const cost = { statements: 0, buffers: 0, counting: 0 };
      for (const statement of statements.filter(({ text }) => /^\s*(SELECT|WITH)/i.test(text))) {
        const { buffers } = await explainer.read(statement);
        cost.statements += 1;
        if (/count\(\*\)/i.test(statement.text)) cost.counting += buffers;
        else cost.buffers += buffers;
      }
      found.push(cost);
    }
    return found;
  } finally {
    await explainer.close();
  }
}

test('the inbox costs the same, however many conversations there are', async () => {
  await grow(3_000);
  const few = await costs();
  const rows = [...(await desk.anonymous.get<string>('/dashboard/inbox/', { cookie })).body.matchAll(/id="item-/g)];
  expect(rows).toHaveLength(40);
  await grow(12_000);
  const later = await costs();
  for (const [index, path] of paths.entries()) {
    const [before, crowd] = [few[index] as Cost, later[index] as Cost];
    // The tree of an index may have become one level deeper.
    const most = (buffers: number): number => buffers * 1.5 + 60;
    expect([path, crowd.buffers]).toEqual([path, atMost(most(before.buffers))]);
    expect([path, crowd.counting]).toEqual([path, atMost(most(before.counting))]);
    expect([path, crowd.statements]).toEqual([path, before.statements]);
  }
});

test('large numbers are cut short in the inbox and exact over the API', async () => {
  await grow(Math.max(0, 1_000 - many));
  const list = await desk.anonymous.get<string>('/dashboard/inbox/?view=all', { cookie });
  expect(list.body).toContain('999+ in all');
  const { body } = await desk.anonymous.get<string>('/dashboard/inbox/?part=counts', {
    cookie,
    'hx-request': 'true',
  });
  // A view that holds nothing has no number.
  const shown = body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
  expect(shown.trim()).toBe('Waiting 999+ Mine Unassigned 999+ Open 999+ Snoozed Done All 99+ waiting');
  const exact = await desk.api.get('/api/v1/conversations/?page_size=1');
  expect(exact.body['count']).toBe(many);
  const found = await desk.api.get('/api/v1/conversations/?search=contact&page_size=1');
  expect(found.body['count']).toBe(many);
});

function atMost(limit: number): unknown {
  return { asymmetricMatch: (value: number) => value <= limit, toString: () => `at most ${limit}` };
}
