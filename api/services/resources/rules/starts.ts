import {
  changedFields,
  type RuleEndEvent,
  type RuleStart,
  type RuleStartEvent,
  type RuleUnless,
} from '../../../../models/ruleParts';
import type { Ctx } from '../../../core/context';
import { sameValue } from '../../../core/db/changes';
import type { RecordedChanges } from '../../../core/queue/eventKinds';
import { holds, leftAlone, namesStatus, type MessageFacts } from './conditions';
import { factsOf, hoursOf, readSubjects, type LiveRule, type RuleSubject } from './conversationFacts';
import { momentOf, waitsByHours } from './moments';
import { reopeningStatuses } from '../../../core/conversationStates';

/*
 * What an event does to rules, in its transaction (contract 21): it ends waits, wakes those of a conversation that was
 * left alone, and starts rules. Whoever writes an event asks for `watchedSql` (core/queue/events.ts) in its statement,
 * so that a workspace without rules pays for one look into an index.
 */

/** What happened to a conversation. Several of one write are given together. */
export interface Happened {
  readonly conversationId: number;
  readonly event: RuleStartEvent;
  /**
   * Of the message that was written or answered with, or that a conversation began with; of all else the entry of the
   * activity. What happened twice has the same one.
   */
  readonly eventId: number;
  /** Of `conversation.updated`. */
  readonly changes?: RecordedChanges;
  /** The customer's message that it came by. */
  readonly message?: MessageFacts & { readonly id: number };
  /** When it happened, where that is told by the platform; else now. */
  readonly at?: Date;
  /** No news: it may end waits, and starts nothing. */
  readonly quiet?: boolean;
}

/** Most rules of a chain. */
const maxDepth = 3;

/** A run that begins, or a wait that begins anew where it has an id. */
interface Begun {
  readonly id: number | null;
  readonly rule_id: number;
  readonly rule_version: number;
  readonly conversation_id: number;
  readonly event: RuleStartEvent;
  readonly event_id: number;
  readonly message_id: number | null;
  readonly started_at: Date;
  readonly moment: Date;
  readonly state: 'waiting' | 'skipped' | 'failed';
  readonly reason: string | null;
  readonly chain: readonly number[];
}

interface Ended {
  readonly id: number;
  readonly state: 'ended' | 'skipped';
  readonly reason: RuleEndEvent | 'rule_changed';
  readonly ended_at: Date;
}

/** A wait whose time has changed: its hours, or it was left alone and is judged now. */
interface Moved {
  readonly id: number;
  readonly moment: Date;
}

/** What a change of a conversation is noted as: a start of its own where it opens again or wakes, and what changed. */
export function changedAs(
  conversationId: number,
  eventId: number,
  changes: RecordedChanges,
  more: Pick<Happened, 'message' | 'at' | 'quiet'> = {},
): Happened[] {
  const known = Object.entries(changes).filter(([field]) => noted.has(field));
  if (known.length === 0) return [];
  const status = changes['conv_status'];
  const opens = status?.to === 'open' ? openedFrom(String(status.from)) : null;
  const { message, at, quiet } = more;
  const about = { conversationId, eventId, ...(message && { message }), ...(at && { at }), ...(quiet && { quiet }) };
  return [
    ...(opens === null ? [] : [{ ...about, event: opens }]),
    { ...about, event: 'conversation.updated', changes: Object.fromEntries(known) },
  ];
}

const noted: ReadonlySet<string> = new Set([...changedFields, 'custom_fields']);

function openedFrom(status: string): RuleStartEvent | null {
  if (status === 'snoozed') return 'conversation.woken';
  return reopeningStatuses.includes(status) ? 'conversation.reopened' : null;
}

/**
 * What begins with a first message: a conversation, which has entered its status. Of this no entry of the activity
 * tells: it has the number of the message, below zero.
 */
export function createdAs(
  conversationId: number,
  messageId: number,
  status: string,
  more: Pick<Happened, 'message' | 'at' | 'quiet'> = {},
): Happened[] {
  const about = { conversationId, ...more };
  const changes = { conv_status: { from: null, to: status } };
  return [
    { ...about, event: 'conversation.created', eventId: messageId },
    { ...about, event: 'conversation.updated', eventId: -messageId, changes },
  ];
}

/** How old may be what still is news: a replay of what was parked, or a delivery that comes late. */
const newsForMs = 3_600_000;

/** The platform tells times in whole seconds: in the one in which a rule is switched on, it looks. */
const secondMs = 1_000;

/** Returns whether a rule looks at something: it is news, and not older than the rule's being on (r13). */
function isNewTo(rule: LiveRule, { at, quiet }: Happened, now: Date): boolean {
  if (quiet === true) return false;
  if (at === undefined) return true;
  const since = rule.active_since === null ? 0 : Date.parse(rule.active_since);
  return now.getTime() - at.getTime() <= newsForMs && at.getTime() + secondMs > since;
}

/** Notes what happened, in the transaction that made it happen; conversations are locked by then. */
export async function noteHappened(ctx: Ctx, happened: readonly Happened[]): Promise<void> {
  if (happened.length === 0) return;
  const subjects = await readSubjects(ctx, [...new Set(happened.map(({ conversationId }) => conversationId))]);
  const done = subjects.map((subject) =>
    decide(
      subject,
      happened.filter(({ conversationId }) => conversationId === subject.id),
      ctx.rule?.chain ?? [],
    ),
  );
  await write(ctx, {
    ended: done.flatMap(({ ended }) => ended),
    begun: done.flatMap(({ begun }) => begun),
    moved: done.flatMap(({ moved }) => moved),
  });
}

type Decided = {
  readonly ended: readonly Ended[];
  readonly begun: readonly Begun[];
  readonly moved: readonly Moved[];
};

/** Decides what becomes of the rules of one conversation; of the values that were read alone. */
export function decide(subject: RuleSubject, happened: readonly Happened[], chain: readonly number[]): Decided {
  const ended = subject.waits.flatMap((wait): Ended[] => {
    const rule = subject.rules.find(({ id }) => id === wait.rule_id);
    const end = (state: Ended['state'], reason: Ended['reason']): Ended[] => [
      { id: wait.id, state, reason, ended_at: subject.now },
    ];
    // It began just as its rule was changed, which did not see it: what starts now is none of its business.
    if (rule && !wait.parked && wait.version !== rule.version) return end('skipped', 'rule_changed');
    const cause = happened.find((one) => rule?.unless.some((unless) => isCause(unless, one)));
    return cause ? end('ended', cause.event as RuleEndEvent) : [];
  });
  const stays = subject.waits.filter(({ id, parked }) => !parked && !ended.some((end) => end.id === id));
  const begun = subject.stopped ? [] : beginning(subject, happened, chain, stays);
  const anew = new Set(begun.map(({ id }) => id));
  return {
    ended,
    begun,
    moved: movedOf(
      subject,
      happened,
      stays.filter(({ id }) => !anew.has(id)),
    ),
  };
}

function beginning(
  subject: RuleSubject,
  happened: readonly Happened[],
  chain: readonly number[],
  waits: RuleSubject['waits'],
): Begun[] {
  const facts = factsOf(subject);
  const start = (rule: LiveRule): Begun[] => {
    if (rule.state !== 'on' || !mayFollow(rule, chain) || isSpent(rule, subject)) return [];
    const cause = happened.find(
      (one) =>
        isNewTo(rule, one, subject.now) &&
        rule.starts.some((start) => isStart(start, one)) &&
        holds(rule.conditions, facts, one.message ?? null),
    );
    if (!cause) return [];
    const known = waits.find(({ rule_id: id }) => id === rule.id);
    // A new start keeps the time of a wait: a customer's second message gives nobody more. What we wrote begins anew.
    if (known && !(cause.event === 'conversation.answered' && known.event === cause.event)) return [];
    return [begin(subject, rule, cause, chain, known?.id ?? null)];
  };
  return subject.rules.flatMap((rule) => {
    try {
      return start(rule);
    } catch {
      // What is wrong with one rule keeps neither the event nor the other rules from being processed.
      const [cause] = happened;
      return cause ? [{ ...beginOf(subject, rule, cause, chain), state: 'failed' as const, reason: 'fault' }] : [];
    }
  });
}

function begin(
  subject: RuleSubject,
  rule: LiveRule,
  cause: Happened,
  chain: readonly number[],
  id: number | null,
): Begun {
  const time = waitsByHours(rule.wait) ? hoursOf(subject) : null;
  const moment = momentOf(rule.wait, subject.now, { time, windowEnd: subject.active_till });
  return {
    ...beginOf(subject, rule, cause, chain),
    id,
    // What should have been before now is due now; without a window, or an opening, its time has passed already.
    moment: moment === null || moment < subject.now ? subject.now : moment,
    state: moment === null ? 'skipped' : 'waiting',
    reason: moment === null ? 'late' : null,
  };
}

/** Returns what every beginning says. */
function beginOf(
  { id, now }: RuleSubject,
  rule: LiveRule,
  { event, eventId, message }: Pick<Happened, 'event' | 'eventId' | 'message'>,
  chain: readonly number[],
): Omit<Begun, 'state' | 'reason'> {
  return {
    id: null,
    rule_id: rule.id,
    rule_version: rule.version,
    conversation_id: id,
    event,
    event_id: eventId,
    message_id: message?.id ?? null,
    started_at: now,
    moment: now,
    chain,
  };
}

/** Returns whether a rule may start by what rules have caused; everything may follow what they have not. */
function mayFollow({ id, after_rules: asks }: LiveRule, chain: readonly number[]): boolean {
  return chain.length === 0 || (asks && chain.length < maxDepth && !chain.includes(id));
}

/** Returns whether a rule was applied as often as it may be. */
export function isSpent({ id, repeat }: LiveRule, { applied, episode_at: episode }: RuleSubject): boolean {
  const last = applied[id];
  if (repeat === 'each' || last === undefined) return false;
  return repeat === 'once' || episode === null || new Date(last) >= episode;
}

function isStart(start: RuleStart, one: Happened): boolean {
  if (start.event !== one.event) return false;
  return start.event !== 'conversation.updated' || changesTo(one, start.changed, start.to);
}

function isCause(unless: RuleUnless, one: Happened): boolean {
  return unless.event === one.event && (unless.event !== 'conversation.updated' || changesTo(one, unless.changed));
}

/** Returns whether a field has changed, and to a value where one is named: of a list, whether it has come in. */
function changesTo({ changes = {} }: Happened, changed?: string, to?: unknown): boolean {
  if (changed === undefined) return Object.keys(changes).length > 0;
  const custom = /^custom_fields\.(.+)$/s.exec(changed)?.[1];
  const change =
    custom === undefined
      ? changes[changed]
      : { from: valueIn(changes['custom_fields']?.from, custom), to: valueIn(changes['custom_fields']?.to, custom) };
  if (change === undefined || sameValue(change.from ?? null, change.to ?? null)) return false;
  if (to === undefined) return true;
  if (!Array.isArray(change.to)) return sameValue(change.to ?? null, to);
  const before = Array.isArray(change.from) ? (change.from as unknown[]) : [];
  const wanted = Array.isArray(to) ? (to as unknown[]) : [to];
  return wanted.every((one) => (change.to as unknown[]).includes(one)) && !wanted.every((one) => before.includes(one));
}

function valueIn(values: unknown, name: string): unknown {
  return typeof values === 'object' && values !== null && Object.hasOwn(values, name)
    ? (values as Record<string, unknown>)[name]
    : null;
}

/** Returns the waits that have another time: by the hours of another team inbox, or because it was left alone. */
function movedOf(subject: RuleSubject, happened: readonly Happened[], waits: RuleSubject['waits']): Moved[] {
  const changed = (field: string): boolean => happened.some(({ changes }) => changes?.[field] !== undefined);
  const wakes = changed('conv_status') && !leftAlone.includes(subject.conv_status);
  return waits.flatMap((wait): Moved[] => {
    const rule = subject.rules.find(({ id }) => id === wait.rule_id);
    if (!rule) return [];
    const isTold = changed('conv_status') && namesStatus(rule.conditions, subject.conv_status);
    if (wait.asleep && (wakes || isTold)) {
      const moment = new Date(wait.moment);
      return [{ id: wait.id, moment: moment > subject.now ? moment : subject.now }];
    }
    if (wait.by_hand || !changed('assigned_team_inbox') || !waitsByHours(rule.wait)) return [];
    const moment = momentOf(rule.wait, new Date(wait.started_at), { time: hoursOf(subject), windowEnd: null });
    return moment === null ? [] : [{ id: wait.id, moment }];
  });
}

/** Writes what was decided: one statement for what begins, and one for waits that end or have another time. */
async function write(ctx: Ctx, { ended, begun, moved }: Decided): Promise<void> {
  const { db } = ctx.runtime;
  const { workspaceId } = ctx;
  const anew = begun.filter(({ id, state }) => id !== null && state === 'waiting');
  const fresh = begun.filter(({ id }) => id === null);
  const changes = [
    ...ended,
    ...moved,
    ...anew.map(({ id, moment, started_at, event_id }) => ({ id, moment, started_at, event_id })),
  ];
  // SQL: set-based, on the way of every event. Before what begins: a rule has one wait at a time. Locked in the order
  // of their ids, as everywhere.
  if (changes.length > 0)
    await db.rows(
      `WITH held AS MATERIALIZED (
         SELECT id FROM rule_runs WHERE workspace_id = $workspaceId AND id = ANY($ids::bigint[]) ORDER BY id FOR UPDATE
       )
       UPDATE rule_runs n SET
         state = coalesce(g.state, n.state), reason = g.reason,
         ended_at = g.ended_at, moment = coalesce(g.moment, n.moment), look_at = g.moment,
         started_at = coalesce(g.started_at, n.started_at), event_id = coalesce(g.event_id, n.event_id)
       FROM jsonb_to_recordset($changes::jsonb)
         AS g(id bigint, state text, reason text, ended_at timestamptz, moment timestamptz, started_at timestamptz,
           event_id bigint)
         JOIN held USING (id)
       WHERE n.workspace_id = $workspaceId AND n.id = g.id
         AND (n.state = 'waiting' OR n.state = 'parked' AND g.reason IS NOT NULL)`,
      { workspaceId, ids: changes.map(({ id }) => id), changes: JSON.stringify(changes) },
    );
  if (fresh.length > 0)
    await db.rows(
      `INSERT INTO rule_runs (workspace_id, rule_id, rule_version, conversation_id, event, event_id, message_id,
         state, reason, started_at, moment, look_at, ended_at, chain)
       SELECT $workspaceId, g.rule_id, g.rule_version, g.conversation_id, g.event, g.event_id,
         g.message_id, g.state, g.reason, g.started_at, g.moment, CASE g.state WHEN 'waiting' THEN g.moment END,
         CASE WHEN g.state <> 'waiting' THEN g.started_at END,
         ARRAY(SELECT jsonb_array_elements_text(g.chain)::bigint)
       FROM jsonb_to_recordset($begun::jsonb) AS g(rule_id bigint, rule_version integer, conversation_id bigint,
         event text, event_id bigint, message_id bigint, state text, reason text, started_at timestamptz,
         moment timestamptz, chain jsonb)
       ON CONFLICT DO NOTHING`,
      { workspaceId, begun: JSON.stringify(fresh) },
    );
}
