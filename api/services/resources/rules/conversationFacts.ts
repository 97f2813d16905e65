import type { Ctx } from '../../../core/context';
import type { RuleRow, RuleRunRow, WorkingPeriod } from '../../../../models';
import { dueNowSql } from '../../../core/clock';
import { ofWorkspace } from '../../../core/db/database';
import { WorkingTime } from '../../../core/workingTime';
import { waitsSql } from '../../../core/conversationStates';
import type { ConversationFacts } from './conditions';

/** What starts and judging need of a rule. */
export type LiveRule = Pick<
  RuleRow,
  | 'id'
  | 'name'
  | 'state'
  | 'starts'
  | 'conditions'
  | 'wait'
  | 'unless'
  | 'repeat'
  | 'after_rules'
  | 'macro_id'
  | 'autonomy'
  | 'runs_as_id'
  | 'version'
> & {
  /** Since when it looks at what happens (ISO); null: at all, as a rehearsal does. */
  readonly active_since: string | null;
};

/** A wait of a conversation, or what is parked until a member has decided. */
type Waiting = Pick<RuleRunRow, 'id' | 'event'> & {
  readonly rule_id: number;
  /** Of its rule as it began. */
  readonly version: number;
  readonly moment: string;
  readonly started_at: string;
  readonly asleep: boolean;
  readonly by_hand: boolean;
  readonly parked: boolean;
};

/** The calendars of a workspace, in its zone. */
interface WorkspaceHours {
  readonly timezone: string;
  readonly calendars: readonly {
    readonly is_default: boolean;
    readonly periods: readonly WorkingPeriod[];
    readonly holidays: readonly { readonly date: string }[];
    readonly inboxes: readonly number[];
  }[];
}

/** What all conversations of a workspace have. */
interface Surroundings extends WorkspaceHours {
  readonly rules: readonly LiveRule[];
  /** No rule starts: of the brake, or because the trial is over. */
  readonly stopped: boolean;
}

/** A conversation as rules see it at a moment. */
export interface RuleSubject extends Omit<ConversationFacts, 'hours' | 'window_open'>, Surroundings {
  readonly id: number;
  readonly now: Date;
  readonly active_till: Date | null;
  /** When the episode began that is under way, or was the last. */
  readonly episode_at: Date | null;
  /** Of the rules that were applied to it, when they last were (ISO). */
  readonly applied: Readonly<Record<string, string>>;
  readonly waits: readonly Waiting[];
}

/** SQL: of a workspace `w`, whether no rule of it starts or acts. */
const stoppedSql = `(w.rule_brake IS NOT NULL
  OR w.plan IS NULL AND w.trial_ends_at IS NOT NULL AND w.trial_ends_at <= now())`;

/** SQL: the calendars of the workspace `$workspaceId`, each with its team inboxes. */
const calendarsSql = `(SELECT coalesce(jsonb_agg(jsonb_build_object('is_default', k.is_default, 'periods', k.periods,
    'holidays', k.holidays, 'inboxes', ARRAY(SELECT i.team_inbox_id FROM calendar_team_inboxes i
      WHERE i.calendar_id = k.id)) ORDER BY k.id), '[]')
  FROM calendars k WHERE k.workspace_id = $workspaceId)`;

/** Reads the calendars of the workspace. */
export async function readWorkspaceHours(ctx: Ctx): Promise<WorkspaceHours> {
  // SQL: the form in which starts read them together with the conversation.
  const row = await ctx.runtime.db.row<WorkspaceHours>(
    `SELECT w.timezone, ${calendarsSql} AS calendars FROM workspaces w WHERE w.id = $workspaceId`,
    { workspaceId: ctx.workspaceId },
  );
  return row ?? { timezone: 'UTC', calendars: [] };
}

/**
 * Reads conversations of the workspace with its rules that are not off: one statement, however many rules there are,
 * because every event of a workspace with rules waits for it.
 */
export async function readSubjects(ctx: Ctx, conversationIds: readonly number[]): Promise<RuleSubject[]> {
  const rows = await ctx.runtime.db.rows<Omit<RuleSubject, keyof Surroundings> & { around: Surroundings | null }>(
    `WITH live AS MATERIALIZED (
       SELECT id, name, state, starts, conditions, wait, unless, repeat, after_rules, macro_id, autonomy, runs_as_id,
         version, active_since
       FROM rules WHERE workspace_id = $workspaceId AND state <> 'off'
     )
     SELECT v.id, ${dueNowSql(ctx.runtime.clock)} AS now, v.conv_status, v.priority,
       v.assigned_member_id AS assigned_member, v.assigned_team_inbox_id AS assigned_team_inbox, c.tags,
       (SELECT p.phone_number_id FROM phone_numbers p WHERE p.id = v.phone_number_id) AS phone_number_id,
       ${waitsSql} AS waiting, v.active_till, c.marketing_opt_out AS opted_out, c.custom_fields,
       CASE WHEN EXISTS (SELECT 1 FROM live l WHERE l.conditions::text LIKE '%"inbound_count"%') THEN
         (SELECT count(*)::int FROM messages m WHERE m.workspace_id = $workspaceId AND m.conversation_id = v.id
            AND m.direction = 'inbound' AND m.type <> 'reaction' AND NOT m.is_import_placeholder) END AS inbound_count,
       (SELECT max(e.started_at) FROM conversation_episodes e WHERE e.conversation_id = v.id) AS episode_at,
       (SELECT coalesce(jsonb_object_agg(a.rule_id, a.at), '{}') FROM (
          SELECT n.rule_id, max(n.ended_at) AS at FROM rule_runs n
          WHERE n.conversation_id = v.id AND n.state = 'applied' AND n.rule_id IS NOT NULL GROUP BY n.rule_id) a
       ) AS applied,
       (SELECT coalesce(jsonb_agg(jsonb_build_object('id', n.id, 'rule_id', n.rule_id, 'version', n.rule_version,
          'event', n.event, 'moment', n.moment, 'started_at', n.started_at, 'asleep', n.look_at IS NULL,
          'by_hand', n.by_hand, 'parked', n.state = 'parked')), '[]')
        FROM rule_runs n WHERE n.conversation_id = v.id AND n.state IN ('waiting', 'parked') AND n.rule_id IS NOT NULL
       ) AS waits,
       -- Once, with the first of them: a thousand snoozes may end together.
       CASE WHEN row_number() OVER (ORDER BY v.id) = 1 THEN (SELECT jsonb_build_object(
         'rules', (SELECT coalesce(jsonb_agg(to_jsonb(l) ORDER BY l.id), '[]') FROM live l),
         'stopped', ${stoppedSql}, 'timezone', w.timezone,
         'calendars', ${calendarsSql})
         FROM workspaces w WHERE w.id = $workspaceId) END AS around
     FROM conversations v JOIN contacts c ON c.id = v.contact_id
     WHERE ${ofWorkspace('v.workspace_id')} AND v.id = ANY($conversationIds::bigint[])
     ORDER BY v.id`,
    { workspaceId: ctx.workspaceId, conversationIds },
  );
  const around = rows[0]?.around;
  return around ? rows.map((row) => ({ ...row, ...around })) : [];
}

/** Returns the hours of a conversation; null: all day. */
export function hoursOf(subject: RuleSubject): WorkingTime | null {
  return timeIn(subject, subject.assigned_team_inbox);
}

/** Returns the hours of a team inbox, or of the workspace where it has none of its own; null: all day. */
export function timeIn({ calendars, timezone }: WorkspaceHours, inbox: number | null): WorkingTime | null {
  const own = inbox === null ? undefined : calendars.find(({ inboxes }) => inboxes.includes(inbox));
  const calendar = own ?? calendars.find(({ is_default: isDefault }) => isDefault);
  if (!calendar) return null;
  const { periods, holidays } = calendar;
  return new WorkingTime({ timezone, periods, holidays: holidays.map(({ date }) => date) });
}

/** Returns what conditions may ask of a conversation. */
export function factsOf(subject: RuleSubject): ConversationFacts {
  return {
    ...subject,
    window_open: subject.active_till !== null && subject.active_till > subject.now,
    hours: hoursOf(subject)?.isOpenAt(subject.now) === false ? 'closed' : 'open',
  };
}
