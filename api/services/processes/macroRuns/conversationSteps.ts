import { cut } from '../../../core/text/cut';
import { requireMayOptIn } from '../../../core/autonomy';
import { dueNow } from '../../../core/clock';
import type { Ctx } from '../../../core/context';
import { invalidField } from '../../../core/http/errors';
import { validate } from '../../../core/http/validate';
import { isOwnDecision, ownDecision } from '../../resources/contacts/preference';
import type { Action, SendAction } from '../../resources/macros/actions';
import { fillText, readVariables, sendChoice, textOf, withoutVariables } from '../../resources/macros/params';
import { applyPatch, type StatePatch } from '../../resources/conversations/service';
import type { ConversationView } from '../../resources/conversations/serializer';
import { readContent, type Content } from '../../resources/messages/content';
import { laterOf } from '../outbound/moments';
import { enqueueMessage } from '../outbound/service';
import { resolveForRecipient } from '../../resources/messages/templates';
import { flattenValue } from '../../resources/templates/parameters';
import type { TemplateVariables, VariableSource } from '../../resources/templates/variables';
import { currentConversation, type Subjects } from './subjects';
import { inboxDetail, memberDetail } from './details';
import { patchedTags } from './tags';
import { ticketValuesOf } from './ticketSteps';
import { reason } from '../../resources/reasons';

const minuteMs = 60_000;

/** Does one step on the conversation and its contact. Returns a text that says what was done; throws the refusal. */
export async function performOnConversation(ctx: Ctx, subjects: Subjects, action: Action): Promise<string> {
  const conversation = await currentConversation(ctx, subjects);
  const { patch, detail } = await patchOf(ctx, conversation, action);
  // A contact and its conversation share their custom values; update_contact does what PATCH of the contact does.
  await applyPatch(
    ctx,
    conversation,
    patch,
    action.type === 'set_custom_fields' ? ['contacts', 'conversations'] : ['contacts'],
  );
  if (patch.conv_status === 'resolved' && conversation.conv_status !== 'resolved') subjects.isResolved = true;
  return detail;
}

async function patchOf(
  ctx: Ctx,
  conversation: ConversationView,
  action: Action,
): Promise<{ patch: StatePatch; detail: string }> {
  switch (action.type) {
    case 'set_status': {
      const { status } = action.params;
      const until = await snoozeEndOf(ctx, action.params);
      if (status !== 'snoozed' || !until) return { patch: { conv_status: status }, detail: `Status set to ${status}.` };
      return { patch: { conv_status: status, snoozed_until: until }, detail: `Snoozed until ${until.toISOString()}.` };
    }
    case 'set_priority': {
      const { priority } = action.params;
      return { patch: { priority }, detail: `Priority set to ${priority}.` };
    }
    case 'assign_member': {
      const { assigned_member: id } = action.params;
      return { patch: { assigned_member: id }, detail: memberDetail(id) };
    }
    case 'assign_inbox': {
      const { assigned_team_inbox: id } = action.params;
      return { patch: { assigned_team_inbox: id }, detail: inboxDetail(id) };
    }
    case 'add_tags':
    case 'remove_tags':
      return patchedTags(conversation.tags, action);
    case 'set_custom_fields': {
      const { custom_fields: values } = action.params;
      return { patch: { custom_fields: values }, detail: `Custom fields set: ${Object.keys(values).join(', ')}.` };
    }
    case 'update_contact':
      return updatedContact(ctx, conversation, action.params);
    default:
      throw new Error(`${action.type} is no step on a conversation`);
  }
}

/**
 * Leaves out an opt-in of a customer who opted out themselves, and says so. Throws the 403 of an agent that may opt
 * nobody in.
 */
function updatedContact(
  ctx: Ctx,
  conversation: ConversationView,
  params: StatePatch,
): { patch: StatePatch; detail: string } {
  const { marketing_opt_out: optOut, ...others } = params;
  const isKept =
    optOut === false && conversation.marketing_opt_out && isOwnDecision(conversation.marketing_opt_out_source);
  if (isKept) requireMayOptIn(ctx);
  const patch = isKept ? others : params;
  const detail = `Contact updated: ${Object.keys(patch).join(', ') || 'nothing'}.`;
  return { patch, detail: isKept ? `${detail} marketing_opt_out: ${ownDecision}` : detail };
}

/** Returns the time until which `set_status` snoozes: as given, or so many minutes from now. */
async function snoozeEndOf(ctx: Ctx, params: { snoozed_until?: Date; snooze_minutes?: number }): Promise<Date | null> {
  const { snoozed_until: until, snooze_minutes: minutes } = params;
  return minutes === undefined ? (until ?? null) : new Date((await dueNow(ctx.runtime)).getTime() + minutes * minuteMs);
}

/** Stores a message as a queued delivery, after all earlier ones. Returns a text that says what was done. */
export async function performSend(
  ctx: Ctx,
  subjects: Subjects,
  action: SendAction,
  dedupeKey: string,
): Promise<string> {
  const conversation = await currentConversation(ctx, subjects);
  const content = async (): Promise<Content> => {
    const variables = readVariables(action.params['template_variables']);
    const values = variables && usesTicket(variables) ? await ticketValuesOf(ctx, subjects) : null;
    const resolve = (source: VariableSource): string => resolveForRecipient(source, conversation, values);
    return action.type === 'send_template'
      ? templateContent(action.params, variables, resolve)
      : messageContent(action.params, variables, resolve);
  };
  const later = await laterOf(ctx, conversation, validate(sendChoice, action.params));
  const id = await enqueueMessage(ctx, conversation, {
    content,
    later,
    number: action.params,
    replyTo: typeof action.params['reply_to_wamid'] === 'string' ? action.params['reply_to_wamid'] : '',
    origin: ctx.rule ? 'rule' : 'macro',
    dedupeKey,
  });
  return later ? `Message ${id} is sent at ${later.at.toISOString()}.` : `Message ${id} queued.`;
}

function usesTicket(variables: TemplateVariables): boolean {
  return [variables.header, variables.body].some((bindings) =>
    Object.values(bindings ?? {}).some(({ source }) => source === 'ticket'),
  );
}

/** Returns the message with its placeholders filled, once more checked: a filled text may have become too long. */
function messageContent(
  params: SendAction['params'],
  variables: TemplateVariables | null,
  resolve: (source: VariableSource) => string,
): Content {
  const content = readContent(withoutVariables(params));
  const words = content.kind === 'plain' ? textOf(content.body) : null;
  if (content.kind !== 'plain' || !variables || words === null) return content;
  const filled = fillText(words, (place) => {
    const source = variables.body?.[place];
    if (!source) throw invalidField('template_variables', reason('placeholderRequired').at(`body.${place}: `));
    return flattenValue(resolve(source));
  });
  return readContent({ text: { ...(content.body['text'] as object), body: filled } });
}

/** Returns the template with what a ticket says put in as literal text: sending it later knows nothing of tickets. */
function templateContent(
  params: SendAction['params'],
  variables: TemplateVariables | null,
  resolve: (source: VariableSource) => string,
): Content {
  if (!variables) return readContent({ ...params, type: 'template' });
  const literal = (bindings: TemplateVariables['body']): Record<string, VariableSource> =>
    Object.fromEntries(
      Object.entries(bindings ?? {}).map(([place, source]) => [
        place,
        source.source === 'ticket' ? { source: 'static', value: cut(resolve(source), 512) } : source,
      ]),
    );
  return readContent({
    ...params,
    type: 'template',
    template_variables: { header: literal(variables.header), body: literal(variables.body) },
  });
}
