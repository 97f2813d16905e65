import { randomUUID } from 'node:crypto';
import type { MessageRow } from '../../../../../models';
import type { Ctx } from '../../../../core/context';
import { answerSql, noticeSql } from '../../conversations/rows';

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
 * Stores a message that is to be sent, in the surrounding transaction, and shows it as its conversation's last one. An
 * `answer` gets its place in the conversation's order of sends; a `notice`, an automatic message, keeps no order.
 */
export async function insertOutbound(
  ctx: Ctx,
  message: NewMessage,
  as: 'answer' | 'notice' = 'answer',
): Promise<StoredMessage> {
  const row = await insert(ctx, `${fresh}, place AS (${as === 'answer' ? answerSql : noticeSql})`, message, {
    direction: 'outbound',
    status: 'queued',
    deliveryState: 'queued',
    opaque: randomUUID(),
    deliverBy: new Date(ctx.runtime.clock.now().getTime() + deliverWithinMs),
  });
  if (!row) throw new Error('the message was not stored');
  return row;
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
