import type { Ctx } from '../../../../core/context';
import { grouped } from '../../../../core/queue/groupedCalls';
import { retryWrite } from '../../../../core/queue/retry';
import { kept, type Runtime } from '../../../../core/runtime';
import { showAcceptedSql } from '../../conversations/rows';
import { wamidKey } from './statuses';
import { lookAfterSql } from './waitingConversations';
import { heldByPlatform, statusRank, statusRankSql } from './status';

/** The outcome of one attempt to send. `withdrawn`: nothing was sent and the message is taken back. */
export interface AttemptOutcome {
  readonly id: number;
  /** The attempt that made the call: a later attempt of the same row is never touched by an earlier one. */
  readonly attempts: number;
  readonly kind: 'accepted' | 'failed' | 'unknown' | 'retry' | 'withdrawn';
  readonly wamid?: string;
  /** Of an accepted one: the platform holds it back for now. */
  readonly held?: boolean;
  readonly code?: number;
  readonly title?: string;
  readonly message?: string;
  readonly waitMs?: number;
  /** No call was made: the file that it carries has to be brought to the platform first. */
  readonly waitsForFile?: boolean;
}

/** Outcomes of a mass send are stored together: after this time, or when there are this many. */
const lingerMs = 40;
const maxOutcomes = 100;
const recorders = kept(() => new Map<number, (outcome: AttemptOutcome) => Promise<void>>());

/** Returns what records an outcome together with the others that this process has of the workspace. */
export function recorderOf(runtime: Runtime, workspaceId: number): (outcome: AttemptOutcome) => Promise<void> {
  const known = recorders(runtime).get(workspaceId);
  if (known) return known;
  const record = grouped<AttemptOutcome>(
    async (outcomes) => void (await recordOutcomes(runtime, workspaceId, outcomes)),
    { max: maxOutcomes, lingerMs },
  );
  recorders(runtime).set(workspaceId, record);
  return record;
}

/**
 * Records the outcomes of attempts, one or many, all or none: only the attempt that made the call is touched, a status
 * that was faster stays, statuses that only named the wamid go through the inbox again. The only way in which the
 * outcome of an attempt gets into its row, for all kinds of sends. Returns whether more messages may wait in the
 * conversations.
 */
export async function recordOutcomes(
  runtime: Runtime,
  workspaceId: number,
  given: readonly AttemptOutcome[],
): Promise<boolean> {
  // In the order that status webhooks keep too, to avoid deadlocks.
  const outcomes = [...given].sort((left, right) => left.id - right.id);
  const wamids = outcomes.flatMap(({ wamid }) => (wamid === undefined ? [] : [wamid]));
  const withdrawn = outcomes.filter(({ kind }) => kind === 'withdrawn');

  const write = (): Promise<boolean> => updateRows(runtime, workspaceId, outcomes, wamids);
  const isMore =
    wamids.length === 0 && withdrawn.length === 0
      ? await retryWrite(write)
      : await retryWrite(() =>
          runtime.db.transaction(async () => {
            if (wamids.length > 0) await lockWamids({ runtime, workspaceId }, wamids);
            const more = await write();
            if (withdrawn.length > 0) await deleteWithdrawn(runtime, workspaceId, withdrawn);
            return more;
          }),
        );
  for (const [kind, status] of settling)
    runtime.counts.messagesSettled(status, outcomes.filter((outcome) => outcome.kind === kind).length);
  return isMore;
}

/** What an attempt makes of its message; the other kinds leave it, or take it back. */
const settling = [
  ['accepted', 'sent'],
  ['failed', 'failed'],
  ['unknown', 'unknown'],
] as const;

/**
 * Returns the values of the statement. The ids are passed beside the objects, because the planner could only guess the
 * number of objects.
 */
function bindOf(workspaceId: number, outcomes: readonly AttemptOutcome[]): Record<string, unknown> {
  return {
    workspaceId,
    ids: outcomes.map(({ id }) => id),
    outcomes: JSON.stringify(outcomes),
  };
}

const listed = `jsonb_to_recordset($outcomes::jsonb)
  AS o(id bigint, attempts int, kind text, wamid text, code int, title text, message text, "waitMs" float8,
  held boolean, "waitsForFile" boolean)`;

/** SQL: when what was refused for now may be tried again. */
const againSql = `clock_timestamp() + o."waitMs" * interval '1 millisecond'`;

/**
 * SQL: the kind of an outcome, or `told` when a status of the message arrived before the refusal of its call: the
 * message was sent, whatever the answer says, so the status stays and nothing is tried again.
 */
const kindSql = `CASE
  WHEN o.kind IN ('retry', 'failed', 'withdrawn') AND ${statusRankSql('m.message_status')} >= ${statusRank.sent}
  THEN 'told' ELSE o.kind END`;

/** SQL: puts statuses that came before their messages, `$wamids`, back into the inbox. Parts of a WITH. */
export const replayParkedSql = `parked AS (
    DELETE FROM parked_statuses WHERE workspace_id = $workspaceId AND wamid = ANY($wamids::text[])
    RETURNING wamid, payload
  ), again AS (
    INSERT INTO inbox_events (workspace_id, business_account_id, kind, order_key, payload)
    SELECT $workspaceId, (payload->>'business_account_id')::bigint, 'status', wamid, payload->'event' FROM parked
  )`;

/**
 * Makes statuses that look for a message by its wamid wait for the statement that records the wamid, and the other way
 * round.
 */
export async function lockWamids(
  { runtime, workspaceId }: Pick<Ctx, 'runtime' | 'workspaceId'>,
  wamids: readonly string[],
): Promise<void> {
  await runtime.db.rows(
    'SELECT pg_advisory_xact_lock(hashtextextended(key, 1)) IS NULL AS locked FROM unnest($keys::text[]) AS key',
    { keys: wamids.map((wamid) => wamidKey(workspaceId, wamid)).sort() },
  );
}

/**
 * Moves the rows, set-based; a broadcast's message shows as its conversation's last one only once it was accepted.
 * Statuses that named only a wamid, and found no message until now, go through the inbox again. Returns whether another
 * message waits where one that keeps order came to its end, or nothing was moved, which needs another look.
 */
async function updateRows(
  runtime: Runtime,
  workspaceId: number,
  outcomes: readonly AttemptOutcome[],
  wamids: readonly string[],
): Promise<boolean> {
  const row = await runtime.db.row<{ more: boolean }>(
    `WITH done AS (
       UPDATE messages m SET
         delivery_state = CASE ${kindSql} WHEN 'retry' THEN 'queued' ELSE 'settled' END,
         claim_expires_at = NULL,
         file_waits = m.file_waits + CASE WHEN o."waitsForFile" THEN 1 ELSE 0 END,
         updated_at = now(),
         wamid = coalesce(o.wamid, m.wamid),
         next_attempt_at = CASE ${kindSql} WHEN 'retry' THEN ${againSql} END,
         look_at = CASE ${kindSql} WHEN 'retry' THEN ${lookAfterSql(againSql)} ELSE m.look_at END,
         unknown_intake_ms = CASE ${kindSql}
           WHEN 'unknown' THEN (SELECT up_ms FROM intake_clock)
           WHEN 'accepted' THEN NULL
           WHEN 'retry' THEN NULL
           ELSE m.unknown_intake_ms END,
         -- A status that was faster has settled that.
         delivery_note = CASE
           WHEN o.held AND ${statusRankSql('m.message_status')} < ${statusRank.sent} THEN '${heldByPlatform}'
           ELSE m.delivery_note END,
         sent_at = CASE ${kindSql} WHEN 'accepted' THEN coalesce(m.sent_at, now()) ELSE m.sent_at END,
         failed_at = CASE ${kindSql} WHEN 'failed' THEN now() ELSE m.failed_at END,
         error_code = CASE ${kindSql} WHEN 'failed' THEN nullif(o.code, -1) ELSE m.error_code END,
         error_title = CASE ${kindSql} WHEN 'failed' THEN left(o.title, 255) ELSE m.error_title END,
         error_message = CASE ${kindSql} WHEN 'failed' THEN o.message ELSE m.error_message END,
         message_status = CASE ${kindSql}
           WHEN 'accepted' THEN CASE
             WHEN ${statusRankSql('m.message_status')} < ${statusRank.sent} THEN 'sent'
             ELSE m.message_status END
           WHEN 'failed' THEN 'failed'
           WHEN 'unknown' THEN CASE m.message_status WHEN 'queued' THEN 'unknown' ELSE m.message_status END
           WHEN 'retry' THEN CASE m.message_status WHEN 'unknown' THEN 'queued' ELSE m.message_status END
           ELSE m.message_status END
       FROM ${listed}
       WHERE m.workspace_id = $workspaceId AND m.id = ANY($ids::bigint[]) AND m.id = o.id AND m.attempts = o.attempts
         AND ${kindSql} <> 'withdrawn'
         AND (m.delivery_state = 'sending' OR (m.message_status = 'unknown' AND (o.kind = 'accepted'
           -- Its claim had ended before the call was refused: nothing was sent, so it waits again. What keeps no order
           -- may have been told of as unknown already.
           OR (o.kind = 'retry' AND m.send_seq IS NOT NULL))))
       RETURNING m.id, m.conversation_id, m.created_at, m.broadcast_id, m.send_seq, o.kind
     ), shown AS (${showAcceptedSql('done', "d.kind = 'accepted' AND d.broadcast_id IS NOT NULL")}
     ), ${replayParkedSql}
     SELECT NOT EXISTS (SELECT 1 FROM done) OR EXISTS (
       SELECT 1 FROM done d JOIN messages w ON w.conversation_id = d.conversation_id
       WHERE d.send_seq IS NOT NULL AND w.send_seq IS NOT NULL AND w.delivery_state IN ('queued', 'sending')
         AND w.id <> d.id) AS more`,
    { ...bindOf(workspaceId, outcomes), wamids },
  );
  return row?.more ?? true;
}

async function deleteWithdrawn(
  runtime: Runtime,
  workspaceId: number,
  withdrawn: readonly AttemptOutcome[],
): Promise<void> {
  await runtime.db.rows(
    `DELETE FROM messages m USING ${listed}
     WHERE m.workspace_id = $workspaceId AND m.id = ANY($ids::bigint[]) AND m.id = o.id AND m.attempts = o.attempts
       AND m.delivery_state = 'sending'`,
    bindOf(workspaceId, withdrawn),
  );
}
