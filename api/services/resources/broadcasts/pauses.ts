import { cut } from '../../../core/text/cut';
import type { Ctx } from '../../../core/context';
import { dueNowSql } from '../../../core/clock';
import { limitsOfSender } from '../../../core/platform/answers';

/** Contract 9.3: after so many minutes one recipient is tried again, then each hour. */
const triesAfterMinutes = [1, 5, 15, 60];

/** SQL: whether broadcast `b` waits until one recipient is tried again. */
export const isPausedSql = (now: string): string => `(b.paused_at IS NOT NULL AND b.retry_at > ${now})`;

const limits = [...limitsOfSender].join(', ');

/** SQL: why broadcast `b` is paused, as a sentence; null where it is not. */
export const pausedWhySql = `CASE WHEN b.paused_at IS NOT NULL THEN format('%s: %s (%s).',
    CASE WHEN b.refused_code IN (${limits}) THEN 'The platform limits the phone number'
      ELSE 'The platform refuses one recipient after the other' END, b.refused_title, b.refused_code) END`;

/** A refusal for which broadcasts wait, and which ones: one, or all that run from a phone number. */
interface Pause {
  readonly code: number;
  readonly title: string;
  readonly broadcastId?: number;
  readonly numberId?: number | null;
}

/** Lets running broadcasts wait until one recipient is tried again: each time longer. A pause under way stays. */
export async function pauseBroadcasts(ctx: Ctx, { code, title, broadcastId, numberId }: Pause): Promise<void> {
  const now = dueNowSql(ctx.runtime.clock);
  // SQL, since the database's clock says until when.
  await ctx.runtime.db.rows(
    `UPDATE broadcasts b SET refused_code = $code, refused_title = $title,
       paused_at = coalesce(b.paused_at, ${now}), paused_tries = b.paused_tries + 1,
       retry_at = ${now} + coalesce(($minutes::int[])[b.paused_tries + 1], 60) * interval '1 minute'
     WHERE b.workspace_id = $workspaceId AND b.status = 'running' AND NOT coalesce(b.retry_at > ${now}, false)
       AND (b.id = $broadcastId OR b.phone_number_id = $numberId)`,
    {
      workspaceId: ctx.workspaceId,
      code,
      title: cut(title, 255),
      minutes: triesAfterMinutes,
      broadcastId: broadcastId ?? null,
      numberId: numberId ?? null,
    },
  );
}
