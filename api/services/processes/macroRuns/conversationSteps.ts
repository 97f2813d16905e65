import type { Ctx } from '../../../core/context';
import { invalidField } from '../../../core/errors';
import type { Action } from '../../resources/macros/actions';
import { fillText, readVariables, textOf, withoutVariables } from '../../resources/macros/params';
import { applyPatch, type StatePatch } from '../../resources/conversations/service';
import type { ConversationView } from '../../resources/conversations/serializer';
import { readContent, type Content } from '../../resources/messages/content';
import { enqueueMessage } from '../outbound/service';
import { resolveForRecipient } from '../../resources/messages/templates';
import { flattenValue } from '../../resources/templates/parameters';
import type { TemplateVariables, VariableSource } from '../../resources/templates/variables';
import { currentConversation, type Subjects } from './subjects';
import { patchedTags } from './tags';
import { ticketValuesOf } from './ticketSteps';

const minuteMs = 60_000;

/** One step on the conversation and its contact; gives what it did in words. Throws the refusal. */
export async function performOnConversation(ctx: Ctx, subjects: Subjects, action: Action): Promise<string> {
  const conversation = await currentConversation(ctx, subjects);
  const { patch, detail } = patchOf(ctx, conversation, action);
  // A contact and its conversation share their custom values; update_contact does what PATCH of the contact does.
  await applyPatch(
    ctx,
    conversation,
    patch,
    action.type === 'set_custom_fields' ? ['contacts', 'conversations'] : ['contacts'],
  );
  return detail;
}

/** The values that the actions' readers gave, by the type of the action. */
type Params = Readonly<Record<string, unknown>>;

function patchOf(ctx: Ctx, conversation: ConversationView, action: Action): { patch: StatePatch; detail: string } {
  const params: Params = action.params;
  switch (action.type) {
    case 'set_status': {
      const status = params['status'] as NonNullable<StatePatch['conv_status']>;
      if (status !== 'snoozed') return { patch: { conv_status: status }, detail: `Status set to ${status}.` };
      const until =
        params['snooze_minutes'] === undefined
          ? (params['snoozed_until'] as Date)
          : new Date(ctx.runtime.clock.now().getTime() + Number(params['snooze_minutes']) * minuteMs);
      return { patch: { conv_status: status, snoozed_until: until }, detail: `Snoozed until ${until.toISOString()}.` };
    }
    case 'set_priority':
      return {
        patch: { priority: params['priority'] as NonNullable<StatePatch['priority']> },
        detail: `Priority set to ${String(params['priority'])}.`,
      };
    case 'assign_member':
      return {
        patch: { assigned_member: params['assigned_member'] as number | null },
        detail:
          params['assigned_member'] === null
            ? 'Unassigned from its member.'
            : `Assigned to member ${String(params['assigned_member'])}.`,
      };
    case 'assign_inbox':
      return {
        patch: { assigned_team_inbox: params['assigned_team_inbox'] as number | null },
        detail:
          params['assigned_team_inbox'] === null
            ? 'Taken out of its team inbox.'
            : `Assigned to team inbox ${String(params['assigned_team_inbox'])}.`,
      };
    case 'add_tags':
    case 'remove_tags':
      return patchedTags(conversation.tags, action);
    case 'set_custom_fields': {
      const values = params['custom_fields'] as Record<string, unknown>;
      return { patch: { custom_fields: values }, detail: `Custom fields set: ${Object.keys(values).join(', ')}.` };
    }
    case 'update_contact':
      return { patch: params as StatePatch, detail: `Contact updated: ${Object.keys(params).join(', ')}.` };
    default:
      throw new Error(`${action.type} is no step on a conversation`);
  }
}

/** Stores a message as a queued delivery, after everything that was stored before it; gives what it did in words. */
export async function performSend(ctx: Ctx, subjects: Subjects, action: Action, dedupeKey: string): Promise<string> {
  const conversation = await currentConversation(ctx, subjects);
  const variables = readVariables(action.params['template_variables']);
  const values = variables && usesTicket(variables) ? await ticketValuesOf(ctx, subjects) : null;
  const resolve = (source: VariableSource): string =>
    source.source === 'ticket' ? (values?.[source.field] ?? '') : resolveForRecipient(source, conversation);
  const content =
    action.type === 'send_template'
      ? templateContent(action.params, variables, resolve)
      : messageContent(action.params, variables, resolve);
  const id = await enqueueMessage(ctx, conversation, {
    content,
    number: {
      phone_number_id: action.params['phone_number_id'] as string | null | undefined,
      msgapp_business_account_id: action.params['msgapp_business_account_id'] as string | null | undefined,
    },
    replyTo: typeof action.params['reply_to_wamid'] === 'string' ? action.params['reply_to_wamid'] : '',
    origin: 'macro',
    dedupeKey,
  });
  return `Message ${id} queued.`;
}

function usesTicket(variables: TemplateVariables): boolean {
  return [variables.header, variables.body].some((bindings) =>
    Object.values(bindings ?? {}).some(({ source }) => source === 'ticket'),
  );
}

/** The message with its placeholders filled, and once more checked: a filled text may have become too long. */
function messageContent(
  params: Params,
  variables: TemplateVariables | null,
  resolve: (source: VariableSource) => string,
): Content {
  const content = readContent(withoutVariables(params));
  const words = content.kind === 'plain' ? textOf(content.body) : null;
  if (content.kind !== 'plain' || !variables || words === null) return content;
  const filled = fillText(words, (place) => {
    const source = variables.body?.[place];
    if (!source) throw invalidField('template_variables', `body.${place}: this placeholder is required.`);
    return flattenValue(resolve(source));
  });
  return readContent({ text: { ...(content.body['text'] as Params), body: filled } });
}

/** The template with what a ticket says put in as literal text: sending it later knows nothing of tickets. */
function templateContent(
  params: Params,
  variables: TemplateVariables | null,
  resolve: (source: VariableSource) => string,
): Content {
  if (!variables) return readContent({ ...params, type: 'template' });
  const literal = (bindings: TemplateVariables['body']): Record<string, VariableSource> =>
    Object.fromEntries(
      Object.entries(bindings ?? {}).map(([place, source]) => [
        place,
        source.source === 'ticket' ? { source: 'static', value: [...resolve(source)].slice(0, 512).join('') } : source,
      ]),
    );
  return readContent({
    ...params,
    type: 'template',
    template_variables: { header: literal(variables.header), body: literal(variables.body) },
  });
}
