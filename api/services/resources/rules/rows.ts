import { literal, Op, Transaction } from 'sequelize';
import type { Models, RuleRow } from '../../../../models';
import type { RuleState } from '../../../../models/ruleParts';
import type { Ctx, WorkspaceCtx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { notFound } from '../../../core/http/errors';
import { userJsonSql, type UserJson } from '../../identity/members/userColumns';

/** How many runs of a rule are in each state, of those that are kept. */
type RuleCounts = Readonly<Record<'waiting' | 'applied' | 'ended' | 'skipped' | 'failed', number>>;

/** A rule as it is shown. */
export type RuleRecord = RuleRow & {
  readonly counts: Partial<RuleCounts>;
  readonly runs_as: UserJson | null;
  readonly created_by: UserJson | null;
};

/** Returns the rules of the workspace, to be read and written. */
export const rules = (ctx: WorkspaceCtx): Models['Rule'] => of(ctx, ctx.runtime.db.models.Rule);

/** Returns the rules of the workspace with what became of their runs, in one statement; by name, or those of `ids`. */
export async function listRules(ctx: Ctx, ids?: readonly number[]): Promise<RuleRecord[]> {
  // SQL: the runs of all rules are counted in one pass of their index.
  return ctx.runtime.db.rows<RuleRecord>(
    `SELECT r.*, ${userJsonSql('owner')} AS runs_as, ${userJsonSql('maker')} AS created_by, counted.counts
     FROM rules r
     LEFT JOIN members owner ON owner.id = r.runs_as_id
     LEFT JOIN members maker ON maker.id = r.created_by_id
     CROSS JOIN LATERAL (
       SELECT coalesce(jsonb_object_agg(one.state, one.count), '{}') AS counts
       FROM (SELECT n.state, count(*)::int AS count FROM rule_runs n WHERE n.rule_id = r.id GROUP BY n.state) one
     ) counted
     WHERE r.workspace_id = $workspaceId AND ($ids::bigint[] IS NULL OR r.id = ANY($ids::bigint[]))
     ORDER BY lower(r.name), r.id`,
    { workspaceId: ctx.workspaceId, ids: ids ? [...ids] : null },
  );
}

/** Returns one rule. Throws 404. */
export async function findRule(ctx: Ctx, id: number): Promise<RuleRecord> {
  const [rule] = await listRules(ctx, [id]);
  if (!rule) throw notFound();
  return rule;
}

/** Throws the 404 of a rule that is not there. */
export async function requireRule(ctx: WorkspaceCtx, id: number): Promise<void> {
  if ((await rules(ctx).count({ where: { id } })) === 0) throw notFound();
}

/** Returns rules by their ids, those that exist. */
export async function rulesByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, RuleRecord>> {
  return new Map((await listRules(ctx, ids)).map((rule) => [rule.id, rule]));
}

/**
 * The lock of a rule. Rows are locked in one order: the conversation, the rule, its runs by their ids. What starts by a
 * rule names it at that moment, which this lets pass: with a stronger lock an event that has ended a wait of the rule
 * and starts it anew would wait for whoever waits for that event.
 */
export const ruleLock = Transaction.LOCK.NO_KEY_UPDATE;

/** Locks a rule until the transaction ends; null where it is gone. */
export function holdRule(ctx: WorkspaceCtx, id: number): Promise<RuleRow | null> {
  return rules(ctx).findOne({ where: { id }, lock: ruleLock, raw: true });
}

/** Locks a rule until the transaction ends, and judges what the request asks of it. Throws 404 and 412. */
export async function lockRule(ctx: Ctx, id: number): Promise<RuleRow> {
  const row = await holdRule(ctx, id);
  if (!row) throw notFound();
  await ctx.precondition?.();
  return row;
}

/** Ends what waits of rules, in the surrounding transaction. Returns how many ended. */
export async function endWaits(
  ctx: Ctx,
  ruleIds: readonly number[],
  reason: 'rule_off' | 'rule_changed',
): Promise<number> {
  if (ruleIds.length === 0) return 0;
  // SQL: locked in the order of their ids, to avoid deadlocks.
  const row = await ctx.runtime.db.row<{ count: number }>(
    `WITH held AS MATERIALIZED (
       SELECT id FROM rule_runs
       WHERE workspace_id = $workspaceId AND rule_id = ANY($ruleIds::bigint[]) AND state = 'waiting'
       ORDER BY id FOR UPDATE
     ), ended AS (
       UPDATE rule_runs n SET state = 'skipped', reason = $reason, look_at = NULL, ended_at = now()
       FROM held WHERE n.workspace_id = $workspaceId AND n.id = held.id RETURNING n.id
     )
     SELECT count(*)::int AS count FROM ended`,
    { workspaceId: ctx.workspaceId, ruleIds: [...ruleIds], reason },
  );
  return row?.count ?? 0;
}

/** Counts the rules that are not off, but for one, by the event that starts them. */
export async function countStarting(ctx: Ctx, event: string, but: number | null): Promise<number> {
  return rules(ctx).count({
    where: {
      state: { [Op.ne]: 'off' satisfies RuleState },
      ...(but === null ? {} : { id: { [Op.ne]: but } }),
      starts: { [Op.contains]: literal(`'${JSON.stringify([{ event }])}'::jsonb`) },
    },
  });
}
