import { formatDuration } from '../formats';
import { eventsHeader, type PageAnswer, type PageRequest } from '../page';
import { words } from '../words';
import { newestMessages } from '../lookups';
import { authorOf, snippetOf } from '../snippets';
import type { WireMessage } from './messages';

const { answered: said } = words.composer;

/** The key under which the box below a thread is told that somebody has answered meanwhile. */
export const answeredField = 'answered';

/** What somebody else has answered since a text was begun. */
interface Answered {
  readonly text: string;
  /** The newest message by now. */
  readonly newestId: string;
}

/** Of so many newest messages it is looked at which are newer than the beginning of a text. */
const looked = 30;

/** Returns what others have answered since the text of the form was begun; null: nothing, or the form does not say. */
export async function answeredMeanwhile(page: PageRequest, receiver: string): Promise<Answered | null> {
  const { begun_under: begun } = page.form;
  if (begun === undefined) return null;
  const [last] = await newestMessages(page, receiver, 1);
  if (!last || String(last.id) === begun) return null;
  const newest = await newestMessages(page, receiver, looked);
  const place = newest.findIndex(({ id }) => String(id) === begun);
  const answer = newest.slice(0, place < 0 ? looked : place).find((message) => isOfOthers(page, message));
  if (!answer) return null;
  return {
    text: said.answered(authorOf(answer), agoOf(page, answer), snippetOf(answer)),
    newestId: String(newest[0]?.id ?? ''),
  };
}

/** What a broadcast or a stage sends to many is no answer; nor is what did not go out. */
function isOfOthers(
  page: PageRequest,
  { direction, message_status: status, written_by: author }: WireMessage,
): boolean {
  if (direction !== 'outbound' || status === 'failed') return false;
  if (author?.type === 'broadcast' || author?.type === 'ticket') return false;
  return author?.type !== 'member' || author.id !== page.member.id;
}

function agoOf(page: PageRequest, { created_at: at }: WireMessage): string {
  const passed = page.now.getTime() - new Date(at).getTime();
  return passed < 60_000 ? said.justNow : said.ago(formatDuration(passed));
}

/** Answers a script that sends a text: it asks (composer.js), and sends the same text under the newest message. */
export function askFirst({ text, newestId }: Answered): PageAnswer {
  const answered = { title: said.ask, text, button: said.anyway, newestId };
  return { status: 204, html: '', headers: { 'HX-Trigger': eventsHeader({ answered }) } };
}
