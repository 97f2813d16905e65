import { announceSend } from '../../../core/autonomy';
import type { Ctx } from '../../../core/context';
import { AppError, invalid, invalidField } from '../../../core/http/errors';
import type { InputOf } from '../../../core/http/fields';
import { ChangedSince, takeApproved } from '../../../core/frozen';
import { of } from '../../../core/db/scoped';
import { sendAfterCommit } from '../../delivery/direct';
import { invalidRecipient, parseRecipient } from '../../resources/contacts/identity';
import { phoneOrBsuid } from '../../resources/contacts/serializer';
import { hasOpenWindow } from '../../resources/conversations/rows';
import type { ConversationView } from '../../resources/conversations/serializer';
import { lockConversation } from '../../resources/conversations/service';
import { answerConversationSla, hasSla } from '../../resources/conversations/sla';
import { carriedFile } from '../../resources/files/references';
import { flowOfInteractive, flowOfTemplate, flowProblem } from '../../resources/flows/carried';
import { literalContent, readContent, type Content } from '../../resources/messages/content';
import { narrowNumbers, requireNumber, type NumberChoice, type NumberPick } from '../../resources/messages/numbers';
import { insertOutbound } from '../../resources/messages/rows/insert';
import { markMessagesRead } from '../../resources/messages/rows/read';
import { windowClosed } from '../../resources/messages/rows/rules';
import type { createMessageInput } from '../../resources/messages/schema';
import { readMessage } from '../../resources/messages/service';
import { frozenTemplate, prepareTemplate, type PreparedTemplate } from '../../resources/messages/templates';
import { createdAs, noteHappened } from '../../resources/rules/starts';
import { noteTeamMessage } from '../../resources/tickets/contactActivity';
import { resolveContact } from '../contactMerge/resolve';

/** What `POST /messages/` takes; the content is read by its type. */
export type MessageInput = InputOf<typeof createMessageInput>;

/** Accepts a message for delivery: the queued row is the intent. Throws 400 and 403. */
export async function createMessage(
  ctx: Ctx,
  values: MessageInput,
  source: Pick<Enqueue, 'origin' | 'dedupeKey'> = { origin: 'api' },
): Promise<Record<string, unknown>> {
  const content = readContent(values);
  const identity = parseRecipient(values.to);
  if (!identity) throw invalidField('to', invalidRecipient);

  return ctx.runtime.db.transaction(async () => {
    const contact = await resolveContact(ctx, identity);
    const conversation = await lockConversation(ctx, { contactId: contact.id });
    const id = await enqueueMessage(ctx, conversation, {
      content,
      number: values,
      replyTo: values.reply_to_wamid ?? '',
      ...source,
    });
    // Read before the commit: what was accepted is never answered by a fault.
    const message = await readMessage(ctx, id);
    if (!message) throw new Error('the message vanished after it was accepted');
    return message;
  });
}

/** A message to be stored and delivered. */
interface Enqueue {
  /** What is sent, or how that is found out: what was approved is not rendered again. */
  readonly content: Content | (() => Promise<Content>);
  readonly number?: NumberChoice;
  readonly replyTo?: string;
  readonly origin: 'api' | 'macro' | 'agent' | 'dashboard' | 'stage' | 'broadcast' | 'away' | 'satisfaction' | 'rule';
  /** Unique per workspace: a second one with it is refused by the database. */
  readonly dedupeKey?: string;
}

/** What sends without a person or an agent: the customer still waits for an answer. */
const automatic: ReadonlySet<string> = new Set<Enqueue['origin']>(['away', 'satisfaction', 'rule']);

/**
 * Checks and stores an outbound message of a locked conversation, in the surrounding transaction, with its place in the
 * conversation's order. Returns the message's id.
 */
export async function enqueueMessage(ctx: Ctx, conversation: ConversationView, given: Enqueue): Promise<number> {
  const request = { ...given, ...((await approvedMessage(ctx, conversation)) ?? (await contentOf(given))) };
  const pick = await narrowNumbers(ctx, request.number ?? {}, conversation.phone_number_id);
  if (request.content.kind === 'plain') await requireOpenWindow(ctx, conversation, pick);
  const number = requireNumber(pick);

  let prepared: PreparedTemplate | null = null;
  if (request.content.kind === 'template') {
    prepared = await prepareTemplate(ctx, request.content.by, number.business_account_id, conversation);
    refuseTemplate(prepared, conversation);
  }

  await refuseMissingFlow(ctx, number.business_account_id, request.content, prepared);

  const body = request.content.kind === 'plain' ? request.content.body : prepared?.body;
  const type = request.content.kind === 'plain' ? request.content.type : 'template';
  const fileId = await carriedFile(ctx, type, body);
  const isAnswer = !automatic.has(request.origin);
  const { id, watched } = await insertOutbound(ctx, {
    conversation_id: conversation.id,
    phone_number_id: number.id,
    type,
    body,
    file_id: fileId,
    reply_to_wamid: request.replyTo ?? '',
    template_pk: prepared?.template.id ?? null,
    sent_by_member_id: ctx.actor.memberId,
    api_key_id: ctx.actor.apiKeyId,
    oauth_grant_id: ctx.actor.grantId ?? null,
    approved_by_member_id: ctx.actor.approvedBy ?? null,
    origin: request.origin,
    dedupe_key: request.dedupeKey ?? null,
    isAnswer,
  });

  // Who answers has read: only then is there anything to write.
  if (isAnswer && conversation.unread_count > 0) await markMessagesRead(ctx, conversation.id);
  await announceSend(ctx, () => ({
    kind: 'message',
    to: {
      id: conversation.contact_id,
      receiver_id: conversation.receiver_id,
      name: conversation.name,
      phone: phoneOrBsuid(conversation),
    },
    from: number.display_phone_number,
    phone_number_id: number.phone_number_id,
    type,
    body: body ?? {},
    reply_to_wamid: request.replyTo ?? '',
    template: prepared && frozenTemplate(prepared.template),
  }));
  if (isAnswer && hasSla(conversation)) await answerConversationSla(ctx, conversation.id);
  if (isAnswer) await noteTeamMessage(ctx, conversation.contact_id);
  if (isAnswer && watched)
    await noteHappened(ctx, [
      { conversationId: conversation.id, event: 'conversation.answered', eventId: id },
      ...(conversation.last_message_id === null ? createdAs(conversation.id, id, conversation.conv_status) : []),
    ]);
  sendAfterCommit(ctx, conversation.id);
  return id;
}

async function contentOf({ content }: Enqueue): Promise<{ readonly content: Content }> {
  return { content: typeof content === 'function' ? await content() : content };
}

/**
 * Returns the message that was approved, if this call was; all checks still apply to it. Throws 409 when it was
 * approved for another recipient.
 */
async function approvedMessage(
  ctx: Ctx,
  { contact_id: contactId }: ConversationView,
): Promise<(Pick<Enqueue, 'number' | 'replyTo'> & { readonly content: Content }) | null> {
  const approved = takeApproved(ctx, 'message');
  if (!approved) return null;
  // A contact that did not exist yet was rehearsed with another id; one that was merged has another since.
  const { Contact } = ctx.runtime.db.models;
  if (approved.to.id !== contactId && (await of(ctx, Contact).count({ where: { id: approved.to.id } })) > 0)
    throw new ChangedSince();
  return {
    content: literalContent(approved.type, approved.body),
    number: { phone_number_id: approved.phone_number_id },
    replyTo: approved.reply_to_wamid,
  };
}

/**
 * Throws 400 when the window of the chosen number is closed. When the sender has not chosen yet, it throws only if the
 * windows of all possible numbers are closed, so that the sender is never asked for a number that cannot send.
 */
async function requireOpenWindow(ctx: Ctx, conversation: ConversationView, pick: NumberPick): Promise<void> {
  const numbers = pick.picked ? [pick.picked] : pick.candidates;
  if (numbers.length === 0) return;
  const open = await hasOpenWindow(
    ctx,
    conversation.id,
    numbers.map(({ id }) => id),
  );
  if (!open) throw invalid({ non_field_errors: [windowClosed] }, 'window_closed');
}

function refuseTemplate(prepared: PreparedTemplate, conversation: ConversationView): void {
  if (prepared.authentication && conversation.phone === null) {
    throw new AppError(
      'forbidden',
      'Authentication templates need a real phone number; they cannot be sent to a business-scoped user id.',
      { publicCode: 'phone_number_required' },
    );
  }
  if (prepared.template.category === 'MARKETING' && conversation.marketing_opt_out) {
    throw invalidField('to', 'This contact has opted out of marketing messages.', 'opted_out');
  }
}

/** Refuses a message that carries a flow which the sending account does not have. */
async function refuseMissingFlow(
  ctx: Ctx,
  businessAccountPk: number,
  content: Content,
  prepared: PreparedTemplate | null,
): Promise<void> {
  const wanted =
    content.kind === 'plain' ? flowOfInteractive(content.body) : flowOfTemplate(prepared?.template.components);
  const problem = await flowProblem(ctx, businessAccountPk, wanted);
  if (problem === null) return;
  if (content.kind === 'plain') throw invalidField('interactive', problem);
  throw invalidField(content.by.templateId === undefined ? 'template' : 'template_id', problem);
}
