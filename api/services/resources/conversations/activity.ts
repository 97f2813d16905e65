import type { ActivityEventRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import type { Page } from '../../../core/http/operations';
import { listPage, type PagingInput } from '../../../core/http/paging';
import { from, shapeOf, wire } from '../../../core/http/shapes';
import { userFromJson, userJsonSql, type UserJson } from '../../identity/members/userColumns';
import { userObject, userObjectShape } from '../../identity/members/userObject';

/** An entry of an activity trail with the member who acted. */
type ActivityView = Pick<ActivityEventRow, 'id' | 'kind' | 'actor_type' | 'changes' | 'data' | 'created_at'> & {
  readonly actor: UserJson | null;
};

/** Trails are walked in the order in which things were written. */
const columns = { created_at: { sql: 'e.created_at', type: 'timestamptz' } } as const;

/** Returns the trail of one or more subjects, newest first. */
export async function listActivity(
  ctx: Ctx,
  subjects: readonly (readonly [type: string, id: number])[],
  paging: PagingInput,
): Promise<Page<ActivityView>> {
  const bind: Record<string, unknown> = { workspaceId: ctx.workspaceId };
  const trails = subjects.map(([type, id], index) => {
    bind[`type${index}`] = type;
    bind[`id${index}`] = id;
    return `(e.subject_type = $type${index} AND e.subject_id = $id${index})`;
  });
  return listPage<ActivityView>(
    ctx,
    {
      select: `e.kind, e.actor_type, e.changes, e.data, e.created_at, ${userJsonSql('m')} AS actor`,
      from: 'events e',
      joins: 'LEFT JOIN members m ON m.id = e.actor_member_id',
      where: ['e.workspace_id = $workspaceId'],
      either: trails,
      bind,
      idSql: 'e.id',
      columns,
      defaultOrdering: '-created_at',
    },
    paging,
  );
}

/** Returns activity entries by their ids, those that exist. */
export async function activityByIds(ctx: Ctx, ids: readonly number[]): Promise<Map<number, ActivityView>> {
  const rows = await ctx.runtime.db.rows<ActivityView>(
    `SELECT e.id, e.kind, e.actor_type, e.changes, e.data, e.created_at, ${userJsonSql('m')} AS actor
     FROM events e LEFT JOIN members m ON m.id = e.actor_member_id
     WHERE ${ofWorkspace('e.workspace_id')} AND e.id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** An activity entry (contract 8); timers and webhooks have no actor. */
export const { schema: activityShape, serialize: serializeActivity } = shapeOf<ActivityView>('ActivityEntry').with({
  id: wire.integer(),
  kind: wire.text(),
  actor: from(wire.nullable(userObjectShape), ({ actor }) => (actor === null ? null : userObject(userFromJson(actor)))),
  actor_type: wire.oneOf(['member', 'api_key', 'agent', 'system', 'contact']),
  changes: wire.map('Field name to `{from, to}`.'),
  data: wire.map(),
  created_at: wire.datetime(),
});
