import type { Confirmation } from '../fieldViews';

/** A stage as the API gives it. */
export interface WireStage {
  readonly id: number;
  readonly name: string;
  readonly ticket_count: string;
  readonly position: number;
  readonly color: string;
  readonly is_terminal: boolean;
  readonly pauses_sla: boolean;
  readonly notify_template_id: string | null;
  readonly notify_template_name: string | null;
  readonly notify_template_media_id: string | null;
  readonly notify_template_variables: Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>
  >;
}

/** A pipeline with its stages in order. */
export interface WirePipeline {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly position: number;
  readonly is_default: boolean;
  readonly stages: readonly WireStage[];
}

interface RelatedTicket {
  readonly id: number;
  readonly title: string;
  readonly stage_name: string;
}

/** A ticket as the API gives it. */
export interface WireTicket {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly pipeline: number;
  readonly pipeline_name: string;
  readonly stage: number;
  readonly stage_name: string;
  readonly stage_color: string;
  readonly receiver: number | null;
  readonly receiver_name: string | null;
  readonly receiver_phone: string | null;
  readonly affected_contacts: readonly { readonly id: number; readonly name: string; readonly phone: string }[];
  readonly assigned_to: number | null;
  readonly assigned_to_name: string | null;
  readonly assigned_inbox: number | null;
  readonly watchers: readonly { readonly id: number; readonly name: string; readonly email: string }[];
  readonly sub_tickets: readonly RelatedTicket[];
  readonly parent_ticket: number | null;
  readonly duplicate_of: number | null;
  readonly duplicates: readonly RelatedTicket[];
  readonly reopened_count: number;
  readonly last_customer_at: string | null;
  readonly escalated_at: string | null;
  readonly escalated_to: number | null;
  readonly escalated_to_name: string | null;
  readonly comment_count: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly due_at: string | null;
  readonly type: string;
  readonly severity: string;
  readonly priority: string;
  readonly outcome: string | null;
  readonly sla_policy: number | null;
  readonly first_response_at: string | null;
  readonly first_response_sla: string | null;
  readonly resolution_sla: string | null;
  readonly sla_paused_at: string | null;
  readonly sla_breached: boolean;
  readonly tags: unknown;
  readonly custom_fields: Readonly<Record<string, unknown>>;
}

/** A comment on a ticket. */
export interface WireComment {
  readonly id: number;
  readonly body: string;
  readonly is_internal: boolean;
  readonly author: { readonly name: string; readonly email: string } | null;
  readonly created_at: string;
}

export const ticketsPath = '/dashboard/tickets/';

/** Address of a ticket's page. */
export const ticketPath = (id: number): string => `${ticketsPath}${id}/`;

/** Returns how many contacts a move into a stage that notifies tells: each once, however they are named. */
export function countTold({ receiver, affected_contacts: affected }: WireTicket): number {
  return new Set([...(receiver === null ? [] : [receiver]), ...affected.map(({ id }) => id)]).size;
}

/** Asks before a ticket moves to a stage that sends its contacts a template, which cannot be taken back. */
export function moveQuestion(ticket: WireTicket, stage: WireStage | undefined): Confirmation | null {
  const told = countTold(ticket);
  if (!stage?.notify_template_name || stage.id === ticket.stage || told === 0) return null;
  return {
    title: `Move to ${stage.name}?`,
    text: `“${stage.notify_template_name}” is sent to ${contactsText(told)}.`,
    button: 'Move and send',
  };
}

/** Says how many contacts. */
function contactsText(count: number): string {
  return count === 1 ? 'one contact' : `${count} contacts`;
}
