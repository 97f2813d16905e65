import type { MacroRow, MemberRow, RuleRunRow } from '../../../../models';
import { maxHeardInDay, maxInHour, restMs, type RuleAttention, type SkipReason } from '../../../../models/ruleParts';
import { memberScopes } from '../../../core/http/access';
import { systemCtx, type Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { Fault } from '../../../core/http/fields';
import { onHoldSql, sendingNumberSql } from '../../resources/accounts/fence';
import { isSend, parseActions, scopeOf, type Action } from '../../resources/macros/actions';
import { asksForMessage, holds, isLeftAlone, messageFacts, type MessageFacts } from '../../resources/rules/conditions';
import {
  factsOf,
  hoursOf,
  readSubjects,
  type LiveRule,
  type RuleSubject,
} from '../../resources/rules/conversationFacts';
import { movedMoment } from '../../resources/rules/moments';
import { isSpent } from '../../resources/rules/starts';

/** How long after its moment a rule may still send. */
const lateAfterMs = 60 * 60_000;
/** From so many on within the hour, judges of a rule follow each other, so that none of two passes the last place. */
const countedTogether = 450;
/** When something is asked again that no event of ours tells the end of. */
const againMs = { inbox: 1_000, hold: 30_000, trial: 10 * 60_000 } as const;
const minuteMs = 60_000;

/** What a rule does now: its macro, in the name and with the rights of the member who has saved it. */
export interface Act {
  readonly rule: LiveRule;
  readonly macro: Pick<MacroRow, 'id' | 'name'>;
  readonly actions: readonly Action[];
  /** The context in which it acts. */
  readonly ctx: Ctx;
}

/**
 * What is to become of a run: judged again at a time, or (null) when an event says so; ended; or applied. `pause`: why
 * its rule stops itself. `isPaused`: so are all other waits of the rule that are due.
 */
export type Verdict =
  | { readonly kind: 'later'; readonly at: Date | null; readonly pause?: Pause; readonly isPaused?: true }
  | { readonly kind: 'skip'; readonly reason: SkipReason; readonly pause?: Pause }
  | { readonly kind: 'apply'; readonly act: Act; readonly isNearLimit: boolean };
type Pause = Pick<RuleAttention, 'reason' | 'detail'>;

/** Returns whether a verdict counts only while its rule is locked: it changes the rule, or is about more of it. */
export function asksForRule(verdict: Verdict): boolean {
  if (verdict.kind === 'apply') return verdict.isNearLimit;
  if (verdict.pause !== undefined) return true;
  return verdict.kind === 'later' ? verdict.isPaused === true : verdict.reason === 'late';
}

/** Reads the conversation of a run, which is locked; null where it is gone. */
export async function readSubject(ctx: Ctx, conversationId: number): Promise<RuleSubject | null> {
  return (await readSubjects(ctx, [conversationId]))[0] ?? null;
}

/**
 * Judges a run at its moment, of what is true now: the conversation is locked, so whatever a customer or a colleague
 * has done before stands, and whatever they do next comes after it (contract 21). `approved`: a member has just decided
 * about it, so its time is not asked for.
 */
export async function judge(
  ctx: Ctx,
  run: RuleRunRow,
  subject: RuleSubject,
  { approved = false }: { readonly approved?: boolean } = {},
): Promise<Verdict> {
  const rule = subject.rules.find(({ id }) => id === run.rule_id);
  if (!rule) return { kind: 'skip', reason: 'rule_off' };
  if (rule.version !== run.rule_version) return { kind: 'skip', reason: 'rule_changed' };
  if (rule.state === 'paused') return { kind: 'later', at: null, isPaused: true };
  const around = await readAround(ctx, subject, rule);
  const later = (ms: number): Verdict => ({ kind: 'later', at: new Date(subject.now.getTime() + ms) });
  if (around.braked) return { kind: 'later', at: null };
  if (subject.stopped) return later(againMs.trial);
  if (around.on_hold) return later(againMs.hold);
  if (isLeftAlone(subject.conv_status, rule.conditions)) return { kind: 'later', at: null };

  const moment = approved ? run.moment : momentNow(run, rule, subject);
  if (moment > subject.now) return { kind: 'later', at: moment };
  if (!holds(rule.conditions, factsOf(subject), await messageOf(ctx, run, rule)))
    return { kind: 'skip', reason: 'conditions' };
  // Of two contacts that became one, or of a run that a member has approved meanwhile.
  if (isSpent(rule, subject)) return { kind: 'skip', reason: 'too_often' };

  const act = actOf(ctx, run, rule, around);
  if ('kind' in act) return act;
  const sends = act.actions.filter(isSend).length;
  if (sends > 0) {
    // What the customer has just written may be on its way to us.
    if (around.unread) return later(againMs.inbox);
    if (subject.opted_out) return { kind: 'skip', reason: 'opted_out' };
    if (!approved && subject.now.getTime() - moment.getTime() > lateAfterMs) return { kind: 'skip', reason: 'late' };
    if (await saysTooMuch(ctx, rule.id, subject, sends)) return { kind: 'skip', reason: 'too_often' };
  }
  const count = around.in_hour;
  if (count >= maxInHour)
    return { kind: 'later', at: null, pause: { reason: 'unusual_volume', detail: count }, isPaused: true };
  return { kind: 'apply', act, isNearLimit: count >= countedTogether };
}

/** Returns the moment of a run as things are now; one that a member has chosen stays. */
function momentNow(run: RuleRunRow, { wait }: LiveRule, subject: RuleSubject): Date {
  if (run.by_hand) return run.moment;
  const around = { time: hoursOf(subject), windowEnd: subject.active_till };
  return movedMoment(wait, run.started_at, run.moment, around);
}

interface Around {
  readonly braked: boolean;
  readonly on_hold: boolean;
  /** An event of the customer waits in our inbox and is not parked. */
  readonly unread: boolean;
  readonly macro: Pick<MacroRow, 'id' | 'name' | 'actions'> | null;
  /** Who lends the rule their rights; null where they have left. */
  readonly owner: Pick<MemberRow, 'id' | 'role' | 'permissions'> | null;
  /** How many conversations the rule was applied to within the hour. */
  readonly in_hour: number;
}

async function readAround(ctx: Ctx, { id, now }: RuleSubject, rule: LiveRule): Promise<Around> {
  // SQL: questions to tables of several owners, in one statement while the conversation is locked.
  const row = await ctx.runtime.db.row<Around>(
    `SELECT w.rule_brake IS NOT NULL AS braked, ${onHoldSql(sendingNumberSql('$id'))} AS on_hold, EXISTS (
       SELECT 1 FROM contacts c JOIN inbox_events i ON i.workspace_id = c.workspace_id AND i.state = 'new'
         AND i.kind <> 'status' AND i.order_key <> '' AND i.order_key = ANY(
           ARRAY[c.phone, ltrim(c.phone, '+'), c.bsuid, c.receiver_id] || ARRAY(
             SELECT a.value FROM contact_aliases a WHERE a.contact_id = c.id AND a.kind IN ('phone', 'bsuid')))
       WHERE c.workspace_id = $workspaceId AND c.id = $id) AS unread,
       (SELECT jsonb_build_object('id', m.id, 'name', m.name, 'actions', m.actions) FROM macros m
        WHERE m.workspace_id = $workspaceId AND m.id = $macroId) AS macro,
       (SELECT jsonb_build_object('id', o.id, 'role', o.role, 'permissions', o.permissions) FROM members o
        WHERE o.workspace_id = $workspaceId AND o.id = $ownerId AND o.is_active) AS owner,
       (SELECT count(*)::int FROM rule_runs n WHERE n.workspace_id = $workspaceId AND n.rule_id = $ruleId
          AND n.state = 'applied' AND n.ended_at > $since) AS in_hour
     FROM workspaces w WHERE w.id = $workspaceId`,
    {
      workspaceId: ctx.workspaceId,
      id,
      macroId: rule.macro_id,
      ownerId: rule.runs_as_id,
      ruleId: rule.id,
      since: new Date(now.getTime() - 60 * minuteMs),
    },
  );
  return row ?? { braked: true, on_hold: false, unread: false, macro: null, owner: null, in_hour: 0 };
}

/** Returns the message that a run was started by, where its rule asks for it. */
async function messageOf(ctx: Ctx, run: RuleRunRow, rule: LiveRule): Promise<MessageFacts | null> {
  if (run.message_id === null || !asksForMessage(rule.conditions)) return null;
  const message = await of(ctx, ctx.runtime.db.models.Message).findOne({
    attributes: ['type', 'body'],
    where: { id: run.message_id, conversation_id: run.conversation_id },
    raw: true,
  });
  return message && messageFacts(message.type, message.body);
}

/** Returns what a rule would do, or why it may not: its macro is gone, or its member may not do it any more. */
function actOf(ctx: Ctx, run: RuleRunRow, rule: LiveRule, { macro, owner }: Around): Act | Verdict {
  const actions = macro && parseActions(macro.actions);
  if (!macro || !actions || actions instanceof Fault)
    return { kind: 'skip', reason: 'gone', pause: { reason: 'reference_gone', detail: 'macro' } };
  if (!owner) return { kind: 'skip', reason: 'paused_owner', pause: { reason: 'owner_gone' } };
  const scopes = new Set(memberScopes(owner.role, owner.permissions));
  const missing = actions.map(({ type }) => scopeOf(type, 'chat')).find((scope) => !scopes.has(scope));
  if (missing !== undefined)
    return { kind: 'skip', reason: 'paused_owner', pause: { reason: 'missing_scope', detail: missing } };
  const system = systemCtx(ctx.runtime, ctx.workspaceId, `rule-run/${run.id}`, {
    type: 'system',
    memberId: owner.id,
    apiKeyId: null,
  });
  const cause = { id: rule.id, name: rule.name, runId: run.id, chain: [...run.chain, rule.id] };
  return { rule, macro, actions, ctx: { ...system, scopes, rule: cause } };
}

/**
 * Returns whether a customer would hear too much: of this rule another time within ten minutes, or of all rules more
 * than a few messages within a day. What rules have scheduled counts at its moment.
 */
async function saysTooMuch(ctx: Ctx, ruleId: number, { id, now }: RuleSubject, sends: number): Promise<boolean> {
  const dayMs = 24 * 60 * minuteMs;
  // SQL: messages of two tables.
  const heard = await ctx.runtime.db.rows<{ rule_id: number; at: Date }>(
    `SELECT rule_id, created_at AS at FROM messages
     WHERE workspace_id = $workspaceId AND conversation_id = $id AND rule_id IS NOT NULL AND created_at > $since
     UNION ALL
     SELECT rule_id, send_at FROM scheduled_messages
     WHERE workspace_id = $workspaceId AND conversation_id = $id AND rule_id IS NOT NULL AND state = 'scheduled'
       AND send_at < $until`,
    {
      workspaceId: ctx.workspaceId,
      id,
      since: new Date(now.getTime() - dayMs),
      until: new Date(now.getTime() + dayMs),
    },
  );
  const isNear = (at: Date): boolean => Math.abs(at.getTime() - now.getTime()) < restMs;
  return heard.length + sends > maxHeardInDay || heard.some((one) => one.rule_id === ruleId && isNear(one.at));
}
