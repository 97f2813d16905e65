import { peopleSql, writtenSql } from '../../dev/makers/people';
import type { Sandbox } from '../../dev/sandbox/server';
import { createTicket, updateTicket } from '../../api/services/resources/tickets/service';
import { createPipeline } from '../../api/services/resources/pipelines/service';
import { updateStage } from '../../api/services/resources/pipelines/stages';
import { createDesk, type Desk } from './desk';
import { eventually } from './eventually';
import { createTestRuntime, type TestRuntime, type TestRuntimeOptions } from './runtime';

/** A claim lasts 20 s and an attempt 30 s: after that another worker looks. */
export const afterTheClaims = { timeoutMs: 150_000, everyMs: 250 };

/** A workspace whose ticket tells people when it moves, and what came of that. */
export interface StageDesk {
  readonly test: TestRuntime & { readonly sandbox: Sandbox };
  readonly desk: Desk;
  /** Makes a ticket of so many people. */
  prepare(count: number): Promise<void>;
  /** Moves the ticket; gives the move's id. */
  move(): Promise<number>;
  states(moveId: number): Promise<Record<string, number>>;
  /** Whom the platform was given a template for, each as often as it was. */
  sends(): string[];
  twice(): string[];
  completed(moveId: number): Promise<void>;
}

/** Makes the workspace, in a database of its own: close `test` when done. */
export async function createStageDesk(options: TestRuntimeOptions = {}): Promise<StageDesk> {
  return stageDeskOf(await createTestRuntime({ ...options, sandbox: true }));
}

/** Makes the workspace; no other one may have the sandbox's demo account. */
export async function stageDeskOf(test: StageDesk['test']): Promise<StageDesk> {
  const desk = await createDesk(test);
  let ticketId = 0;
  let stageId = 0;

  /** People who have written before, so that they can be told. */
  async function people(count: number): Promise<number[]> {
    const rows = await test.runtime.db.rows<{ id: number }>(
      `WITH ${peopleSql({ workspaceId: desk.ctx.workspaceId, count, firstPhone: 15_553_000_001 })},
         said AS (${writtenSql('opened')})
       SELECT id FROM made ORDER BY id`,
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
    [ticketId, stageId] = [ticket.id, second];
  }

  async function move(): Promise<number> {
    await updateTicket(desk.ctx, ticketId, { stage: stageId });
    const row = await test.runtime.db.row<{ id: number }>(
      'SELECT max(id) AS id FROM ticket_stage_moves WHERE ticket_id = $id',
      { id: ticketId },
    );
    return row?.id ?? 0;
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

  return { test, desk, prepare, move, states, sends, twice, completed };
}
