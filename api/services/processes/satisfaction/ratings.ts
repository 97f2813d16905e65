import type { ConvStatus } from '../../../../models/enums';
import type { Ctx } from '../../../core/context';
import { recordEvents } from '../../../core/queue/events';
import { rateEpisode, readRatingId, type RatingId } from '../../resources/conversations/ratings';
import { messageFacts } from '../../resources/rules/conditions';
import { noteHappened } from '../../resources/rules/starts';
import { applyPatch, conversationsByIds } from '../../resources/conversations/service';

/** A customer's message that was stored just now and is a rating. */
interface Rated extends RatingId {
  readonly conversationId: number;
  readonly messageId: number;
  readonly message: Readonly<Record<string, unknown>>;
  readonly type: string;
  readonly at: Date;
  readonly requestId: string;
}

/** Reads the answer to the question how satisfied a customer is out of their message; null: it is none. */
export function ratingOf(message: Readonly<Record<string, unknown>>): RatingId | null {
  const { interactive } = message as { interactive?: { button_reply?: { id?: unknown } | null } | null };
  return message['type'] === 'interactive' ? readRatingId(interactive?.button_reply?.id) : null;
}

/**
 * Takes customers' ratings, in the transaction of their messages, which hold the locks: of several answers to one
 * question the last one counts. A conversation that the message has opened again goes back to the status that it had
 * (contract 18.8): there is nothing to do in it.
 */
export async function takeRatings(
  ctx: Ctx,
  ratings: readonly Rated[],
  opened: ReadonlyMap<number, ConvStatus>,
): Promise<void> {
  if (ratings.length === 0) return;
  const conversations = await conversationsByIds(
    ctx,
    ratings.map(({ conversationId }) => conversationId),
  );
  for (const given of ratings) {
    const own = { ...ctx, requestId: given.requestId };
    const { conversationId, messageId, episodeId, rating } = given;
    const before = await rateEpisode(own, given);
    const counts = before !== undefined && before !== rating;
    const recorded = await recordEvents(
      own,
      counts
        ? [
            {
              subjectType: 'conversation',
              subjectId: conversationId,
              kind: 'rated',
              changes: { rating: { from: before, to: rating } },
              data: { episode_id: episodeId, message_id: messageId },
            },
          ]
        : [],
    );
    const status = opened.get(conversationId);
    const conversation = conversations.get(conversationId);
    if (status && conversation)
      // It was opened by this very message: nothing has changed.
      await applyPatch(own, conversation, { conv_status: status }, ['conversations'], {}, false);
    if (recorded.watched) {
      // Rules see the conversation as the answer leaves it.
      const message = { id: messageId, ...messageFacts(given.type, given.message) };
      const eventId = recorded.first;
      await noteHappened(own, [{ conversationId, event: 'conversation.rated', eventId, message, at: given.at }]);
    }
  }
}
