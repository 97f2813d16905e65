import type { Ctx } from '../../../core/context';
import { recordEvents } from '../../../core/queue/events';
import { of } from '../../../core/db/scoped';
import type { UpstreamFlow } from './readUpstream';

/** Events carry whole seconds: one of the second of the read may be newer than what was read, so it keeps its word. */
const readMark = "date_trunc('second', $readAt::timestamptz) - interval '1 millisecond'";
const newerEvent = `f.status_at IS NOT NULL AND f.status_at > ${readMark}`;

interface Changed {
  readonly id: number;
  readonly flow_id: string;
  readonly status: string;
}

/**
 * Writes flows of an account as they were read at `readAt`, and announces changes of status; one that was read later
 * stays as it is. Set-based, because a sync brings all flows of an account at once.
 */
export async function storeFlows(
  ctx: Ctx,
  businessAccountPk: number,
  flows: readonly UpstreamFlow[],
  readAt: Date,
): Promise<void> {
  if (flows.length === 0) return;
  await ctx.runtime.db.transaction(async () => {
    const known: Changed[] = await of(ctx, ctx.runtime.db.models.Flow).findAll({
      attributes: ['id', 'flow_id', 'status'],
      where: { flow_id: flows.map((flow) => flow.flow_id) },
      order: ['id'],
      lock: true,
      raw: true,
    });
    const stored = await ctx.runtime.db.rows<Changed>(
      `INSERT INTO flows AS f (workspace_id, business_account_id, flow_id, name, status, status_at, categories,
         validation_errors, json_version, data_api_version, endpoint_uri, preview_url, preview_expires_at, changed_at,
         flow_json, json_changed_at, synced_at)
       SELECT DISTINCT ON (n.flow_id) $workspaceId, $businessAccountPk, n.flow_id, n.name, coalesce(n.status, 'DRAFT'),
         ${readMark}, n.categories, n.validation_errors, n.json_version, n.data_api_version, n.endpoint_uri,
         n.preview_url, n.preview_expires_at, n.changed_at, n.flow_json,
         CASE WHEN n.with_json THEN n.changed_at END, $readAt
       FROM jsonb_to_recordset($flows::jsonb) AS n(flow_id text, name text, status text, categories jsonb,
         validation_errors jsonb, json_version text, data_api_version text, endpoint_uri text, preview_url text,
         preview_expires_at timestamptz, changed_at timestamptz, flow_json jsonb, with_json boolean)
       ORDER BY n.flow_id
       ON CONFLICT (workspace_id, flow_id) DO UPDATE SET
         business_account_id = excluded.business_account_id, name = excluded.name,
         status = CASE WHEN ${newerEvent} OR excluded.flow_id = ANY($unread::text[]) THEN f.status
           ELSE excluded.status END,
         status_at = CASE WHEN ${newerEvent} OR f.status = excluded.status THEN f.status_at ELSE excluded.status_at END,
         categories = excluded.categories, validation_errors = excluded.validation_errors,
         json_version = excluded.json_version, data_api_version = excluded.data_api_version,
         endpoint_uri = excluded.endpoint_uri, preview_url = excluded.preview_url,
         preview_expires_at = excluded.preview_expires_at, changed_at = excluded.changed_at,
         flow_json = CASE WHEN excluded.flow_id = ANY($defined::text[]) THEN excluded.flow_json ELSE f.flow_json END,
         json_changed_at =
           CASE WHEN excluded.flow_id = ANY($defined::text[]) THEN excluded.json_changed_at ELSE f.json_changed_at END,
         synced_at = excluded.synced_at, gone_at = NULL,
         updated_at = CASE WHEN f.gone_at IS NULL AND
             (f.name, f.status, f.categories, f.validation_errors, f.json_version, f.data_api_version, f.endpoint_uri,
              f.changed_at) IS NOT DISTINCT FROM
             (excluded.name, excluded.status, excluded.categories, excluded.validation_errors, excluded.json_version,
              excluded.data_api_version, excluded.endpoint_uri, excluded.changed_at)
           THEN f.updated_at ELSE now() END
       WHERE f.synced_at <= excluded.synced_at
       RETURNING f.id, f.flow_id, f.status`,
      {
        workspaceId: ctx.workspaceId,
        businessAccountPk,
        readAt,
        unread: flows.filter((flow) => flow.status === null).map((flow) => flow.flow_id),
        defined: flows.filter((flow) => flow.flow_json !== undefined).map((flow) => flow.flow_id),
        flows: JSON.stringify(
          flows.map((flow) => ({
            ...flow,
            flow_json: flow.flow_json ?? null,
            with_json: flow.flow_json !== undefined,
          })),
        ),
      },
    );
    const before = new Map(known.map((row) => [row.flow_id, row.status]));
    await announce(ctx, before, stored);
  });
}

/**
 * Marks flows of an account that the upstream no longer had at `readAt`; what customers submitted in them stays. One
 * that another read has found since is left alone.
 */
export async function markMissingFlows(
  ctx: Ctx,
  businessAccountPk: number,
  found: readonly UpstreamFlow[],
  readAt: Date,
): Promise<number> {
  const rows = await ctx.runtime.db.rows(
    `UPDATE flows SET gone_at = clock_timestamp(), synced_at = $readAt, updated_at = now()
     WHERE workspace_id = $workspaceId AND business_account_id = $businessAccountPk AND gone_at IS NULL
       AND NOT flow_id = ANY($ids::text[]) AND synced_at < $readAt RETURNING id`,
    { workspaceId: ctx.workspaceId, businessAccountPk, readAt, ids: found.map((flow) => flow.flow_id) },
  );
  return rows.length;
}

/** Marks one flow as no longer there at the upstream. */
export async function markFlowGone(ctx: Ctx, flowId: string): Promise<void> {
  const now = ctx.runtime.clock.now();
  await of(ctx, ctx.runtime.db.models.Flow).update(
    { gone_at: now, updated_at: now },
    { where: { flow_id: flowId, gone_at: null } },
  );
}

/** Returns at most `limit` of these flows whose stored definition is missing or of another time than the upstream's. */
export async function withoutDefinition(
  ctx: Ctx,
  flows: readonly UpstreamFlow[],
  limit: number,
): Promise<ReadonlySet<string>> {
  const rows = await ctx.runtime.db.rows<{ flow_id: string }>(
    `SELECT n.flow_id FROM jsonb_to_recordset($flows::jsonb) AS n(flow_id text, changed_at timestamptz(3))
     LEFT JOIN flows f ON f.workspace_id = $workspaceId AND f.flow_id = n.flow_id
     WHERE f.id IS NULL OR f.flow_json IS NULL OR f.json_changed_at IS DISTINCT FROM n.changed_at
     ORDER BY f.json_changed_at NULLS FIRST, n.flow_id LIMIT $limit`,
    {
      workspaceId: ctx.workspaceId,
      limit,
      flows: JSON.stringify(flows.map(({ flow_id, changed_at }) => ({ flow_id, changed_at }))),
    },
  );
  return new Set(rows.map((row) => row.flow_id));
}

/**
 * Sets a flow's status as of `at`; an older word than the newest known one changes nothing, and within a second only
 * the one that follows what is stored does. Returns false when the flow is not known.
 */
export async function setFlowStatus(
  ctx: Ctx,
  flowId: string,
  change: { readonly from: string; readonly to: string; readonly at: Date },
): Promise<boolean> {
  const row = await ctx.runtime.db.row<Changed & { before: string; taken: boolean }>(
    `WITH old AS MATERIALIZED (
       SELECT id, flow_id, status, status_at IS NULL OR status_at < $at OR (status_at = $at AND status = $from) AS taken
       FROM flows WHERE workspace_id = $workspaceId AND flow_id = $flowId FOR UPDATE
     ), written AS (
       UPDATE flows f SET status = $to::text, status_at = $at, updated_at = now() FROM old
       WHERE f.id = old.id AND old.taken
     )
     SELECT id, flow_id, status AS before, taken, $to::text AS status FROM old`,
    { workspaceId: ctx.workspaceId, flowId, ...change },
  );
  if (!row) return false;
  if (row.taken) await announce(ctx, new Map([[row.flow_id, row.before]]), [row]);
  return true;
}

/** Keeps the newest alert of its kind. Returns false when the flow is not known. */
export async function setFlowAlert(
  ctx: Ctx,
  flowId: string,
  kind: string,
  alert: Readonly<Record<string, unknown>> & { readonly at: string },
): Promise<boolean> {
  const row = await ctx.runtime.db.row(
    `UPDATE flows SET
       alerts = CASE WHEN coalesce((alerts -> $kind::text ->> 'at')::timestamptz, '-infinity') <= $at
         THEN alerts || jsonb_build_object($kind::text, $alert::jsonb) ELSE alerts END,
       updated_at = now()
     WHERE workspace_id = $workspaceId AND flow_id = $flowId RETURNING id`,
    { workspaceId: ctx.workspaceId, flowId, kind, at: alert.at, alert: JSON.stringify(alert) },
  );
  return row !== null;
}

async function announce(ctx: Ctx, before: ReadonlyMap<string, string>, now: readonly Changed[]): Promise<void> {
  await recordEvents(
    ctx,
    now
      .filter((row) => before.has(row.flow_id) && before.get(row.flow_id) !== row.status)
      .map((row) => ({
        subjectType: 'flow' as const,
        subjectId: row.id,
        kind: 'flow_status_changed',
        changes: { status: { from: before.get(row.flow_id), to: row.status } },
        data: { flow_id: row.flow_id },
      })),
  );
}
