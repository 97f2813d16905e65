import type { End } from './end';
import { rehearseRule, type Ctx } from './seams';
import { weekMs } from './themes';

type Json = Readonly<Record<string, unknown>>;

const day = 24 * 60;
const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];
const received = [{ event: 'message.received' }];
const answered = [{ event: 'conversation.answered' }];
const says = (mark: string): Json => ({ type: 'send_message', params: { text: mark } });

/** When it is rehearsed after the beginning: what there was before is not looked at. */
export const rehearsesMs = weekMs + 1_000;
/** When customers and colleagues come again: within what rules wait, or after. */
export const weekWaitsMs = [4, 25, 15 * 60, 30 * 60, 80 * 60].map((minutes) => minutes * 60_000);

/** The hours of the team. */
export const weekPeriods = days.map((weekday) => ({ weekday, opens: '08:03', closes: '18:00' }));

/** Rules as teams have them, the ready ones among them. */
export const weekRules: readonly Json[] = [
  {
    name: 'Nobody answered',
    starts: received,
    conditions: { all: [{ field: 'waiting', op: 'is', value: true }], any: [] },
    wait: { minutes: 10, by: 'hours' },
    unless: answered,
    actions: [{ type: 'set_priority', params: { priority: 'urgent' } }],
  },
  {
    name: 'The window closes',
    starts: answered,
    wait: { minutes: 60, before: 'window_end' },
    unless: received,
    repeat: 'per_episode',
    actions: [says('#rw1')],
  },
  {
    name: 'Quiet for three days',
    starts: answered,
    wait: { minutes: 3 * day, by: 'clock' },
    unless: received,
    actions: [{ type: 'set_status', params: { status: 'resolved' } }],
  },
  { name: 'Thanks', starts: received, repeat: 'per_episode', actions: [says('#rt1')] },
  { name: 'A text a day later', starts: received, wait: { minutes: 20 * 60, by: 'hours' }, actions: [says('#rx1')] },
  {
    name: 'Away',
    starts: received,
    conditions: { all: [{ field: 'hours', op: 'is', value: 'closed' }], any: [] },
    wait: { until: 'opening', plus_minutes: 5 },
    unless: answered,
    actions: [{ type: 'add_tags', params: { tags: ['was away'] } }],
  },
  {
    name: 'Became urgent',
    starts: [{ event: 'conversation.updated', changed: 'priority', to: 'urgent' }],
    after_rules: true,
    actions: [{ type: 'add_tags', params: { tags: ['urgent'] } }],
  },
  {
    name: 'Came back',
    starts: [{ event: 'conversation.reopened' }, { event: 'conversation.woken' }],
    actions: [{ type: 'set_priority', params: { priority: 'low' } }],
  },
];

/** What a rule did in a week, and what it is rehearsed to. */
export interface Rehearsed {
  readonly rule: string;
  readonly did: Json;
  readonly would: Json;
}

/** Rehearses the rules of a workspace over the week, and reads what they did. */
export async function rehearseWeek(ctx: Ctx): Promise<Rehearsed[]> {
  const rows = await ctx.runtime.db.rows<{ id: number; name: string; ends: readonly (readonly string[])[] }>(
    `SELECT r.id, r.name,
       coalesce(jsonb_agg(jsonb_build_array(n.state, coalesce(n.reason, ''))) FILTER (WHERE n.id > 0), '[]') AS ends
     FROM rules r LEFT JOIN rule_runs n ON n.rule_id = r.id WHERE r.workspace_id = $workspaceId
     GROUP BY r.id ORDER BY r.id`,
    { workspaceId: ctx.workspaceId },
  );
  const all: Rehearsed[] = [];
  for (const { id, name, ends } of rows) {
    const { would } = await rehearseRule(ctx, { rule_id: id, days: 7 });
    const of = (state: string): string[] => ends.filter(([one]) => one === state).map(([, reason = '']) => reason);
    const byReason = (reasons: readonly string[]): Json =>
      Object.fromEntries([...new Set(reasons)].map((one) => [one, reasons.filter((other) => other === one).length]));
    const did = {
      start: ends.length,
      apply: of('applied').length,
      ended: of('ended').length,
      skipped: byReason(of('skipped')),
      failed: byReason(of('failed')),
    };
    all.push({ rule: `${name} (${id})`, did, would });
  }
  return all;
}

const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : one,
  );

/** Returns what differs between what rules did and what they are rehearsed to. */
export const differences = ({ days: { rehearsed } }: End): string[] =>
  rehearsed.flatMap(({ rule, did, would }) =>
    inOrder(did) === inOrder(would) ? [] : [`${rule} did ${inOrder(did)}, and is rehearsed to ${inOrder(would)}`],
  );
