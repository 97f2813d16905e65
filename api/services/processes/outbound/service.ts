import type { ScheduledMessageRow } from '../../../../models';
import { dueNow } from '../../../core/clock';
import { announceSend } from '../../../core/autonomy';
import type { Ctx } from '../../../core/context';
import { AppError, invalid, invalidField } from '../../../core/http/errors';
import type { InputOf } from '../../../core/http/fields';
import { ChangedSince, takeApproved } from '../../../core/frozenSends';
import { of } from '../../../core/db/scoped';
import { sendAfterCommit } from '../../delivery/direct';
import { noRecipient, parseRecipient } from '../../resources/contacts/identity';
import { phoneOrBsuid } from '../../resources/contacts/serializer';
import { hasOpenWindow, windowEnd } from '../../resources/conversations/rows';
import type { ConversationView } from '../../resources/conversations/serializer';
import { applyPatch, lockConversation } from '../../resources/conversations/service';
import { answerConversationSla, hasSla } from '../../resources/conversations/sla';
import { carriedFile } from '../../resources/files/references';
import { flowOfInteractive, flowOfTemplate, flowProblem } from '../../resources/flows/flowsInMessages';
import { literalContent, readContent, type Content } from '../../resources/messages/content';
import { narrowNumbers, requireNumber, type NumberChoice, type NumberPick } from '../../resources/messages/numbers';
import { insertOutbound } from '../../resources/messages/rows/insert';
import { insertScheduled } from '../../resources/messages/rows/scheduled';
import { markMessagesRead } from '../../resources/messages/rows/read';
import { windowClosed } from '../../resources/messages/rows/rules';
import type { createMessageInput } from '../../resources/messages/schema';
import { readMessage } from '../../resources/messages/service';
import { frozenTemplate, prepareTemplate, type PreparedTemplate } from '../../resources/messages/templates';
import { createdAs, noteHappened } from '../../resources/rules/starts';
import { noteTeamMessage } from '../../resources/tickets/contactActivity';
import { resolveContact } from '../contactMerge/resolve';
import { futureLater, laterOf, type Later } from './moments';
import { reason } from '../../resources/reasons';

/** What `POST /messages/` takes; the content is read by its type. */
export type MessageInput = InputOf<typeof createMessageInput>;

/** Accepts a message for delivery, or for a later moment: the row is the intent. Throws 400, 403 and 409. */
export async function createMessage(
  ctx: Ctx,
  values: MessageInput,
  source: Pick<Enqueue, 'origin' | 'dedupeKey'> = { origin: 'api' },
): Promise<Record<string, unknown>> {
  const content = readContent(values);
  const identity = parseRecipient(values.to);
  if (!identity) throw invalidField('to', noRecipient);

  return ctx.runtime.db.transaction(async () => {
    const contact = await resolveContact(ctx, identity);
    const conversation = await lockConversation(ctx, { contactId: contact.id });
    const id = await enqueueMessage(ctx, conversation, {
      content,
      number: values,
      replyTo: values.reply_to_wamid ?? '',
      later: await laterOf(ctx, conversation, values),
      ...source,
    });
    if (await becomesTheirs(ctx, conversation))
      await applyPatch(ctx, conversation, { assigned_member: ctx.actor.memberId });
    // Read before the commit: what was accepted is never answered by a fault.
    const message = await readMessage(ctx, id);
    if (!message) throw new Error('the message vanished after it was accepted');
    return message;
  });
}

/** Returns whether the acting member, who answers in their session, wants what is nobody's to become theirs by that. */
async function becomesTheirs(ctx: Ctx, { assigned_member_id: assigned }: ConversationView): Promise<boolean> {
  const { type, memberId, sessionId } = ctx.actor;
  const isOwnAnswer = type === 'member' && memberId !== null && sessionId !== undefined;
  if (assigned !== null || !isOwnAnswer || !ctx.scopes.has('chat.assign')) return false;
  const { Member } = ctx.runtime.db.models;
  return (await of(ctx, Member).count({ where: { id: memberId, takes_answered: true } })) > 0;
}

/** A message to be stored and delivered. */
export interface Enqueue {
  /** What is sent, or how that is found out: what was approved is not rendered again. */
  readonly content: Content | (() => Promise<Content>);
  readonly number?: NumberChoice;
  readonly replyTo?: string;
  readonly origin: 'api' | 'macro' | 'agent' | 'dashboard' | 'stage' | 'broadcast' | 'away' | 'satisfaction' | 'rule';
  /** Unique per workspace: a second one with it is refused by the database. */
  readonly dedupeKey?: string | null;
  /** When it is sent; without it, at once. */
  readonly later?: Later | null;
  /** The id that it has had since it was scheduled, and the rule that has scheduled it. */
  readonly scheduledId?: number;
  readonly ruleId?: number | null;
}

/** What sends without a person or an agent: the customer still waits for an answer. */
const automatic: ReadonlySet<string> = new Set<Enqueue['origin']>(['away', 'satisfaction', 'rule']);

/** A message that passed all checks, with nothing left to look up. */
interface Checked {
  readonly number: ReturnType<typeof requireNumber>;
  readonly type: string;
  readonly body: Record<string, unknown> | undefined;
  readonly fileId: number | null;
  readonly prepared: PreparedTemplate | null;
}

/** Checks a message of a locked conversation for the moment at which it is sent: now, without one. Throws 400. */
export async function checkMessage(
  ctx: Ctx,
  conversation: ConversationView,
  request: { readonly content: Content; readonly number?: NumberChoice; readonly at?: Date },
): Promise<Checked> {
  const pick = await narrowNumbers(ctx, request.number ?? {}, conversation.phone_number_id);
  if (request.content.kind === 'plain')
    await (request.at
      ? requireWindowUntil(ctx, conversation, pick, request.at)
      : requireOpenWindow(ctx, conversation, pick));
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
  return { number, type, body, fileId, prepared };
}

/**
 * Checks and stores an outbound message of a locked conversation, in the surrounding transaction: with its place in the
 * conversation's order, or to wait for its moment. Returns the message's id.
 */
export async function enqueueMessage(ctx: Ctx, conversation: ConversationView, given: Enqueue): Promise<number> {
  const request = {
    ...given,
    ...((await approvedMessage(ctx, conversation, given.later)) ?? (await contentOf(given))),
  };
  const { later = null } = request;
  const checked = await checkMessage(ctx, conversation, { ...request, ...(later ? { at: later.at } : {}) });
  const isAnswer = !automatic.has(request.origin);
  const message = {
    ...storedOf(checked),
    conversation_id: conversation.id,
    reply_to_wamid: request.replyTo ?? '',
    sent_by_member_id: ctx.actor.memberId,
    api_key_id: ctx.actor.apiKeyId,
    oauth_grant_id: ctx.actor.grantId ?? null,
    approved_by_member_id: ctx.actor.approvedBy ?? null,
    origin: request.origin,
    dedupe_key: request.dedupeKey ?? null,
    rule_id: request.ruleId ?? ctx.rule?.id ?? null,
  };
  const { id, watched } = later
    ? {
        id: await insertScheduled(ctx, { ...message, send_at: later.at, if_customer_writes: later.ifCustomerWrites }),
        watched: false,
      }
    : await insertOutbound(ctx, { ...message, isAnswer, scheduledId: request.scheduledId ?? null });

  await announceSend(ctx, () => ({
    kind: 'message',
    to: {
      id: conversation.contact_id,
      receiver_id: conversation.receiver_id,
      name: conversation.name,
      phone: phoneOrBsuid(conversation),
    },
    from: checked.number.display_phone_number,
    phone_number_id: checked.number.phone_number_id,
    type: checked.type,
    body: checked.body ?? {},
    reply_to_wamid: request.replyTo ?? '',
    send_at: later?.at.toISOString() ?? null,
    template: checked.prepared && frozenTemplate(checked.prepared.template),
  }));
  if (later) return id;

  // Who answers has read: only then is there anything to write.
  if (isAnswer && conversation.unread_count > 0) await markMessagesRead(ctx, conversation.id);
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

/** Returns what of a checked message its row keeps. */
export function storedOf({
  number,
  type,
  body,
  fileId,
  prepared,
}: Checked): Pick<ScheduledMessageRow, 'phone_number_id' | 'type' | 'body' | 'file_id' | 'template_pk'> {
  return { phone_number_id: number.id, type, body, file_id: fileId, template_pk: prepared?.template.id ?? null };
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
  asked: Later | null | undefined,
): Promise<(Pick<Enqueue, 'number' | 'replyTo' | 'later'> & { readonly content: Content }) | null> {
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
    // The moment that was shown, whatever "opening" would be by now.
    later:
      typeof approved.send_at === 'string'
        ? await futureLater(ctx, new Date(approved.send_at), asked?.ifCustomerWrites)
        : null,
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

/** Throws the 400 of a free text for a moment at which the window of the chosen number is known to be closed. */
async function requireWindowUntil(ctx: Ctx, conversation: ConversationView, pick: NumberPick, at: Date): Promise<void> {
  const numbers = pick.picked ? [pick.picked] : pick.candidates;
  if (numbers.length === 0) return;
  const until = await windowEnd(
    ctx,
    conversation.id,
    numbers.map(({ id }) => id),
  );
  if (until !== null && until > at) return;
  const isOpen = until !== null && until > (await dueNow(ctx.runtime));
  throw invalidField(
    'send_at',
    isOpen ? reason('windowUntil', { until: until.toISOString() }) : windowClosed,
    'window_closed',
  );
}

function refuseTemplate(prepared: PreparedTemplate, conversation: ConversationView): void {
  if (prepared.authentication && conversation.phone === null) {
    throw new AppError('forbidden', reason('needsPhone'), { publicCode: 'phone_number_required' });
  }
  if (prepared.template.category === 'MARKETING' && conversation.marketing_opt_out) {
    throw invalidField('to', reason('optedOut'), 'opted_out');
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
