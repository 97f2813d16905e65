import type { DueOutcome } from '../../../../workflows/contract';
import type { RuleRunRow } from '../../../../models';
import { dueNowSql, overdueSql } from '../../../core/clock';
import { systemCtx, type Ctx } from '../../../core/context';
import { isRetryable, isDatabaseAway } from '../../../core/db/database';
import { inTurnsSql } from '../../../core/db/workspaceTurnsSql';
import { AppError, isTemporary } from '../../../core/http/errors';
import { reasonOf } from '../../../core/http/faults';
import { forEachOf } from '../../../core/queue/parallel';
import { runApart } from '../../../core/queue/sweep';
import type { Runtime } from '../../../core/runtime';
import { lockConversation } from '../../resources/conversations/service';
import { failRun } from '../../resources/macros/runs';
import { holdRule } from '../../resources/rules/rows';
import { failureOf } from '../macroRuns/apply';
import { applyAct } from '../ruleRuns/apply';
import { asksForRule, judge, readSubject, type Act, type Verdict } from '../ruleRuns/judge';
import { fail, lockRun, openMacroRun, settle } from '../ruleRuns/settle';
import { park } from './park';

/** Conversations of one look. */
const maxJudgedTogether = 100;
/** How long after it acted the workflow of its macro shows it, where thousands may be overdue: all are judged first. */
const crowdIsShownAfterMs = 60_000;
/** When it is asked again whether members can be asked to decide about one more. */
const fullForMs = 60_000;
/** Conversations that are judged at the same time: their statements share the connections of the process. */
const atOnce = 4;

/**
 * Judges what is due of the rules that wait on a conversation, one after the other, and applies what they are to do.
 * Returns when to look again.
 */
export async function judgeDue(ctx: Ctx, conversationId: number): Promise<DueOutcome> {
  for (let judged = false; ; judged = true) {
    // Without a lock: the timers of a crowd find that all was judged.
    const next = await ctx.runtime.db.row<{ wait_ms: number | null; is_overdue: boolean | null }>(
      `SELECT ceil(extract(epoch FROM min(look_at) - ${dueNowSql(ctx.runtime.clock)}) * 1000)::float8 AS wait_ms,
         ${overdueSql('min(look_at)', ctx.runtime.clock)} AS is_overdue
       FROM rule_runs
       WHERE workspace_id = $workspaceId AND conversation_id = $conversationId AND look_at IS NOT NULL`,
      { workspaceId: ctx.workspaceId, conversationId },
    );
    if (typeof next?.wait_ms !== 'number') return { kind: judged ? 'done' : 'superseded' };
    if (next.wait_ms > 0) return { kind: 'not_due', waitMs: next.wait_ms };
    // One that was merged has taken its waits along.
    const shownAfterMs = next.is_overdue === true ? crowdIsShownAfterMs : 0;
    if (!(await judgeFirst(ctx, conversationId, shownAfterMs))) return { kind: 'superseded' };
  }
}

/** Judges the first wait that is due on a conversation; returns whether there was one. What may pass is thrown. */
async function judgeFirst(ctx: Ctx, conversationId: number, shownAfterMs: number): Promise<boolean> {
  for (let held: number | null = null; ;) {
    const judging = new Judging(ctx, conversationId, held, shownAfterMs);
    try {
      const outcome = await ctx.runtime.db.transaction(() => judging.first());
      if (outcome !== 'again') return outcome === 'judged';
      held = judging.run?.rule_id ?? null;
    } catch (error) {
      if (mayPass(error) || !judging.run) throw error;
      await judging.fail(error);
      return true;
    }
  }
}

/** The judging of one wait: in a transaction of its own, so that what goes wrong with it undoes and fails it alone. */
class Judging {
  run: RuleRunRow | null = null;
  private act: Act | null = null;

  /** `held`: the rule that is locked before, for what changes it or counts its runs. */
  constructor(
    private readonly ctx: Ctx,
    private readonly conversationId: number,
    private readonly held: number | null,
    private readonly shownAfterMs: number,
  ) {}

  /** Judges the first wait that is due; `again`: its rule has to be locked before. */
  async first(): Promise<'judged' | 'none' | 'again'> {
    const { ctx, conversationId, held } = this;
    const conversation = await lockConversation(ctx, { conversationId }).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    });
    if (conversation?.id !== conversationId) return 'none';
    if (held !== null) await holdRule(ctx, held);
    const run = await this.lockDue();
    this.run = run;
    const subject = run && (await readSubject(ctx, conversationId));
    if (!run || !subject) return 'none';
    if (held !== null && run.rule_id !== held) return 'again';
    const verdict = await judge(ctx, run, subject);
    if (held === null && run.rule_id !== null && asksForRule(verdict)) return 'again';
    await this.carryOut(run, verdict, subject.now);
    return 'judged';
  }

  /**
   * Locks what waits on the conversation, in the order of ids as everywhere, and returns what is due first. Locked
   * before it is read whether their rules are paused: whoever lets these go on waits for what is written here.
   */
  private async lockDue(): Promise<RuleRunRow | null> {
    const { ctx, conversationId } = this;
    // SQL: due by the database's clock.
    const open = await ctx.runtime.db.rows<RuleRunRow & { readonly is_due: boolean }>(
      `SELECT *, coalesce(look_at <= ${dueNowSql(ctx.runtime.clock)}, false) AS is_due FROM rule_runs
       WHERE workspace_id = $workspaceId AND conversation_id = $conversationId AND state IN ('waiting', 'parked')
       ORDER BY id FOR UPDATE`,
      { workspaceId: ctx.workspaceId, conversationId },
    );
    const due = open.filter(({ is_due: isDue }) => isDue);
    return due.toSorted((a, b) => a.moment.getTime() - b.moment.getTime() || a.id - b.id)[0] ?? null;
  }

  private async carryOut(run: RuleRunRow, verdict: Verdict, now: Date): Promise<void> {
    const { ctx } = this;
    if (verdict.kind !== 'apply') return settle(ctx, run, verdict, now);
    const parked = await park(ctx, run, verdict.act);
    if (parked === 'full') return settle(ctx, run, { kind: 'later', at: new Date(now.getTime() + fullForMs) }, now);
    if (parked === 'parked') return;
    this.act = verdict.act;
    await applyAct(ctx, run, verdict.act, { now, shownAfterMs: this.shownAfterMs });
  }

  /** Fails the run whose judging or macro went wrong, with a run of the macro that says at which step. */
  async fail(error: unknown): Promise<void> {
    const { ctx, run, act } = this;
    if (!run) return;
    const refused = failureOf(error);
    if (!refused)
      ctx.logger.error({ event: 'rule.judging_failed', runId: run.id, reason: reasonOf(error) }, 'a rule cannot act');
    await ctx.runtime.db.transaction(async () => {
      const open = await lockRun(ctx, run);
      if (!open) return;
      const macroRun =
        act && refused ? await openMacroRun(ctx, open, act, { state: 'pending', shownAfterMs: 0 }) : null;
      if (macroRun && refused) await failRun(ctx, macroRun.id, { ...refused.step, code: refused.reason });
      await fail(ctx, open, refused?.reason ?? 'fault', macroRun?.id ?? null);
    });
  }
}

function mayPass(error: unknown): boolean {
  return (error instanceof AppError && isTemporary(error)) || isRetryable(error) || isDatabaseAway(error);
}

/** SQL: the waits that are overdue, in the turns of the workspaces. */
const overdueWaitsSql = ({ clock }: Runtime, limit: number): string =>
  inTurnsSql({
    table: 'rule_runs',
    where: 'look_at IS NOT NULL',
    due: overdueSql('look_at', clock),
    order: 'look_at, id',
    columns: 'workspace_id, conversation_id',
    limit,
  });

/** SQL: whether a wait of any workspace is overdue. */
export const someOverdueWaitSql = (runtime: Runtime): string =>
  `(SELECT 1 FROM (${overdueWaitsSql(runtime, 1)}) due LIMIT 1) IS NOT NULL`;

/**
 * Judges what is overdue in every workspace, in turns, some conversations at a time: of a crowd of waits that end
 * together, or of timers that were lost. Returns how many conversations; with any, there may be more.
 */
export async function judgeOverdue(runtime: Runtime): Promise<number> {
  // SQL, by the database's clock.
  const rows = await runtime.db.rows<{ workspace_id: number; conversation_id: number }>(
    `SELECT DISTINCT workspace_id, conversation_id FROM (${overdueWaitsSql(runtime, maxJudgedTogether)}) due`,
  );
  const failures: (() => Promise<number>)[] = [];
  await forEachOf(rows, atOnce, async ({ workspace_id: workspaceId, conversation_id: conversationId }) => {
    const ctx = systemCtx(runtime, workspaceId, `rules/${conversationId}`);
    await judgeFirst(ctx, conversationId, crowdIsShownAfterMs).catch((error: unknown) => {
      failures.push(() => Promise.reject(error as Error));
    });
  });
  // One that fails keeps none of the others from being judged.
  await runApart(failures);
  return rows.length;
}
