import type { AnswerOf } from '../../core/http/shapes';
import { isBlank } from '../../core/http/visible';
import { cut } from '../../core/text/cut';
import type { messageShape } from '../../services/resources/messages/serializer';
import { textParts } from './texts';
import { words } from './words';

const { snippets: said } = words.thread;

type Json = Record<string, unknown>;

interface Said {
  readonly body: unknown;
  readonly deleted_at?: string | Date | null;
}

/** Returns a message in one line, for lists and quotes. */
export function snippetOf({ body, deleted_at: deletedAt = null }: Said): string {
  if (deletedAt !== null) return said.deleted;
  const type = stringOf(objectOf(body)['type']);
  const content = objectOf(objectOf(body)[type]);
  const text = [content['body'], content['caption'], content['text'], objectOf(content['body'])['text']]
    .map(stringOf)
    .find((candidate) => !isBlank(candidate));
  if (type === 'template') return cut(said.template(stringOf(content['name']).replaceAll('_', ' ')), 140);
  if (type === 'reaction') {
    const emoji = stringOf(content['emoji']);
    return emoji === '' ? said.reactionBack : said.reaction(emoji);
  }
  const reply = objectOf(content[stringOf(content['type'])]);
  const shown = text ?? (stringOf(reply['title']) || fallbacks[type] || type.replaceAll('_', ' '));
  // One line has no room for marks, so it does without their signs.
  const parts = textParts(cut(shown, 200)).map((part) => part.text);
  return cut(parts.join(''), 140);
}

/** What stands for a message that shows nothing, by its type. */
export const fallbacks: Readonly<Record<string, string>> = said.fallbacks;

/** Returns a value as an object; an empty one for anything else. */
export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** Returns a text or number of a message as text; empty for anything else. */
export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** Returns who or what wrote a message of ours. */
export function authorOf({
  written_by: author,
  send_by: member,
  source,
}: Pick<AnswerOf<typeof messageShape>, 'written_by' | 'send_by' | 'source'>): string {
  const { authors } = words.thread;
  const elsewhere: Readonly<Record<string, string>> = { phone_app: authors.phoneApp, other_app: authors.otherApp };
  const name = author?.name || member?.name || member?.email || (elsewhere[source] ?? authors.automatic);
  return author?.approved_by ? authors.approved(name, author.approved_by) : name;
}
