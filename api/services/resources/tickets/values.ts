import type { TicketRow } from '../../../../models';
import type { Severity } from '../../../../models/enums';
import type { TicketVariable } from '../templates/variables';

const severityLabels: Readonly<Record<Severity, string>> = {
  sev1: 'Sev1 Critical',
  sev2: 'Sev2 High',
  sev3: 'Sev3 Medium',
  sev4: 'Sev4 Low',
};

/** The columns of a ticket that the placeholders of a stage can show. */
export const shownColumns = [
  'id',
  'title',
  'type',
  'priority',
  'severity',
  'outcome',
  'created_at',
  'due_at',
] as const satisfies readonly (keyof TicketRow)[];

/** What the placeholders of a stage can show of a ticket. */
export interface TicketFacts extends Pick<TicketRow, (typeof shownColumns)[number]> {
  readonly stage: string;
  readonly pipeline: string;
  readonly assignee: string;
  readonly timezone: string;
}

/**
 * Returns the ticket's values as customers read them: labels for choices, days in the workspace's zone, empty for
 * nothing (contract 8.2).
 */
export function ticketValues(ticket: TicketFacts): Record<TicketVariable, string> {
  return {
    id: String(ticket.id),
    title: ticket.title,
    type: choiceLabel(ticket.type),
    stage: ticket.stage,
    pipeline: ticket.pipeline,
    priority: choiceLabel(ticket.priority),
    severity: severityLabels[ticket.severity as Severity],
    assignee: ticket.assignee,
    outcome: ticket.outcome === null ? '' : choiceLabel(ticket.outcome),
    created_date: day(ticket.created_at, ticket.timezone),
    due_date: ticket.due_at === null ? '' : day(ticket.due_at, ticket.timezone),
  };
}

/** Writes `escalated_external` as "Escalated External". */
export function choiceLabel(value: string): string {
  return value
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

/** Writes "1 January 2027", in the zone. */
function day(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone }).format(at);
}
