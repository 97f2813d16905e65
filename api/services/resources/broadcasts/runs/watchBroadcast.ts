import type { BroadcastStatus } from '../../../../../models/enums';
import { broadcastStart } from '../../../../../workflows/starts';
import { notFound } from '../../../../core/http/errors';
import type { Runtime } from '../../../../core/runtime';
import { readStats, type BroadcastStats } from '../stats';

/** The progress of a broadcast. */
export interface Standing {
  readonly id: number;
  readonly workspace_id: number;
  readonly name: string;
  readonly status: BroadcastStatus;
  readonly failure_reason: string;
  readonly scheduled_at: Date | null;
  readonly stats: BroadcastStats;
}

/** Reads a broadcast of any workspace, for operators of the installation. Throws 404. */
export async function standingOfAnyWorkspace(runtime: Runtime, id: number): Promise<Standing> {
  const row = await runtime.db.models.Broadcast.findOne({
    attributes: ['id', 'workspace_id', 'name', 'status', 'failure_reason', 'scheduled_at'],
    where: { id },
    raw: true,
  });
  const stats = row && (await readStats({ runtime, workspaceId: row.workspace_id }, [id])).get(id);
  if (!row || !stats) throw notFound(`Broadcast ${id} does not exist.`);
  return { ...row, stats };
}

/**
 * Returns as a text why a broadcast sends nothing at the moment: the details of its workflow, or that there is none.
 * Never throws.
 */
export async function whyWaiting(runtime: Runtime, standing: Pick<Standing, 'id' | 'workspace_id'>): Promise<string> {
  try {
    const progress = await runtime.temporal.query<{ waiting?: string }>(
      broadcastStart(standing.workspace_id, standing.id).id,
      'progress',
    );
    if (progress === null) return 'It has no workflow at the moment; it gets one within two minutes.';
    return progress.waiting
      ? progress.waiting
      : "It waits for the number's throughput, or for answers of the platform.";
  } catch {
    return 'Its workflow does not answer: check that a worker and Temporal are running.';
  }
}
