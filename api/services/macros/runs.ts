import { createHash } from 'node:crypto';
import type { MacroRunRow } from '../../../models';
import type { Ctx } from '../../core/context';
import { notFound } from '../../core/errors';
import type { Page } from '../../core/operations';
import { listPage, type PagingInput } from '../../core/paging';
import type { Runtime } from '../../core/runtime';
import { userJsonSql, type UserJson } from '../members/userColumns';
import type { Action } from './actions';

/** What a run is on: exactly one of them. */
export interface MacroTarget {
  readonly conversationId: number | null;
  readonly ticketId: number | null;
}

export type RunRecord = Pick<
  MacroRunRow,
  'id' | 'macro_id' | 'conversation_id' | 'ticket_id' | 'state' | 'ran' | 'failed_step' | 'created_at' | 'finished_at'
>;
export type RunView = RunRecord & { readonly actor_type: MacroRunRow['actor_type']; readonly actor: UserJson | null };

const columns = 'id, macro_id, conversation_id, ticket_id, state, ran, failed_step, created_at, finished_at';

/** Records that a run was asked for. The same Idempotency-Key of the same caller finds its earlier run (contract C10). */
export async function openRun(
  ctx: Ctx,
  macroId: number,
  actions: readonly Action[],
  target: MacroTarget,
): Promise<RunRecord> {
  const { db } = ctx.runtime;
  const runKey = keyOf(ctx, macroId);
  const bind = { workspaceId: ctx.workspaceId, runKey };
  // A key counts for 24 hours (contract C3).
  if (runKey)
    await db.rows(
      `UPDATE macro_runs SET run_key = NULL WHERE workspace_id = $workspaceId AND run_key = $runKey AND created_at < now() - interval '24 hours'`,
      bind,
    );
  for (let round = 0; round < 3; round += 1) {
    const opened = await db.row<RunRecord>(
      `INSERT INTO macro_runs (workspace_id, macro_id, actions, conversation_id, ticket_id, run_key, actor_type, actor_member_id, api_key_id, request_id)
       SELECT $workspaceId, m.id, $actions::jsonb, $conversationId, $ticketId, $runKey, $actorType, $memberId, $apiKeyId, $requestId
       FROM (SELECT id FROM macros WHERE workspace_id = $workspaceId AND id = $macroId FOR KEY SHARE) m
       ON CONFLICT (workspace_id, run_key) WHERE run_key IS NOT NULL DO NOTHING RETURNING ${columns}`,
      {
        ...bind,
        macroId,
        actions: JSON.stringify(actions),
        conversationId: target.conversationId,
        ticketId: target.ticketId,
        actorType: ctx.actor.type,
        memberId: ctx.actor.memberId,
        apiKeyId: ctx.actor.apiKeyId,
        requestId: ctx.requestId,
      },
    );
    if (opened) return opened;
    const earlier =
      runKey &&
      (await db.row<RunRecord>(
        `SELECT ${columns} FROM macro_runs WHERE workspace_id = $workspaceId AND run_key = $runKey`,
        bind,
      ));
    if (earlier) return earlier;
    // The macro was deleted in this moment, or its earlier run abandoned, which frees the key.
  }
  throw notFound();
}

function keyOf(ctx: Ctx, macroId: number): Buffer | null {
  if (ctx.idempotencyKey === undefined) return null;
  const { type, memberId, apiKeyId } = ctx.actor;
  return createHash('sha256')
    .update(JSON.stringify([type, memberId, apiKeyId, macroId, ctx.idempotencyKey]))
    .digest();
}

/** A run's record; null when its workspace is gone. */
export async function readRun(ctx: Ctx, id: number): Promise<RunRecord | null> {
  return ctx.runtime.db.row<RunRecord>(
    `SELECT ${columns} FROM macro_runs WHERE workspace_id = $workspaceId AND id = $id`,
    { workspaceId: ctx.workspaceId, id },
  );
}

/** Gives a run up unless it has ended; from then on it can never be applied, and its key is free. Gives the record. */
export async function abandonRun(ctx: Ctx, id: number): Promise<RunRecord | null> {
  const given = await ctx.runtime.db.row<RunRecord>(
    `UPDATE macro_runs SET state = 'abandoned', run_key = NULL, finished_at = now() WHERE workspace_id = $workspaceId AND id = $id AND state = 'pending' RETURNING ${columns}`,
    { workspaceId: ctx.workspaceId, id },
  );
  return given ?? readRun(ctx, id);
}

/** Gives up what a dead process was waiting for; gives how many (run by the sweep). */
export async function abandonStale(runtime: Runtime): Promise<number> {
  const rows = await runtime.db.rows(
    "UPDATE macro_runs SET state = 'abandoned', run_key = NULL, finished_at = now() WHERE state = 'pending' AND created_at < now() - interval '2 minutes' RETURNING id",
  );
  return rows.length;
}

/** Runs of a macro, newest first. */
export async function listRuns(ctx: Ctx, macroId: number, paging: PagingInput): Promise<Page<RunView>> {
  return listPage<Omit<RunView, 'id'>>(
    ctx.runtime.db,
    {
      select: `r.macro_id, r.conversation_id, r.ticket_id, r.state, r.ran, r.failed_step, r.created_at, r.finished_at, r.actor_type, ${userJsonSql('u')} AS actor`,
      from: 'macro_runs r LEFT JOIN members u ON u.id = r.actor_member_id',
      countFrom: 'macro_runs r',
      where: ['r.workspace_id = $workspaceId', 'r.macro_id = $macroId'],
      bind: { workspaceId: ctx.workspaceId, macroId },
      idSql: 'r.id',
      columns: { created_at: { sql: 'r.created_at', type: 'timestamptz' } },
      defaultOrdering: '-created_at',
    },
    paging,
  );
}
