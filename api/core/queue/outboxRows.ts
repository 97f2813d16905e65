import type { WorkflowInputs } from '../../../workflows/contract';
import type { Intent, WorkflowStart } from '../../../workflows/starts';
import type { Db } from '../db/database';
import { inTurnsSql } from '../db/workspaceTurnsSql';
import { workflowPlaces } from '../../../workflows/queues';

/** The longest pause between two tries of an intent while Temporal is away; the first one after Temporal refused it. */
const pauseSeconds = 5;
/** How often an intent may fail by itself, with growing pauses (about twenty minutes), before it is set aside. */
const maxRefusals = 20;

/** SQL: whether this version knows the workflow of an intent; newer workers take the others. */
export const isKnownSql = `workflow = ANY('{${Object.keys(workflowPlaces).join(',')}}')`;

/** An intent in the table. */
export interface OutboxRow {
  id: number;
  workspace_id: number;
  workflow: keyof WorkflowInputs;
  workflow_id: string;
  signal: string | null;
  version: number;
  input: { start: WorkflowStart; input: WorkflowInputs[keyof WorkflowInputs]; argument?: unknown };
  /** The trace that it is part of (W3C `traceparent`). */
  trace: string | null;
  /** Its own id and those of the older intents that it replaces. */
  ids: readonly number[];
}

/** Inserts intents with the trace that they are part of; they count as written when they may be delivered. */
export async function insertIntents(
  db: Db,
  workspaceId: number,
  intents: readonly Intent[],
  { trace, afterMs }: { readonly trace: string | null; readonly afterMs: number },
): Promise<void> {
  await db.rows(
    `INSERT INTO outbox (workspace_id, workflow, workflow_id, signal, version, input, trace, created_at, available_at)
     SELECT $workspaceId, i.workflow, i.id, i.signal, i.version, i.input, $trace, later.at, later.at
     FROM jsonb_to_recordset($intents::jsonb)
       AS i(workflow text, id text, signal text, version integer, input jsonb),
       (SELECT now() + $afterMs * interval '1 millisecond' AS at) AS later`,
    {
      workspaceId,
      trace,
      afterMs,
      intents: JSON.stringify(
        intents.map((intent) => ({
          workflow: intent.start.workflow,
          id: intent.start.id,
          signal: intent.signal ?? null,
          version: intent.version ?? 0,
          input: {
            start: intent.start,
            input: intent.input,
            ...(intent.argument === undefined ? {} : { argument: intent.argument }),
          },
        })),
      ),
    },
  );
}

/** Reads the newest intent of each workflow id that still has one, the workspaces in turn. */
export function newestIntents(db: Db, workflowIds: readonly string[]): Promise<OutboxRow[]> {
  return db.rows<OutboxRow>(
    `SELECT n.*, ARRAY(SELECT id FROM outbox WHERE workflow_id = n.workflow_id) AS ids
     FROM unnest($workflowIds::text[]) AS asked(workflow_id), LATERAL (
       SELECT * FROM outbox o WHERE o.workflow_id = asked.workflow_id AND o.set_aside_at IS NULL
       ORDER BY o.version DESC, o.id DESC LIMIT 1) AS n
     ORDER BY row_number() OVER (PARTITION BY n.workspace_id ORDER BY n.id)`,
    { workflowIds },
  );
}

/** Leases due intents, the workspaces in turn. Returns their workflow ids. */
export async function leaseIntents(db: Db, limit: number, leaseMs: number): Promise<string[]> {
  const rows = await db.rows<{ workflow_id: string }>(
    `UPDATE outbox SET attempts = attempts + 1, available_at = now() + $leaseMs * interval '1 millisecond'
     WHERE id = ANY(ARRAY(${inTurnsSql({
       table: 'outbox',
       where: 'set_aside_at IS NULL',
       due: `available_at <= now() AND ${isKnownSql}`,
       order: 'available_at, id',
       limit: '$limit',
       lock: true,
     })}))
     RETURNING workflow_id`,
    { limit, leaseMs },
  );
  return [...new Set(rows.map((row) => row.workflow_id))];
}

/** Removes intents, and the older ones that existed when each was read; an intent that was added since stays. */
export async function removeIntents(db: Db, rows: readonly Pick<OutboxRow, 'ids' | 'version'>[]): Promise<void> {
  const gone = rows.flatMap(({ ids, version }) => ids.map((id) => ({ id, version })));
  await db.rows(
    `DELETE FROM outbox o USING unnest($ids::bigint[], $versions::integer[]) AS gone(id, version)
     WHERE o.id = gone.id AND o.version <= gone.version`,
    { ids: gone.map(({ id }) => id), versions: gone.map(({ version }) => version) },
  );
}

/**
 * Frees leased intents that could not be delivered because of Temporal, each with the reason, for a next try; those
 * that were not tried (null) go back to their places.
 */
export async function handBackIntents(db: Db, left: ReadonlyMap<string, string | null>): Promise<void> {
  if (left.size === 0) return;
  await db.rows(
    `UPDATE outbox o SET error = coalesce(left(b.reason, 500), o.error), available_at = CASE WHEN b.reason IS NULL
       THEN o.created_at ELSE now() + least(${pauseSeconds}, o.attempts) * interval '1 second' END
     FROM unnest($ids::text[], $reasons::text[]) AS b(workflow_id, reason)
     WHERE o.workflow_id = b.workflow_id AND o.set_aside_at IS NULL`,
    { ids: [...left.keys()], reasons: [...left.values()] },
  );
}

/** Postpones an intent that cannot be delivered, a little longer each time. Returns true when it was set aside. */
export async function postponeRefused(db: Db, workflowId: string, reason: string): Promise<boolean> {
  const rows = await db.rows<{ set_aside: boolean }>(
    `UPDATE outbox SET refusals = refusals + 1, error = left($reason, 500),
       available_at = now() + ${pauseSeconds} * (refusals + 1) * interval '1 second',
       set_aside_at = CASE WHEN refusals + 1 >= ${maxRefusals} THEN now() END
     WHERE workflow_id = $workflowId AND set_aside_at IS NULL
     RETURNING set_aside_at IS NOT NULL AS set_aside`,
    { workflowId, reason },
  );
  return rows.some((row) => row.set_aside);
}
