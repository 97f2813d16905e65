import type { AnswerOf } from '../../../core/http/shapes';
import type { noteShape } from '../../../services/resources/notes/serializer';
import { dayOf } from '../../../core/zones';
import { namesOf } from '../../../services/identity/members/service';
import { formatDayHeading } from '../formats';
import type { PageRequest } from '../page';
import { words } from '../words';
import type { DayView } from './messages';
import { textParts, type TextPart } from '../texts';

/** A note as its operation gives it, with what those are called whom it mentions. */
export type WireNote = AnswerOf<typeof noteShape> & {
  readonly mentioned?: readonly { readonly id: number; readonly name: string }[];
};

/** A note between the messages of a thread. */
interface NoteView {
  readonly id: number;
  readonly author: string;
  readonly at: string;
  readonly text: readonly TextPart[];
}

/** As many as one page of the operation has. */
const maxNotes = 200;

/** Loads the newest notes of a conversation. */
export async function loadNotes(page: PageRequest, receiver: string): Promise<readonly WireNote[]> {
  const query = { receiver_id: receiver, page_size: maxNotes, count: false };
  const none = { items: [] };
  const { items } = await page.callIfPermitted<{ items: readonly WireNote[] }>('notes.list', query, none);
  const names = await namesOf(page.ctx, [...new Set(items.flatMap((note) => note.mentioned_ids))]);
  return items.map((note) => ({
    ...note,
    mentioned: note.mentioned_ids.map((id) => ({ id, name: names.get(id) ?? '' })),
  }));
}

/** Returns who wrote a note. */
export const noteAuthorOf = ({ author }: WireNote): string =>
  author?.name || author?.email || words.thread.formerMember;

/** A message, or a note between messages. */
type Entry =
  | { readonly at: string; readonly note: NoteView; readonly message: null }
  | { readonly at: string; readonly note: null; readonly message: DayView['messages'][number] };

/** Messages and notes of one day, the oldest first. */
export interface ThreadDay extends Pick<DayView, 'day' | 'heading'> {
  readonly entries: readonly Entry[];
}

/** Puts notes between the messages of a part of a thread: those from a time on, and before another one. */
export function withNotes(
  page: PageRequest,
  days: readonly DayView[],
  notes: readonly WireNote[],
  { from = '', to }: { readonly from?: string | undefined; readonly to?: string | undefined },
): readonly ThreadDay[] {
  const zone = page.workspace.timezone;
  const byDay = new Map<string, ThreadDay>();
  const add = (day: string, heading: string, ...more: readonly Entry[]): void =>
    void byDay.set(day, { day, heading, entries: [...(byDay.get(day)?.entries ?? []), ...more] });
  for (const { day, heading, messages } of days)
    add(day, heading, ...messages.map((message) => ({ at: message.at, note: null, message })));
  for (const note of notes.filter(({ created_at: at }) => at >= from && (to === undefined || at < to))) {
    const at = new Date(note.created_at);
    add(dayOf(at, zone), formatDayHeading(at, zone, page.now), {
      at: note.created_at,
      note: noteView(note),
      message: null,
    });
  }
  const byTime = (left: Entry, right: Entry): number => (left.at < right.at ? -1 : left.at > right.at ? 1 : 0);
  return [...byDay.values()]
    .sort((left, right) => (left.day < right.day ? -1 : 1))
    .map((day) => ({ ...day, entries: [...day.entries].sort(byTime) }));
}

function noteView(note: WireNote): NoteView {
  return { id: note.id, author: noteAuthorOf(note), at: note.created_at, text: textParts(note.body, note.mentioned) };
}
