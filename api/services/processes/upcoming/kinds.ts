import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import type { Scope } from '../../../core/http/access';
import { cut } from '../../../core/text/cut';
import { audienceSql, skipReasonSql } from '../../resources/broadcasts/audience';
import { readAudience } from '../../resources/broadcasts/content';
import type { ConversationView } from '../../resources/conversations/serializer';
import { sentText } from '../../resources/messages/preview';
import { isAuthentication } from '../../resources/templates/needs';
import { templatesByIds } from '../../resources/templates/service';

/** What a member may do about something that will happen: do it at once, put it off, or keep it from happening. */
interface UpcomingAction {
  readonly name: 'now' | 'later' | 'not';
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The field that takes the other moment. */
  readonly takes: string | null;
}

/** Something that will happen to a conversation by itself. */
export interface Upcoming {
  readonly kind: 'snooze' | 'message' | 'broadcast' | 'rule' | 'service_level' | 'approval' | 'retry';
  readonly at: Date;
  readonly text: string;
  /** The page that shows it. */
  readonly link: string;
  readonly actions: readonly UpcomingAction[];
}

/** What is looked for: one function for each kind of what waits. */
type UpcomingKind = (ctx: Ctx, conversation: ConversationView) => Promise<Upcoming[]>;

/** How much of a text is told. */
const toldCharacters = 140;

/** How many broadcasts are asked whether they will reach the customer, the next ones first. */
const maxBroadcasts = 20;

const api = '/api/v1';
const inboxLink = ({ receiver_id: handle }: ConversationView): string =>
  `/dashboard/inbox/${encodeURIComponent(handle)}/?view=all`;
const conversationPath = ({ receiver_id: handle }: ConversationView): string =>
  `${api}/conversations/${encodeURIComponent(handle)}/`;

/** Returns the actions that the caller may take. */
function allowed(ctx: Ctx, scope: Scope, actions: readonly UpcomingAction[]): readonly UpcomingAction[] {
  return ctx.scopes.has(scope) ? actions : [];
}

const snooze: UpcomingKind = async (ctx, conversation) => {
  const { conv_status: status, snoozed_until: until } = conversation;
  if (status !== 'snoozed' || until === null) return [];
  const patch = { method: 'PATCH', path: conversationPath(conversation) } as const;
  return [
    {
      kind: 'snooze',
      at: until,
      text: 'The snooze ends: the conversation opens again.',
      link: inboxLink(conversation),
      actions: allowed(ctx, 'chat.assign', [
        { ...patch, name: 'now', body: { conv_status: 'open' }, takes: null },
        { ...patch, name: 'later', body: { conv_status: 'snoozed' }, takes: 'snoozed_until' },
      ]),
    },
  ];
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

const scheduledMessages: UpcomingKind = async (ctx, conversation) => {
  const rows = await of(ctx, ctx.runtime.db.models.ScheduledMessage).findAll({
    attributes: ['id', 'send_at', 'body', 'template_pk'],
    where: { conversation_id: conversation.id, state: 'scheduled' },
    raw: true,
  });
  const said = await saidBy(ctx, rows);
  return rows.map((row) => {
    const { id, send_at: at } = row;
    const body = row.body as Readonly<Record<string, unknown>>;
    const path = `${api}/messages/${id}/`;
    return {
      kind: 'message',
      at,
      text: `A message is sent: ${told(sentText(body, said(row)))}`,
      link: `${inboxLink(conversation)}#m-${id}`,
      actions: allowed(ctx, 'chat.send_message', [
        { name: 'now', method: 'POST', path: `${path}send-now/`, body: {}, takes: null },
        { name: 'later', method: 'PATCH', path, body: {}, takes: 'send_at' },
        { name: 'not', method: 'DELETE', path, body: {}, takes: null },
      ]),
    };
  });
};

const broadcasts: UpcomingKind = async (ctx, conversation) => {
  if (!ctx.scopes.has('broadcast.manage')) return [];
  const { db } = ctx.runtime;
  const scheduled = await db.rows<{
    id: number;
    name: string;
    scheduled_at: Date;
    audience: unknown;
    category: string;
    components: unknown;
  }>(
    `SELECT b.id, b.name, b.scheduled_at, b.audience, t.category, t.components
     FROM broadcasts b JOIN templates t ON t.id = b.template_pk AND t.workspace_id = b.workspace_id
     WHERE b.workspace_id = $workspaceId AND b.status = 'scheduled' AND b.scheduled_at IS NOT NULL
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
        text: `The broadcast “${name}” begins.`,
        link: `/dashboard/broadcasts/${id}/`,
        actions: [],
      });
  }
  return reached;
};

const ruleWaits: UpcomingKind = async (ctx, conversation) => {
  // SQL: each with the names of its rule and macro. What is paused, braked or left alone waits for no moment.
  const rows = await ctx.runtime.db.rows<{ id: number; at: Date; name: string; macro: string | null }>(
    `SELECT r.id, n.look_at AS at, r.name, m.name AS macro
     FROM rule_runs n
     JOIN rules r ON r.id = n.rule_id AND r.workspace_id = n.workspace_id AND r.state = 'on'
     JOIN workspaces w ON w.id = n.workspace_id AND w.rule_brake IS NULL
     LEFT JOIN macros m ON m.id = r.macro_id AND m.workspace_id = r.workspace_id
     WHERE n.workspace_id = $workspaceId AND n.conversation_id = $conversationId AND n.state = 'waiting'
       AND n.look_at IS NOT NULL`,
    { workspaceId: ctx.workspaceId, conversationId: conversation.id },
  );
  return rows.map(({ id, at, name, macro }) => ({
    kind: 'rule',
    at,
    text: `The rule “${name}” looks whether to run “${macro ?? ''}”.`,
    link: ctx.scopes.has('macro.view') ? `/dashboard/rules/${id}/` : inboxLink(conversation),
    actions: [],
  }));
};

const serviceLevels: UpcomingKind = async (ctx, conversation) => {
  const row = await ctx.runtime.db.row<{ first: Date | null; resolution: Date | null }>(
    // A message that is sent before is an answer.
    `SELECT CASE WHEN v.sla_responded_at IS NULL AND NOT EXISTS (
         SELECT FROM scheduled_messages s WHERE s.workspace_id = v.workspace_id AND s.conversation_id = v.id
           AND s.state = 'scheduled' AND s.send_at < v.sla_first_response_deadline)
         THEN v.sla_first_response_deadline END AS first, v.sla_resolution_deadline AS resolution
     FROM conversations v
     WHERE v.workspace_id = $workspaceId AND v.id = $conversationId
       AND NOT v.sla_breached AND v.sla_stopped_at IS NULL`,
    { workspaceId: ctx.workspaceId, conversationId: conversation.id },
  );
  const { first = null, resolution = null } = row ?? {};
  const isFirst = first !== null && (resolution === null || first <= resolution);
  const at = isFirst ? first : resolution;
  if (at === null) return [];
  const text = isFirst ? 'The time for the first answer ends.' : 'The time for resolving the conversation ends.';
  // Of several deadlines the first that is missed counts: nothing is told of the others then.
  return [{ kind: 'service_level', at, text, link: inboxLink(conversation), actions: [] }];
};

const approvals: UpcomingKind = async (ctx, conversation) => {
  // SQL: by what stands in the sends that were frozen.
  const rows = await ctx.runtime.db.rows<{ id: number; connection_name: string; expires_at: Date; digest: string }>(
    `SELECT id, connection_name, expires_at, digest FROM approvals
     WHERE workspace_id = $workspaceId AND status = 'pending' AND expires_at IS NOT NULL
       AND (frozen @> jsonb_build_array(jsonb_build_object('to', jsonb_build_object('id', $contactId::bigint)))
         OR frozen @> jsonb_build_array(jsonb_build_object('recipients',
           jsonb_build_array(jsonb_build_object('id', $contactId::bigint)))))`,
    { workspaceId: ctx.workspaceId, contactId: conversation.contact_id },
  );
  return rows.map(({ id, connection_name: name, expires_at: at, digest }) => {
    const path = `${api}/approvals/${id}/`;
    return {
      kind: 'approval',
      at,
      text: `What ${name} asks for expires, and is not sent.`,
      link: `/dashboard/approvals/${id}/`,
      // Whether the member may decide, the call says: a macro asks for more.
      actions: allowed(ctx, 'chat.send_message', [
        { name: 'now', method: 'POST', path: `${path}approve/`, body: { digest }, takes: null },
        { name: 'not', method: 'POST', path: `${path}reject/`, body: { digest }, takes: null },
      ]),
    };
  });
};

const retries: UpcomingKind = async (ctx, conversation) => {
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
     WHERE m.workspace_id = $workspaceId AND m.conversation_id = $conversationId AND m.delivery_state = 'queued'
       AND m.send_seq IS NOT NULL AND m.attempts > 0 AND m.next_attempt_at > ${dueNowSql(ctx.runtime.clock)}
     ORDER BY m.send_seq LIMIT 50`,
    { workspaceId: ctx.workspaceId, conversationId: conversation.id },
  );
  const said = await saidBy(ctx, rows);
  return rows.map((row) => ({
    kind: 'retry',
    at: row.at,
    text: `A message is tried again (attempt ${row.attempts + 1}): ${told(sentText(row.body, said(row)))}`,
    link: `${inboxLink(conversation)}#m-${row.id}`,
    actions: [],
  }));
};

const told = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > toldCharacters ? `${cut(line, toldCharacters)}…` : line;
};

/** Everything that waits for a moment: what is added to the service adds its function here. */
export const upcomingKinds: readonly UpcomingKind[] = [
  snooze,
  scheduledMessages,
  broadcasts,
  ruleWaits,
  serviceLevels,
  approvals,
  retries,
];
