import { cut } from '../../../core/text/cut';
import type { PageRequest } from '../page';
import { fallbacks, objectOf, snippetOf, stringOf } from '../snippets';
import { newestMessages, type Message } from '../lookups';

/** How long a title is that nobody wrote as one, and how much of one line it must have to be it. */
const [longest, shortest] = [80, 10];
/** In so many of the newest messages the customer is looked for. */
const messagesRead = 10;

/** What a ticket is called that is made from a message, and what the message says beyond it. */
export interface Suggested extends Readonly<Record<string, string | undefined>> {
  readonly title?: string;
  readonly description?: string;
}

/** Returns what a message suggests to call a ticket: its first sentence, cut between words. */
function titleFrom(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const end = [...line.matchAll(/[.!?…](?=\s|$)/g)].map(({ index }) => index).find((at) => at >= shortest);
  const sentence = line.slice(0, end === undefined ? undefined : line[end] === '.' ? end : end + 1);
  if ([...sentence].length <= longest) return sentence;
  const short = cut(sentence, longest);
  return `${short.slice(0, short.lastIndexOf(' ') > shortest ? short.lastIndexOf(' ') : undefined)}…`;
}

/** Returns what a ticket begins with that is made from one message of a customer's conversation. Throws 404. */
export async function titledBy(page: PageRequest, receiver: string, id: string): Promise<Suggested> {
  const message = await page.call<Message & { readonly receiver: { readonly receiver_id: string } }>('messages.get', {
    id,
  });
  return message.receiver.receiver_id === receiver ? suggestedBy(message) : {};
}

/** Returns what a ticket begins with beside a conversation: the newest words of the customer. */
export async function titledByNewest(page: PageRequest, receiver: string): Promise<Suggested> {
  const messages = await newestMessages(page, receiver, messagesRead);
  const known = new Set(Object.values(fallbacks));
  const said = messages.find(
    (message) =>
      message.direction === 'inbound' &&
      message.deleted_at === null &&
      objectOf(message.body)['type'] !== 'reaction' &&
      !known.has(snippetOf(message)),
  );
  return said ? { title: suggestedBy(said).title } : {};
}

function suggestedBy(message: Message): Suggested {
  const body = objectOf(message.body);
  const content = objectOf(body[stringOf(body['type'])]);
  const text = stringOf(content['body']) || stringOf(content['caption']);
  const title = titleFrom(snippetOf(message));
  return text.trim().length > title.length ? { title, description: text } : { title };
}
