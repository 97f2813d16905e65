import type { Client } from 'pg';
import type { Days } from './days';
import type { WaitingRule } from './daysOfRules';
import { maxCalmLateMs, repeated, type Invariant } from './end';
import { byRow, msOf, sees, type Step } from './steps';
import type { Shop } from './town';
import { differences, weekPeriods, weekRules } from './week';
import { startMs } from './world';

type Json = Readonly<Record<string, unknown>>;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The team works from three minutes after the beginning on: some waits begin before. */
const opens = '08:03';
const opensMs = startMs + 3 * minuteMs;

const received = [{ event: 'message.received' }];
const answered = [{ event: 'conversation.answered' }];
const changes = (changed: string): Json[] => [{ event: 'conversation.updated', changed }];
const says = (mark: string): Json => ({ type: 'send_message', params: { text: mark } });
const ranks = (priority: string): Json => ({ type: 'set_priority', params: { priority } });
const tags = (tag: string): Json => ({ type: 'add_tags', params: { tags: [tag] } });
const clock = (minutes: number): Json => ({ minutes, by: 'clock' });

/** With and without waits, alone and after each other. How long they wait is changed meanwhile. */
const planted: readonly Json[] = [
  { name: 'Thanks', starts: received, actions: [says('#ra1'), ranks('high'), says('#rb1'), says('#rc1')] },
  {
    name: 'Nobody answered',
    starts: received,
    wait: clock(1),
    unless: answered,
    actions: [says('#rd1'), says('#re1')],
  },
  { name: 'No word since', starts: answered, wait: clock(2), unless: received, actions: [ranks('low')] },
  { name: 'Quiet again', starts: received, wait: clock(1), unless: received, actions: [tags('quiet'), says('#rf1')] },
  { name: 'Known', starts: received, wait: clock(1), repeat: 'once', actions: [tags('known')] },
  {
    name: 'In hours',
    starts: received,
    wait: { minutes: 2, by: 'hours' },
    unless: answered,
    actions: [tags('late')],
  },
  { name: 'After a priority', starts: changes('priority'), after_rules: true, actions: [tags('ranked')] },
  { name: 'After a tag', starts: changes('tags'), after_rules: true, actions: [ranks('urgent')] },
  // It follows people alone.
  { name: 'Ranked by hand', starts: changes('priority'), actions: [tags('by hand')] },
];

/** Gives workspaces rules, which are on, and hours; returns those of each that wait. */
export async function plantRules(
  monitor: Client,
  shops: readonly Shop[],
  isWeek: boolean,
): Promise<Map<number, readonly WaitingRule[]>> {
  const made = new Map<number, readonly WaitingRule[]>();
  const periods = isWeek ? weekPeriods : [{ weekday: 'monday', opens, closes: '23:00' }];
  for (const { workspaceId } of shops) {
    await monitor.query(
      `INSERT INTO calendars (workspace_id, name, is_default, periods) VALUES ($1, 'Hours', true, $2)`,
      [workspaceId, JSON.stringify(periods)],
    );
    const { rows } = await monitor.query<{ id: string; wait: unknown; event: string }>(
      `WITH given AS (SELECT * FROM jsonb_to_recordset($2::jsonb)
         AS r(name text, starts jsonb, conditions jsonb, wait jsonb, unless jsonb, repeat text, after_rules boolean,
           actions jsonb)
       ), made AS (
         INSERT INTO macros (workspace_id, name, actions) SELECT $1, name, actions FROM given RETURNING id, name
       )
       INSERT INTO rules (workspace_id, name, state, starts, conditions, wait, unless, repeat, after_rules, macro_id,
         runs_as_id, active_since)
       SELECT $1, g.name, 'on', starts, coalesce(conditions, '{"all": [], "any": []}'), wait, coalesce(unless, '[]'),
         coalesce(repeat, 'each'), coalesce(after_rules, false), m.id,
         (SELECT min(id) FROM members WHERE workspace_id = $1), sim.now()
       FROM given g JOIN made m USING (name) ORDER BY m.id
       RETURNING id, wait, starts->0->>'event' AS event`,
      [workspaceId, JSON.stringify(isWeek ? weekRules : planted)],
    );
    made.set(
      workspaceId,
      rows.filter(({ wait }) => wait !== null).map(({ id, event }) => ({ id: Number(id), event })),
    );
  }
  return made;
}

/** A run: where it began, or began anew, and where it ended. */
interface Course {
  readonly start: Step;
  readonly end: Step;
  /** The run as it ended. */
  readonly run: Json;
}

const isOpen = (row: Json | null): boolean => row?.['state'] === 'waiting' || row?.['state'] === 'parked';
const endsRun = ({ before, after }: Step): boolean => !isOpen(after) && (before === null || isOpen(before));

function coursesIn(steps: readonly Step[]): Course[] {
  return [...byRow(steps, 'rule_runs').values()].flatMap((own) => {
    const end = own.find(endsRun);
    const start = own
      .slice(0, end ? own.indexOf(end) + 1 : 0)
      .findLast(({ before, after }) => before?.['started_at'] !== after?.['started_at']);
    return end?.after && start ? [{ start, end, run: end.after }] : [];
  });
}

const appliedIn = (steps: readonly Step[]): Course[] =>
  coursesIn(steps).filter(({ run }) => run['state'] === 'applied');

/** Returns what was written of the rule of a run, in its order. */
const ruleSteps = (steps: readonly Step[], run: Json): Step[] =>
  steps.filter(({ of, after }) => of === 'rules' && after?.['id'] === run['rule_id']);

/** Returns the rule of a run as it was when the run began. */
const ruleOf = (steps: readonly Step[], { start, run }: Course): Json =>
  ruleSteps(steps, run).findLast((step) => sees(start, step))?.after ?? {};

/** Returns how many messages a rule sends at once; that of a robot sends one. */
function sendsOf(rule: Json): number {
  const actions = [...planted, ...weekRules].find(({ name }) => name === rule['name'])?.['actions'] as
    readonly Json[] | undefined;
  return actions?.filter(({ type }) => type === 'send_message').length ?? 1;
}

/** Returns the messages of a conversation. */
const messagesOf = (steps: readonly Step[], run: Json): Step[] =>
  steps.filter(({ of, after }) => of === 'messages' && after?.['conversation_id'] === run['conversation_id']);

const automatic = ['stage', 'broadcast', 'away', 'satisfaction', 'rule'];
const isEvent = (event: unknown, { after }: Step): boolean =>
  event === 'message.received'
    ? after?.['direction'] === 'inbound'
    : event === 'conversation.answered' &&
      after?.['direction'] === 'outbound' &&
      !automatic.includes(String(after['origin']));

/** Whether the conversation of a run has become that of a message, or was it when the run ended. */
function isOfSame(steps: readonly Step[], { end, run }: Course, message: Step): boolean {
  const of = message.after?.['conversation_id'];
  const merges = ({ of: table, before, after }: Step): boolean =>
    table === 'rule_runs' &&
    before?.['conversation_id'] === of &&
    after?.['conversation_id'] === run['conversation_id'];
  return of === run['conversation_id'] || steps.some((step) => merges(step) && sees(end, step));
}

/** Whether a run was of the conversation of a message when that was stored: both are locked where they become one. */
function wasThere(steps: readonly Step[], { run }: Course, message: Step): boolean {
  const known = steps
    .slice(0, steps.indexOf(message))
    .findLast(({ of, after }) => of === 'rule_runs' && after?.['id'] === run['id']);
  return known?.after?.['conversation_id'] === message.after?.['conversation_id'];
}

/** Whether what was stored ends the wait of a rule. */
const endsWait = (rule: Json, message: Step): boolean =>
  (rule['unless'] as Json[]).some(({ event }) => isEvent(event, message));

/** What a customer has heard of rules before a run of one ended, but for what it said itself. */
function heardBefore(
  steps: readonly Step[],
  { start, end, run }: Course,
  slackMs = 0,
): { readonly inDay: number; readonly lately: boolean } {
  const heard = steps.filter(
    (step) =>
      step.of === 'messages' &&
      (step.after?.['rule_id'] ?? null) !== null &&
      sees(end, step) &&
      isOfSame(steps, { start, end, run }, step),
  );
  const youngerThan = (ms: number): Step[] => heard.filter(({ atMs }) => end.atMs - atMs < ms + slackMs);
  return {
    inDay: youngerThan(dayMs).length,
    lately: youngerThan(10 * minuteMs).some(({ after }) => after?.['rule_id'] === run['rule_id']),
  };
}

/** Whether people had been told, before a time, that a rule does nothing, and nobody has let it go on since. */
function isStopped({ hands: { switches } }: Days, run: Json, atMs: number): boolean {
  const ofRule = switches.filter(
    ({ rule, shop }) => (rule ?? run['rule_id']) === run['rule_id'] && shop.workspaceId === run['workspace_id'],
  );
  return ofRule.some(
    (stop) =>
      stop.stops &&
      stop.answer === 'accepted' &&
      stop.answeredMs < atMs &&
      !ofRule.some(
        (other) =>
          !other.stops &&
          other.rule === stop.rule &&
          other.answer !== 'refused' &&
          other.atMs < atMs &&
          other.answeredMs >= stop.atMs,
      ),
  );
}

/** Returns when a rule was let go on last before a time, by itself or with all of them; else 0. */
const lastGoOnMs = ({ hands: { switches } }: Days, run: Json, beforeMs: number): number =>
  Math.max(
    0,
    ...switches
      .filter(({ shop, rule, stops, atMs }) => {
        const isOfRule = shop.workspaceId === run['workspace_id'] && (rule ?? run['rule_id']) === run['rule_id'];
        return isOfRule && !stops && atMs < beforeMs;
      })
      .map(({ atMs }) => atMs),
  );

const parts = ['starts', 'conditions', 'wait', 'unless', 'macro_id'];
/** Whether a change of a rule ends its waits. */
const endsWaits = ({ before, after }: Step): boolean =>
  before !== null &&
  (after?.['state'] === 'off' || parts.some((part) => JSON.stringify(before[part]) !== JSON.stringify(after?.[part])));

const nameOf = ({ run }: Course): string => `run ${String(run['id'])} of rule ${String(run['rule_id'])}`;

/** Returns the other runs of a rule as they were when one of its runs ended. */
function others(steps: readonly Step[], { end, run }: Course): Json[] {
  const before = steps.slice(0, steps.indexOf(end));
  return [...byRow(before, 'rule_runs')].flatMap(([id, own]) => {
    const now = own.at(-1)?.after;
    return now && id !== run['id'] && now['rule_id'] === run['rule_id'] ? [now] : [];
  });
}

/** Whether something says why a run ended without having been applied. */
function causeOfEnd(steps: readonly Step[], course: Course): boolean {
  const { end, run } = course;
  const isKnown = (step: Step): boolean => step.by === end.by || sees(end, step);
  if (run['state'] === 'ended')
    return messagesOf(steps, run).some(
      (step) => step.by === end.by && isEvent(run['reason'], step) && endsWait(ruleOf(steps, course), step),
    );
  // It was judged some time before that was written.
  const heard = heardBefore(steps, course, minuteMs);
  switch (run['reason']) {
    case 'late':
      return end.atMs - msOf(run, 'moment') > 60 * minuteMs;
    case 'too_often':
      return (
        heard.inDay + sendsOf(ruleOf(steps, course)) > 5 ||
        heard.lately ||
        (ruleOf(steps, course)['repeat'] === 'once' && others(steps, course).some(({ state }) => state === 'applied'))
      );
    case 'conditions':
      return (ruleOf(steps, course)['conditions'] as { all: unknown[] }).all.length > 0;
    case 'window_closed':
      return !messagesOf(steps, run).some(
        (step) => isEvent('message.received', step) && sees(end, step) && end.atMs - step.atMs < dayMs,
      );
    case 'gone':
      return others(steps, course).some(
        (other) =>
          isOpen(other) &&
          (msOf(other, 'started_at') <= msOf(run, 'started_at') ||
            Number(other['rule_version']) > Number(run['rule_version'])),
      );
    case 'rule_off':
    case 'rule_changed':
      return ruleSteps(steps, run).some((step) => isKnown(step) && endsWaits(step));
    default:
      return false;
  }
}

const isSaidBy = (run: Json, message: Json | null): boolean =>
  String(message?.['dedupe_key']).startsWith(`macro-run/${String(run['macro_run_id'])}/`);

/** What must hold of rules. */
export const ofRules: Readonly<Record<string, Invariant>> = {
  'C21 each run of a rule has one end': ({ steps }) =>
    [...byRow(steps, 'rule_runs')].flatMap(([id, own]) => {
      const ends = own.filter(endsRun).length;
      const moves = own.filter(
        ({ before, after }) => before && !isOpen(before) && before['state'] !== after?.['state'],
      );
      return ends === 1 && moves.length === 0
        ? []
        : [`run ${id} ended ${ends} times, and left its end ${moves.length} times`];
    }),

  'C21 where a rule was not applied, something says why': ({ steps }) =>
    coursesIn(steps).flatMap((course) =>
      course.run['state'] === 'applied' || causeOfEnd(steps, course)
        ? []
        : [`${nameOf(course)} is ${String(course.run['state'])} (${String(course.run['reason'])}) without a cause`],
    ),

  'C21 a rule acts once for a cause, and does all of it or nothing': async ({ steps, query }) => {
    const done = await query<{ run: string; applied: number; sends: number; sent: number }>(
      `SELECT substring(r.request_id FROM 'rule-run/(.*)') AS run,
         count(*) FILTER (WHERE state = 'applied')::int AS applied,
         sum(said.sends) FILTER (WHERE state = 'applied')::int AS sends, sum(said.sent)::int AS sent
       FROM macro_runs r CROSS JOIN LATERAL (SELECT
         (SELECT count(*) FROM jsonb_array_elements(r.actions) a WHERE a->>'type' = 'send_message') AS sends,
         (SELECT count(*) FROM messages m WHERE m.dedupe_key LIKE 'macro-run/' || r.id || '/%') AS sent) said
       WHERE r.request_id LIKE 'rule-run/%' GROUP BY 1`,
    );
    const applied = appliedIn(steps);
    const causes = applied.map(({ run }) =>
      ['rule_id', 'conversation_id', 'event', 'event_id'].map((key) => run[key]).join(),
    );
    const rulesOnce = applied.filter((course) => ruleOf(steps, course)['repeat'] === 'once');
    const people = rulesOnce.map(({ run }) => `${String(run['rule_id'])} to ${String(run['conversation_id'])}`);
    return [
      ...done.flatMap(({ run, applied: times, sends, sent }) => {
        const should = applied.some((course) => String(course.run['id']) === run) ? 1 : 0;
        return times === should && (sends ?? 0) === sent
          ? []
          : [`run ${run} was done ${times} times instead of ${should}, and sent ${sent} messages`];
      }),
      ...applied.flatMap((course) =>
        messagesOf(steps, course.run)
          .filter(({ by, after }) => by !== course.end.by && isSaidBy(course.run, after))
          .map(({ after }) => `message ${String(after?.['id'])} was written apart from the end of ${nameOf(course)}`),
      ),
      ...applied
        .filter((course) => !done.some(({ run }) => run === String(course.run['id'])))
        .map((course) => `${nameOf(course)} is applied, and nothing was done`),
      ...repeated(causes).map((cause) => `a rule was applied twice for ${cause}`),
      ...repeated(people).map((what) => `a rule of one time was applied twice: ${what}`),
    ];
  },

  "C21 a customer's second message gives nobody more time": ({ steps }) =>
    steps.flatMap(({ of, before, after }) =>
      of === 'rule_runs' &&
      before &&
      before['started_at'] !== after?.['started_at'] &&
      after?.['event'] !== 'conversation.answered'
        ? [`the wait of run ${String(before['id'])} began anew`]
        : [],
    ),

  'C21 no rule acts early, and none late where nothing goes wrong': ({ scene, days, steps }) =>
    appliedIn(steps).flatMap((course) => {
      const { end, run } = course;
      const lateMs = end.atMs - Math.max(msOf(run, 'moment'), lastGoOnMs(days, run, end.atMs));
      const isFree = scene.isCalm && days.snoozed.length === 0;
      if (isFree && lateMs > maxCalmLateMs) return [`${nameOf(course)} was applied ${Math.round(lateMs)} ms late`];
      const wait = (ruleOf(steps, course)['wait'] ?? null) as { minutes: number; by?: string } | null;
      const fromMs = wait?.by === 'hours' ? Math.max(opensMs, msOf(run, 'started_at')) : msOf(run, 'started_at');
      const waitsMs = wait?.by === undefined ? 0 : wait.minutes * minuteMs;
      const earlyMs = Math.max(msOf(run, 'moment'), fromMs + waitsMs) - end.atMs;
      return earlyMs > 1 ? [`${nameOf(course)} was applied ${Math.round(earlyMs)} ms before its moment`] : [];
    }),

  'C21 nothing is applied after an answer, or what else ends a wait, that was there before': ({ steps }) =>
    appliedIn(steps).flatMap((course) => {
      const { start, end } = course;
      const rule = ruleOf(steps, course);
      const cause = steps.find(
        (step) =>
          step.of === 'messages' &&
          sees(end, step) &&
          !sees(start, step) &&
          step.by !== start.by &&
          endsWait(rule, step) &&
          wasThere(steps, course, step),
      );
      return cause ? [`${nameOf(course)} was applied after message ${String(cause.after?.['id'])}`] : [];
    }),

  'C21 what a rule says stands in its order, behind what was there and before what came later': ({ steps }) =>
    appliedIn(steps).flatMap((course) => {
      const { end, run } = course;
      const isOwn = ({ by, after }: Step): boolean => by === end.by && after?.['rule_id'] === run['rule_id'];
      const all = messagesOf(steps, run);
      const stands = (one: Step, other: Step): boolean => {
        const laterMs = msOf(other.after, 'created_at') - msOf(one.after, 'created_at');
        return laterMs > 0 || (laterMs === 0 && Number(other.after?.['id']) > Number(one.after?.['id']));
      };
      const idOf = ({ after }: Step): string => String(after?.['id']);
      const placeOf = ({ after }: Step): number => Number(String(after?.['dedupe_key']).split('/').at(-1));
      return all.filter(isOwn).flatMap((own) =>
        all.flatMap((other) => {
          if (other === own) return [];
          const isBefore = isOwn(other) ? placeOf(other) < placeOf(own) : sees(end, other);
          return isBefore === stands(other, own)
            ? []
            : [`message ${idOf(other)} stands on the wrong side of ${idOf(own)} of ${nameOf(course)}`];
        }),
      );
    }),

  'C21 nothing is applied of a rule that is off, paused or changed': ({ steps, days }) =>
    appliedIn(steps).flatMap((course) => {
      const { start, end, run } = course;
      if (isStopped(days, run, end.begunMs))
        return [`${nameOf(course)} was applied while people knew that it was stopped`];
      const known = ruleSteps(steps, run).filter((step) => sees(end, step));
      const between = known.some((step) => !sees(start, step) && endsWaits(step));
      const state = known.findLast((step) => sees(start, step))?.after?.['state'];
      return between || state === 'off'
        ? [`${nameOf(course)} was applied, which was off or changed since it began`]
        : [];
    }),

  'C21 robots that answer each other stop at the second word: a rule says one in ten minutes, all five a day': async ({
    steps,
    query,
  }) => {
    const saying = await query<{ id: string }>(
      `SELECT r.id FROM rules r JOIN macros m ON m.id = r.macro_id WHERE m.actions::text LIKE '%send_message%'`,
    );
    const ids = new Set(saying.map(({ id }) => Number(id)));
    return appliedIn(steps).flatMap((course) => {
      const { inDay, lately } = heardBefore(steps, course);
      const isTooMuch = inDay + sendsOf(ruleOf(steps, course)) > 5;
      return ids.has(Number(course.run['rule_id'])) && (isTooMuch || lately)
        ? [`${nameOf(course)} was applied after ${inDay} messages of rules in a day${lately ? ', one of its own' : ''}`]
        : [];
    });
  },

  'C21 a rule that sends is not judged while an event of its customer waits in our inbox': async ({
    scene,
    steps,
    query,
  }) => {
    const people = await query<{ id: string; keys: (string | null)[] }>(
      `SELECT id, ARRAY[phone, ltrim(phone, '+'), bsuid, receiver_id] AS keys FROM contacts`,
    );
    const keysOf = new Map(people.map(({ id, keys }) => [Number(id), keys]));
    const merged = new Set(scene.statements.journal.merged.map(({ kept }) => Number(kept)));
    const events = [...byRow(steps, 'inbox_events').values()];
    return appliedIn(steps).flatMap((course) => {
      const { end, run } = course;
      const id = Number(run['conversation_id']);
      // Whose addresses of then are not known any more.
      if (merged.has(id) || sendsOf(ruleOf(steps, course)) === 0) return [];
      return events.flatMap((own) => {
        const [began] = own;
        const { kind, order_key: key } = began?.after ?? {};
        if (!began || kind === 'status' || key === '' || keysOf.get(id)?.includes(String(key)) !== true) return [];
        // Somebody has seen it before, so that it was there when judging began.
        const wasThereBefore = steps.some((step) => step.atMs < end.begunMs && sees(step, began));
        const isDone = own.some(
          (step) =>
            (sees(end, step) || step.by === end.by) && (step.op === 'DELETE' || step.after?.['state'] !== 'new'),
        );
        return wasThereBefore && !isDone
          ? [`${nameOf(course)} was applied while event ${String(began.after?.['id'])} waited`]
          : [];
      });
    });
  },

  'C21 a rule that was on for a week is rehearsed to what it did': differences,

  'C21 what rules cause comes to an end': ({ steps }) =>
    coursesIn(steps).flatMap((course) => {
      const { run } = course;
      const chain = run['chain'] as readonly number[];
      const isAllowed = chain.length === 0 || ruleOf(steps, course)['after_rules'] === true;
      return isAllowed && chain.length < 3 && !chain.includes(Number(run['rule_id']))
        ? []
        : [`${nameOf(course)} was caused by ${chain.join(', ')}`];
    }),
};
