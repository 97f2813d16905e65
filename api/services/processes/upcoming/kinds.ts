import type { ScheduledMessageRow } from '../../../../models';
import type { HeldReason } from '../../../../models/enums';
import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { of } from '../../../core/db/scoped';
import type { Reason } from '../../../core/http/reasons';
import { cut } from '../../../core/text/cut';
import { getWorkspace } from '../../identity/workspaces/service';
import { isConversationHeld, isOnHold } from '../../resources/accounts/fence';
import { audienceSql, skipReasonSql } from '../../resources/broadcasts/audience';
import { readAudience } from '../../resources/broadcasts/content';
import { windowEnd } from '../../resources/conversations/rows';
import type { ConversationView } from '../../resources/conversations/serializer';
import { sentText } from '../../resources/messages/preview';
import { isAuthentication } from '../../resources/templates/requiredParts';
import { templatesByIds } from '../../resources/templates/service';
import { foreseeHold } from '../outbound/sendLater';
import { say } from '../texts';
import {
  allowed,
  answersOf,
  api,
  conversationPath,
  inboxLink,
  type LaterMessage,
  type Surroundings,
  type Upcoming,
  type UpcomingKind,
} from './common';
import { ruleWaits } from './rules';

/** How much of a text is told. */
const toldCharacters = 140;

/** How many broadcasts are asked whether they will reach the customer, the next ones first. */
const maxBroadcasts = 20;

const snooze: UpcomingKind = {
  mayWait: `EXISTS (
    SELECT 1 FROM conversations v
    WHERE v.workspace_id = $workspaceId AND v.id = $conversationId AND v.conv_status = 'snoozed')`,
  find: async (ctx, conversation) => {
    const { conv_status: status, snoozed_until: until } = conversation;
    if (status !== 'snoozed' || until === null) return [];
    const patch = { method: 'PATCH', path: conversationPath(conversation) } as const;
    return [
      {
        kind: 'snooze',
        at: until,
        text: say('snoozeEnds'),
        link: inboxLink(conversation),
        actions: allowed(ctx, 'chat.assign', [
          { ...patch, name: 'now', body: { conv_status: 'open' }, takes: null },
          { ...patch, name: 'later', body: { conv_status: 'snoozed' }, takes: 'snoozed_until' },
        ]),
      },
    ];
  },
};

/** Returns what says of each message what its template says, or null where it has none. */
async function saidBy(
  ctx: Ctx,
  rows: readonly { readonly template_pk: number | null }[],
): Promise<(row: { readonly template_pk: number | null }) => unknown> {
  const ids = rows.flatMap((row) => row.template_pk ?? []);
  const templates = ids.length === 0 ? null : await templatesByIds(ctx, ids);
  return ({ template_pk: pk }) => (pk === null ? null : (templates?.get(pk)?.components ?? null));
}

async function readSurroundings(ctx: Ctx, conversation: ConversationView): Promise<Surroundings> {
  const [rows, isHeld] = await Promise.all([
    of(ctx, ctx.runtime.db.models.ScheduledMessage).findAll({
      where: { conversation_id: conversation.id, state: 'scheduled' },
      raw: true,
    }),
    isConversationHeld(ctx, conversation.id),
  ]);
  if (rows.length === 0) return { isHeld, messages: [] };
  const { plan, trial_ends_at: trialEnds } = await getWorkspace(ctx);
  const isAfter = (time: Date | null, at: Date): boolean => time !== null && time <= at;
  const held = onceFor((number: number | null) => isOnHold(ctx.runtime, number));
  const closes = onceFor((number: number | null) => windowEnd(ctx, conversation.id, number === null ? [] : [number]));
  const stopped = onceFor((row: ScheduledMessageRow) => foreseeHold(ctx, row, conversation));
  const messages: LaterMessage[] = [];
  for (const row of rows) {
    const { phone_number_id: number, send_at: at } = row;
    // All that a send is refused for: those that agree in it are asked about once. The words of a text do not matter.
    const content = [row.type, row.file_id, row.type === 'text' ? null : row.body];
    const sender = [row.sent_by_member_id, row.api_key_id, row.oauth_grant_id];
    const times = [isAfter(await closes(number, number), at), !plan && isAfter(trialEnds, at)];
    messages.push({
      row,
      isHeld: await held(number, number),
      stops: await stopped([number, content, sender, times], row),
    });
  }
  return { isHeld, messages };
}

/** Returns a function that asks once for each key and remembers what it heard. */
function onceFor<Asked, Told>(ask: (asked: Asked) => Promise<Told>): (key: unknown, asked: Asked) => Promise<Told> {
  const known = new Map<string, Promise<Told>>();
  return (key, asked) => {
    const text = JSON.stringify(key);
    const answer = known.get(text) ?? ask(asked);
    known.set(text, answer);
    return answer;
  };
}

/** What will keep a message from being sent, said before. */
const stopTexts: Partial<Record<HeldReason, Parameters<typeof say>[0]>> = {
  window_closed: 'heldByWindow',
  opted_out: 'heldByOptOut',
  template: 'heldByTemplate',
  number: 'heldByNumber',
  member: 'heldByMember',
  trial: 'heldByTrial',
};

function messageText({ isHeld, stops }: LaterMessage, words: string): Reason {
  if (stops !== null) return say('messageHeld', { why: say(stopTexts[stops] ?? 'heldAsRefused'), words });
  return say(isHeld ? 'messageAfterHold' : 'messageSent', { words });
}

const scheduledMessages: UpcomingKind = {
  mayWait: `EXISTS (
    SELECT 1 FROM scheduled_messages s
    WHERE s.workspace_id = $workspaceId AND s.conversation_id = $conversationId AND s.state = 'scheduled')`,
  find: async (ctx, conversation, { messages }) => {
    const said = await saidBy(
      ctx,
      messages.map(({ row }) => row),
    );
    return messages.map((message) => {
      const { row } = message;
      const { id, send_at: at } = row;
      const body = row.body as Readonly<Record<string, unknown>>;
      const path = `${api}/messages/${id}/`;
      return {
        kind: 'message',
        at,
        text: messageText(message, told(sentText(body, said(row)))),
        link: `${inboxLink(conversation)}#m-${id}`,
        actions: allowed(ctx, 'chat.send_message', [
          { name: 'now', method: 'POST', path: `${path}send-now/`, body: {}, takes: null },
          { name: 'later', method: 'PATCH', path, body: {}, takes: 'send_at' },
          { name: 'not', method: 'DELETE', path, body: {}, takes: null },
        ]),
      };
    });
  },
};

/** SQL: a broadcast `b` begins at a moment. */
const comesSql = `b.status = 'scheduled' AND b.scheduled_at IS NOT NULL`;

const broadcasts: UpcomingKind = {
  mayWait: `EXISTS (SELECT 1 FROM broadcasts b WHERE b.workspace_id = $workspaceId AND ${comesSql})`,
  find: async (ctx, conversation, { isHeld }) => {
    if (!ctx.scopes.has('broadcast.manage')) return [];
    const { db } = ctx.runtime;
    const scheduled = await db.rows<{
      id: number;
      name: string;
      scheduled_at: Date;
      audience: unknown;
      category: string;
      components: unknown;
      status: string;
    }>(
      `SELECT b.id, b.name, b.scheduled_at, b.audience, t.category, t.components, t.status
       FROM broadcasts b JOIN templates t ON t.id = b.template_pk AND t.workspace_id = b.workspace_id
       WHERE b.workspace_id = $workspaceId AND ${comesSql}
       ORDER BY b.scheduled_at LIMIT ${maxBroadcasts}`,
      { workspaceId: ctx.workspaceId },
    );
    const reached: Upcoming[] = [];
    for (const { id, name, scheduled_at: at, audience, ...template } of scheduled) {
      // SQL: the statement that freezes an audience, asked about one person.
      const { sql, bind } = await audienceSql(ctx, readAudience(audience));
      const found = await db.row(
        `WITH ${sql} SELECT 1 AS found FROM picked p JOIN contacts c ON c.id = p.contact_id
         WHERE p.contact_id = $askedId AND ${skipReasonSql} IS NULL`,
        { ...bind, askedId: conversation.contact_id, authentication: isAuthentication(template) },
      );
      if (found)
        reached.push({
          kind: 'broadcast',
          at,
          text: say(beginningOf(template, isHeld), { name }),
          link: `/dashboard/broadcasts/${id}/`,
          // For all whom it reaches, so the page that says who they are asks once more.
          actions: [
            { name: 'not', method: 'POST', path: `${api}/broadcasts/${id}/unschedule/`, body: {}, takes: null },
          ],
        });
    }
    return reached;
  },
};

function beginningOf({ status }: { readonly status: string }, isHeld: boolean): Parameters<typeof say>[0] {
  if (status !== 'APPROVED') return 'broadcastFails';
  return isHeld ? 'broadcastAfterHold' : 'broadcastBegins';
}

/** The deadlines of the conversation (without an id) or of a ticket of its customer. */
interface Promised {
  readonly ticket: number | null;
  readonly title: string;
  readonly first: Date | null;
  readonly resolution: Date | null;
}

/** SQL: the clock of the conversation `v` runs. */
const conversationRunsSql = `v.id = $conversationId AND NOT v.sla_breached AND v.sla_stopped_at IS NULL`;
/** SQL: the clock of a ticket `t` of its customer runs. */
const ticketRunsSql = `t.receiver_id = $contactId
  AND NOT t.sla_breached AND t.closed_at IS NULL AND t.sla_paused_at IS NULL`;

const serviceLevels: UpcomingKind = {
  mayWait: `(EXISTS (
    SELECT 1 FROM conversations v
    WHERE v.workspace_id = $workspaceId AND ${conversationRunsSql}
      AND coalesce(v.sla_first_response_deadline, v.sla_resolution_deadline) IS NOT NULL)
    OR EXISTS (SELECT 1 FROM tickets t WHERE ${ofWorkspace('t.workspace_id')} AND ${ticketRunsSql}))`,
  find: async (ctx, conversation, { messages }) => {
    // SQL: the clocks that run, of two tables.
    const rows = await ctx.runtime.db.rows<Promised>(
      `SELECT NULL::bigint AS ticket, '' AS title,
         CASE WHEN v.sla_responded_at IS NULL THEN v.sla_first_response_deadline END AS first,
         v.sla_resolution_deadline AS resolution
       FROM conversations v
       WHERE v.workspace_id = $workspaceId AND ${conversationRunsSql}
       UNION ALL
       SELECT t.id, t.title, CASE WHEN t.first_response_at IS NULL THEN t.first_response_sla END, t.resolution_sla
       FROM tickets t
       WHERE ${ofWorkspace('t.workspace_id')} AND ${ticketRunsSql} AND $seesTickets`,
      {
        workspaceId: ctx.workspaceId,
        conversationId: conversation.id,
        contactId: conversation.contact_id,
        seesTickets: ctx.scopes.has('ticket.view'),
      },
    );
    const answers = answersOf(messages);
    return rows.flatMap(({ ticket, title, first: promised, resolution }): Upcoming[] => {
      const first = promised !== null && answers.some((at) => at < promised) ? null : promised;
      const isFirst = first !== null && (resolution === null || first <= resolution);
      const at = isFirst ? first : resolution;
      if (at === null) return [];
      const ofConversation = isFirst ? 'firstAnswerDue' : 'conversationDue';
      const ofTicket = isFirst ? 'ticketAnswerDue' : 'ticketDue';
      // Of several deadlines the first that is missed counts: nothing is told of the others then.
      return [
        {
          kind: 'service_level',
          at,
          text: ticket === null ? say(ofConversation) : say(ofTicket, { title: told(title) }),
          link: ticket === null ? inboxLink(conversation) : `/dashboard/tickets/${ticket}/`,
          actions: [],
        },
      ];
    });
  },
};

/** SQL: an approval `a` waits that sends to the customer, by what stands in the sends that were frozen. */
const asksSql = `a.status = 'pending' AND a.expires_at IS NOT NULL
  AND (a.frozen @> jsonb_build_array(jsonb_build_object('to', jsonb_build_object('id', $contactId::bigint)))
    OR a.frozen @> jsonb_build_array(jsonb_build_object('recipients',
      jsonb_build_array(jsonb_build_object('id', $contactId::bigint)))))`;

const approvals: UpcomingKind = {
  mayWait: `EXISTS (SELECT 1 FROM approvals a WHERE a.workspace_id = $workspaceId AND ${asksSql})`,
  find: async (ctx, conversation) => {
    const rows = await ctx.runtime.db.rows<{ id: number; connection_name: string; expires_at: Date; digest: string }>(
      `SELECT a.id, a.connection_name, a.expires_at, a.digest FROM approvals a
       WHERE a.workspace_id = $workspaceId AND ${asksSql}`,
      { workspaceId: ctx.workspaceId, contactId: conversation.contact_id },
    );
    return rows.map(({ id, connection_name: name, expires_at: at, digest }) => {
      const path = `${api}/approvals/${id}/`;
      return {
        kind: 'approval',
        at,
        text: say('approvalExpires', { name }),
        link: `/dashboard/approvals/${id}/`,
        // Whether the member may decide, the call says: a macro asks for more.
        actions: allowed(ctx, 'chat.send_message', [
          { name: 'now', method: 'POST', path: `${path}approve/`, body: { digest }, takes: null },
          { name: 'not', method: 'POST', path: `${path}reject/`, body: { digest }, takes: null },
        ]),
      };
    });
  },
};

/** SQL: a message `m` of the conversation waits after a try in vain. */
const refusedSql = `m.conversation_id = $conversationId
  AND m.delivery_state = 'queued' AND m.send_seq IS NOT NULL AND m.attempts > 0`;

const retries: UpcomingKind = {
  mayWait: `EXISTS (SELECT 1 FROM messages m WHERE m.workspace_id = $workspaceId AND ${refusedSql})`,
  find: async (ctx, conversation, { isHeld }) => {
    // SQL, by the database's clock.
    const rows = await ctx.runtime.db.rows<{
      id: number;
      at: Date;
      body: Record<string, unknown>;
      template_pk: number | null;
      attempts: number;
    }>(
      `SELECT m.id, m.next_attempt_at AS at, m.body, m.template_pk, m.attempts
       FROM messages m
       WHERE m.workspace_id = $workspaceId AND ${refusedSql} AND m.next_attempt_at > ${dueNowSql(ctx.runtime.clock)}
       ORDER BY m.send_seq LIMIT 50`,
      { workspaceId: ctx.workspaceId, conversationId: conversation.id },
    );
    const said = await saidBy(ctx, rows);
    return rows.map((row) => ({
      kind: 'retry',
      at: row.at,
      text: isHeld
        ? say('triedAfterHold', { words: told(sentText(row.body, said(row))) })
        : say('triedAgain', { attempt: row.attempts + 1, words: told(sentText(row.body, said(row))) }),
      link: `${inboxLink(conversation)}#m-${row.id}`,
      actions: [],
    }));
  },
};

const told = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > toldCharacters ? `${cut(line, toldCharacters)}…` : line;
};

/** Everything that waits for a moment: what is added to the service adds its kind here. */
const upcomingKinds: readonly UpcomingKind[] = [
  snooze,
  scheduledMessages,
  broadcasts,
  ruleWaits,
  serviceLevels,
  approvals,
  retries,
];

/** Returns what will happen to a conversation by itself, the next one first. */
export async function listUpcoming(ctx: Ctx, conversation: ConversationView): Promise<Upcoming[]> {
  // SQL: of several tables, in one statement.
  const row = await ctx.runtime.db.row<{ may_wait: readonly boolean[] }>(
    `SELECT ARRAY[${upcomingKinds.map(({ mayWait }) => mayWait).join(', ')}] AS may_wait`,
    { workspaceId: ctx.workspaceId, conversationId: conversation.id, contactId: conversation.contact_id },
  );
  const kinds = upcomingKinds.filter((_kind, place) => row?.may_wait[place]);
  if (kinds.length === 0) return [];
  const around = await readSurroundings(ctx, conversation);
  const found = await Promise.all(kinds.map(({ find }) => find(ctx, conversation, around)));
  return found.flat().sort((left, right) => left.at.getTime() - right.at.getTime());
}
