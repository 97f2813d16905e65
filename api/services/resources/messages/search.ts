import type { Ctx } from '../../../core/context';
import type { Page } from '../../../core/http/operations';
import { edgeOf, listPage } from '../../../core/http/paging';
import { serializeReceiver } from '../conversations/serializer';
import { conversationsByIds, findConversation } from '../conversations/service';
import { wordsQuery, wordsQuerySql } from '../conversations/words';
import type { SearchMessagesInput } from './schema';
import { cut } from '../../../core/text/cut';
import { foldWords } from '../../../core/text/fold';
import { listedMessage, listedText, serializeMessage, type MessageView } from './serializer';
import { messageSource, messagesOf } from './service';

/** A message that was found, with the text that was searched. */
interface FoundMessage extends MessageView {
  readonly text: string;
}

/**
 * How many of the newest messages are searched one by one before the index of words is used. A word in more than one of
 * a hundred messages fills a page from them, where the index would return hundreds of thousands of rows to sort; a rare
 * word pays for them in vain, twice as much with twice as many. Measured with `npm run bench -- --only search`.
 */
const walkedMessages = 5_000;

/** Returns the messages that have all the words of `q`, the last one as the beginning of a word; newest first. */
export async function searchMessages(ctx: Ctx, input: SearchMessagesInput): Promise<Page<FoundMessage>> {
  const bind: Record<string, unknown> = { workspaceId: ctx.workspaceId, query: wordsQuery(input.q) };
  const matches = [`m.words @@ ${wordsQuerySql('$query')}`];
  if (input.direction !== undefined) {
    matches.push('m.direction = $direction');
    bind['direction'] = input.direction;
  }
  const span = ['m.workspace_id = $workspaceId'];
  for (const [name, condition] of [
    ['after', 'm.created_at > $after'],
    ['before', 'm.created_at < $before'],
  ] as const) {
    if (input[name] === undefined) continue;
    span.push(condition);
    bind[name] = input[name];
  }
  let either: readonly string[] = [];
  if (input.receiver !== undefined) {
    const conversation = messagesOf(await findConversation(ctx, input.receiver));
    either = conversation.either;
    Object.assign(bind, conversation.bind);
  }
  const find = (from: string, where: readonly string[]): Promise<Page<FoundMessage & { id: number }>> =>
    listPage<FoundMessage>(
      ctx,
      {
        ...messageSource,
        select: `${messageSource.select}, coalesce(m.said, message_text(m.body)) AS text`,
        from,
        where,
        either,
        bind,
        withoutCount: true,
      },
      input,
    );
  // One conversation is walked by its own index.
  if (input.receiver !== undefined) return find('messages m', [...span, ...matches]);

  const edge = input.cursor === undefined ? null : edgeOf(input.cursor, messageSource.defaultOrdering);
  const [beyond, order] = edge?.isBackward ? ['>=', 'ASC'] : ['<=', 'DESC'];
  const upToEdge = edge ? [...span, `m.created_at ${beyond} $edge`] : span;
  if (edge) bind['edge'] = edge.time;
  // Of the index that only this walk may use: for all others a way by the workspace would be the longest.
  const newest = `(SELECT * FROM messages m WHERE ${upToEdge.join(' AND ')} AND m.words <> ''
    ORDER BY m.created_at ${order}, m.id ${order} LIMIT ${walkedMessages}) m`;
  const near = await find(newest, matches);
  if ((edge?.isBackward ? near.previous : near.next) !== null) return near;
  // Together, so that the planner finds them by their words, and does not walk in the order that they are sorted by.
  return find(`(SELECT * FROM messages m WHERE ${[...upToEdge, ...matches].join(' AND ')} OFFSET 0) m`, []);
}

/** Returns messages that were found, ready for the wire: each with its conversation, and with where the words stand. */
export async function serializeFound(
  ctx: Ctx,
  messages: readonly FoundMessage[],
  q: string,
): Promise<Record<string, unknown>[]> {
  const conversations = await conversationsByIds(ctx, [...new Set(messages.map((row) => row.conversation_id))]);
  const now = ctx.runtime.clock.now();
  return messages.flatMap((row) => {
    const conversation = conversations.get(row.conversation_id);
    // Erased between the two reads.
    if (!conversation) return [];
    const message = listedMessage(serializeMessage(row, serializeReceiver(conversation, now)));
    const text = row.text.length > listedText ? cut(row.text, listedText) : row.text;
    return [{ ...message, text, highlight: highlightOf(text, q) }];
  });
}

/** Returns the positions of a search's words in a text: `[start, end)` in UTF-16 units, as JavaScript counts. */
export function highlightOf(text: string, q: string): readonly (readonly [number, number])[] {
  const words = foldWords(q);
  const last = words.at(-1) ?? '';
  const whole = new Set(words.slice(0, -1));
  const found: [number, number][] = [];
  // A letter and its accents may be several signs.
  for (const match of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const parts = foldWords(match[0]);
    if (parts.some((part) => whole.has(part) || part.startsWith(last)))
      found.push([match.index, match.index + match[0].length]);
  }
  return found;
}
