import { Op } from 'sequelize';
import type { RuleRunRow } from '../../../../models';
import type { RuleWait } from '../../../../models/ruleParts';
import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';
import { maxSweptRows } from '../../../core/queue/sweep';
import type { Runtime } from '../../../core/runtime';
import { readWorkspaceHours, timeIn } from './conversationFacts';
import { momentOf } from './moments';

/*
 * What becomes of waits by what is no event of their conversation: a rule goes on, a calendar changes, two contacts
 * become one, the database went back. The triggers of `rule_runs` tell the timers.
 */

const runs = (ctx: Pick<Ctx, 'runtime' | 'workspaceId'>) => of(ctx, ctx.runtime.db.models.RuleRun);

/**
 * Has waits judged again that stood still because their rules, or (null) all rules, were paused. Those that are judged
 * at this moment are waited for: whoever has them may have read that their rule is paused.
 */
export async function armWaits(ctx: Ctx, ruleIds: readonly number[] | null): Promise<void> {
  // SQL: each has a time of its own. Locked in the order of their ids, to avoid deadlocks.
  await ctx.runtime.db.rows(
    `UPDATE rule_runs n SET look_at = coalesce(n.look_at, n.moment)
     FROM (SELECT id FROM rule_runs
       WHERE workspace_id = $workspaceId AND state = 'waiting'
         AND ($ruleIds::bigint[] IS NULL OR rule_id = ANY($ruleIds::bigint[]))
       ORDER BY id FOR UPDATE) w
     WHERE n.workspace_id = $workspaceId AND n.id = w.id AND n.state = 'waiting'`,
    { workspaceId: ctx.workspaceId, ruleIds: ruleIds ? [...ruleIds] : null },
  );
}

/**
 * Lets stand still what is due of a rule that is paused, some at a time, while the rule is locked: nothing of it is
 * applied, however many wait. Waits that others hold are left to them.
 */
export async function layAside(ctx: Ctx, ruleId: number): Promise<void> {
  // SQL: set-based, of conversations that nobody works on.
  await ctx.runtime.db.rows(
    `UPDATE rule_runs n SET look_at = NULL
     FROM (SELECT id FROM rule_runs
       WHERE workspace_id = $workspaceId AND rule_id = $ruleId AND state = 'waiting'
         AND look_at <= ${dueNowSql(ctx.runtime.clock)}
       ORDER BY id LIMIT ${maxSweptRows} FOR UPDATE SKIP LOCKED) w
     WHERE n.workspace_id = $workspaceId AND n.id = w.id`,
    { workspaceId: ctx.workspaceId, ruleId },
  );
}

type HourlyWait = Pick<RuleRunRow, 'id' | 'started_at' | 'moment'> & {
  readonly wait: RuleWait;
  readonly assigned_team_inbox: number | null;
};

/**
 * Gives waits in hours the time that they have by the calendars as they are now, in the transaction that changed one
 * (r12). One that would never be over keeps its time.
 */
export async function retimeWaits(ctx: Ctx): Promise<void> {
  const { db } = ctx.runtime;
  const { workspaceId } = ctx;
  const hours = await readWorkspaceHours(ctx);
  for (let after = 0; ;) {
    // SQL: page by page, with the rule and the conversation of each.
    const waits = await db.rows<HourlyWait>(
      `SELECT n.id, n.started_at, n.moment, r.wait, v.assigned_team_inbox_id AS assigned_team_inbox
       FROM rule_runs n JOIN rules r ON r.id = n.rule_id JOIN conversations v ON v.id = n.conversation_id
       WHERE n.workspace_id = $workspaceId AND n.state = 'waiting' AND n.id > $after AND NOT n.by_hand
         AND (r.wait ? 'until' OR r.wait->>'by' = 'hours')
       ORDER BY n.id LIMIT ${maxSweptRows} FOR UPDATE OF n`,
      { workspaceId, after },
    );
    const moved = waits.flatMap(({ id, wait, started_at: from, moment, assigned_team_inbox: inbox }) => {
      const next = momentOf(wait, from, { time: timeIn(hours, inbox), windowEnd: null });
      return next === null || next.getTime() === moment.getTime() ? [] : [{ id, moment: next }];
    });
    if (moved.length > 0)
      await db.rows(
        `UPDATE rule_runs n SET moment = g.moment, look_at = CASE WHEN n.look_at IS NOT NULL THEN g.moment END
         FROM jsonb_to_recordset($moved::jsonb) AS g(id bigint, moment timestamptz)
         WHERE n.workspace_id = $workspaceId AND n.id = g.id AND n.state = 'waiting'`,
        { workspaceId, moved: JSON.stringify(moved) },
      );
    if (waits.length < maxSweptRows) return;
    after = waits.at(-1)?.id ?? after;
  }
}

/**
 * Gives the runs of a conversation that goes to the one that stays, in the transaction of the merge: of two waits of
 * one rule the earlier start stays. One that began just as its rule was changed does nothing any more, so it goes.
 */
export async function mergeRuleRuns(ctx: Ctx, kept: number, gone: number): Promise<void> {
  const waits = await runs(ctx).findAll({
    attributes: ['id', 'rule_id', 'conversation_id', 'started_at'],
    where: { conversation_id: [kept, gone], state: 'waiting' },
    order: [['rule_version', 'DESC'], 'started_at', 'id'],
    lock: true,
    raw: true,
  });
  const second = waits.filter(({ rule_id: rule }, place) => waits.findIndex((one) => one.rule_id === rule) !== place);
  await runs(ctx).update(
    { state: 'skipped', reason: 'gone', look_at: null, ended_at: dbNow },
    { where: { id: second.map(({ id }) => id) } },
  );
  await runs(ctx).update({ conversation_id: kept }, { where: { conversation_id: gone } });
}

/** A wait that has ended because nobody knows whether it was applied. */
export type EndedWait = Pick<RuleRunRow, 'id' | 'workspace_id' | 'rule_id' | 'conversation_id' | 'moment'>;

/**
 * Ends what was due since a time from which on the database may lack what was done (contract 16): it may have been
 * applied. Crosses workspaces on purpose. Returns the runs, to be listed.
 */
export async function endUnknownWaitsAnywhere(runtime: Runtime, since: Date): Promise<EndedWait[]> {
  const { RuleRun } = runtime.db.models;
  const now = await runtime.db.row<{ now: Date }>(`SELECT ${dueNowSql(runtime.clock)} AS now`);
  const [, ended] = await RuleRun.update(
    { state: 'skipped', reason: 'late', look_at: null, ended_at: dbNow },
    {
      where: { state: 'waiting', moment: { [Op.gte]: since, [Op.lte]: now?.now ?? runtime.clock.now() } },
      returning: ['id', 'workspace_id', 'rule_id', 'conversation_id', 'moment'],
    },
  );
  return ended.map((row) => row.get({ plain: true }));
}
