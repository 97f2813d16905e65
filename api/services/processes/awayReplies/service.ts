import { dueNow } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/db/scoped';
import { isFinal } from '../../../core/http/errors';
import { recordEvent } from '../../../core/queue/events';
import { filledFor } from '../../resources/cannedReplies/schema';
import { readHours } from '../../resources/calendars/hours';
import type { CalendarRecord } from '../../resources/calendars/serializer';
import { hasOpenWindow, noteAwayReply } from '../../resources/conversations/rows';
import type { ConversationView } from '../../resources/conversations/serializer';
import { conversationsByIds } from '../../resources/conversations/service';
import type { Content } from '../../resources/messages/content';
import { resolveForRecipient } from '../../resources/messages/templates';
import { enqueueMessage } from '../outbound/service';

/** A customer's message that was stored just now. */
interface Received {
  readonly conversationId: number;
  readonly numberPk: number;
  readonly type: string;
  /** When the customer wrote, by the upstream's clock. */
  readonly at: Date;
  /** Another application has the thread, and answers. */
  readonly standby: boolean;
}

/**
 * Answers customers who wrote outside of the hours that apply to their conversations, once per window (contract 18.6).
 * In the transaction of their messages, which hold the locks: what is repeated finds the message stored, and what was
 * accepted is delivered by the rows. An answer that is refused is told in the activity and keeps no message away.
 */
export async function answerAway(ctx: Ctx, received: readonly Received[]): Promise<void> {
  const given = received.filter(({ standby, type }) => !standby && type !== 'reaction');
  if (given.length === 0) return;
  const hoursOf = await readHours(ctx);
  const now = await dueNow(ctx.runtime);
  const unanswered = await of(ctx, ctx.runtime.db.models.Conversation).findAll({
    attributes: ['id', 'assigned_team_inbox_id'],
    where: { id: given.map(({ conversationId }) => conversationId), away_replied_at: null },
    raw: true,
  });
  const calendarOf = new Map(
    unanswered.flatMap(({ id, assigned_team_inbox_id: inbox }) => {
      const hours = hoursOf(inbox);
      const at = given.find(({ conversationId }) => conversationId === id)?.at ?? now;
      // What comes late is answered only where the team is still away.
      const isAway = hours !== null && !hours.time.isOpenAt(at) && !hours.time.isOpenAt(now);
      return isAway && speaks(hours.calendar) ? [[id, hours.calendar] as const] : [];
    }),
  );
  if (calendarOf.size === 0) return;

  const conversations = await conversationsByIds(ctx, [...calendarOf.keys()]);
  for (const { conversationId, numberPk } of given) {
    const conversation = conversations.get(conversationId);
    const calendar = calendarOf.get(conversationId);
    if (conversation && calendar) await answer(ctx, conversation, numberPk, calendar);
  }
}

function speaks({ away_text: text, away_template_id: template }: CalendarRecord): boolean {
  return text !== null || template !== null;
}

async function answer(
  ctx: Ctx,
  conversation: ConversationView,
  numberPk: number,
  calendar: CalendarRecord,
): Promise<void> {
  const conversationId = conversation.id;
  const mayText = await hasOpenWindow(ctx, conversationId, [numberPk]);
  const content = contentOf(calendar, conversation, mayText);
  try {
    const messageId = await enqueueMessage(ctx, conversation, { content, origin: 'away' });
    await note(ctx, conversationId, 'away_replied', { calendar_id: calendar.id, message_id: messageId });
  } catch (error) {
    // Refused before anything was written, as any send would be.
    if (!isFinal(error)) throw error;
    await note(ctx, conversationId, 'away_reply_refused', { calendar_id: calendar.id, reason: error.message });
  }
}

/** Returns the text, while the window is open for it; the template where it is not, or where there is none. */
function contentOf(calendar: CalendarRecord, conversation: ConversationView, mayText: boolean): Content {
  const { away_text: text, away_template_id: templateId, away_template_variables: variables } = calendar;
  if (templateId !== null && (text === null || !mayText))
    return { kind: 'template', by: { templateId, variables: { ...variables } } };
  const body = filledFor(text ?? '', (name) => resolveForRecipient({ source: 'field', field: name }, conversation));
  return { kind: 'plain', type: 'text', body: { type: 'text', text: { body } } };
}

async function note(
  ctx: Ctx,
  conversationId: number,
  kind: 'away_replied' | 'away_reply_refused',
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  await noteAwayReply(ctx, conversationId);
  await recordEvent(ctx, { subjectType: 'conversation', subjectId: conversationId, kind, data });
}
