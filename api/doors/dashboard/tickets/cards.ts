import type { TagView } from '../fieldViews';
import type { PageRequest } from '../page';
import { words } from '../words';
import { clocksOf } from './labels';
import type { Ticket } from './read';
import { valueWord } from '../valueWord';

const { tickets: said } = words;

/** What comes first: a promised time, else the day on which it is due. */
interface Deadline {
  readonly icon: 'timer' | 'calendar-clock';
  readonly text: string;
  readonly isMissed: boolean;
}

const noticed: Readonly<Record<string, string>> = {
  urgent: 'tag-bad',
  high: 'tag-warn',
  sev1: 'tag-bad',
  sev2: 'tag-warn',
};

const levelTag = (name: Ticket['priority'] | Ticket['severity']): TagView => ({
  text: valueWord(name),
  style: noticed[name] ?? '',
});

/** Returns the labels of a ticket that need attention. */
export function noticedTags({ priority, severity, escalated_at: escalated }: Ticket): readonly TagView[] {
  return [
    ...[levelTag(priority), levelTag(severity)].filter(({ style }) => style !== ''),
    ...(escalated === null ? [] : [{ text: said.escalated, style: 'tag-accent' }]),
  ];
}

/** Returns the deadline of a ticket that comes first; null: it has none. */
export function deadlineOf(page: PageRequest, ticket: Ticket, isClosed: boolean): Deadline | null {
  const clock = clocksOf(page, ticket, isClosed).find(({ state }) => state !== 'met' && state !== 'ended');
  if (clock)
    return { icon: 'timer', text: said.clocks.of(clock.label, clock.text), isMissed: clock.state === 'missed' };
  const { due_at: due } = ticket;
  if (due === null) return null;
  return {
    icon: 'calendar-clock',
    text: said.due(page.moment(due, 'short')),
    isMissed: !isClosed && new Date(due) < page.now,
  };
}

/** Returns what the customer of a ticket is called; empty: it has none. */
export const customerOf = ({ receiver_name: name, receiver_phone: phone }: Ticket): string => name || phone || '';
