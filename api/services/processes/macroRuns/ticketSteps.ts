import type { Ctx } from '../../../core/context';
import type { Action } from '../../resources/macros/actions';
import { addComment } from '../../resources/tickets/comments';
import { findTicket } from '../../resources/tickets/queries';
import type { NewTicket, TicketPatch } from '../../resources/tickets/schema';
import { createTicket, escalateTicket, updateTicket } from '../../resources/tickets/service';
import { ticketValues } from '../../resources/tickets/values';
import type { TicketVariable } from '../../resources/templates/variables';
import { getWorkspace } from '../../identity/workspaces/service';
import { currentTicket, type Subjects } from './subjects';
import { patchedTags } from './tags';

/** One step on the run's ticket; gives what it did in words. Throws the refusal. */
export async function performOnTicket(ctx: Ctx, subjects: Subjects, action: Action): Promise<string> {
  const { params } = action;
  const update = async (patch: TicketPatch, detail: string): Promise<string> => {
    await updateTicket(ctx, currentTicket(subjects), patch);
    return detail;
  };
  switch (action.type) {
    case 'create_ticket': {
      // The customer of the conversation is the primary contact unless the macro names another.
      const ticket = await createTicket(
        ctx,
        {
          ...(subjects.contactId === null || params['receiver_id'] !== undefined
            ? {}
            : { receiver: subjects.contactId }),
          ...(params as unknown as NewTicket),
        },
        { source: subjects.on === 'chat' ? 'msgapp' : ctx.actor.type === 'member' ? 'manual' : 'api' },
      );
      if (subjects.on === 'chat') subjects.ticketId = ticket.id;
      return `Ticket ${ticket.id} created.`;
    }
    case 'move_stage':
      return update({ stage: params['stage'] as number }, `Moved to stage ${String(params['stage'])}.`);
    case 'set_outcome':
      return update(
        { outcome: params['outcome'] as NonNullable<TicketPatch['outcome']> | null },
        params['outcome'] === null ? 'Outcome cleared.' : `Outcome set to ${String(params['outcome'])}.`,
      );
    case 'set_priority':
      return update(
        { priority: params['priority'] as NonNullable<TicketPatch['priority']> },
        `Priority set to ${String(params['priority'])}.`,
      );
    case 'assign_member':
      return update(
        { assigned_to: params['assigned_member'] as number | null },
        params['assigned_member'] === null
          ? 'Unassigned from its member.'
          : `Assigned to member ${String(params['assigned_member'])}.`,
      );
    case 'assign_inbox':
      return update(
        { assigned_inbox: params['assigned_team_inbox'] as number | null },
        params['assigned_team_inbox'] === null
          ? 'Taken out of its team inbox.'
          : `Assigned to team inbox ${String(params['assigned_team_inbox'])}.`,
      );
    case 'add_tags':
    case 'remove_tags': {
      const { patch, detail } = patchedTags((await findTicket(ctx, currentTicket(subjects))).tags, action);
      return update(patch, detail);
    }
    case 'set_custom_fields': {
      const values = params['custom_fields'] as Record<string, unknown>;
      return update({ custom_fields: values }, `Custom fields set: ${Object.keys(values).join(', ')}.`);
    }
    case 'add_comment': {
      const comment = await addComment(ctx, currentTicket(subjects), params as { body: string; is_internal?: boolean });
      return `Comment ${comment.id} added.`;
    }
    case 'escalate':
      await escalateTicket(ctx, currentTicket(subjects), params as { escalated_to: number; reason?: string | null });
      return `Escalated to member ${String(params['escalated_to'])}.`;
    default:
      throw new Error(`${action.type} is no step on a ticket`);
  }
}

/** The values that placeholders can show of the run's ticket (contract 8.2). */
export async function ticketValuesOf(ctx: Ctx, subjects: Subjects): Promise<Record<TicketVariable, string>> {
  const ticket = await findTicket(ctx, currentTicket(subjects));
  const { timezone } = await getWorkspace(ctx.runtime, ctx.workspaceId);
  return ticketValues({
    ...ticket,
    stage: ticket.stage_name,
    pipeline: ticket.pipeline_name,
    assignee: ticket.assigned_to_name ?? '',
    timezone,
  });
}
