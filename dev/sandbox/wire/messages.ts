import type { Context } from '../context';
import { GraphError, errorReply, isAsyncCode } from './errors';
import { htmlErrorPage, type Fault } from '../play/faults';
import type { Limits } from './limits';
import { readRecipient, userFor, type Recipient } from './recipient';
import { priceOf } from './prices';
import { scheduleStatuses, type StatusStep } from './statuses';
import { typingMs } from '../state';
import type { Account, JsonObject, PhoneNumber, Reply, SentRecord, Template, User } from '../types';
import { isObject, textOf } from '../util';
import { validateContent } from './validate';
import { missing } from './checks';

const statusFirstLimitMs = 5000;
/** A media link on this host fails later, like a file that upstream cannot fetch. */
const unreachableMedia = /^https?:\/\/media-fail\.test(\/|$)/;
const mediaTypes = ['image', 'video', 'audio', 'document', 'sticker'];

/** Answers `POST /{phone_number_id}/messages`: a send, or the mark-read form. */
export function postMessage(
  context: Context,
  limits: Limits,
  account: Account,
  phone: PhoneNumber,
  input: unknown,
): Reply {
  if (!isObject(input)) throw new GraphError(100, 'The request body must be a JSON object.');
  if (input['messaging_product'] !== 'whatsapp')
    throw new GraphError(100, 'The parameter messaging_product is required.');
  if (input['status'] !== undefined) return markRead(context, phone, input);
  const recipient = readRecipient(context, account, phone, input);
  const fault = context.faults.forSend({ to: recipient.to, alternative: recipient.userId, phone_number_id: phone.id });
  if (fault) {
    const reply = faultBefore(fault);
    if (reply) return { ...reply, to: recipient.to };
  }
  return accept(context, limits, account, phone, input, recipient, fault);
}

/** Returns the reply of a fault that comes before any processing, for sends and for other endpoints. */
export function faultBefore(fault: Fault, sending = true): Reply | undefined {
  if (fault.kind === 'hang') return { status: 0, wire: 'hang', outcome: 'hang' };
  if (fault.kind === 'reset') return { status: 0, wire: 'reset', outcome: 'reset' };
  if (fault.kind === 'html') return html(fault.status ?? 502, 'html');
  const async = fault.id === 0 && isAsyncCode(fault.code);
  if (fault.kind !== 'error' || async) return undefined;
  const options = {
    ...(fault.status === null ? {} : { status: fault.status }),
    ...(fault.retry_after === null ? {} : { retryAfter: fault.retry_after }),
  };
  return errorReply(new GraphError(fault.code, fault.details ?? undefined, options), sending);
}

function html(status: number, outcome: string): Reply {
  return { status, raw: htmlErrorPage(status), contentType: 'text/html; charset=utf-8', outcome };
}

function accept(
  context: Context,
  limits: Limits,
  account: Account,
  phone: PhoneNumber,
  body: JsonObject,
  recipient: Recipient,
  fault: Fault | undefined,
): Reply {
  const checked = validateContent(context, account, body, recipient.via === 'user_id');
  const opaque = body['biz_opaque_callback_data'];
  if (opaque !== undefined && (typeof opaque !== 'string' || opaque.length > 512)) {
    throw new GraphError(100, 'Param biz_opaque_callback_data must be a string of at most 512 characters.');
  }
  if (body['context'] !== undefined && !(isObject(body['context']) && textOf(body['context']['message_id'])))
    throw missing("context['message_id']");
  const user = userFor(context, account, recipient);
  limits.take(context, phone, user.key);
  const record = newRecord(context, account, phone, body, recipient, user, checked.type, checked.template);
  record.answered = fault?.kind.includes('accept') || fault?.kind === 'no_id' ? fault.kind : 'ok';
  context.state.addSent(record);
  user.last_at = record.accepted_at;
  // A sender of free text takes the thread.
  if (!checked.template) user.agent = false;
  const steps = plan(context, record, user, recipient, checked.template, fault);
  if (fault?.kind !== 'no_status') scheduleStatuses(context, record, user, steps);
  context.changed();
  return respond(context, record, recipient, user, checked.template, fault);
}

function newRecord(
  context: Context,
  account: Account,
  phone: PhoneNumber,
  body: JsonObject,
  recipient: Recipient,
  user: User,
  type: string,
  template: Template | undefined,
): SentRecord {
  const { state } = context;
  const seq = state.nextSeq;
  state.nextSeq += 1;
  return {
    direction: 'out',
    seq,
    wamid: newWamid(context, recipient.to, seq),
    business_account_id: account.business_account_id,
    phone_number_id: phone.id,
    to: recipient.to,
    via: recipient.via,
    user_key: user.key,
    user_id: user.user_id,
    type,
    body: state.settings.keep_bodies ? body : null,
    opaque: textOf(body['biz_opaque_callback_data']) ?? null,
    accepted_at: context.clock(),
    answered: 'ok',
    category: template ? template.category.toLowerCase() : 'service',
    price: null,
    statuses: [],
    arrived: false,
    lost: false,
  };
}

/** Makes a message id: opaque, unique over restarts, and longer than people expect. */
export function newWamid(context: Context, about: string, seq: number): string {
  const inner = `\u001d${about}\u0012${context.runId}${seq.toString(36).padStart(6, '0')}`;
  return `wamid.${Buffer.from(inner).toString('base64')}`;
}

/** Plans what becomes of an accepted message, by the platform's rules of state. */
function plan(
  context: Context,
  record: SentRecord,
  user: User,
  recipient: Recipient,
  template: Template | undefined,
  fault: Fault | undefined,
): StatusStep[] {
  const failed = (code: number, details?: string): StatusStep[] => [{ status: 'failed', code, details }];
  if (fault?.kind === 'async_error' || fault?.kind === 'error') return failed(fault.code, fault.details ?? undefined);
  if (fault?.kind === 'held_then_dropped' && template) return failed(132015);
  if (recipient.foreign) return failed(131026);
  const group = recipient.via === 'group';
  if (!template && !group && !context.state.windowOpen(user, record.phone_number_id, record.accepted_at))
    return failed(131047);
  if (template?.category === 'MARKETING' && user.opted_out) return failed(131050);
  if (record.body && hasUnreachableMedia(record)) return failed(131053, 'Media could not be downloaded from the link.');
  if (context.state.settings.unpaid && priceOf(context, record, user)['billable'] === true) return failed(131042);
  if (user.blocked || fault?.kind === 'sent_only') {
    if (user.blocked) record.lost = true;
    return [{ status: 'sent' }];
  }
  return context.state.settings.statuses
    .filter((status) => status !== 'played' || isVoice(record))
    .map((status) => ({ status }));
}

function hasUnreachableMedia(record: SentRecord): boolean {
  if (!mediaTypes.includes(record.type)) return false;
  const content = record.body?.[record.type];
  return isObject(content) && unreachableMedia.test(textOf(content['link']) ?? '');
}

function isVoice(record: SentRecord): boolean {
  const audio = record.type === 'audio' ? record.body?.['audio'] : undefined;
  return isObject(audio) && audio['voice'] === true;
}

function respond(
  context: Context,
  record: SentRecord,
  recipient: Recipient,
  user: User,
  template: Template | undefined,
  fault: Fault | undefined,
): Reply {
  const contact: JsonObject = { input: recipient.input };
  if (recipient.via !== 'user_id')
    contact['wa_id'] = (recipient.via === 'group' ? undefined : user.phone) ?? recipient.to;
  if (recipient.via === 'user_id' || recipient.via === 'both') contact['user_id'] = user.user_id;
  const message: JsonObject = { id: record.wamid };
  const held = template !== undefined && (fault?.kind === 'held_then_dropped' || fault?.kind === 'held_then_sent');
  if (template) message['message_status'] = held ? (fault?.details ?? 'held_for_quality_assessment') : 'accepted';
  const reply: Reply = {
    status: 200,
    body: { messaging_product: 'whatsapp', contacts: [contact], messages: [message] },
    outcome: record.answered === 'ok' ? 'accepted' : record.answered,
    to: record.to,
    wamid: record.wamid,
  };
  if (context.state.settings.status_before_response)
    reply.before = context.webhooks.drained(statusFirstLimitMs).then(() => undefined);
  switch (fault?.kind) {
    case 'latency':
      return { ...reply, delayMs: fault.delay_ms };
    case 'no_id':
      return { ...reply, body: { messaging_product: 'whatsapp', contacts: [contact] } };
    case 'reset_after_accept':
      return { ...reply, wire: 'reset' };
    case 'hang_after_accept':
      return { ...reply, wire: 'hang' };
    case 'html_after_accept':
      return { ...reply, ...html(fault.status ?? 502, 'html_after_accept') };
    default:
      return reply;
  }
}

/** Marks a customer's message and those before it as read; says that the business is typing where it is told so. */
function markRead(context: Context, phone: PhoneNumber, body: JsonObject): Reply {
  if (body['status'] !== 'read') throw new GraphError(131009, 'Param status must be "read".');
  const id = textOf(body['message_id']);
  if (!id) throw missing('message_id');
  const record = context.state.messages.get(id);
  if (!record || record.direction !== 'in' || record.phone_number_id !== phone.id) {
    throw new GraphError(131009, `Message ${id} was not received by this phone number.`);
  }
  const chat = context.state.chat(phone.id, record.user_key);
  for (const item of chat) if (item.direction === 'in' && item.at <= record.at) item.read_at ??= context.clock();
  const typing = body['typing_indicator'];
  if (typing !== undefined) {
    if (!isObject(typing) || typing['type'] !== 'text')
      throw new GraphError(131009, 'Param typing_indicator must have the type "text".');
    record.typing_at = context.clock();
    // Whoever looks on sees it end.
    setTimeout(context.changed, typingMs).unref();
  }
  context.changed();
  return { status: 200, body: { success: true }, outcome: typing === undefined ? 'read' : 'typing', wamid: id };
}
