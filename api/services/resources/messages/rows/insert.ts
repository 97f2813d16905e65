import { randomUUID } from 'node:crypto';
import type { MessageRow } from '../../../../../models';
import type { Ctx } from '../../../../core/context';
import { answerSql, noticesSql } from '../../conversations/rows';

/** How long an accepted message may wait for the upstream (contract 6). */
const deliverWithinMs = 24 * 3_600_000;

/** What a message may say beside its content, and what it says where it is left out. */
const defaults = {
  wamid: null,
  reply_to_wamid: '',
  referred_product: null,
  context: null,
  group_info: null,
  read: false,
  template_pk: null,
  sent_by_member_id: null,
  api_key_id: null,
  origin: 'api',
  dedupe_key: null,
} as const satisfies Partial<MessageRow>;

type Optional = keyof typeof defaults;

/** The columns of a message that its writer chooses. */
type NewMessage = Pick<MessageRow, 'conversation_id' | 'phone_number_id' | 'type' | 'body'> &
  Partial<Pick<MessageRow, Optional>>;

/** What was stored. */
export interface StoredMessage {
  readonly id: number;
  readonly created_at: Date;
}

const optional = Object.keys(defaults) as Optional[];
const jsonColumns: ReadonlySet<string> = new Set(['referred_product', 'context', 'group_info']);

/** Names of columns as a statement lists them. */
const columns = ['conversation_id', 'phone_number_id', 'type', 'body', ...optional]
  .map((name) => `"${name}"`)
  .join(', ');
const values = optional.map((name) => (jsonColumns.has(name) ? `$${name}::jsonb` : `$${name}`)).join(', ');

/** The one INSERT of a message: its id, its time and its place in the order of sends come from `place`. */
const insertSql = `
  INSERT INTO messages (id, workspace_id, ${columns},
    direction, message_status, delivery_state, opaque, deliver_by, send_seq, created_at, updated_at)
  SELECT place.id, $workspaceId, $conversationId, $numberPk, $type, $body::jsonb, ${values},
    $direction, $status, $deliveryState, $opaque, $deliverBy, place.send_seq, place.at, greatest(place.at, now())
  FROM place
  ON CONFLICT (workspace_id, wamid) WHERE wamid IS NOT NULL DO NOTHING
  RETURNING id, created_at`;

const fresh = `fresh AS MATERIALIZED (
  SELECT nextval(pg_get_serial_sequence('messages', 'id'))::bigint AS id, clock_timestamp()::timestamptz(3) AS at
)`;

/**
 * Stores a message that is to be sent, in the surrounding transaction, and shows it as its conversation's last one. It
 * gets its place in the conversation's order of sends.
 */
export async function insertOutbound(ctx: Ctx, message: NewMessage): Promise<StoredMessage> {
  const row = await insert(ctx, `${fresh}, place AS (${answerSql})`, message, {
    direction: 'outbound',
    status: 'queued',
    deliveryState: 'queued',
    opaque: randomUUID(),
    deliverBy: deliverBy(ctx),
  });
  if (!row) throw new Error('the message was not stored');
  return row;
}

const deliverBy = (ctx: Ctx): Date => new Date(ctx.runtime.clock.now().getTime() + deliverWithinMs);

/** An automatic message: it keeps no order, and its key says what it is for. */
export type Notice = Required<
  Pick<NewMessage, 'conversation_id' | 'phone_number_id' | 'body' | 'origin' | 'dedupe_key'> &
    Pick<NewMessage, 'template_pk' | 'sent_by_member_id' | 'api_key_id'>
>;

/**
 * Stores automatic templates that are to be sent, one per conversation at most, and shows each as its conversation's
 * last message. Returns their ids by their keys; of a key that is there already, the one that has it. SQL: one
 * statement for all.
 */
export async function insertNotices(ctx: Ctx, notices: readonly Notice[]): Promise<ReadonlyMap<string, number>> {
  if (notices.length === 0) return new Map();
  const rows = await ctx.runtime.db.rows<{ id: number; dedupe_key: string }>(
    `WITH known AS MATERIALIZED (
       SELECT id, dedupe_key FROM messages WHERE workspace_id = $workspaceId AND dedupe_key = ANY($keys::text[])
     ), given AS MATERIALIZED (
       SELECT * FROM jsonb_to_recordset($notices::jsonb) AS n(conversation_id bigint, phone_number_id bigint,
         body jsonb, origin text, dedupe_key text, template_pk bigint, sent_by_member_id bigint, api_key_id bigint)
       WHERE n.dedupe_key NOT IN (SELECT dedupe_key FROM known)
     ), place AS (${noticesSql('given', '$conversationIds')}
     ), stored AS (
       INSERT INTO messages (id, workspace_id, conversation_id, phone_number_id, direction, type, body, message_status,
         delivery_state, opaque, deliver_by, reply_to_wamid, template_pk, sent_by_member_id, api_key_id, origin,
         dedupe_key, created_at, updated_at)
       SELECT p.id, $workspaceId, g.conversation_id, g.phone_number_id, 'outbound', 'template', g.body, 'queued',
         'queued', gen_random_uuid(), $deliverBy, '', g.template_pk, g.sent_by_member_id, g.api_key_id, g.origin,
         g.dedupe_key, p.at, greatest(p.at, now())
       FROM place p JOIN given g ON g.conversation_id = p.conversation_id
       ORDER BY p.id
       RETURNING id, dedupe_key
     )
     SELECT id, dedupe_key FROM stored UNION ALL SELECT id, dedupe_key FROM known`,
    {
      workspaceId: ctx.workspaceId,
      notices: JSON.stringify(notices),
      conversationIds: notices.map((notice) => notice.conversation_id),
      keys: notices.map((notice) => notice.dedupe_key),
      deliverBy: deliverBy(ctx),
    },
  );
  return new Map(rows.map((row) => [row.dedupe_key, row.id]));
}

/** Stores a message that came in, once per wamid: null when it is a repetition. Its conversation is the caller's. */
export async function insertInbound(
  ctx: Ctx,
  message: NewMessage & { readonly wamid: string },
  createdAt: Date,
): Promise<StoredMessage | null> {
  const place = `place AS (
    SELECT nextval(pg_get_serial_sequence('messages', 'id'))::bigint AS id,
      $createdAt::timestamptz AS at, NULL::int AS send_seq
  )`;
  return insert(ctx, place, message, {
    direction: 'inbound',
    status: 'received',
    deliveryState: 'none',
    opaque: null,
    deliverBy: null,
    createdAt,
  });
}

/** Runs the insert. SQL, because the conversation's row is written by the same statement. */
async function insert(
  ctx: Ctx,
  place: string,
  message: NewMessage,
  state: Readonly<Record<string, unknown>>,
): Promise<StoredMessage | null> {
  const given = { ...defaults, ...message };
  const stored = (name: Optional): unknown =>
    jsonColumns.has(name) && given[name] !== null ? JSON.stringify(given[name]) : given[name];
  return ctx.runtime.db.row<StoredMessage>(`WITH ${place} ${insertSql}`, {
    ...Object.fromEntries(optional.map((name) => [name, stored(name)])),
    workspaceId: ctx.workspaceId,
    conversationId: given.conversation_id,
    numberPk: given.phone_number_id,
    type: given.type,
    body: JSON.stringify(given.body),
    ...state,
  });
}
