import { rehearsed } from '../../../core/autonomy';
import type { Ctx } from '../../../core/context';
import { historyIdsSql } from '../../resources/contacts/histories';
import type { ContactView } from '../../resources/contacts/serializer';
import { bothOf, mergeByMember } from './mergeByMember';

/** A contact with what hangs on it. */
interface MergeSide {
  readonly contact: ContactView;
  /** Up to `maxCounted`. */
  readonly messages: number;
  readonly tickets: number;
}

/** Two contacts beside each other, and the one that they would become. */
interface MergePreview {
  readonly kept: MergeSide;
  readonly gone: MergeSide;
  readonly merged: MergeSide;
}

/** Messages are counted no further. */
export const maxCounted = 10_000;

/**
 * Says what a merge of two contacts would make of them, by the code that merges, which is rolled back: nothing stays of
 * it. Throws what the merge would.
 */
export async function previewMerge(ctx: Ctx, handle: string, into: string): Promise<MergePreview> {
  const [gone, kept] = await bothOf(ctx, handle, into);
  const before = { gone: await sideOf(ctx, gone), kept: await sideOf(ctx, kept) };
  let merged: MergeSide = before.kept;
  await rehearsed(ctx, async (own) => {
    const contact = await mergeByMember(own, handle, into);
    merged = await sideOf(own, contact);
  });
  return { ...before, merged };
}

async function sideOf(ctx: Ctx, contact: ContactView): Promise<MergeSide> {
  // SQL: a count with an end, of messages that may lie with a merge's former ids. A conversation has its contact's id.
  const counted = await ctx.runtime.db.row<Pick<MergeSide, 'messages' | 'tickets'>>(
    `SELECT (SELECT count(*)::int FROM (
         SELECT FROM messages m
         WHERE m.workspace_id = $workspaceId AND m.conversation_id = ANY(${historyIdsSql})
         LIMIT ${maxCounted}) counted) AS messages,
       (SELECT count(*)::int FROM tickets t
         WHERE t.workspace_id = $workspaceId AND t.receiver_id = $conversationId) AS tickets`,
    { workspaceId: ctx.workspaceId, conversationId: contact.id },
  );
  return { contact, messages: counted?.messages ?? 0, tickets: counted?.tickets ?? 0 };
}
