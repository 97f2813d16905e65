import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { isPlainObject } from '../../../core/fields';
import { isoTime } from '../../../core/shapes';
import { filledText } from '../templates/filledText';
import { findTemplate } from '../templates/service';

/** What a message would be, for whoever decides whether to send it. */
interface SendPreview {
  readonly recipient: { readonly receiver_id: unknown; readonly name: unknown; readonly phone: unknown };
  /** The number that would send. */
  readonly from: unknown;
  /** What the customer would read. */
  readonly text: string;
  /** Until when free texts can be sent from this number; null where the window is closed. */
  readonly window_open_until: string | null;
}

/** Returns the preview of a message that a rehearsal made, as `serializeMessage` gave it, and that is gone again. */
export async function previewSend(ctx: Ctx, message: Record<string, unknown>): Promise<SendPreview> {
  const receiver = objectOf(message['receiver']);
  const number = objectOf(message['phone_number']);
  const window = await ctx.runtime.db.row<{ open_until: Date }>(
    // The window of the number that sends, which may end before the latest one of the conversation.
    `SELECT w.open_until
     FROM contacts c
     JOIN conversation_windows w ON w.conversation_id = c.id
     JOIN phone_numbers p ON p.id = w.phone_number_id
     WHERE c.workspace_id = $workspaceId AND c.receiver_id = $receiverId AND p.workspace_id = $workspaceId
       AND p.phone_number_id = $numberId AND w.open_until > ${dueNowSql(ctx.runtime.clock)}`,
    {
      workspaceId: ctx.workspaceId,
      receiverId: receiver['receiver_id'],
      numberId: number['phone_number_id'],
    },
  );
  return {
    recipient: { receiver_id: receiver['receiver_id'], name: receiver['name'], phone: receiver['phone_number'] },
    from: number['display_phone_number'],
    text: await textOf(ctx, objectOf(message['body']), Number(number['business_account'])),
    window_open_until: window ? isoTime(window.open_until) : null,
  };
}

async function textOf(ctx: Ctx, body: Record<string, unknown>, businessAccountPk: number): Promise<string> {
  const content = objectOf(body[String(body['type'])]);
  if (body['type'] !== 'template') return String(content['body'] ?? '');
  const name = String(content['name']);
  const language = String(objectOf(content['language'])['code']);
  const template = await findTemplate(ctx, { name, language }, businessAccountPk);
  return (['header', 'body', 'footer'] as const)
    .map((type) => filledText(template?.components, type, content['components']))
    .filter((text) => text !== '')
    .join('\n');
}

function objectOf(value: unknown): Record<string, unknown> {
  return isPlainObject(value) ? value : {};
}
