import { createHash } from 'node:crypto';
import { literal, Op } from 'sequelize';
import type { MacroRunRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { AppError, notFound } from '../../../core/http/errors';
import { recordSql } from '../../../core/queue/events';
import type { Page } from '../../../core/http/operations';
import { Reason, type Message } from '../../../core/http/reasons';
import { listPage, type PagingInput } from '../../../core/http/paging';
import type { Runtime } from '../../../core/runtime';
import { joined, of, recordsOf } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';
import { userJsonSql, type UserJson } from '../../identity/members/userColumns';
import type { Action } from './actions';
import { findMacro } from './service';
import { reason } from '../reasons';

/** What a run is on: exactly one of them. */
export interface MacroTarget {
  readonly conversationId: number | null;
  readonly ticketId: number | null;
}

export type RunRecord = Pick<
  MacroRunRow,
  'id' | 'macro_id' | 'conversation_id' | 'ticket_id' | 'state' | 'ran' | 'failed_step' | 'created_at' | 'finished_at'
>;
export type RunView = RunRecord & {
  readonly actor_type: MacroRunRow['actor_type'];
  readonly actor: UserJson | null;
  /** The rule that ran it. */
  readonly rule: { readonly id: number; readonly name: string } | null;
};

const columns = [
  'id',
  'macro_id',
  'conversation_id',
  'ticket_id',
  'state',
  'ran',
  'failed_step',
  'created_at',
  'finished_at',
];

const macroRuns = (ctx: Ctx) => of(ctx, ctx.runtime.db.models.MacroRun);

/**
 * Records that a run was asked for, or (`applied`) what the surrounding transaction does at once. The same
 * Idempotency-Key of the same caller finds its earlier run (contract 10).
 */
export async function openRun(
  ctx: Ctx,
  macroId: number,
  actions: readonly Action[],
  target: MacroTarget,
  state: 'pending' | 'applied' = 'pending',
): Promise<RunRecord & { readonly isEarlier: boolean }> {
  const runKey = keyOf(ctx, macroId);
  // A refused run releases its key, and a key is valid for 24 hours (contract 3).
  const isOld = { created_at: { [Op.lt]: literal("now() - interval '24 hours'") } };
  if (runKey)
    await macroRuns(ctx).update(
      { run_key: null },
      { where: { run_key: runKey, [Op.or]: [{ state: 'failed' }, isOld] } },
    );

  for (let round = 0; round < 3; round += 1) {
    // A guarded claim of the key, while the macro is held.
    const opened = await ctx.runtime.db.row<RunRecord>(
      `INSERT INTO macro_runs (workspace_id, macro_id, actions, conversation_id, ticket_id, run_key,
         actor_type, actor_member_id, api_key_id, oauth_grant_id, approved_by_member_id, request_id, autonomy, frozen,
         state, ran, finished_at)
       SELECT $workspaceId, m.id, $actions::jsonb, $conversationId, $ticketId, $runKey,
         $actorType, $memberId, $apiKeyId, $grantId, $approvedBy, $requestId, $autonomy, $frozen::jsonb,
         $state, CASE WHEN $isApplied THEN '[]'::jsonb END, CASE WHEN $isApplied THEN now() END
       FROM (SELECT id FROM macros WHERE workspace_id = $workspaceId AND id = $macroId FOR KEY SHARE) m
       ON CONFLICT (workspace_id, run_key) WHERE run_key IS NOT NULL DO NOTHING
       RETURNING ${columns.join(', ')}`,
      {
        workspaceId: ctx.workspaceId,
        runKey,
        macroId,
        actions: JSON.stringify(actions),
        conversationId: target.conversationId,
        ticketId: target.ticketId,
        actorType: ctx.actor.type,
        memberId: ctx.actor.memberId,
        apiKeyId: ctx.actor.apiKeyId,
        grantId: ctx.actor.grantId ?? null,
        approvedBy: ctx.actor.approvedBy ?? null,
        requestId: ctx.requestId,
        autonomy: ctx.autonomy ?? null,
        frozen: ctx.approved ? JSON.stringify(ctx.approved) : null,
        state,
        isApplied: state === 'applied',
      },
    );
    if (opened) return { ...opened, isEarlier: false };
    const earlier = runKey && (await runOfKey(ctx, runKey));
    if (earlier) return { ...earlier, isEarlier: true };
    // The macro was deleted in this moment, or its earlier run abandoned, which frees the key.
  }
  throw notFound();
}

/** A run of actions of no macro, with these actions. */
export type KeyedRun = RunRecord & Pick<MacroRunRow, 'actions'>;

const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Returns the run of actions of no macro that has this key; null where none was, or it was refused or given up. */
export async function findKeyedRun(ctx: Ctx, key: string): Promise<KeyedRun | null> {
  return macroRuns(ctx).findOne({
    attributes: [...columns, 'actions'],
    where: { run_key: hashOf(key), state: { [Op.ne]: 'failed' } },
    raw: true,
  });
}

/** Records a run of actions of no macro, or finds the one that the same key has opened before. */
export async function openKeyedRun(
  ctx: Ctx,
  key: string,
  actions: readonly Action[],
  target: MacroTarget,
): Promise<KeyedRun> {
  const earlier = await findKeyedRun(ctx, key);
  if (earlier) return earlier;
  await macroRuns(ctx).update({ run_key: null }, { where: { run_key: hashOf(key), state: 'failed' } });
  // No guard is needed: a key has one caller at a time, the workflow of its subscription.
  return ctx.runtime.db.models.MacroRun.create({
    workspace_id: ctx.workspaceId,
    macro_id: null,
    actions,
    conversation_id: target.conversationId,
    ticket_id: target.ticketId,
    run_key: hashOf(key),
    actor_type: ctx.actor.type,
    actor_member_id: ctx.actor.memberId,
    api_key_id: ctx.actor.apiKeyId,
    request_id: ctx.requestId,
    autonomy: ctx.autonomy ?? null,
    frozen: null,
    ran: null,
    failed_step: null,
    finished_at: null,
  });
}

function runOfKey(ctx: Ctx, runKey: Buffer): Promise<RunRecord | null> {
  return macroRuns(ctx).findOne({ attributes: columns, where: { run_key: runKey }, raw: true });
}

function keyOf(ctx: Ctx, macroId: number): Buffer | null {
  if (ctx.idempotencyKey === undefined) return null;
  const { type, memberId, apiKeyId } = ctx.actor;
  return createHash('sha256')
    .update(JSON.stringify([type, memberId, apiKeyId, macroId, ctx.idempotencyKey]))
    .digest();
}

/** Returns a run's record; null when its workspace is gone. */
export async function readRun(ctx: Ctx, id: number): Promise<RunRecord | null> {
  return macroRuns(ctx).findOne({ attributes: columns, where: { id }, raw: true });
}

const abandoned = { state: 'abandoned', run_key: null, frozen: null, finished_at: literal('now()') } as const;

/** How long giving up may take: the transaction that applies the run holds its row, and may outlast a statement. */
const decideWithinMs = 15_000;

/**
 * Abandons a run unless it has ended: it can never be applied afterwards, and its key is free. Waits for a transaction
 * that is applying the run: its row decides. Throws 503 when the database does not answer in time.
 */
export async function abandonRun(ctx: Ctx, id: number): Promise<RunRecord | null> {
  const deadline = performance.now() + decideWithinMs;
  for (;;) {
    try {
      await macroRuns(ctx).update(abandoned, { where: { id, state: 'pending' } });
      return await readRun(ctx, id);
    } catch (error) {
      if (performance.now() >= deadline) throw undecided(error);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

function undecided(cause: unknown): AppError {
  const error = new AppError('unavailable', reason('macroUnknown'), { retryAfter: 60 });
  error.cause = cause;
  return error;
}

/** Gives up what a dead process was waiting for, in every workspace; returns how many (run by the sweep). */
export async function abandonStaleAnywhere(runtime: Runtime): Promise<number> {
  const [given] = await runtime.db.models.MacroRun.update(abandoned, {
    where: { state: 'pending', created_at: { [Op.lt]: literal("now() - interval '2 minutes'") } },
  });
  return given;
}

const ownColumns = [
  ...['macro_id', 'conversation_id', 'ticket_id', 'state', 'ran', 'failed_step'],
  ...['created_at', 'finished_at', 'actor_type'],
];
/** SQL: the rule that has run a macro, of the run with this id. */
const ruleSql = (run: string): string => `(SELECT jsonb_build_object('id', u.id, 'name', u.name)
  FROM rule_runs n JOIN rules u ON u.id = n.rule_id WHERE n.macro_run_id = ${run} LIMIT 1)`;
const viewColumns = `${ownColumns.map((column) => `r.${column}`).join(', ')}, ${userJsonSql('runner')} AS actor,
  ${ruleSql('r.id')} AS rule`;

/** Returns runs by their ids, those that exist. */
export async function runsByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, RunView>> {
  const rows = await recordsOf<RunView>(ctx, ctx.runtime.db.models.MacroRun, {
    attributes: [
      'id',
      ...ownColumns,
      [literal(userJsonSql('runner')), 'actor'],
      [literal(ruleSql('"MacroRun".id')), 'rule'],
    ],
    where: { id: [...ids] },
    include: [joined('runner')],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns a page of the runs of a macro, newest first. Throws 404. */
export async function listRuns(ctx: Ctx, macroId: number, paging: PagingInput): Promise<Page<RunView>> {
  await findMacro(ctx, macroId);
  return listPage<Omit<RunView, 'id'>>(
    ctx,
    {
      select: viewColumns,
      from: 'macro_runs r',
      joins: 'LEFT JOIN members runner ON runner.id = r.actor_member_id',
      where: ['r.workspace_id = $workspaceId', 'r.macro_id = $macroId'],
      bind: { workspaceId: ctx.workspaceId, macroId },
      idSql: 'r.id',
      columns: { created_at: { sql: 'r.created_at', type: 'timestamptz' } },
      defaultOrdering: '-created_at',
    },
    paging,
  );
}

/** Moves a run from pending to applied: however many try at once, one of them gets it, the others get null. */
export async function claimRun(ctx: Ctx, runId: number): Promise<MacroRunRow | null> {
  const [, [run]] = await of(ctx, ctx.runtime.db.models.MacroRun).update(
    { state: 'applied', ran: [], finished_at: dbNow },
    { where: { id: runId, state: 'pending' }, returning: true },
  );
  return run?.get() ?? null;
}

/** Records what the steps of a claimed run did, in its row and as an event: one statement, while a caller waits. */
export async function recordSteps(
  ctx: Ctx,
  runId: number,
  {
    on,
    ran,
    types,
  }: {
    readonly on: 'conversation' | 'ticket';
    readonly ran: NonNullable<MacroRunRow['ran']>;
    readonly types: readonly string[];
  },
): Promise<void> {
  await ctx.runtime.db.rows(
    `WITH run AS (
       UPDATE macro_runs SET ran = $ran::jsonb, frozen = NULL
       WHERE workspace_id = $workspaceId AND id = $runId RETURNING *
     )
     ${recordSql('run', {
       // A rule acts on conversations.
       ...(ctx.rule
         ? ({ subjectType: 'conversation', kind: 'rule_applied' } as const)
         : ({ subjectType: on, kind: 'macro_applied' } as const)),
       subjectId: `${on}_id`,
       actor: ['actor_type', 'actor_member_id', 'api_key_id'],
       data: "jsonb_build_object('macro_id', macro_id, 'run_id', id, 'steps', $types::jsonb) || $rule::jsonb",
       requestId: '$requestId',
     })}`,
    {
      workspaceId: ctx.workspaceId,
      runId,
      ran: JSON.stringify(ran),
      types: JSON.stringify(types),
      rule: JSON.stringify(
        ctx.rule ? { rule: { id: ctx.rule.id, name: ctx.rule.name }, rule_run_id: ctx.rule.runId } : {},
      ),
      requestId: ctx.requestId,
    },
  );
}

/** Returns why a step was refused; of records of earlier versions, and where a person was erased, its words alone. */
export const whyOf = ({ why, message }: NonNullable<MacroRunRow['failed_step']>): Message =>
  why ? Reason.of(why) : message;

/** Ends a pending run with the step that was refused. */
export async function failRun(
  ctx: Ctx,
  runId: number,
  { why, ...step }: { readonly index: number; readonly type: string; readonly why: Message; readonly code: string },
): Promise<void> {
  const failedStep = { ...step, message: String(why), ...(why instanceof Reason ? { why: why.stored() } : {}) };
  await macroRuns(ctx).update(
    { state: 'failed', failed_step: failedStep, frozen: null, finished_at: literal('now()') },
    { where: { id: runId, state: 'pending' } },
  );
}
