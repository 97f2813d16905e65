import type { RuleConditions } from '../../../../models/ruleParts';
import type { Reason } from '../../../core/http/reasons';
import type { ConversationView } from '../../resources/conversations/serializer';
import { isLeftAlone } from '../../resources/rules/conditions';
import { allowed, answersOf, api, inboxLink, type Upcoming, type UpcomingAction, type UpcomingKind } from './common';
import { say } from '../texts';

/** What a rule's macro does, as far as something may stop it. */
interface RuleWait {
  readonly id: number;
  readonly run: number;
  readonly at: Date;
  readonly name: string;
  readonly macro: string | null;
  readonly conditions: RuleConditions;
  /** An answer ends it. */
  readonly for_answer: boolean;
  readonly sends: boolean;
  /** It sends a template that cannot be sent. */
  readonly lacks_template: boolean;
  /** No rule acts: the trial is over by then. */
  readonly stopped: boolean;
}

function waitText({ name, macro, ...wait }: RuleWait, conversation: ConversationView, isHeld: boolean): Reason {
  const named = { name, macro: macro ?? '' };
  if (wait.stopped) return say('ruleAfterPlan', named);
  if (isHeld) return say('ruleAfterHold', named);
  if (wait.sends && conversation.marketing_opt_out) return say('ruleOptedOut', { name });
  return say(wait.lacks_template ? 'ruleFails' : 'ruleLooks', named);
}

/**
 * Returns when a wait is judged; null: not at all, because an answer that is sent before ends it, or its conversation
 * is left alone. What sleeps is judged when it wakes.
 */
function judgedAt({ at, conditions, for_answer }: RuleWait, conversation: ConversationView, answers: readonly Date[]) {
  const { conv_status: status, snoozed_until: until } = conversation;
  const isAsleep = isLeftAlone(status, conditions);
  if (isAsleep && until === null) return null;
  const judged = isAsleep && until !== null && until > at ? until : at;
  return for_answer && answers.some((answer) => answer < judged) ? null : judged;
}

const decisionsOf = (path: string, now: Date): UpcomingAction[] => [
  { name: 'now', method: 'PATCH', path, body: { moment: now.toISOString() }, takes: null },
  { name: 'later', method: 'PATCH', path, body: {}, takes: 'moment' },
  { name: 'not', method: 'DELETE', path, body: {}, takes: null },
];

/** SQL: a run `n` of a rule waits in the conversation. */
const waitsSql = `n.conversation_id = $conversationId AND n.state = 'waiting'`;

/** Waits of rules, when each is judged. */
export const ruleWaits: UpcomingKind = {
  mayWait: `EXISTS (SELECT 1 FROM rule_runs n WHERE n.workspace_id = $workspaceId AND ${waitsSql})`,
  find: async (ctx, conversation, { isHeld, messages }) => {
    const now = ctx.runtime.clock.now();
    // SQL: each with the names of its rule and macro. What is paused or braked waits for no moment.
    const rows = await ctx.runtime.db.rows<RuleWait>(
      `SELECT r.id, n.id AS run, coalesce(n.look_at, n.moment) AS at, r.name, m.name AS macro, r.conditions,
         r.unless @> '[{"event": "conversation.answered"}]' AS for_answer,
         coalesce(m.actions @> '[{"type": "send_message"}]' OR m.actions @> '[{"type": "send_template"}]', false)
           AS sends,
         EXISTS (SELECT 1 FROM jsonb_array_elements(m.actions) s LEFT JOIN templates t
             ON t.workspace_id = n.workspace_id AND t.template_id = s->'params'->>'template_id'
               AND t.status = 'APPROVED'
           WHERE s->>'type' = 'send_template' AND s->'params' ? 'template_id' AND t.id IS NULL) AS lacks_template,
         w.plan IS NULL AND w.trial_ends_at IS NOT NULL AND w.trial_ends_at <= n.moment AS stopped
       FROM rule_runs n
       JOIN rules r ON r.id = n.rule_id AND r.workspace_id = n.workspace_id AND r.state = 'on'
       JOIN workspaces w ON w.id = n.workspace_id AND w.rule_brake IS NULL
       LEFT JOIN macros m ON m.id = r.macro_id AND m.workspace_id = r.workspace_id
       WHERE n.workspace_id = $workspaceId AND ${waitsSql}`,
      { workspaceId: ctx.workspaceId, conversationId: conversation.id },
    );
    return rows.flatMap((wait): Upcoming[] => {
      const at = judgedAt(wait, conversation, answersOf(messages));
      if (at === null) return [];
      return [
        {
          kind: 'rule',
          at,
          text: waitText(wait, conversation, isHeld),
          link: ctx.scopes.has('macro.view') ? `/dashboard/rules/${wait.id}/` : inboxLink(conversation),
          actions: allowed(ctx, 'macro.manage', decisionsOf(`${api}/rules/${wait.id}/runs/${wait.run}/`, now)),
        },
      ];
    });
  },
};
