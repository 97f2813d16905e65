import { dueNowSql } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { isPlainObject } from '../../../core/http/fields';
import type { FrozenMessage } from '../../../core/frozenSends';
import { isoTime } from '../../../core/http/shapes';
import { filledText } from '../templates/filledText';

/** A message that is not sent yet, as shown to the member who decides about it. */
interface SendPreview {
  readonly recipient: { readonly receiver_id: string; readonly name: string; readonly phone: string };
  /** The number that would send. */
  readonly from: string;
  /** What the customer would read. */
  readonly text: string;
  /** Until when free texts can be sent from this number; null where the window is closed. */
  readonly window_open_until: string | null;
  /** When it is sent, where that is not at once. */
  readonly send_at?: string;
}

/** Returns the preview of a message that a rehearsal has frozen. */
export async function previewSend(ctx: Ctx, message: FrozenMessage): Promise<SendPreview> {
  const window = await ctx.runtime.db.row<{ open_until: Date }>(
    // The window of the number that sends, which may end before the latest one of the conversation.
    `SELECT w.open_until
     FROM contacts c
     JOIN conversation_windows w ON w.conversation_id = c.id
     JOIN phone_numbers p ON p.id = w.phone_number_id
     WHERE c.workspace_id = $workspaceId AND c.receiver_id = $receiverId AND p.workspace_id = $workspaceId
       AND p.phone_number_id = $numberId AND w.open_until > ${dueNowSql(ctx.runtime.clock)}`,
    { workspaceId: ctx.workspaceId, receiverId: message.to.receiver_id, numberId: message.phone_number_id },
  );
  return {
    recipient: { receiver_id: message.to.receiver_id, name: message.to.name, phone: message.to.phone },
    from: message.from,
    text: sentText(message.body, message.template?.components),
    window_open_until: window ? isoTime(window.open_until) : null,
    ...(message.send_at ? { send_at: message.send_at } : {}),
  };
}

/**
 * Returns a message as the customer reads it: its words, and as JSON what is no text of its own. `template`: the
 * components of its template.
 */
export function sentText(body: Readonly<Record<string, unknown>>, template: unknown): string {
  const type = String(body['type']);
  const content = objectOf(body[type]);
  if (type === 'text') return String(content['body'] ?? '');
  if (type !== 'template') return `${type}: ${JSON.stringify(content)}`;
  const texts = (['header', 'body', 'footer'] as const).map((part) =>
    filledText(template, part, content['components']),
  );
  return [...texts, ...otherParameters(content['components'])].filter((text) => text !== '').join('\n');
}

/** Returns what a template is given beside the texts that fill its header and body: media, buttons and the like. */
function otherParameters(components: unknown): string[] {
  return objectsOf(components).flatMap((component) => {
    const type = String(component['type']).toLowerCase();
    return objectsOf(component['parameters'])
      .filter((parameter) => !['header', 'body'].includes(type) || parameter['type'] !== 'text')
      .map(
        (parameter) =>
          `${[type, component['index']].filter((part) => part !== undefined).join(' ')}: ${JSON.stringify(parameter)}`,
      );
  });
}

function objectOf(value: unknown): Record<string, unknown> {
  return isPlainObject(value) ? value : {};
}

function objectsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
