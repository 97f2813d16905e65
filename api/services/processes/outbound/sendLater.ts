import type { ScheduledMessageRow } from '../../../../models';
import type { HeldReason } from '../../../../models/enums';
import type { SendLaterOutcome } from '../../../../workflows/contract';
import { dueNow, overdueSql } from '../../../core/clock';
import { systemCtx, type Actor, type Ctx } from '../../../core/context';
import { sameValue } from '../../../core/db/changes';
import { of } from '../../../core/db/scoped';
import { inTurnsSql } from '../../../core/db/workspaceTurnsSql';
import { memberScopes } from '../../../core/http/access';
import { conflict, invalidField, isFinal, notFound, type AppError } from '../../../core/http/errors';
import { isPlainObject, type InputOf } from '../../../core/http/fields';
import { runApart } from '../../../core/queue/sweep';
import type { Runtime } from '../../../core/runtime';
import { credentialOfKey } from '../../identity/apiKeys/authenticate';
import { credentialOfGrant } from '../../identity/oauth/grants';
import { getWorkspace } from '../../identity/workspaces/service';
import { isOnHold, onHoldSql } from '../../resources/accounts/fence';
import type { ConversationView } from '../../resources/conversations/serializer';
import { lockConversation } from '../../resources/conversations/service';
import { literalContent, readContent, sendableTypes } from '../../resources/messages/content';
import {
  changeScheduled,
  discardScheduled,
  endTimer,
  findScheduled,
  holdScheduled,
  lockScheduled,
  takeScheduled,
} from '../../resources/messages/rows/scheduled';
import type { changeMessageInput } from '../../resources/messages/schema';
import { readMessage } from '../../resources/messages/service';
import { futureLater, nextOpening } from './moments';
import { checkMessage, enqueueMessage, storedOf, type Enqueue } from './service';
import { reason } from '../../resources/reasons';

/** Later than this after its moment a message is not sent by itself any more: an outage may have lasted long. */
const maxLateMs = 60 * 60_000;

/** How long a timer waits for the end of a hold before it asks again. */
const askAgainMs = 60_000;

/** A message that waits, with its conversation; both locked. */
interface Waiting {
  readonly row: ScheduledMessageRow;
  readonly conversation: ConversationView;
}

/** Locks a message that waits and its conversation, this one first; null where it was sent or discarded. */
async function lockWaiting(ctx: Ctx, id: number): Promise<Waiting | null> {
  const found = await findScheduled(ctx, id);
  if (!found) return null;
  const conversation = await lockConversation(ctx, { conversationId: found.conversation_id });
  const row = await lockScheduled(ctx, id);
  return row && { row, conversation };
}

/** The same for a request. Throws 404 where there is no message with this id, and 409 where it does not wait. */
async function lockForRequest(ctx: Ctx, id: number): Promise<Waiting> {
  const waiting = await lockWaiting(ctx, id);
  if (waiting) return waiting;
  if (!(await wasSent(ctx, id))) throw notFound();
  throw conflict(notWaiting);
}

/** What a change of a message that does not wait any more is told. */
export const notWaiting = reason('notWaiting');

/** Finds a message, whether it waits or not. Throws 404. */
export async function locateMessage(ctx: Ctx, id: number): Promise<void> {
  if (!(await findScheduled(ctx, id)) && !(await wasSent(ctx, id))) throw notFound();
}

/** Returns a message as it is now, for the answer. */
async function answer(ctx: Ctx, id: number): Promise<Record<string, unknown>> {
  return (await readMessage(ctx, id)) ?? Promise.reject(notFound());
}

type Changes = InputOf<typeof changeMessageInput>;

/**
 * Changes a message that waits: its content, its moment, or what becomes of it if the customer writes. What is changed
 * is checked as any send; a message that is held waits for its moment again where that is another one, or where it is
 * asked to. Throws 400, 404 and 409.
 */
export async function changeLater(ctx: Ctx, id: number, changes: Changes): Promise<Record<string, unknown>> {
  return ctx.runtime.db.transaction(async () => {
    const { row, conversation } = await lockForRequest(ctx, id);
    const { message_status: status } = changes;
    if (status === 'held' && row.state === 'scheduled')
      throw invalidField('message_status', 'Only the service holds messages: discard it, or give another moment.');
    const given = await momentOf(ctx, conversation, changes);
    const at = given ?? row.send_at;
    const moves = at.getTime() !== row.send_at.getTime();
    const content = contentOf(row, changes);
    const state = moves || status === 'scheduled' ? 'scheduled' : row.state;
    const reply = changes.reply_to_wamid ?? row.reply_to_wamid;
    const policy = changes.if_customer_writes ?? row.if_customer_writes;

    const judged = content !== null || moves || state !== row.state;
    if (judged && state === 'scheduled') await futureLater(ctx, at);
    const checked = judged
      ? await checkMessage(ctx, conversation, {
          content: content ?? literalContent(row.type, row.body as Record<string, unknown>),
          number: await numberOf(ctx, row),
          // What waits for a member has no moment that its window could be judged by.
          ...(state === 'scheduled' ? { at } : {}),
        })
      : null;
    const isOther = checked !== null || reply !== row.reply_to_wamid || policy !== row.if_customer_writes;
    if (isOther)
      await changeScheduled(ctx, row, {
        ...(checked ? storedOf(checked) : {}),
        send_at: at,
        if_customer_writes: policy,
        reply_to_wamid: reply,
        state,
      });
    return answer(ctx, id);
  });
}

async function momentOf(ctx: Ctx, conversation: ConversationView, { send_at: at }: Changes): Promise<Date | null> {
  if (at !== 'opening') return at ?? null;
  const opening = await nextOpening(ctx, conversation);
  if (opening === 'open') throw invalidField('send_at', reason('openNow'));
  return opening;
}

/** Returns the content that a change gives; null where it is the one that the message has. */
function contentOf(row: ScheduledMessageRow, changes: Changes): ReturnType<typeof readContent> | null {
  const { body, ...others } = changes as Readonly<Record<string, unknown>>;
  // As the message shows it: `{type, [type]: …}`.
  const given = isPlainObject(body) ? { ...body, ...others } : { ...others, ...(body === undefined ? {} : { body }) };
  const named = ['body', 'type', 'template_id', ...sendableTypes].some(
    (key) => (given as Record<string, unknown>)[key] !== undefined,
  );
  if (!named || (isPlainObject(body) && sameValue(body, row.body))) return null;
  return readContent(given);
}

/** Returns the number that a message is sent from, as a choice; none where it is gone: it is chosen anew. */
async function numberOf(ctx: Ctx, row: ScheduledMessageRow): Promise<{ readonly phone_number_id?: string }> {
  if (row.phone_number_id === null) return {};
  const number = await of(ctx, ctx.runtime.db.models.PhoneNumber).findOne({
    attributes: ['phone_number_id'],
    where: { id: row.phone_number_id },
    raw: true,
  });
  return number ? { phone_number_id: number.phone_number_id } : {};
}

/** Discards a message that waits. Throws 404 and 409. */
export async function discardLater(ctx: Ctx, id: number): Promise<void> {
  await ctx.runtime.db.transaction(async () => {
    const { row } = await lockForRequest(ctx, id);
    await discardScheduled(ctx, row);
  });
}

/** Discards a message if it still waits, in the surrounding transaction. */
export async function discardIfWaiting(ctx: Ctx, id: number): Promise<void> {
  const waiting = await lockWaiting(ctx, id);
  if (waiting) await discardScheduled(ctx, waiting.row);
}

/** Sends a message that waits at once, in the name of who asks for it. Throws 400, 403, 404 and 409. */
export async function sendNow(ctx: Ctx, id: number): Promise<Record<string, unknown>> {
  return ctx.runtime.db.transaction(async () => {
    const waiting = await lockForRequest(ctx, id);
    await queue(ctx, waiting);
    await endTimer(ctx, waiting.row);
    return answer(ctx, id);
  });
}

/** Makes a message one of those that are sent, under its id: all checks of a send apply. Throws what a send throws. */
async function queue(ctx: Ctx, { row, conversation }: Waiting): Promise<void> {
  await takeScheduled(ctx, row);
  await enqueueMessage(ctx, conversation, {
    content: literalContent(row.type, row.body as Record<string, unknown>),
    number: await numberOf(ctx, row),
    replyTo: row.reply_to_wamid,
    origin: row.origin as Enqueue['origin'],
    dedupeKey: row.dedupe_key,
    scheduledId: row.id,
    ruleId: row.rule_id,
  });
}

/**
 * Queues a message whose moment has come, for its timer; the row decides, by the database's clock. What may not be sent
 * is held, with the reason.
 */
export async function sendIfDue(
  ctx: Ctx,
  { messageId, version }: { readonly messageId: number; readonly version: number },
): Promise<SendLaterOutcome> {
  return ctx.runtime.db.transaction(async () => {
    const waiting = await lockWaiting(ctx, messageId);
    const { row } = waiting ?? {};
    // The answer of this timer's own work was lost, or somebody was faster.
    if (!row) return { kind: (await wasSent(ctx, messageId)) ? 'done' : 'superseded' };
    if (row.state === 'held') return { kind: 'ended', end: 'held' };
    if (!waiting || row.version !== version) return { kind: 'superseded' };
    const lateMs = (await dueNow(ctx.runtime)).getTime() - row.send_at.getTime();
    if (lateMs < 0) return { kind: 'not_due', waitMs: -lateMs };
    // Also where the database may be an older one: what it says was not sent, may have been.
    if (await isOnHold(ctx.runtime, row.phone_number_id)) return { kind: 'not_due', waitMs: askAgainMs };
    if (lateMs > maxLateMs) {
      await holdScheduled(ctx, row, 'late');
      return { kind: 'ended', end: 'held' };
    }
    return (await queueOrHold(ctx, waiting)) === 'queued' ? { kind: 'done' } : { kind: 'ended', end: 'held' };
  });
}

/**
 * Returns what would hold a message at its moment, as far as that is known now; null: nothing. What is refused is asked
 * of the same functions that refuse it then.
 */
export async function foreseeHold(
  ctx: Ctx,
  row: ScheduledMessageRow,
  conversation: ConversationView,
): Promise<HeldReason | null> {
  const problem = row.phone_number_id === null ? 'number' : await senderProblem(ctx, row, row.send_at);
  if (problem !== null) return problem;
  try {
    await checkMessage(ctx, conversation, {
      content: literalContent(row.type, row.body as Record<string, unknown>),
      number: await numberOf(ctx, row),
      at: row.send_at,
    });
    return null;
  } catch (error) {
    if (!isFinal(error)) throw error;
    return reasonOf(error);
  }
}

async function wasSent(ctx: Ctx, id: number): Promise<boolean> {
  return (await of(ctx, ctx.runtime.db.models.Message).count({ where: { id } })) > 0;
}

/** Queues a message in the name of who wrote it, if they may still send; holds it where anything refuses it. */
async function queueOrHold(ctx: Ctx, waiting: Waiting): Promise<'queued' | 'held'> {
  const { row } = waiting;
  const now = await dueNow(ctx.runtime);
  const problem = row.phone_number_id === null ? 'number' : await senderProblem(ctx, row, now);
  if (problem !== null) {
    await holdScheduled(ctx, row, problem);
    return 'held';
  }
  try {
    // What was written before a refusal is undone with it.
    await ctx.runtime.db.savepoint(() => queue({ ...ctx, actor: actorOf(row) }, waiting));
    return 'queued';
  } catch (error) {
    if (!isFinal(error)) throw error;
    await holdScheduled(ctx, row, reasonOf(error), error.message);
    return 'held';
  }
}

function actorOf(row: ScheduledMessageRow): Actor {
  return {
    type: row.api_key_id !== null ? 'api_key' : row.oauth_grant_id !== null ? 'agent' : 'member',
    memberId: row.sent_by_member_id,
    apiKeyId: row.api_key_id,
    ...(row.oauth_grant_id === null ? {} : { grantId: row.oauth_grant_id }),
    approvedBy: row.approved_by_member_id,
  };
}

/** Returns why whoever wrote a message may not send it at a time; null where they may. */
async function senderProblem(ctx: Ctx, row: ScheduledMessageRow, at: Date): Promise<HeldReason | null> {
  const { plan, trial_ends_at: trialEnds } = await getWorkspace(ctx);
  if (!plan && trialEnds !== null && trialEnds <= at) return 'trial';
  const scopes = await scopesOf(ctx, row);
  return scopes === null || scopes.has('chat.send_message') ? null : 'member';
}

/** Returns what whoever wrote a message may do now; null: nobody did, a macro runs without a member. */
async function scopesOf(ctx: Ctx, row: ScheduledMessageRow): Promise<ReadonlySet<string> | null> {
  if (row.api_key_id !== null) return (await credentialOfKey(ctx.runtime, row.api_key_id))?.scopes ?? new Set();
  if (row.oauth_grant_id !== null)
    return (await credentialOfGrant(ctx.runtime, row.oauth_grant_id))?.scopes ?? new Set();
  if (row.sent_by_member_id === null) return null;
  const member = await of(ctx, ctx.runtime.db.models.Member).findOne({
    attributes: ['role', 'permissions'],
    where: { id: row.sent_by_member_id, is_active: true },
    raw: true,
  });
  return new Set(member ? memberScopes(member.role, member.permissions) : []);
}

const templateFields = ['template', 'template_id', 'template_variables'];

/** Returns the word for what refuses a send. */
function reasonOf({ publicCode, details }: AppError): HeldReason {
  const fields = Object.keys(details.fields ?? {});
  if (publicCode === 'window_closed' || publicCode === 'opted_out') return publicCode;
  if (fields.some((field) => templateFields.includes(field))) return 'template';
  if (fields.includes('phone_number_id') || publicCode === 'phone_number_required') return 'number';
  return 'refused';
}

/** Does what an operator asks for in the Temporal UI: sends a message now, or holds it until a member decides. */
export async function decideByOperator(
  ctx: Ctx,
  { messageId, what }: { readonly messageId: number; readonly what: 'send' | 'hold' },
): Promise<'queued' | 'held' | 'gone'> {
  return ctx.runtime.db.transaction(async () => {
    const waiting = await lockWaiting(ctx, messageId);
    if (!waiting || (what === 'hold' && waiting.row.state === 'held')) return 'gone';
    if (what === 'send') return queueOrHold(ctx, waiting);
    await holdScheduled(ctx, waiting.row, 'operator');
    return 'held';
  });
}

const isScheduled = "state = 'scheduled'";
const isOverdue = ({ clock }: Runtime): string => overdueSql('send_at', clock);

/** SQL: whether a message of any workspace is overdue, in the order of the index. */
export const someOverdueMessageSql = (runtime: Runtime): string =>
  `(SELECT 1 FROM scheduled_messages WHERE ${isScheduled} AND ${isOverdue(runtime)}
     ORDER BY send_at LIMIT 1) IS NOT NULL`;

/**
 * Sends what is overdue although its timer did not come, up to two hundred in the turns of the workspaces; what is on
 * hold stays. Returns how many were looked at: with any, there may be more.
 */
export async function sendOverdue(runtime: Runtime): Promise<number> {
  const rows = await runtime.db.rows<{ id: number; workspace_id: number; version: number }>(
    inTurnsSql({
      table: 'scheduled_messages',
      where: isScheduled,
      due: `${isOverdue(runtime)} AND NOT ${onHoldSql('scheduled_messages.phone_number_id')}`,
      order: 'send_at',
      columns: 'id, workspace_id, version',
      limit: 200,
    }),
  );
  return runApart(
    rows.map(({ id, workspace_id: workspaceId, version }) => async () => {
      await sendIfDue(systemCtx(runtime, workspaceId, `send-later/${id}`), { messageId: id, version });
      return 1;
    }),
  );
}
