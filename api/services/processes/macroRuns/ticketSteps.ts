import type { Ctx } from '../../../core/context';
import type { Action } from '../../resources/macros/actions';
import { addComment } from '../../resources/tickets/comments';
import { findTicket } from '../../resources/tickets/queries';
import type { TicketPatch } from '../../resources/tickets/schema';
import { createTicket, escalateTicket, updateTicket } from '../../resources/tickets/service';
import { ticketValues } from '../../resources/tickets/values';
import type { TicketVariable } from '../../resources/templates/variables';
import { getWorkspace } from '../../identity/workspaces/service';
import { inboxDetail, memberDetail } from './details';
import { currentTicket, type Subjects } from './subjects';
import { patchedTags } from './tags';

type CreateTicket = Extract<Action, { readonly type: 'create_ticket' }>;

/** Does one step on the run's ticket. Returns a text that says what was done; throws the refusal. */
export async function performOnTicket(ctx: Ctx, subjects: Subjects, action: Action): Promise<string> {
  const update = async (patch: TicketPatch, detail: string): Promise<string> => {
    await updateTicket(ctx, currentTicket(subjects), patch);
    return detail;
  };

  switch (action.type) {
    case 'create_ticket':
      return createFor(ctx, subjects, action.params);
    case 'move_stage':
      return update({ stage: action.params.stage }, `Moved to stage ${action.params.stage}.`);
    case 'set_outcome': {
      const { outcome } = action.params;
      return update({ outcome }, outcome ? `Outcome set to ${outcome}.` : 'Outcome cleared.');
    }
    case 'set_priority':
      return update({ priority: action.params.priority }, `Priority set to ${action.params.priority}.`);
    case 'assign_member': {
      const { assigned_member: id } = action.params;
      return update({ assigned_to: id }, memberDetail(id));
    }
    case 'assign_inbox': {
      const { assigned_team_inbox: id } = action.params;
      return update({ assigned_inbox: id }, inboxDetail(id));
    }
    case 'add_tags':
    case 'remove_tags': {
      const { patch, detail } = patchedTags((await findTicket(ctx, currentTicket(subjects))).tags, action);
      return update(patch, detail);
    }
    case 'set_custom_fields': {
      const { custom_fields: values } = action.params;
      return update({ custom_fields: values }, `Custom fields set: ${Object.keys(values).join(', ')}.`);
    }
    case 'add_comment': {
      const comment = await addComment(ctx, currentTicket(subjects), action.params);
      return `Comment ${comment.id} added.`;
    }
    case 'escalate':
      await escalateTicket(ctx, currentTicket(subjects), action.params);
      return `Escalated to member ${action.params.escalated_to}.`;
    default:
      throw new Error(`${action.type} is no step on a ticket`);
  }
}

/** Creates a ticket; the customer of the conversation is its primary contact unless the macro names another. */
async function createFor(ctx: Ctx, subjects: Subjects, params: CreateTicket['params']): Promise<string> {
  const receiver = params.receiver_id === undefined && subjects.contactId !== null ? subjects.contactId : undefined;
  const source = subjects.on === 'chat' ? 'msgapp' : ctx.actor.type === 'member' ? 'manual' : 'api';
  const ticket = await createTicket(ctx, { ...(receiver === undefined ? {} : { receiver }), ...params }, { source });
  if (subjects.on === 'chat') subjects.ticketId = ticket.id;
  return `Ticket ${ticket.id} created.`;
}

/** Returns the values that placeholders can show of the run's ticket (contract 6.6). */
export async function ticketValuesOf(ctx: Ctx, subjects: Subjects): Promise<Record<TicketVariable, string>> {
  const ticket = await findTicket(ctx, currentTicket(subjects));
  const { timezone } = await getWorkspace(ctx);
  return ticketValues({
    ...ticket,
    stage: ticket.stage_name,
    pipeline: ticket.pipeline_name,
    assignee: ticket.assigned_to_name ?? '',
    timezone,
  });
}
