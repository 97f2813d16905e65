import { choiceLabel } from '../../../services/resources/tickets/values';
import { priorities, severities, ticketOutcomes, ticketTypes } from '../../../../models/enums';
import type { PageRequest } from '../page';
import type { WireTicket } from './wire';

interface Option {
  readonly value: string | number;
  readonly label: string;
}

const severityWords = { sev1: 'Sev1 Critical', sev2: 'Sev2 High', sev3: 'Sev3 Medium', sev4: 'Sev4 Low' } as const;
const optionsOf = (values: readonly string[]): Option[] =>
  values.map((value) => ({ value, label: choiceLabel(value) }));

/** What a ticket's choices are called. */
export const choices = {
  type: optionsOf(ticketTypes),
  priority: optionsOf(priorities),
  severity: severities.map((value) => ({ value, label: severityWords[value] })),
  outcome: optionsOf(ticketOutcomes),
} as const;

/** A deadline as pages show it. */
export interface Clock {
  readonly label: string;
  readonly state: 'met' | 'missed' | 'paused' | 'running' | 'ended';
  readonly text: string;
  readonly at: string;
}

/** Returns the service level clocks of a ticket: what is met, missed, stands still, runs, or ended with it. */
export function clocksOf(page: PageRequest, ticket: WireTicket, isClosed: boolean): Clock[] {
  const clock = (label: string, deadline: string | null, doneAt: string | null, isDone: boolean): Clock[] => {
    if (deadline === null) return [];
    const missed = new Date(deadline).getTime() < (doneAt ? new Date(doneAt) : page.now).getTime();
    // A closed ticket that nobody answered waits for no answer: whether that was too late, `sla_breached` says.
    if (isClosed && !isDone) return [{ label, state: 'ended', text: 'None was given', at: deadline }];
    if (isDone) {
      const late = doneAt !== null ? missed : ticket.sla_breached;
      return [{ label, state: late ? 'missed' : 'met', text: late ? 'Done, too late' : 'Done in time', at: deadline }];
    }
    if (ticket.sla_paused_at !== null) return [{ label, state: 'paused', text: 'Stands still', at: deadline }];
    const text = missed ? 'Missed' : `${page.remaining(deadline)} left`;
    return [{ label, state: missed ? 'missed' : 'running', text, at: deadline }];
  };
  return [
    ...clock('First response', ticket.first_response_sla, ticket.first_response_at, ticket.first_response_at !== null),
    ...clock('Resolution', ticket.resolution_sla, null, isClosed),
  ];
}
