import { Op } from 'sequelize';
import { concernKinds, type ConcernKind } from '../../../../models/enums';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';
import { boolean, choice, described, input, list, pk, type InputOf } from '../../../core/http/fields';
import type { Page } from '../../../core/http/operations';
import { listPage, pagingQuery } from '../../../core/http/paging';
import { from, shapeOf, wire } from '../../../core/http/shapes';
import { userFromJson, userJsonSql, type UserJson } from '../../identity/members/userColumns';
import { userObject, userObjectShape } from '../../identity/members/userObject';

/** Something that concerns a member, with what it is about. */
interface ConcernView {
  readonly id: number;
  readonly kind: ConcernKind;
  readonly receiver_id: string | null;
  readonly ticket_id: number | null;
  readonly source_id: number | null;
  readonly title: string;
  readonly excerpt: string;
  readonly actor: UserJson | null;
  readonly created_at: Date;
  readonly read_at: Date | null;
}

/** Something that concerns a member (contract 18.9). */
export const { schema: concernShape, serialize: serializeConcern } = shapeOf<ConcernView>('Concern').with({
  id: wire.integer(),
  kind: {
    ...wire.oneOf(concernKinds),
    description: '`mention`, `assigned`, `failed` (a message of yours) or `held` (a message for later).',
  },
  receiver_id: wire.nullable(wire.text('Of the customer; null where it is a ticket.')),
  ticket_id: wire.nullable(wire.integer()),
  source_id: wire.nullable(wire.integer('By `kind`: the note or comment, or the message; it may be gone.')),
  title: wire.text('The customer, or the title of the ticket.'),
  excerpt: wire.text('The beginning of the note, comment or message; empty without one.'),
  actor: from(wire.nullable(userObjectShape), ({ actor }) => (actor === null ? null : userObject(userFromJson(actor)))),
  created_at: wire.datetime(),
  read_at: wire.nullable(wire.datetime()),
});

/** `GET /concerns/`. */
export const listConcernsQuery = input({
  kind: described(choice(concernKinds), 'Only of this kind.'),
  unread: described(boolean(), 'Only what you have not read, or only what you have.'),
  ...pagingQuery,
});

/** `POST /concerns/read/`. */
export const readConcernsInput = input({
  ids: described(list(pk(), { max: 200 }), 'Those that you have read. Left out: all.', [17]),
});

const excerptLength = 300;

/** SQL: those of the acting member that they may see now. */
const ownSql = `k.workspace_id = $workspaceId AND k.member_id = $memberId
  AND ((k.conversation_id IS NOT NULL AND $chats) OR (k.ticket_id IS NOT NULL AND $tickets))`;

const ownBind = (ctx: Ctx) => ({
  workspaceId: ctx.workspaceId,
  memberId: ctx.actor.memberId,
  chats: ctx.scopes.has('chat.view'),
  tickets: ctx.scopes.has('ticket.view'),
});

/** Lists what concerns the acting member, newest first. */
export async function listConcerns(ctx: Ctx, query: InputOf<typeof listConcernsQuery>): Promise<Page<ConcernView>> {
  const { kind, unread, ...paging } = query;
  return listPage<Omit<ConcernView, 'id'>>(
    ctx,
    {
      select: `k.kind, c.receiver_id, k.ticket_id, k.source_id, k.created_at, k.read_at, ${userJsonSql('a')} AS actor,
        coalesce(t.title, nullif(c.name, ''), '@' || nullif(c.username, ''), '+' || c.phone, c.receiver_id) AS title,
        left(coalesce(n.body, o.body, m.said, message_text(coalesce(m.body, s.body))), ${excerptLength}) AS excerpt`,
      from: 'concerns k',
      // By their ids, whatever the planner knows (`ofWorkspace`). A conversation has the id of its contact.
      joins: `LEFT JOIN contacts c ON c.id = k.conversation_id AND ${ofWorkspace('c.workspace_id')}
        LEFT JOIN tickets t ON t.id = k.ticket_id AND ${ofWorkspace('t.workspace_id')}
        LEFT JOIN members a ON a.id = k.actor_member_id AND ${ofWorkspace('a.workspace_id')}
        LEFT JOIN conversation_notes n ON k.kind = 'mention' AND n.id = k.source_id AND k.conversation_id IS NOT NULL
          AND ${ofWorkspace('n.workspace_id')}
        LEFT JOIN ticket_comments o ON k.kind = 'mention' AND o.id = k.source_id AND k.ticket_id IS NOT NULL
          AND ${ofWorkspace('o.workspace_id')}
        LEFT JOIN messages m ON k.kind = 'failed' AND m.id = k.source_id AND ${ofWorkspace('m.workspace_id')}
        LEFT JOIN scheduled_messages s ON k.kind = 'held' AND s.id = k.source_id AND ${ofWorkspace('s.workspace_id')}`,
      where: [
        ownSql,
        ...(kind === undefined ? [] : ['k.kind = $kind']),
        ...(unread === undefined ? [] : [`k.read_at IS ${unread ? '' : 'NOT '}NULL`]),
      ],
      bind: { ...ownBind(ctx), ...(kind === undefined ? {} : { kind }) },
      idSql: 'k.id',
      columns: { created_at: { sql: 'k.created_at', type: 'timestamptz' } },
      defaultOrdering: '-created_at',
    },
    paging,
  );
}

/** What is unread, by what it is about. */
export interface UnreadConcern {
  readonly id: number;
  readonly receiver_id: string | null;
  readonly ticket_id: number | null;
}

/** Returns what the acting member has not read, the newest first, so many at most. */
export async function unreadConcerns(ctx: Ctx, most: number): Promise<UnreadConcern[]> {
  // A list with its join, for every page: one step through the index of what is unread.
  return ctx.runtime.db.rows<UnreadConcern>(
    `SELECT k.id, c.receiver_id, k.ticket_id
     FROM concerns k LEFT JOIN contacts c ON c.id = k.conversation_id AND ${ofWorkspace('c.workspace_id')}
     WHERE ${ownSql} AND k.read_at IS NULL ORDER BY k.created_at DESC, k.id DESC LIMIT $most`,
    { ...ownBind(ctx), most },
  );
}

/** Marks some of what concerns the acting member as read, or all of it; what is not theirs is left alone. */
export async function readConcerns(ctx: Ctx, ids: readonly number[] | undefined): Promise<void> {
  await of(ctx, ctx.runtime.db.models.Concern).update(
    { read_at: dbNow },
    { where: { member_id: ctx.actor.memberId ?? 0, read_at: { [Op.is]: null }, ...(ids ? { id: [...ids] } : {}) } },
  );
}
