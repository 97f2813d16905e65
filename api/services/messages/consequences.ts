import type { Ctx } from '../../core/context';
import { classify } from '../../core/upstream';
import { requestSync, stopSending } from '../accounts/stops';
import { setTemplateStatus } from '../templates/status';

/** What an upstream error says about more than the one message. */
export interface FailureNotice {
  readonly code: number;
  readonly title: string;
  readonly businessAccountId: number;
  readonly messageId: number;
  /** The number that the message went out by, where the caller knows it. */
  readonly numberId?: number | null;
}

/** The template is not there (any more) as we know it: it has to be read again. */
const templateUnknown = 132001;
const templateStatus: Readonly<Record<number, string>> = { 132015: 'PAUSED', 132016: 'DISABLED' };
/** Limits on the whole number or account that no retry helps: an operator has to look (upstream-wire.md 1.6). */
const alarming = new Set([131048, 131063, 131064, 131037]);

/**
 * Draws the conclusions of an upstream error code beyond its message: stops the number or account, marks the template,
 * asks for a sync, tells operators (upstream-wire.md 1.6).
 */
export async function onFailureCode(ctx: Ctx, notice: FailureNotice): Promise<void> {
  const { code } = notice;
  if (classify(code) === 'stop')
    await stopSending(ctx, { ...notice, numberId: notice.numberId ?? (await numberOf(ctx, notice.messageId)) });
  const status = templateStatus[code];
  if (status !== undefined) {
    const row = await ctx.runtime.db.row<{ template_pk: number | null }>(
      'SELECT template_pk FROM messages WHERE workspace_id = $workspaceId AND id = $id',
      { workspaceId: ctx.workspaceId, id: notice.messageId },
    );
    if (row?.template_pk) await setTemplateStatus(ctx, row.template_pk, status, ctx.runtime.clock.now());
  }
  if (code === templateUnknown || status !== undefined) await requestSync(ctx, notice.businessAccountId);
  if (alarming.has(code))
    ctx.logger.error(
      {
        alert: 'sending_limited',
        workspaceId: ctx.workspaceId,
        businessAccountId: notice.businessAccountId,
        code,
        title: notice.title,
      },
      'the upstream limits this number or account',
    );
}

async function numberOf(ctx: Ctx, messageId: number): Promise<number | null> {
  const row = await ctx.runtime.db.row<{ phone_number_id: number | null }>(
    'SELECT phone_number_id FROM messages WHERE workspace_id = $workspaceId AND id = $messageId',
    { workspaceId: ctx.workspaceId, messageId },
  );
  return row?.phone_number_id ?? null;
}
