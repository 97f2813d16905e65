import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { readRatingId } from '../../resources/conversations/ratings';
import { messageFacts } from '../../resources/rules/conditions';
import { readSubjects, type RuleSubject } from '../../resources/rules/conversationFacts';
import { changedAs, createdAs, type Happened } from '../../resources/rules/starts';

/** What of a conversation is another at other times, by the names under which the activity notes it. */
export interface State {
  readonly conv_status: string;
  readonly priority: string;
  readonly assigned_member: number | null;
  readonly assigned_team_inbox: number | null;
  readonly tags: unknown;
  readonly custom_fields: Readonly<Record<string, unknown>>;
  readonly marketing_opt_out: boolean;
}

/** Something that happened to a conversation: what it did to rules, and to what they see. */
export interface Item {
  readonly at: Date;
  readonly happened: readonly Happened[];
  readonly set: Partial<State>;
  /** Rules caused it. */
  readonly byRule: boolean;
  /** The customer wrote; `asks`: something that wants an answer. */
  readonly inbound?: { readonly asks: boolean; readonly counts: boolean };
  readonly answers?: boolean;
  readonly number?: string | null;
  /** The rule that sent it. */
  readonly ruleId?: number | null;
}

/** The history of one conversation since a time, and how it was then. */
export interface Past {
  readonly subject: RuleSubject;
  readonly receiverId: string;
  readonly name: string;
  readonly phone: string | null;
  readonly bsuid: string | null;
  readonly state: State;
  readonly inbound: number;
  readonly lastInboundAt: Date | null;
  readonly waits: boolean;
  readonly number: string | null;
  readonly episodes: readonly Date[];
  /** When the rule was last applied before. */
  readonly appliedAt: Date | null;
  readonly items: readonly Item[];
}

/** Returns the conversations in which something happened since a time, the oldest first. */
export async function activeSince(ctx: Ctx, from: Date): Promise<number[]> {
  // SQL: one list of two tables.
  const rows = await ctx.runtime.db.rows<{ id: number }>(
    `SELECT id FROM conversations WHERE workspace_id = $workspaceId AND updated_at >= $from
     UNION SELECT id FROM contacts WHERE workspace_id = $workspaceId AND updated_at >= $from
     ORDER BY id`,
    { workspaceId: ctx.workspaceId, from },
  );
  return rows.map(({ id }) => id);
}

interface Before {
  readonly id: number;
  readonly receiver_id: string;
  readonly name: string;
  readonly phone: string | null;
  readonly bsuid: string | null;
  readonly inbound: number;
  readonly inbound_at: Date | null;
  readonly answered_at: Date | null;
  readonly episodes: readonly string[];
  readonly applied_at: Date | null;
}

/** SQL: whether a message `m` is an answer: of a member, key or agent, or of a person in the phone's app. */
const answersSql = `(m.direction = 'outbound' AND m.rule_id IS NULL AND m.broadcast_id IS NULL
  AND m.origin IN ('api', 'dashboard', 'agent', 'macro', 'phone_app'))`;

interface MessageRow {
  readonly id: number;
  readonly conversation_id: number;
  readonly direction: 'inbound' | 'outbound';
  readonly type: string;
  readonly body: unknown;
  readonly standby: boolean;
  readonly answers: boolean;
  readonly rule_id: number | null;
  readonly number: string | null;
  readonly created_at: Date;
}

interface EventRow {
  readonly id: number;
  readonly subject_id: number;
  readonly kind: string;
  readonly changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  readonly message_id: number | null;
  readonly imported: boolean;
  readonly by_rule: boolean;
  readonly transaction_id: number;
  readonly created_at: Date;
}

/** Reads what happened to conversations from a time on, in as many statements as for one. */
export async function readPasts(ctx: Ctx, ids: readonly number[], from: Date, ruleId: number | null): Promise<Past[]> {
  const { db } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, ids: [...ids], from };
  const subjects = await readSubjects(ctx, ids);
  const before = await db.rows<Before>(
    `SELECT c.id, c.receiver_id, c.name, c.phone, c.bsuid, coalesce(earlier.inbound, 0) AS inbound,
       earlier.inbound_at, earlier.answered_at,
       ARRAY(SELECT e.started_at::text FROM conversation_episodes e
         WHERE e.workspace_id = $workspaceId AND e.conversation_id = c.id ORDER BY e.started_at) AS episodes,
       (SELECT max(n.ended_at) FROM rule_runs n WHERE n.conversation_id = c.id AND n.rule_id = $ruleId
          AND n.state = 'applied' AND n.ended_at < $from) AS applied_at
     FROM contacts c CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE m.direction = 'inbound' AND m.type <> 'reaction')::int AS inbound,
         max(m.created_at) FILTER (WHERE m.direction = 'inbound') AS inbound_at,
         max(m.created_at) FILTER (WHERE ${answersSql}) AS answered_at
       FROM messages m
       WHERE m.workspace_id = $workspaceId AND m.conversation_id = c.id AND m.created_at < $from
         AND NOT m.is_import_placeholder) earlier
     WHERE ${ofWorkspace('c.workspace_id')} AND c.id = ANY($ids::bigint[])`,
    { ...bind, ruleId },
  );
  const messages = await db.rows<MessageRow>(
    `SELECT m.id, m.conversation_id, m.direction, m.type, m.body, m.standby, ${answersSql} AS answers, m.rule_id,
       (SELECT p.phone_number_id FROM phone_numbers p WHERE p.id = m.phone_number_id) AS number, m.created_at
     FROM messages m
     WHERE m.workspace_id = $workspaceId AND m.conversation_id = ANY($ids::bigint[]) AND m.created_at >= $from
       AND NOT m.is_import_placeholder
     ORDER BY m.created_at, m.id`,
    bind,
  );
  const events = await db.rows<EventRow>(
    // Elsewhere the id of a message is the platform's, which is no number.
    `SELECT e.id, e.subject_id, e.kind, e.changes,
       CASE WHEN e.kind IN ('reopened', 'rated') THEN (e.data->>'message_id')::bigint END AS message_id,
       coalesce(e.data->>'source' = 'import', false) AS imported,
       coalesce(e.request_id LIKE 'rule-run/%', false) AS by_rule, e.transaction_id, e.created_at
     FROM events e
     WHERE e.workspace_id = $workspaceId AND e.subject_type IN ('conversation', 'contact')
       AND e.subject_id = ANY($ids::bigint[]) AND e.created_at >= $from
     ORDER BY e.id`,
    bind,
  );
  const known = new Map(before.map((row) => [row.id, row]));
  const own = <T>(rows: readonly T[], idOf: (row: T) => number): Map<number, T[]> => {
    const by = new Map<number, T[]>();
    for (const row of rows) by.set(idOf(row), [...(by.get(idOf(row)) ?? []), row]);
    return by;
  };
  const messagesOf = own(messages, (row) => row.conversation_id);
  const eventsOf = own(events, (row) => row.subject_id);
  return subjects.flatMap((subject): Past[] => {
    const row = known.get(subject.id);
    if (!row) return [];
    const trail = eventsOf.get(subject.id) ?? [];
    const written = messagesOf.get(subject.id) ?? [];
    return [
      {
        subject,
        receiverId: row.receiver_id,
        name: row.name,
        phone: row.phone,
        bsuid: row.bsuid,
        state: stateBefore(subject, trail),
        inbound: row.inbound,
        lastInboundAt: row.inbound_at,
        waits: row.inbound_at !== null && (row.answered_at === null || row.answered_at < row.inbound_at),
        number: written[0]?.number ?? subject.phone_number_id,
        episodes: row.episodes.map((at) => new Date(at)),
        appliedAt: row.applied_at,
        items: itemsOf(subject.id, written, trail, row.inbound_at === null && row.answered_at === null),
      },
    ];
  });
}

const fields = [
  'conv_status',
  'priority',
  'assigned_member',
  'assigned_team_inbox',
  'tags',
  'marketing_opt_out',
] as const;

function setBy({ changes }: Pick<EventRow, 'changes'>, end: 'from' | 'to', state: State): State {
  const next: Record<string, unknown> = { ...state };
  for (const field of fields) if (changes[field]) next[field] = changes[field][end];
  const custom = changes['custom_fields']?.[end];
  if (typeof custom === 'object' && custom !== null) next['custom_fields'] = { ...state.custom_fields, ...custom };
  return next as unknown as State;
}

/** Returns how a conversation was before what its trail tells, from how it is now. */
function stateBefore(subject: RuleSubject, trail: readonly EventRow[]): State {
  const { conv_status, priority, assigned_member, assigned_team_inbox, tags, custom_fields, opted_out } = subject;
  const now: State = {
    ...{ conv_status, priority, assigned_member, assigned_team_inbox, tags, custom_fields },
    marketing_opt_out: opted_out,
  };
  return trail.toReversed().reduce((state, event) => setBy(event, 'from', state), now);
}

/** How far an opt-out or opt-in may be told from the message that asked for it. */
const sameMomentMs = 2_000;

function itemsOf(
  conversationId: number,
  messages: readonly MessageRow[],
  trail: readonly EventRow[],
  isNew: boolean,
): Item[] {
  const writes = new Map<string, EventRow[]>();
  for (const event of trail) {
    const key =
      event.message_id === null || event.kind !== 'reopened' ? `t${event.transaction_id}` : `m${event.message_id}`;
    writes.set(key, [...(writes.get(key) ?? []), event]);
  }
  const preferences = trail.filter(({ kind }) => kind === 'opted_out' || kind === 'opted_in');
  const items = messages.map((message, index): Item => {
    const opened = writes.get(`m${message.id}`) ?? [];
    writes.delete(`m${message.id}`);
    const isFirst = isNew && index === 0;
    return message.direction === 'inbound'
      ? inboundItem(conversationId, message, opened, isFirst, preferences)
      : {
          at: message.created_at,
          happened: [
            ...(message.answers
              ? [{ conversationId, event: 'conversation.answered' as const, eventId: message.id }]
              : []),
            ...(isFirst ? createdAs(conversationId, message.id, 'open') : []),
          ],
          set: {},
          byRule: message.rule_id !== null,
          answers: message.answers,
          number: message.number,
          ruleId: message.rule_id,
        };
  });
  for (const [key, events] of writes)
    if (key.startsWith('t')) items.push(writtenItem(conversationId, events, messages));
  return items.toSorted((left, right) => left.at.getTime() - right.at.getTime());
}

function inboundItem(
  conversationId: number,
  { id, type, body, standby, number, created_at: at }: MessageRow,
  opened: readonly EventRow[],
  isFirst: boolean,
  preferences: readonly EventRow[],
): Item {
  const facts = messageFacts(type, body);
  const isRating = readRatingId(facts.button_id) !== null;
  const isReaction = type === 'reaction';
  const isSilent = isRating || isReaction || type === 'system';
  const quiet =
    standby || preferences.some((event) => Math.abs(event.created_at.getTime() - at.getTime()) < sameMomentMs);
  const more = { message: { id, ...facts }, quiet };
  const change = opened[0]?.changes ?? {};
  return {
    at,
    happened: isSilent
      ? []
      : [
          { conversationId, event: 'message.received', eventId: id, ...more },
          ...(isFirst ? createdAs(conversationId, id, 'open', more) : []),
          ...changedAs(conversationId, id, change, more),
        ],
    set: setOf(opened),
    byRule: false,
    inbound: { asks: !isSilent && !standby, counts: !isReaction },
    number,
  };
}

const startsOfKinds: Readonly<Record<string, Happened['event']>> = {
  call_missed: 'call.missed',
  flow_submitted: 'flow.submitted',
  rated: 'conversation.rated',
};

/** Returns what one write did, which may have left several entries. */
function writtenItem(conversationId: number, events: readonly EventRow[], messages: readonly MessageRow[]): Item {
  const [first] = events;
  const changes = Object.assign(
    {},
    ...events.filter(({ imported }) => !imported).map((event) => event.changes),
  ) as EventRow['changes'];
  const eventId = first?.id ?? 0;
  return {
    at: first?.created_at ?? new Date(0),
    happened: [
      ...changedAs(conversationId, eventId, changes),
      ...events.flatMap(({ kind, id, message_id: messageId }) => {
        const event = startsOfKinds[kind];
        const by = messages.find((message) => message.id === messageId);
        const message = by && { id: by.id, ...messageFacts(by.type, by.body) };
        return event ? [{ conversationId, event, eventId: id, ...(message && { message }) }] : [];
      }),
    ],
    set: setOf(events),
    byRule: events.some(({ by_rule: byRule }) => byRule),
  };
}

/** Returns what entries of the trail set; custom values as a part of all. */
function setOf(events: readonly EventRow[]): Partial<State> {
  const set: Record<string, unknown> = {};
  for (const { changes } of events) {
    for (const field of fields) if (changes[field]) set[field] = changes[field].to;
    if (changes['custom_fields']) set['custom_fields'] = changes['custom_fields'].to;
  }
  return set as Partial<State>;
}
