import type { WorkspaceCtx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { inTurnsSql } from '../../../core/db/workspaceTurnsSql';
import { runApart } from '../../../core/queue/sweep';
import type { Runtime } from '../../../core/runtime';
import { eraseFiles } from '../files/rows';

/** Messages, or entries of one trail, of a page: a thousand messages take 0.4 s on a busy machine. */
const pageRows = 1_000;

/** SQL: from when on messages may still wait for their delivery, with time to settle them. */
export const undeliveredSince = "now() - interval '2 days'";

/** SQL: the ids that messages of `$conversationId` carry: its own, and those of whom was merged into it just now. */
export const historyIdsSql = `ARRAY(SELECT $conversationId::bigint UNION ALL SELECT h.conversation_id
  FROM left_histories h WHERE h.workspace_id = $workspaceId AND h.kept_id = $conversationId)`;

/** SQL: the conversation that a message's `conversation_id` stands for. */
export const keptIdSql = (message: string): string => `coalesce((SELECT h.kept_id FROM left_histories h
  WHERE h.workspace_id = ${message}.workspace_id AND h.conversation_id = ${message}.conversation_id),
  ${message}.conversation_id)`;

/** The conversation that a history goes to, and the places that its messages are put behind. */
interface Heir {
  readonly id: number;
  readonly places: number;
}

/**
 * Gives the messages and the activity of a conversation that goes to another one, or erases them where `to` is null, in
 * the surrounding transaction that holds the conversation locked: what waits to be sent and the newest page at once,
 * what is older afterwards, page by page (`passLeftHistories`).
 */
export async function passHistory(ctx: WorkspaceCtx, from: number, to: Heir | null): Promise<void> {
  const { db } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, from, to: to?.id ?? null, places: to?.places ?? 0 };
  // What merges into it have left goes where it goes.
  await db.rows(
    `UPDATE left_histories SET kept_id = $to, places = places + $places
     WHERE workspace_id = $workspaceId AND kept_id = $from`,
    bind,
  );
  if (await passPage(ctx, from, to))
    await db.models.LeftHistory.create({
      workspace_id: ctx.workspaceId,
      conversation_id: from,
      kept_id: bind.to,
      places: bind.places,
    });
}

/**
 * Goes on with what merges and erasures have left, a page of each, workspaces in turns; returns whether there may be
 * more. Crosses workspaces on purpose.
 */
export async function passLeftHistories(runtime: Runtime): Promise<boolean> {
  const left = await runtime.db.rows<{ workspace_id: number; conversation_id: number }>(
    inTurnsSql({
      table: 'left_histories',
      where: 'true',
      order: 'conversation_id',
      columns: 'workspace_id, conversation_id',
      limit: 10,
    }),
  );
  return (await runApart(left.map((one) => () => passOne(runtime, one)))) > 0;
}

/** Passes a page, unless another worker does; returns how many. */
async function passOne(
  runtime: Runtime,
  row: { readonly workspace_id: number; readonly conversation_id: number },
): Promise<number> {
  const ctx = { runtime, workspaceId: row.workspace_id };
  return runtime.db.transaction(async () => {
    // The row is held: a merge of the one who has the history now waits, and the next page goes where it says.
    const held = await runtime.db.row<{ kept_id: number | null; places: number }>(
      `SELECT kept_id, places FROM left_histories
       WHERE workspace_id = $workspace_id AND conversation_id = $conversation_id FOR UPDATE SKIP LOCKED`,
      { ...row },
    );
    if (!held) return 0;
    const to = held.kept_id === null ? null : { id: held.kept_id, places: held.places };
    if (!(await passPage(ctx, row.conversation_id, to)))
      await of(ctx, runtime.db.models.LeftHistory).destroy({ where: { conversation_id: row.conversation_id } });
    return 1;
  });
}

/** Passes the newest page of a history, with all that may still be sent; returns whether anything is left. */
async function passPage(ctx: WorkspaceCtx, from: number, to: Heir | null): Promise<boolean> {
  const { db } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, from };
  const ofConversation = 'workspace_id = $workspaceId AND conversation_id = $from';
  // In the order of ids, as all that change several messages, to avoid deadlocks.
  const messages = await db.rows<{ id: number }>(
    `SELECT id FROM messages WHERE workspace_id = $workspaceId AND id = ANY(ARRAY(
       SELECT id FROM messages WHERE ${ofConversation} AND delivery_state IN ('queued', 'sending')
         AND created_at > ${undeliveredSince}
       UNION (SELECT id FROM messages WHERE ${ofConversation} ORDER BY created_at DESC, id DESC LIMIT ${pageRows})))
     ORDER BY id FOR UPDATE`,
    bind,
  );
  const ids = messages.map(({ id }) => id);
  if (to === null) await eraseFiles(ctx, from, ids);
  await db.rows(
    `${
      to === null ? 'DELETE FROM messages' : 'UPDATE messages SET conversation_id = $to, send_seq = send_seq + $places'
    }
     WHERE workspace_id = $workspaceId AND id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, ids, ...(to === null ? {} : { to: to.id, places: to.places }) },
  );

  // That it was erased stays.
  const trail = (type: string): string => `SELECT id FROM events
    WHERE workspace_id = $workspaceId AND subject_type = '${type}' AND subject_id = $from
      AND kind <> 'contact_deleted'`;
  for (const type of ['contact', 'conversation'])
    await db.rows(
      `${to === null ? 'DELETE FROM events' : 'UPDATE events SET subject_id = $to'}
       WHERE id = ANY(ARRAY(${trail(type)} ORDER BY created_at DESC, id DESC LIMIT ${pageRows}))`,
      to === null ? bind : { ...bind, to: to.id },
    );

  const left = await db.row<{ any: boolean }>(
    `SELECT EXISTS (SELECT FROM messages WHERE ${ofConversation})
       OR EXISTS (${trail('contact')}) OR EXISTS (${trail('conversation')}) AS any`,
    bind,
  );
  return left?.any ?? false;
}
