import { openMove, restartSilentStageMoves } from '../../api/services/resources/tickets/stageMoves/service';
import { syncWorkspace } from '../../api/services/processes/upstreamSync/service';
import { stageNotifyStart } from '../../workflows/starts';
import { eventually } from '../support/eventually';
import { createTestRuntime } from '../support/runtime';
import { afterTheClaims, stageDeskOf, type StageDesk } from '../support/stageDesk';
import { startWorker } from '../support/worker';
import { workflowOf } from '../support/workflows';

let test: StageDesk['test'];
let { desk, prepare, move, states, sends, twice, completed } = {} as StageDesk;
let worker: { stop(): Promise<void> } | undefined;
beforeAll(async () => {
  test = await createTestRuntime({ sandbox: true });
});
afterAll(() => test.close());
beforeEach(async () => {
  ({ desk, prepare, move, states, sends, twice, completed } = await stageDeskOf(test));
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  test.sandbox.reset();
  await test.runtime.db.rows('DELETE FROM workspaces');
});

it('is recorded while Temporal and the upstream are away, and sent when they are back', async () => {
  await prepare(3);
  const moveId = await move();
  expect(
    await test.runtime.db.row(
      'SELECT cardinality(recipient_ids) AS recipients, prepared_at FROM ticket_stage_moves WHERE id = $moveId',
      { moveId },
    ),
  ).toEqual({ recipients: 3, prepared_at: null });
  expect(sends()).toEqual([]);
  worker = await startWorker(test);
  await completed(moveId);
  expect([await states(moveId), sends().length]).toEqual([{ sent: 3 }, 3]);
});

it('a move that Temporal has lost gets its intent again, and tells only those who have no outcome', async () => {
  await prepare(4);
  const moveId = await move();
  await test.runtime.db.rows('DELETE FROM outbox');
  await test.runtime.outbox.drain();
  expect((await openMove(desk.ctx, { moveId, afterPlace: 0, limit: 10 })).contactIds).toHaveLength(4);
  await test.runtime.db.rows(
    `UPDATE ticket_stage_move_recipients SET state = 'skipped', reason = 'test' WHERE move_id = $moveId AND place <= 2`,
    { moveId },
  );
  expect(await restartSilentStageMoves(test.runtime)).toBe(0);
  await test.runtime.db.rows(`UPDATE ticket_stage_moves SET touched_at = now() - interval '6 minutes'`);
  expect(await restartSilentStageMoves(test.runtime)).toBe(1);
  worker = await startWorker(test);
  await completed(moveId);
  expect([await states(moveId), sends().length]).toEqual([{ skipped: 2, sent: 2 }, 2]);
});

it('shows who waits, after how many attempts and with which answer; lifting a stop tries all of them', async () => {
  await prepare(3);
  test.sandbox.faults.add({ kind: 'error', code: 131031 });
  worker = await startWorker(test);
  const moveId = await move();
  const row = await test.runtime.db.row<{ ticket_id: number }>(
    'SELECT ticket_id FROM ticket_stage_moves WHERE id = $moveId',
    { moveId },
  );
  const start = stageNotifyStart(desk.ctx.workspaceId, row?.ticket_id ?? 0, moveId);
  await eventually(async () => {
    const { raw } = await workflowOf(test.runtime, start.id).describe();
    const waiting = (raw.pendingActivities ?? []).map(({ attempt, lastFailure }) => [attempt, lastFailure?.message]);
    // Whoever met the stop was told so by the platform, the others by the row; all wait for it to be lifted.
    expect(waiting).toHaveLength(3);
    for (const [attempt, message] of waiting)
      expect([attempt, message]).toEqual([2, 'The platform has stopped the number or its account (code 131031).']);
  }, afterTheClaims);
  expect(await states(moveId)).toEqual({ pending: 3 });

  test.sandbox.faults.clear();
  await syncWorkspace(desk.ctx, { resume: true });
  await completed(moveId);
  expect([await states(moveId), sends().length, twice()]).toEqual([{ sent: 3 }, 3, []]);
  const handle = workflowOf(test.runtime, start.id);
  expect(await handle.result()).toEqual({ sent: 3, skipped: 0, failed: 0, unknown: 0 });
  const { events } = await handle.fetchHistory();
  const summaries = (events ?? []).flatMap(({ userMetadata }) =>
    userMetadata?.summary ? [JSON.parse(Buffer.from(userMetadata.summary.data ?? []).toString()) as string] : [],
  );
  const name = expect.stringMatching(/^Contact \d+$/) as string;
  expect([...new Set(summaries.filter((text) => text.startsWith('Contact')))]).toEqual([name, name, name]);
});
