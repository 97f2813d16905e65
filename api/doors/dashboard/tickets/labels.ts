import { priorities, severities, ticketOutcomes, ticketTypes } from '../../../../models/enums';
import type { Option } from '../fieldViews';
import type { PageRequest } from '../page';
import { words } from '../words';
import type { Ticket } from './read';

const { tickets: said } = words;

const optionsOf = <V extends string>(values: readonly V[], names: Readonly<Record<V, string>>): Option[] =>
  values.map((value) => ({ value, label: names[value] }));

/** What may be chosen for a property of a ticket, as it is called. */
export const choices = {
  type: () => optionsOf(ticketTypes, said.types),
  priority: () => optionsOf(priorities, said.priorities),
  severity: () => optionsOf(severities, said.severities),
  outcome: () => optionsOf(ticketOutcomes, said.outcomes),
} as const;
type Choice = keyof typeof choices;

/** The choices that each ticket has from its beginning. */
export const levels = ['priority', 'severity', 'type'] as const satisfies readonly Choice[];

/** Returns what the choice of a ticket is called; empty: none. */
export const chosenOf = (ticket: Pick<Ticket, Choice>, name: Choice): string =>
  choices[name]().find(({ value }) => value === ticket[name])?.label ?? ticket[name] ?? '';

/** A deadline as pages show it. */
export interface Clock {
  readonly label: string;
  readonly state: 'met' | 'missed' | 'paused' | 'running' | 'ended';
  readonly text: string;
  readonly at: string;
}

/** Returns the service level clocks of a ticket: what is met, missed, stands still, runs, or ended with it. */
export function clocksOf(page: PageRequest, ticket: Ticket, isClosed: boolean): Clock[] {
  const { clocks } = said;
  const clock = (label: string, deadline: string | null, doneAt: string | null, isDone: boolean): Clock[] => {
    if (deadline === null) return [];
    const missed = new Date(deadline).getTime() < (doneAt ? new Date(doneAt) : page.now).getTime();
    // A closed ticket that nobody answered waits for no answer: whether that was too late, `sla_breached` says.
    if (isClosed && !isDone) return [{ label, state: 'ended', text: clocks.ended, at: deadline }];
    if (isDone) {
      const late = doneAt !== null ? missed : ticket.sla_breached;
      return [{ label, state: late ? 'missed' : 'met', text: late ? clocks.late : clocks.met, at: deadline }];
    }
    if (ticket.sla_paused_at !== null) return [{ label, state: 'paused', text: clocks.paused, at: deadline }];
    const text = missed ? clocks.missed : clocks.left(page.remaining(deadline));
    return [{ label, state: missed ? 'missed' : 'running', text, at: deadline }];
  };
  return [
    ...clock(clocks.first, ticket.first_response_sla, ticket.first_response_at, ticket.first_response_at !== null),
    ...clock(clocks.resolution, ticket.resolution_sla, null, isClosed),
  ];
}
