import { ratings } from '../../../../models/enums';
import { isBound } from '../../../core/autonomy';
import { systemCtx, type Ctx } from '../../../core/context';
import { isFinal } from '../../../core/http/errors';
import { recordEvent } from '../../../core/queue/events';
import { getWorkspace, type WorkspaceRecord } from '../../identity/workspaces/service';
import { episodeToAsk, noteAsked, ratingId } from '../../resources/conversations/ratings';
import { afterResolving, conversationsByIds } from '../../resources/conversations/service';
import type { Content } from '../../resources/messages/content';
import { enqueueMessage } from '../outbound/service';

/**
 * Asks the customer of a locked conversation that was resolved just now how satisfied they are, where the workspace
 * does so (contract 18.8). In the transaction of the change: what is repeated finds it resolved, and what was accepted
 * is delivered by the rows. Where no text may be sent, nobody is asked. Returns whether they are.
 */
export async function askSatisfaction(ctx: Ctx, conversationId: number): Promise<boolean> {
  const workspace = await askingWorkspace(ctx);
  if (!workspace) return false;
  const episodeId = await episodeToAsk(ctx, conversationId);
  const conversation = (await conversationsByIds(ctx, [conversationId])).get(conversationId);
  if (episodeId === null || !conversation) return false;
  if (conversation.marketing_opt_out || conversation.thread_owner !== '') return false;

  const system = systemCtx(ctx.runtime, ctx.workspaceId, ctx.requestId);
  try {
    const content = questionOf(workspace, episodeId);
    const messageId = await enqueueMessage(system, conversation, { content, origin: 'satisfaction' });
    await noteAsked(system, episodeId);
    await recordEvent(system, {
      subjectType: 'conversation',
      subjectId: conversationId,
      kind: 'satisfaction_asked',
      data: { episode_id: episodeId, message_id: messageId },
    });
    return true;
  } catch (error) {
    // Refused before anything was written, as any send would be: the window has closed, or no number can send.
    if (!isFinal(error)) throw error;
    return false;
  }
}

/** Returns the workspace, where it asks customers after a change by this caller; else null. */
async function askingWorkspace(ctx: Ctx): Promise<WorkspaceRecord | null> {
  // What needs a member's approval makes no customer hear what nobody was shown.
  if (isBound(ctx) || ctx.approved || ctx.rehearsal) return null;
  const workspace = await getWorkspace(ctx);
  return workspace.ask_satisfaction ? workspace : null;
}

function questionOf(workspace: WorkspaceRecord, episodeId: number): Content {
  const buttons = ratings.map((rating, index) => ({
    type: 'reply',
    reply: { id: ratingId({ episodeId, rating }), title: workspace.satisfaction_labels[index] ?? rating },
  }));
  const interactive = { type: 'button', body: { text: workspace.satisfaction_question }, action: { buttons } };
  return { kind: 'plain', type: 'interactive', body: { type: 'interactive', interactive } };
}

afterResolving.register(askSatisfaction);
