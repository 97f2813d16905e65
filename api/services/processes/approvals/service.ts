import { literal, Transaction, type ProjectionAlias } from 'sequelize';
import { cut } from '../../../core/text/cut';
import type { ApprovalRow as StoredApproval } from '../../../../models';
import { approvalIntent } from '../../../../workflows/starts';
import { requireScope } from '../../../core/http/access';
import { dueNow, dueNowSql } from '../../../core/clock';
import { systemCtx, type Ctx } from '../../../core/context';
import { conflict, notFound } from '../../../core/http/errors';
import { recordEvent, recordSql } from '../../../core/queue/events';
import { addIntents, maxSweptRows, never, runApart, sweepAll, type IsOver } from '../../../core/queue/sweep';
import { asApproved, ChangedSince, type Frozen } from '../../../core/frozenSends';
import type { Page } from '../../../core/http/operations';
import { listPage, type PagingInput } from '../../../core/http/paging';
import { retryWrite } from '../../../core/queue/retry';
import type { Runtime } from '../../../core/runtime';
import { joined, of, recordsOf } from '../../../core/db/scoped';
import { userJsonSql, type UserJson } from '../../identity/members/userColumns';
import { finishRun, openApprovedRun } from '../macroRuns/service';
import type { RunRecord } from '../../resources/macros/runs';
import { endParked, openApprovedRule } from '../ruleRuns/approve';
import { refuseMoreAsking, type Asking } from './openApprovals';
import { digestOf, shownFrozenSql, type ShownFrozen } from './shownSends';
import { agentCtxOf } from './connections';
import { asChanged, requireShown, requireUnchanged } from './compareShown';
import { decidingScopes, makeCall, readParkedCall, type ParkedCall, type Rehearsal } from './calls';
import { reason } from '../../resources/reasons';

/** How long an approval asks before it expires (contract 11). */
const expiresAfterMs = 24 * 3_600_000;

export const approvalStatuses = ['pending', 'approved', 'rejected', 'expired'] as const;

/** A parked call with the people who asked and decided. */
export type ApprovalRow = Omit<
  StoredApproval,
  'workspace_id' | 'member_id' | 'decided_by' | 'frozen' | 'request_id' | 'run_id' | 'timer_version'
> & {
  readonly frozen: readonly ShownFrozen[];
  readonly requested_by: UserJson | null;
  readonly decided_by: UserJson | null;
};

const approvals = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.Approval);

/**
 * Parks the exact call with its sends, as a rehearsal has just frozen them. An approval expires after 24 hours by a
 * durable timer; a draft does not expire (contract 11).
 */
export async function parkCall(
  ctx: Ctx,
  connection: Asking,
  autonomy: 'draft' | 'approval',
  tool: string,
  call: ParkedCall,
  { frozen, macro }: Rehearsal,
): Promise<number> {
  const { db, outbox } = ctx.runtime;
  const expiresAt = autonomy === 'draft' ? null : new Date((await dueNow(ctx.runtime)).getTime() + expiresAfterMs);
  return db.transaction(async () => {
    if (autonomy === 'approval') await refuseMoreAsking(ctx, connection);
    const row = await db.models.Approval.create({
      workspace_id: ctx.workspaceId,
      connection_kind: connection.kind,
      connection_id: connection.id,
      connection_name: cut(connection.name, 255),
      member_id: ctx.actor.memberId,
      autonomy,
      tool,
      call_kind: call.kind,
      input: call.input,
      macro_name: macro?.name ?? null,
      steps: macro?.steps ?? null,
      frozen,
      digest: digestOf({ kind: call.kind, input: call.input, steps: macro?.steps ?? null, frozen }),
      expires_at: expiresAt,
      decided_by: null,
      decided_at: null,
      result: null,
      note: null,
      run_id: null,
      request_id: ctx.requestId,
    });
    await recordEvent(ctx, {
      subjectType: 'workspace',
      subjectId: ctx.workspaceId,
      // Members are asked by the first of these; a draft waits without asking.
      kind: expiresAt ? 'approval_requested' : 'approval_drafted',
      data: { approval_id: row.id, tool },
    });
    if (expiresAt) {
      await outbox.add(ctx, approvalIntent(ctx.workspaceId, row.id, expiresAt, row.timer_version));
    }
    return row.id;
  });
}

const ownColumns = [
  ...['connection_kind', 'connection_id', 'connection_name', 'autonomy', 'tool', 'call_kind', 'input', 'status'],
  ...['expires_at', 'decided_at', 'result', 'note', 'macro_name', 'steps', 'digest', 'created_at'],
];
/** SQL: what is put together for an approval (an alias), each with its name. */
const computed = (approval: string): readonly (readonly [sql: string, name: string])[] => [
  [shownFrozenSql(approval), 'frozen'],
  [userJsonSql('requester'), 'requested_by'],
  [userJsonSql('decider'), 'decided_by'],
];
const columns = [...ownColumns.map((column) => `a.${column}`), ...computed('a').map((one) => one.join(' AS '))].join();
const joins = `LEFT JOIN members requester ON requester.id = a.member_id
  LEFT JOIN members decider ON decider.id = a.decided_by`;

function findApprovals(ctx: Ctx, ids: readonly number[]): Promise<ApprovalRow[]> {
  return recordsOf<ApprovalRow>(ctx, ctx.runtime.db.models.Approval, {
    attributes: [
      'id',
      ...ownColumns,
      ...computed('"Approval"').map(([sql, name]) => [literal(sql), name] as ProjectionAlias),
    ],
    where: { id: [...ids] },
    include: [joined('requester'), joined('decider')],
  });
}

/** Returns a page of the parked calls of the workspace, newest first. */
export async function listApprovals(
  ctx: Ctx,
  filters: PagingInput & { readonly status?: ApprovalRow['status'] | undefined },
): Promise<Page<ApprovalRow>> {
  return listPage<ApprovalRow>(
    ctx,
    {
      select: columns,
      from: 'approvals a',
      joins,
      where: ['a.workspace_id = $workspaceId', ...(filters.status ? ['a.status = $status'] : [])],
      bind: { workspaceId: ctx.workspaceId, ...(filters.status ? { status: filters.status } : {}) },
      idSql: 'a.id',
      columns: { created_at: { sql: 'a.created_at', type: 'timestamptz' } },
      defaultOrdering: '-created_at',
    },
    filters,
  );
}

/** Returns parked calls by their ids, those that exist. */
export async function approvalsByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, ApprovalRow>> {
  return new Map((await findApprovals(ctx, ids)).map((row) => [row.id, row]));
}

/** Counts the calls that ask the members; drafts wait without asking. */
export async function countAsking(ctx: Ctx): Promise<number> {
  return approvals(ctx).count({ where: { status: 'pending', autonomy: 'approval' } });
}

/** Returns one parked call with the people who asked and decided. Throws 404. */
export async function getApproval(ctx: Ctx, id: number): Promise<ApprovalRow> {
  const [row] = await findApprovals(ctx, [id]);
  if (!row) throw notFound();
  return row;
}

/**
 * Approves a parked call: its sends are made once, as they were frozen. Only whether they may be made is checked again:
 * the connection, the window, the opt-out, the template, the stage, the macro's steps. Throws 409 when the call was
 * already decided, when `digest` is not of this call, or when its sends have changed since, which ends it. Throws the
 * refusal of the call itself, which leaves it undecided.
 */
export async function approve(ctx: Ctx, id: number, digest?: string | null): Promise<ApprovalRow> {
  const opened = await openApproved(ctx, id, digest ?? null).catch(async (error: unknown) => {
    if (error instanceof ChangedSince) await ctx.runtime.db.transaction(() => endChanged(ctx, id));
    throw error;
  });
  if (opened) await runApproved(ctx, id, opened.agentCtx, opened.run);
  return getApproval(ctx, id);
}

function openApproved(
  ctx: Ctx,
  id: number,
  digest: string | null,
): Promise<{ readonly agentCtx: Ctx; readonly run: RunRecord } | null> {
  return ctx.runtime.db.transaction(async () => {
    const approval = await lockPending(ctx, id);
    requireShown(approval, digest);
    if (approval.connection_kind === 'rule') {
      await requireUnchanged(ctx, approval.frozen as readonly Frozen[]);
      const opened = await openApprovedRule(ctx, approval);
      await decide(ctx, approval, 'approved', { result: null, runId: opened.run.id });
      return opened;
    }
    const agentCtx = await agentCtxOf(ctx, approval);
    const call = readParkedCall({ kind: approval.call_kind, input: approval.input });
    const frozen = approval.frozen as readonly Frozen[];
    await requireUnchanged(ctx, frozen);
    if (call.kind !== 'macro') {
      // The decision and what was decided commit together.
      const result = await asApproved(agentCtx, frozen, (approved) => makeCall(approved, call, `approval:${id}`)).catch(
        asChanged,
      );
      await decide(ctx, approval, 'approved', { result, runId: null });
      return null;
    }
    requireScope(agentCtx, 'macro.view');
    const run = await openApprovedRun(agentCtx, call.id, call.target, { steps: approval.steps, frozen });
    await decide(ctx, approval, 'approved', { result: null, runId: run.id });
    return { agentCtx, run };
  });
}

/** Ends a call that would not do any more what was shown. */
async function endChanged(ctx: Ctx, id: number): Promise<void> {
  const approval = await approvals(ctx).findOne({
    where: { id, status: 'pending' },
    lock: Transaction.LOCK.UPDATE,
    raw: true,
  });
  if (approval) await decide(ctx, approval, 'expired', { result: null, runId: null });
}

/** Waits for the run of an approved macro; what was not applied leaves the call undecided again. */
async function runApproved(ctx: Ctx, id: number, agentCtx: Ctx, run: RunRecord): Promise<void> {
  const settle = (): Promise<number> => settleRuns(ctx.runtime, { workspaceId: ctx.workspaceId, approvalId: id });
  try {
    await finishRun(agentCtx, run);
  } catch (error) {
    // A sweep does it where this cannot.
    await settle().catch(() => 0);
    throw error;
  }
  await retryWrite(settle).catch(() => 0);
}

/**
 * Settles the approvals of every workspace that wait for the ends of their runs; returns how many (run by the sweep).
 */
export async function settleRunsAnywhere(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  return sweepAll(isOver, () => settleRuns(runtime, null));
}

/**
 * Settles approvals by the ends of their runs: the result of an applied run is stored, any other run leaves the call
 * undecided again. One set-based statement for one or all; returns how many.
 */
async function settleRuns(
  runtime: Runtime,
  only: { readonly workspaceId: number; readonly approvalId: number } | null,
): Promise<number> {
  const which = only ? 'a.workspace_id = $workspaceId AND a.id = $approvalId' : 'true';
  return runtime.db.transaction(async () => {
    const rows = await runtime.db.rows<Pick<StoredApproval, 'id' | 'workspace_id' | 'expires_at' | 'timer_version'>>(
      `WITH ended AS (
       SELECT a.id, a.workspace_id, r.state, r.ran
       FROM approvals a LEFT JOIN macro_runs r ON r.id = a.run_id AND r.workspace_id = a.workspace_id
       WHERE a.status = 'approved' AND a.result IS NULL AND a.call_kind = 'macro' AND ${which}
         AND (r.id IS NULL OR r.state <> 'pending')
       ORDER BY a.id LIMIT ${maxSweptRows}
       FOR UPDATE OF a SKIP LOCKED
     ), applied AS (
       UPDATE approvals a SET result = jsonb_build_object('ran', e.ran)
       FROM ended e
       WHERE a.id = e.id AND e.state = 'applied'
     ), returned AS (
       UPDATE approvals a SET status = 'pending', decided_by = NULL, decided_at = NULL, run_id = NULL,
         timer_version = timer_version + 1
       FROM ended e
       WHERE a.id = e.id AND e.state IS DISTINCT FROM 'applied'
       RETURNING a.id, a.expires_at, a.timer_version
     ), recorded AS (${recordSql("ended WHERE state IS DISTINCT FROM 'applied'", {
       subjectType: 'workspace',
       subjectId: 'workspace_id',
       kind: 'approval_returned',
       data: "jsonb_build_object('approval_id', id)",
       requestId: "'approval/' || id",
     })})
     SELECT e.id, e.workspace_id, r.expires_at, r.timer_version FROM ended e LEFT JOIN returned r ON r.id = e.id`,
      only ? { ...only } : {},
    );
    // What asks the members again expires again: its decision had stopped the timer.
    const again = rows.flatMap(({ expires_at: at, ...row }) => (at ? [{ ...row, at }] : []));
    await addIntents(runtime, again, (row) => approvalIntent(row.workspace_id, row.id, row.at, row.timer_version));
    return rows.length;
  });
}

/** Rejects a parked call, with a note on why: nothing is sent. Throws 409 when it was decided before. */
export async function reject(ctx: Ctx, id: number, note: string | null = null): Promise<ApprovalRow> {
  await ctx.runtime.db.transaction(async () => {
    const approval = await lockPending(ctx, id);
    await decide(ctx, approval, 'rejected', { result: null, runId: null, note: note?.trim() || null });
  });
  return getApproval(ctx, id);
}

/** Reads and locks a call that this member may decide about. Throws 403, 404 and 409. */
export async function lockPending(ctx: Ctx, id: number): Promise<StoredApproval> {
  const row = await approvals(ctx).findOne({ where: { id }, lock: Transaction.LOCK.UPDATE, raw: true });
  if (!row) throw notFound();
  for (const scope of decidingScopes(row)) requireScope(ctx, scope);
  if (row.status !== 'pending') throw conflict(reason('approvalDecided', { status: row.status }));
  if (row.expires_at && row.expires_at <= (await dueNow(ctx.runtime))) throw conflict(reason('approvalExpired'));
  return row;
}

/** Writes a decision with its event, and stops the timer. */
export async function decide(
  ctx: Ctx,
  approval: StoredApproval,
  status: 'approved' | 'rejected' | 'expired',
  outcome: { readonly result: unknown; readonly runId: number | null; readonly note?: string | null },
): Promise<void> {
  const { id, expires_at: expiresAt, timer_version: version } = approval;
  await approvals(ctx).update(
    {
      status,
      decided_by: status === 'expired' ? null : ctx.actor.memberId,
      decided_at: literal('now()'),
      result: outcome.result,
      note: outcome.note ?? null,
      run_id: outcome.runId,
      timer_version: version + 1,
    },
    { where: { id } },
  );
  if (status !== 'approved') await endParked(ctx, approval, status);
  await recordEvent(ctx, {
    subjectType: 'workspace',
    subjectId: ctx.workspaceId,
    kind: `approval_${status}`,
    data: { approval_id: id },
  });
  if (expiresAt) await ctx.runtime.outbox.add(ctx, approvalIntent(ctx.workspaceId, id, null, version + 1));
}

/** Ends an approval whose time is over; the row decides, by the database's clock (contract 11). */
export async function expireIfDue(
  ctx: Ctx,
  approvalId: number,
): Promise<{ kind: 'done' | 'superseded' } | { kind: 'not_due'; waitMs: number }> {
  const { db, clock } = ctx.runtime;
  const now = dueNowSql(clock);
  const bind = { workspaceId: ctx.workspaceId, approvalId };
  return db.transaction(async () => {
    const expired = await db.row<Pick<StoredApproval, 'connection_kind' | 'input'>>(
      `UPDATE approvals SET status = 'expired', decided_at = now()
       WHERE workspace_id = $workspaceId AND id = $approvalId AND status = 'pending' AND expires_at <= ${now}
       RETURNING connection_kind, input`,
      bind,
    );
    if (expired) {
      await endParked(ctx, expired, 'expired');
      await recordEvent(ctx, {
        subjectType: 'workspace',
        subjectId: ctx.workspaceId,
        kind: 'approval_expired',
        data: { approval_id: approvalId },
      });
      return { kind: 'done' };
    }

    const row = await db.row<{ wait_ms: number }>(
      `SELECT ceil(extract(epoch FROM expires_at - ${now}) * 1000)::float8 AS wait_ms
       FROM approvals
       WHERE workspace_id = $workspaceId AND id = $approvalId AND status = 'pending' AND expires_at IS NOT NULL`,
      bind,
    );
    return row ? { kind: 'not_due', waitMs: Math.max(1, row.wait_ms) } : { kind: 'superseded' };
  });
}

/** Ends what is overdue although its timer was lost, in every workspace; returns how many (run by the sweep). */
export async function expireOverdueAnywhere(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  const rows = await runtime.db.rows<{ id: number; workspace_id: number }>(
    `SELECT id, workspace_id FROM approvals
     WHERE status = 'pending' AND expires_at <= ${dueNowSql(runtime.clock)} - interval '2 seconds'
     ORDER BY expires_at LIMIT ${maxSweptRows}`,
  );
  return runApart(
    rows.map(({ id, workspace_id: workspaceId }, place) => async () => {
      if (place > 0 && isOver()) return 0;
      await expireIfDue(systemCtx(runtime, workspaceId, `approval/${id}`), id);
      return 1;
    }),
  );
}
