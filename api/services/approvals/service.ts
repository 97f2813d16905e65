import { approvalExpiryStart } from '../../../workflows/contract';
import { systemCtx, type Ctx } from '../../core/context';
import { conflict, notFound, trialExpired } from '../../core/errors';
import { recordEvent } from '../../core/events';
import type { Page } from '../../core/operations';
import { listPage, type PagingInput } from '../../core/paging';
import type { Runtime } from '../../core/runtime';
import { credentialCtx, credentialOfKey, type Credential } from '../apiKeys/authenticate';
import type { AuditConnection } from '../audit/service';
import { userJsonSql, type UserJson } from '../members/userColumns';
import { credentialOfGrant } from '../oauth/grants';
import { makeCall, rehearse, type ParkedCall } from './calls';

/** How long an approval asks before it expires (contract C11). */
const expiresAfterMs = 24 * 3_600_000;

export const approvalStatuses = ['pending', 'approved', 'rejected', 'expired'] as const;

export interface ApprovalRow {
  readonly id: number;
  readonly connection_kind: AuditConnection['kind'];
  readonly connection_id: number;
  readonly connection_name: string;
  readonly autonomy: 'draft' | 'approval';
  readonly tool: string;
  readonly call_kind: ParkedCall['kind'];
  readonly input: Record<string, unknown>;
  readonly status: (typeof approvalStatuses)[number];
  readonly expires_at: Date | null;
  readonly decided_at: Date | null;
  readonly result: unknown;
  readonly created_at: Date;
  readonly requested_by: UserJson | null;
  readonly decided_by: UserJson | null;
}

/** Parks the exact call; an approval expires after 24 hours by a durable timer, a draft waits (contract C11). */
export async function parkCall(
  ctx: Ctx,
  connection: AuditConnection,
  autonomy: 'draft' | 'approval',
  tool: string,
  call: ParkedCall,
): Promise<number> {
  const { db, clock, outbox } = ctx.runtime;
  const expiresAt = autonomy === 'draft' ? null : new Date(clock.now().getTime() + expiresAfterMs);
  return db.transaction(async () => {
    const row = await db.row<{ id: number }>(
      `INSERT INTO approvals (workspace_id, connection_kind, connection_id, connection_name, member_id, autonomy, tool, call_kind, input, expires_at, request_id)
       VALUES ($workspaceId, $kind, $connectionId, $name, $memberId, $autonomy, $tool, $callKind, $input::jsonb, $expiresAt, $requestId) RETURNING id`,
      {
        workspaceId: ctx.workspaceId,
        kind: connection.kind,
        connectionId: connection.id,
        name: connection.name.slice(0, 255),
        memberId: ctx.actor.memberId,
        autonomy,
        tool,
        callKind: call.kind,
        input: JSON.stringify(call.input),
        expiresAt,
        requestId: ctx.requestId,
      },
    );
    if (!row) throw new Error('the call was not parked');
    if (expiresAt) {
      // Members are asked by this event; a draft is nobody's business until somebody looks.
      await recordEvent(ctx, {
        subjectType: 'workspace',
        subjectId: ctx.workspaceId,
        kind: 'approval_requested',
        data: { approval_id: row.id, tool },
      });
      await outbox.add(ctx, {
        start: { ...approvalExpiryStart(ctx.workspaceId, row.id), workflow: 'approvalExpiry' },
        input: { workspaceId: ctx.workspaceId, approvalId: row.id, expiresAtMs: expiresAt.getTime() },
      });
    }
    return row.id;
  });
}

const columns = `a.connection_kind, a.connection_id, a.connection_name, a.autonomy, a.tool, a.call_kind, a.input, a.status, a.expires_at, a.decided_at, a.result, a.created_at,
  ${userJsonSql('m')} AS requested_by, ${userJsonSql('d')} AS decided_by`;
const from = 'approvals a LEFT JOIN members m ON m.id = a.member_id LEFT JOIN members d ON d.id = a.decided_by';

/** Parked calls of the workspace, newest first. */
export async function listApprovals(
  ctx: Ctx,
  filters: PagingInput & { readonly status?: ApprovalRow['status'] | undefined },
): Promise<Page<ApprovalRow>> {
  return listPage<ApprovalRow>(
    ctx.runtime.db,
    {
      select: columns,
      from,
      countFrom: 'approvals a',
      where: ['a.workspace_id = $workspaceId', ...(filters.status ? ['a.status = $status'] : [])],
      bind: { workspaceId: ctx.workspaceId, ...(filters.status ? { status: filters.status } : {}) },
      idSql: 'a.id',
      columns: { created_at: { sql: 'a.created_at', type: 'timestamptz' } },
      defaultOrdering: '-created_at',
    },
    filters,
  );
}

/** One parked call. Throws 404. */
export async function getApproval(ctx: Ctx, id: number): Promise<ApprovalRow> {
  const row = await ctx.runtime.db.row<ApprovalRow>(
    `SELECT a.id, ${columns} FROM ${from} WHERE a.workspace_id = $workspaceId AND a.id = $id`,
    { workspaceId: ctx.workspaceId, id },
  );
  if (!row) throw notFound();
  return row;
}

/**
 * Approves a parked call: the connection, the window, the opt-out and the template are looked at again, and what was
 * parked is done once. Throws 409 when it was decided before, and the refusal of the call itself, which leaves it
 * undecided.
 */
export async function approve(ctx: Ctx, id: number): Promise<ApprovalRow> {
  const { db } = ctx.runtime;
  const pending = await db.transaction(async () => {
    const approval = await lockPending(ctx, id);
    const call: ParkedCall = { kind: approval.call_kind, input: approval.input };
    const agentCtx = await agentCtxOf(ctx, approval);
    if (call.kind === 'message') {
      // The decision and the message commit together.
      const result = await makeCall(agentCtx, call, `approval:${id}`);
      await decide(ctx, id, 'approved', result, approval.expires_at !== null);
      return null;
    }
    await rehearse(agentCtx, call);
    await decide(ctx, id, 'approved', null, approval.expires_at !== null);
    return { agentCtx, call };
  });
  if (pending) await runApproved(ctx, id, pending.agentCtx, pending.call);
  return getApproval(ctx, id);
}

/** A macro runs in a workflow of its own, after the decision; what could not be done leaves the call undecided again. */
async function runApproved(ctx: Ctx, id: number, agentCtx: Ctx, call: ParkedCall): Promise<void> {
  const bind = { workspaceId: ctx.workspaceId, id };
  try {
    const result = await makeCall(agentCtx, call, `approval:${id}`);
    await ctx.runtime.db.rows(
      'UPDATE approvals SET result = $result::jsonb WHERE workspace_id = $workspaceId AND id = $id',
      { ...bind, result: JSON.stringify(result) },
    );
  } catch (error) {
    await ctx.runtime.db.rows(
      `UPDATE approvals SET status = 'pending', decided_by = NULL, decided_at = NULL WHERE workspace_id = $workspaceId AND id = $id AND status = 'approved' AND result IS NULL`,
      bind,
    );
    throw error;
  }
}

async function agentCtxOf(ctx: Ctx, approval: Pick<ApprovalRow, 'connection_kind' | 'connection_id'>): Promise<Ctx> {
  const agent = await connectionOf(ctx.runtime, approval);
  if (!agent || agent.workspaceId !== ctx.workspaceId)
    throw conflict('The connection that asked for this is not active any more. Reject it.');
  return {
    ...credentialCtx(ctx.runtime, agent, ctx.requestId),
    actor: { type: 'agent', memberId: agent.memberId, apiKeyId: agent.kind === 'api_key' ? agent.id : null },
  };
}

/** Rejects a parked call: nothing is sent. Throws 409 when it was decided before. */
export async function reject(ctx: Ctx, id: number): Promise<ApprovalRow> {
  await ctx.runtime.db.transaction(async () => {
    const approval = await lockPending(ctx, id);
    await decide(ctx, id, 'rejected', null, approval.expires_at !== null);
  });
  return getApproval(ctx, id);
}

async function lockPending(
  ctx: Ctx,
  id: number,
): Promise<Pick<ApprovalRow, 'connection_kind' | 'connection_id' | 'call_kind' | 'input' | 'status' | 'expires_at'>> {
  const row = await ctx.runtime.db.row<
    Pick<ApprovalRow, 'connection_kind' | 'connection_id' | 'call_kind' | 'input' | 'status' | 'expires_at'>
  >(
    'SELECT connection_kind, connection_id, call_kind, input, status, expires_at FROM approvals WHERE workspace_id = $workspaceId AND id = $id FOR UPDATE',
    { workspaceId: ctx.workspaceId, id },
  );
  if (!row) throw notFound();
  if (row.status !== 'pending') throw conflict(`This approval was already ${row.status}.`);
  if (row.expires_at && row.expires_at <= ctx.runtime.clock.now()) throw conflict('This approval has expired.');
  return row;
}

async function decide(
  ctx: Ctx,
  id: number,
  status: 'approved' | 'rejected',
  result: unknown,
  hasTimer: boolean,
): Promise<void> {
  await ctx.runtime.db.rows(
    'UPDATE approvals SET status = $status, decided_by = $memberId, decided_at = now(), result = $result::jsonb WHERE workspace_id = $workspaceId AND id = $id',
    {
      workspaceId: ctx.workspaceId,
      id,
      status,
      memberId: ctx.actor.memberId,
      result: result === null ? null : JSON.stringify(result),
    },
  );
  await recordEvent(ctx, {
    subjectType: 'workspace',
    subjectId: ctx.workspaceId,
    kind: `approval_${status}`,
    data: { approval_id: id },
  });
  if (!hasTimer) return;
  await ctx.runtime.outbox.add(ctx, {
    start: { ...approvalExpiryStart(ctx.workspaceId, id), workflow: 'approvalExpiry' },
    input: { workspaceId: ctx.workspaceId, approvalId: id, expiresAtMs: 0 },
    signal: 'decided',
    version: 1,
  });
}

/** Whether the approval's time is over, and so the end of it; the row decides (contract C11). */
export async function expireIfDue(
  runtime: Runtime,
  target: { workspaceId: number; approvalId: number },
): Promise<{ kind: 'done' | 'superseded' } | { kind: 'not_due'; waitMs: number }> {
  const now = runtime.clock.now();
  return runtime.db.transaction(async () => {
    const expired = await runtime.db.row(
      `UPDATE approvals SET status = 'expired', decided_at = now() WHERE workspace_id = $workspaceId AND id = $approvalId AND status = 'pending' AND expires_at <= $now RETURNING id`,
      { ...target, now },
    );
    if (expired) {
      await recordEvent(systemCtx(runtime, target.workspaceId, `approval/${target.approvalId}`), {
        subjectType: 'workspace',
        subjectId: target.workspaceId,
        kind: 'approval_expired',
        data: { approval_id: target.approvalId },
      });
      return { kind: 'done' };
    }
    const row = await runtime.db.row<{ expires_at: Date }>(
      `SELECT expires_at FROM approvals WHERE workspace_id = $workspaceId AND id = $approvalId AND status = 'pending' AND expires_at IS NOT NULL`,
      target,
    );
    return row
      ? { kind: 'not_due', waitMs: Math.max(1, row.expires_at.getTime() - now.getTime()) }
      : { kind: 'superseded' };
  });
}

/** What is overdue although its timer was lost; gives how many. */
export async function expireOverdue(runtime: Runtime): Promise<number> {
  const rows = await runtime.db.rows<{ id: number; workspace_id: number }>(
    `SELECT id, workspace_id FROM approvals WHERE status = 'pending' AND expires_at <= $before ORDER BY expires_at LIMIT 1000`,
    {
      before: new Date(runtime.clock.now().getTime() - 2_000),
    },
  );
  for (const row of rows) await expireIfDue(runtime, { workspaceId: row.workspace_id, approvalId: row.id });
  return rows.length;
}

async function connectionOf(
  runtime: Runtime,
  approval: Pick<ApprovalRow, 'connection_kind' | 'connection_id'>,
): Promise<Credential | null> {
  const credential =
    approval.connection_kind === 'api_key'
      ? await credentialOfKey(runtime, approval.connection_id)
      : await credentialOfGrant(runtime, approval.connection_id);
  if (credential?.trialExpired) throw trialExpired();
  return credential;
}
