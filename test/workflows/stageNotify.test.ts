import { randomInt } from 'node:crypto';
import type { Sandbox } from '../../dev/sandbox/server';
import { createTicket, updateTicket } from '../../api/services/resources/tickets/service';
import { createPipeline } from '../../api/services/resources/pipelines/service';
import { updateStage } from '../../api/services/resources/pipelines/stages';
import { openMove, rearmSilentMoves } from '../../api/services/processes/stageMoves/service';
import { syncWorkspace } from '../../api/services/processes/upstreamSync/service';
import { stageNotifyStart } from '../../workflows/starts';
import { createDesk, type Desk } from '../support/desk';
import { eventually } from '../support/eventually';
import { createTestRuntime, type TestRuntime } from '../support/runtime';
import { spawnWorker, startWorker } from '../support/worker';
import { workflowOf } from '../support/workflows';

/** A claim lasts 20 s and an attempt 30 s: after that another worker looks. */
const afterTheClaims = { timeoutMs: 150_000, everyMs: 250 };

let test: TestRuntime & { readonly sandbox: Sandbox };
let desk: Desk;
let move: () => Promise<number>;

/** People who have written before, so that they can be told. */
async function people(count: number): Promise<number[]> {
  const rows = await test.runtime.db.rows<{ id: number }>(
    `WITH made AS (INSERT INTO contacts (workspace_id, receiver_id, phone) SELECT $ws, '1555' || n, '1555' || n
      FROM generate_series(3000001, 3000000 + $count) n RETURNING id),
       talks AS (INSERT INTO conversations (id, workspace_id, contact_id) SELECT id, $ws, id FROM made
         RETURNING id, contact_id),
       said AS (INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status)
         SELECT $ws, id, 'inbound', 'text', '{}', 'received' FROM talks)
     SELECT id FROM made ORDER BY id`,
    { ws: desk.ctx.workspaceId, count },
  );
  return rows.map((row) => row.id);
}

async function prepare(count: number): Promise<void> {
  const pipeline = await createPipeline(desk.ctx, { name: 'Outage', stages: [{ name: 'New' }, { name: 'Fixed' }] });
  const [first, second] = pipeline.stages.map((stage) => stage.id) as [number, number];
  const variables = {
    body: { '1': { source: 'ticket', field: 'id' }, '2': { source: 'ticket', field: 'stage' } },
  } as const;
  await updateStage(desk.ctx, pipeline.id, second, {
    notify_template_id: '564750795574598',
    notify_template_variables: variables,
  });
  const ticket = await createTicket(desk.ctx, {
    title: 'Outage',
    pipeline: pipeline.id,
    stage: first,
    affected_contact_ids: await people(count),
  });
  move = async () => {
    await updateTicket(desk.ctx, ticket.id, { stage: second });
    const row = await test.runtime.db.row<{ id: number }>(
      'SELECT max(id) AS id FROM ticket_stage_moves WHERE ticket_id = $id',
      { id: ticket.id },
    );
    return row?.id ?? 0;
  };
}

const states = async (moveId: number): Promise<Record<string, number>> => {
  const rows = await test.runtime.db.rows<{ state: string; count: number }>(
    'SELECT state, count(*)::int AS count FROM ticket_stage_move_recipients WHERE move_id = $moveId GROUP BY state',
    { moveId },
  );
  return Object.fromEntries(rows.map((row) => [row.state, row.count]));
};
const sends = (): string[] =>
  test.sandbox.state.sent.filter((record) => record.type === 'template').map((record) => record.to);
const twice = (): string[] => sends().filter((to, index, all) => all.indexOf(to) !== index);
const completed = (moveId: number): Promise<void> =>
  eventually(async () => {
    const row = await test.runtime.db.row(
      'SELECT id FROM ticket_stage_moves WHERE id = $moveId AND completed_at IS NOT NULL',
      { moveId },
    );
    if (!row) throw new Error(`the move is not complete: ${JSON.stringify(await states(moveId))}`);
  }, afterTheClaims);

beforeEach(async () => {
  test = await createTestRuntime({ sandbox: true });
  desk = await createDesk(test);
});
afterEach(() => test.close());

it('workers killed at any instant: everybody is told at most once, and nobody is forgotten', async () => {
  // So many that some are left for every worker, however long it lives.
  const recipients = 1_000;
  await prepare(recipients);
  test.sandbox.faults.add({ kind: 'latency', delay_ms: 60 });
  const moveId = await move();
  for (let round = 0; round < 4; round += 1) {
    const before = sends().length;
    const doomed = await spawnWorker(test);
    await eventually(() => expect(sends().length).toBeGreaterThan(before), afterTheClaims);
    await new Promise((resolve) => setTimeout(resolve, randomInt(10, 400)));
    await doomed.kill('SIGKILL');
  }
  await spawnWorker(test);
  await completed(moveId);
  const { sent = 0, unknown = 0, ...others } = await states(moveId);
  expect([sent + unknown, others]).toEqual([recipients, {}]);
  expect(twice()).toEqual([]);
  // Who is not known to be told may have been; who is known to be told was.
  expect(sends().length).toBeGreaterThanOrEqual(sent);
}, 300_000);

it('is recorded while the engine and the upstream are away, and sent when they are back', async () => {
  await prepare(3);
  const moveId = await move();
  expect(
    await test.runtime.db.row(
      'SELECT cardinality(recipient_ids) AS recipients, prepared_at FROM ticket_stage_moves WHERE id = $moveId',
      { moveId },
    ),
  ).toEqual({ recipients: 3, prepared_at: null });
  expect(sends()).toEqual([]);
  await startWorker(test);
  await completed(moveId);
  expect([await states(moveId), sends().length]).toEqual([{ sent: 3 }, 3]);
});

it('more than a page of recipients are told over several runs of one workflow', async () => {
  await prepare(520);
  await test.runtime.db.rows('UPDATE phone_numbers SET throughput_mps = 1000');
  const worker = await startWorker(test);
  const moveId = await move();
  await completed(moveId);
  expect([await states(moveId), twice()]).toEqual([{ sent: 520 }, []]);
  await worker.stop();
}, 200_000);

it('a move that an engine has lost gets its intent again, and tells only those who have no outcome', async () => {
  await prepare(4);
  const moveId = await move();
  await test.runtime.db.rows('DELETE FROM outbox');
  await test.runtime.outbox.drain();
  expect((await openMove(desk.ctx, { moveId, afterPlace: 0, limit: 10 })).contactIds).toHaveLength(4);
  await test.runtime.db.rows(
    `UPDATE ticket_stage_move_recipients SET state = 'skipped', reason = 'test' WHERE move_id = $moveId AND place <= 2`,
    { moveId },
  );
  expect(await rearmSilentMoves(test.runtime)).toBe(0);
  await test.runtime.db.rows(`UPDATE ticket_stage_moves SET touched_at = now() - interval '6 minutes'`);
  expect(await rearmSilentMoves(test.runtime)).toBe(1);
  await startWorker(test);
  await completed(moveId);
  expect([await states(moveId), sends().length]).toEqual([{ skipped: 2, sent: 2 }, 2]);
});

it('shows who waits, after how many attempts and with which answer; lifting a stop tries all of them', async () => {
  await prepare(3);
  test.sandbox.faults.add({ kind: 'error', code: 131031 });
  await startWorker(test);
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
}, 200_000);
