import { createHash } from 'node:crypto';
import type { MacroRunRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db';
import { AppError, notFound } from '../../../core/errors';
import type { Page } from '../../../core/operations';
import { listPage, type PagingInput } from '../../../core/paging';
import type { Runtime } from '../../../core/runtime';
import { userJsonSql, type UserJson } from '../../identity/members/userColumns';
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

/** Records that a run was asked for. The same Idempotency-Key of the same caller finds its earlier run (contract 10). */
export async function openRun(
  ctx: Ctx,
  macroId: number,
  actions: readonly Action[],
  target: MacroTarget,
): Promise<RunRecord & { readonly isEarlier: boolean }> {
  const { db } = ctx.runtime;
  const runKey = keyOf(ctx, macroId);
  const bind = { workspaceId: ctx.workspaceId, runKey };
  // A key counts for 24 hours (contract 3).
  if (runKey)
    await db.rows(
      `UPDATE macro_runs SET run_key = NULL WHERE workspace_id = $workspaceId AND run_key = $runKey AND created_at < now() - interval '24 hours'`,
      bind,
    );
  for (let round = 0; round < 3; round += 1) {
    const opened = await db.row<RunRecord>(
      `INSERT INTO macro_runs (workspace_id, macro_id, actions, conversation_id, ticket_id, run_key, actor_type, actor_member_id, api_key_id, request_id, autonomy)
       SELECT $workspaceId, m.id, $actions::jsonb, $conversationId, $ticketId, $runKey, $actorType, $memberId, $apiKeyId, $requestId, $autonomy
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
        autonomy: ctx.autonomy ?? null,
      },
    );
    if (opened) return { ...opened, isEarlier: false };
    const earlier =
      runKey &&
      (await db.row<RunRecord>(
        `SELECT ${columns} FROM macro_runs WHERE workspace_id = $workspaceId AND run_key = $runKey`,
        bind,
      ));
    if (earlier) return { ...earlier, isEarlier: true };
    // The macro was deleted in this moment, or its earlier run abandoned, which frees the key.
  }
  throw notFound();
}

/** Records a run of actions of no macro, or finds the one that the same key has opened before. */
export async function openKeyedRun(
  ctx: Ctx,
  key: string,
  actions: readonly Action[],
  target: MacroTarget,
): Promise<RunRecord> {
  const { MacroRun } = ctx.runtime.db.models;
  const runKey = createHash('sha256').update(key).digest();
  const bind = { workspaceId: ctx.workspaceId, runKey };
  const found = (): Promise<RunRecord | null> =>
    ctx.runtime.db.row<RunRecord>(
      `SELECT ${columns} FROM macro_runs WHERE workspace_id = $workspaceId AND run_key = $runKey`,
      bind,
    );
  const earlier = await found();
  if (earlier) return earlier;
  // Its key has one caller at a time: the actor of its subscription.
  return MacroRun.create({
    workspace_id: ctx.workspaceId,
    macro_id: null,
    actions,
    conversation_id: target.conversationId,
    ticket_id: target.ticketId,
    run_key: runKey,
    actor_type: ctx.actor.type,
    actor_member_id: ctx.actor.memberId,
    api_key_id: ctx.actor.apiKeyId,
    request_id: ctx.requestId,
    autonomy: ctx.autonomy ?? null,
    ran: null,
    failed_step: null,
    finished_at: null,
  });
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

/** How long giving up may take: the transaction that applies the run holds its row, and may outlast a statement. */
const decideWithinMs = 15_000;

/**
 * Gives a run up unless it has ended; from then on it can never be applied, and its key is free. Waits for a transaction
 * that is applying it: its row decides. Throws 503 where the database does not tell in time what became of it.
 */
export async function abandonRun(ctx: Ctx, id: number): Promise<RunRecord | null> {
  const deadline = Date.now() + decideWithinMs;
  for (;;) {
    try {
      const given = await ctx.runtime.db.row<RunRecord>(
        `UPDATE macro_runs SET state = 'abandoned', run_key = NULL, finished_at = now() WHERE workspace_id = $workspaceId AND id = $id AND state = 'pending' RETURNING ${columns}`,
        { workspaceId: ctx.workspaceId, id },
      );
      return given ?? (await readRun(ctx, id));
    } catch (error) {
      if (Date.now() >= deadline) throw undecided(error);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

function undecided(cause: unknown): AppError {
  const error = new AppError(
    'unavailable',
    'It is not known yet whether the macro was applied. Look at its runs, or repeat the request with the same Idempotency-Key.',
    { retryAfter: 60 },
  );
  error.cause = cause;
  return error;
}

/** Gives up what a dead process was waiting for; gives how many (run by the sweep). */
export async function abandonStale(runtime: Runtime): Promise<number> {
  const rows = await runtime.db.rows(
    "UPDATE macro_runs SET state = 'abandoned', run_key = NULL, finished_at = now() WHERE state = 'pending' AND created_at < now() - interval '2 minutes' RETURNING id",
  );
  return rows.length;
}

const viewColumns = `r.macro_id, r.conversation_id, r.ticket_id, r.state, r.ran, r.failed_step, r.created_at,
  r.finished_at, r.actor_type, ${userJsonSql('u')} AS actor`;

/** Returns runs by their ids, those that exist. */
export async function runsByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, RunView>> {
  const rows = await ctx.runtime.db.rows<RunView>(
    `SELECT r.id, ${viewColumns} FROM macro_runs r LEFT JOIN members u ON u.id = r.actor_member_id
     WHERE ${ofWorkspace('r.workspace_id')} AND r.id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Runs of a macro, newest first. */
export async function listRuns(ctx: Ctx, macroId: number, paging: PagingInput): Promise<Page<RunView>> {
  return listPage<Omit<RunView, 'id'>>(
    ctx.runtime.db,
    {
      select: viewColumns,
      from: 'macro_runs r',
      joins: 'LEFT JOIN members u ON u.id = r.actor_member_id',
      where: ['r.workspace_id = $workspaceId', 'r.macro_id = $macroId'],
      bind: { workspaceId: ctx.workspaceId, macroId },
      idSql: 'r.id',
      columns: { created_at: { sql: 'r.created_at', type: 'timestamptz' } },
      defaultOrdering: '-created_at',
    },
    paging,
  );
}
