import type { Ctx } from '../../../core/context';
import type { Page } from '../../../core/http/operations';
import { listPage, type PagingInput } from '../../../core/http/paging';
import { from, shapeOf, wire } from '../../../core/http/shapes';
import { userFromJson, userJsonSql, type UserJson } from '../members/userColumns';
import { userObject, userObjectShape } from '../members/userObject';

/** A row as the list shows it. */
interface SecurityRow {
  readonly id: number;
  readonly actor_type: 'member' | 'api_key' | 'agent' | 'system';
  readonly member: UserJson | null;
  readonly api_key_id: number | null;
  readonly session_id: number | null;
  readonly action: string;
  readonly subject_id: number | null;
  readonly given: Readonly<Record<string, unknown>>;
  readonly address: string;
  readonly request_id: string;
  readonly created_at: Date;
}

/** What a member, a key or the operator did, on the wire. */
export const memberAudit = shapeOf<SecurityRow>('MemberAuditEntry').with({
  id: wire.integer(),
  actor_type: wire.oneOf(['member', 'api_key', 'agent', 'system']),
  member: from(wire.nullable(userObjectShape), (row) => (row.member ? userObject(userFromJson(row.member)) : null)),
  api_key_id: wire.nullable(wire.integer('The key that was used.')),
  session_id: wire.nullable(wire.integer('The dashboard session that was used.')),
  action: wire.text('The operation, for example `apiKeys.create`; `signIn` and `signIn.refused`.'),
  subject_id: wire.nullable(wire.integer('The id of what it was done to; null: the workspace or the member.')),
  given: wire.map('What was asked for, without secrets; a SHA-256 where it named a contact that was erased.'),
  address: wire.text('Where the request came from: an IPv4 address or an IPv6 /64; empty for the admin CLI.'),
  request_id: wire.text(),
  created_at: wire.datetime(),
});

interface Filters extends PagingInput {
  readonly action?: string | undefined;
  readonly member_id?: number | undefined;
  readonly created_after?: Date | undefined;
  readonly created_before?: Date | undefined;
}

/** Returns a page of the actions of a workspace's members and keys that concern security, newest first. */
export async function listSecurity(ctx: Ctx, filters: Filters): Promise<Page<SecurityRow>> {
  const { action, member_id: memberId, created_after: after, created_before: before } = filters;
  return listPage<SecurityRow>(
    ctx,
    {
      select: `s.actor_type, ${userJsonSql('m')} AS member, s.api_key_id, s.session_id, s.action, s.subject_id, s.given,
        s.address, s.request_id, s.created_at`,
      from: 'security_log s',
      joins: 'LEFT JOIN members m ON m.id = s.member_id',
      where: [
        's.workspace_id = $workspaceId',
        ...(action === undefined ? [] : ['s.action = $action']),
        ...(memberId === undefined ? [] : ['s.member_id = $memberId']),
        ...(after === undefined ? [] : ['s.created_at >= $after']),
        ...(before === undefined ? [] : ['s.created_at < $before']),
      ],
      bind: {
        workspaceId: ctx.workspaceId,
        ...(action === undefined ? {} : { action }),
        ...(memberId === undefined ? {} : { memberId }),
        ...(after === undefined ? {} : { after }),
        ...(before === undefined ? {} : { before }),
      },
      idSql: 's.id',
      columns: { created_at: { sql: 's.created_at', type: 'timestamptz' } },
      defaultOrdering: '-created_at',
    },
    filters,
  );
}

/** What a member is told of their own account. */
interface OwnEvent {
  readonly action: string;
  /** The member who did it, if that is another one; empty for the operator. */
  readonly by: string | null;
  readonly address: string;
  readonly created_at: Date;
}

/** SQL: the newest of them, of failures or of all else. */
const newestOwn = (which: 'IN' | 'NOT IN', limit: number): string => `(
  SELECT s.action, s.address, s.created_at,
    CASE WHEN s.member_id = $memberId THEN NULL ELSE coalesce(nullif(m.name, ''), m.email, '') END AS by
  FROM security_log s LEFT JOIN members m ON m.id = s.member_id
  WHERE s.workspace_id = $workspaceId AND s.created_at > now() - interval '30 days'
    AND s.action ${which} ('signIn.refused', 'signIn.factorRefused', 'sessions.refused')
    AND (s.member_id = $memberId AND (s.told IS NOT NULL OR s.action ~ '^(signIn|password|sessions|factors)\\M')
      OR s.subject_id = $memberId AND s.action ~ '^teamMembers\\M')
  ORDER BY s.created_at DESC, s.id DESC LIMIT ${limit})`;

/**
 * Returns the newest of what was done to the acting member's account, or by its owner to come in. Of failures the
 * newest: a stranger can make any number of them, and would push out what matters.
 */
export async function listOwnEvents(ctx: Ctx): Promise<OwnEvent[]> {
  // SQL: two lists in one.
  return ctx.runtime.db.rows<OwnEvent>(
    `${newestOwn('NOT IN', 9)} UNION ALL ${newestOwn('IN', 1)} ORDER BY created_at DESC`,
    { workspaceId: ctx.workspaceId, memberId: ctx.actor.memberId },
  );
}
