import { recordEvents, type EventInput } from '../../api/core/queue/events';
import { insertContacts } from '../factories/broadcasts';
import { quietMacro, storeRule } from '../factories/rules';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { captureStatements, Explainer } from '../support/statements';

let desk: TestApi;
let explainer: Explainer | undefined;
beforeAll(async () => {
  desk = await sharedDesk('plain');
  explainer = await Explainer.open(desk.test.env['DATABASE_URL'] ?? '');
});
afterAll(async () => {
  await explainer?.close();
  await desk.close();
});

/** A few pages more: one of an index that grew by a level, another of a table whose rows lie elsewhere. */
const fewPages = 20;

/** A workspace where a rule waits on so many conversations. */
async function crowd(count: number): Promise<TestWorkspace> {
  const workspace = await createWorkspace(desk);
  const rule = await storeRule(workspace, await quietMacro(workspace), { wait: { minutes: 60, by: 'clock' } });
  await insertContacts(workspace, count, 4_981_000_000);
  const { rows } = desk.runtime.db;
  // No timer is asked for them (`look_at`): ten thousand intents would stay for the files that follow.
  await rows(
    `INSERT INTO rule_runs (workspace_id, rule_id, rule_version, conversation_id, event, event_id, moment)
     SELECT $id, $rule, 1, v.id, 'message.received', v.id, now() + interval '1 hour'
     FROM conversations v WHERE v.workspace_id = $id`,
    { id: workspace.id, rule },
  );
  await rows('ANALYZE rule_runs, rules, conversations');
  return workspace;
}

/** Returns what it reads to record what a rule did to a conversation, and whether rules watch that. */
async function recorded(workspace: TestWorkspace, subjectId: number): Promise<{ buffers: number; watched: boolean }> {
  const ctx = { ...workspace.ctx, rule: { id: 1, name: 'Hour', runId: 1, chain: [1] } };
  const event: EventInput = { subjectType: 'conversation', subjectId, kind: 'priority_changed' };
  const { result, statements } = await captureStatements(() => recordEvents(ctx, [event]));
  const [insert] = statements.filter(({ text }) => text.includes('INSERT INTO events'));
  if (!insert || !explainer) throw new Error('nothing was recorded');
  // The first time the connection also reads what it has to know of the tables.
  await explainer.read(insert);
  const { buffers } = await explainer.read(insert);
  return { buffers, watched: result.watched };
}

it('a rule that acts on one of ten thousand conversations that wait reads as much as on one of a hundred', async () => {
  const read = [];
  for (const count of [100, 10_000]) {
    const workspace = await crowd(count);
    const [waits] = await desk.runtime.db.rows<{ id: number }>(
      'SELECT max(conversation_id) AS id FROM rule_runs WHERE workspace_id = $id',
      { id: workspace.id },
    );
    const [one, none] = [await recorded(workspace, waits?.id ?? 0), await recorded(workspace, 0)];
    expect([one.watched, none.watched]).toEqual([true, false]);
    read.push({ one: one.buffers, none: none.buffers });
  }
  const [few, many] = read;
  expect(many?.one).toBeLessThan((few?.one ?? NaN) + fewPages);
  expect(many?.none).toBeLessThan((few?.none ?? NaN) + fewPages);
});
