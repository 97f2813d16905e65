import type { BatchOutcome, RecipientOutcome, StageNotifySummary } from '../../../../workflows/contract';
import type { ContactRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { AppError } from '../../../core/errors';
import { recordSql } from '../../../core/events';
import { Fault } from '../../../core/fields';
import { deliverMessage } from '../../delivery/sends';
import { deliverTogether } from '../../delivery/together';
import { insertNotices, type Notice } from '../../resources/messages/rows/insert';
import { resolveForRecipient } from '../../resources/messages/templates';
import {
  checkComponents,
  componentsFromVariables,
  isAuthentication,
  type TemplateContent,
} from '../../resources/templates/parameters';
import { parseVariables } from '../../resources/templates/variables';
import { exchangedSql } from '../../resources/tickets/notifiable';
import { notificationEvent, reflectOutcomes } from './outcomes';

/** Columns of a contact that a mapping can take values from. */
type Recipient = Pick<ContactRow, 'name' | 'phone' | 'bsuid' | 'email' | 'company'>;

/** What decides how the message of a move reads. */
interface Wording {
  readonly template: TemplateContent & { readonly name: string; readonly language: string };
  readonly variables: unknown;
  readonly ticket_values: Readonly<Record<string, string>>;
}

interface Loaded extends Wording, Recipient, Pick<ContactRow, 'marketing_opt_out'> {
  readonly contact_id: number;
  readonly state: keyof StageNotifySummary | 'pending';
  readonly message_id: number | null;
  readonly ticket_id: number;
  readonly template_pk: number | null;
  /** What the mapping takes from the contact, frozen with the move. */
  readonly frozen_values: Partial<Recipient>;
  readonly actor_member_id: number | null;
  readonly api_key_id: number | null;
  readonly conversation_id: number | null;
  readonly exchanged: boolean;
  readonly number_id: number | null;
}

/** What there is to do for recipients of a move, by contact. */
interface Prepared {
  /** Reached an end, now or before, without a message to send. */
  readonly ended: Map<number, keyof StageNotifySummary>;
  /** The message of everybody else. */
  readonly messages: Map<number, number>;
}

/**
 * Notifies one recipient of a move. The message row is unique to move and contact and is claimed before the one call
 * that is made for it, so this may run any number of times, and be cut off at any instant, without a second send
 * (contract 8). Throws while the message waits for another try.
 */
export async function notifyRecipient(
  ctx: Ctx,
  { moveId, contactId }: { readonly moveId: number; readonly contactId: number },
): Promise<RecipientOutcome> {
  const { runtime, workspaceId } = ctx;
  const { ended, messages } = await prepare(ctx, moveId, [contactId]);
  const messageId = messages.get(contactId);
  if (messageId === undefined) return { state: ended.get(contactId) ?? 'gone' };
  const result = await deliverMessage(runtime, { workspaceId, messageId });
  if (result.kind === 'retry')
    throw new AppError('unavailable', 'The message waits for another try.', { retryAfter: result.waitMs / 1000 });
  if (result.kind === 'gone' || result.kind === 'held') return { state: result.kind };
  const states = await outcomesOf(ctx, moveId, [messageId]);
  return { state: states.get(contactId) ?? 'gone' };
}

/**
 * Notifies several recipients of a move, as `notifyRecipient` does one, with a few statements for all of them. Who has
 * to wait is left: `alone` for a time of its own, `left` for the number's throughput.
 */
export async function notifyRecipients(
  ctx: Ctx,
  { moveId, contactIds }: { readonly moveId: number; readonly contactIds: readonly number[] },
  stopping: () => boolean,
): Promise<BatchOutcome> {
  const { runtime, workspaceId } = ctx;
  const { ended, messages } = await prepare(ctx, moveId, contactIds);
  const result = await deliverTogether(runtime, { workspaceId, messageIds: [...messages.values()] }, stopping);
  const states = new Map([...ended, ...(await outcomesOf(ctx, moveId, result.settled))]);
  const settled: StageNotifySummary = { sent: 0, skipped: 0, failed: 0, unknown: 0 };
  for (const state of states.values()) settled[state] += 1;

  const contacts = new Map([...messages].map(([contactId, messageId]) => [messageId, contactId]));
  const contactsOf = (ids: readonly number[]): number[] => ids.map((id) => contacts.get(id) ?? 0);
  return { settled, alone: contactsOf(result.waiting), left: contactsOf(result.left) };
}

/** Brings recipients in line with their messages that reached an end; returns the states by contact. */
async function outcomesOf(
  ctx: Ctx,
  moveId: number,
  messageIds: readonly number[],
): Promise<ReadonlyMap<number, keyof StageNotifySummary>> {
  if (messageIds.length === 0) return new Map();
  await reflectOutcomes(ctx.runtime, messageIds);
  // Read, because a webhook may have been faster, or an earlier attempt got this far.
  const rows = await ctx.runtime.db.models.TicketStageMoveRecipient.findAll({
    attributes: ['contact_id', 'state'],
    where: { move_id: moveId, message_id: [...messageIds] },
    raw: true,
  });
  return new Map(rows.flatMap(({ contact_id: id, state }) => (state === 'pending' ? [] : [[id, state] as const])));
}

/** Gives every recipient its message, stored now or before, or its outcome, where there is nothing to send. */
async function prepare(ctx: Ctx, moveId: number, contactIds: readonly number[]): Promise<Prepared> {
  return ctx.runtime.db.transaction(async () => {
    const ended = new Map<number, keyof StageNotifySummary>();
    const messages = new Map<number, number>();
    const notices = new Map<number, Notice>();
    const refused: Refused[] = [];
    for (const loaded of await load(ctx, moveId, contactIds)) {
      const { contact_id: contactId } = loaded;
      if (loaded.state !== 'pending') ended.set(contactId, loaded.state);
      else if (loaded.message_id !== null) messages.set(contactId, loaded.message_id);
      else {
        const notice = noticeOf(moveId, loaded);
        if ('reason' in notice) refused.push({ ...notice, contactId });
        else notices.set(contactId, notice);
      }
    }
    await settle(ctx, moveId, refused);
    for (const { contactId, state } of refused) ended.set(contactId, state);
    const ids = await insertNotices(ctx, [...notices.values()]);
    const stored = [...notices].flatMap(([contactId, { dedupe_key: key }]) => {
      const id = ids.get(key ?? '');
      return id === undefined ? [] : [[contactId, id] as const];
    });
    await link(ctx, moveId, stored);
    for (const [contactId, id] of stored) messages.set(contactId, id);
    return { ended, messages };
  });
}

/** Reads recipients of a move with what their messages are made of; locks their rows in the order of the contacts. */
async function load(ctx: Ctx, moveId: number, contactIds: readonly number[]): Promise<Loaded[]> {
  return ctx.runtime.db.rows<Loaded>(
    `SELECT r.contact_id, r.state, r.message_id, v.ticket_id, v.template_pk, v.template, v.variables, v.ticket_values,
       v.actor_member_id, v.api_key_id,
       -- A contact that was merged since is found by the id that it had.
       coalesce(v.recipient_values->(r.contact_id::text), (
         SELECT v.recipient_values->(a.value::text) FROM contact_aliases a
         WHERE a.workspace_id = v.workspace_id AND a.contact_id = r.contact_id AND a.kind = 'id'
           AND v.recipient_values ? a.value::text LIMIT 1), '{}') AS frozen_values,
       c.name, c.phone, c.bsuid, c.email, c.company, c.marketing_opt_out,
       cv.id AS conversation_id, EXISTS (${exchangedSql}) AS exchanged,
       -- The conversation's last number where the template is its account's, else the first number of that account.
       (SELECT p.id FROM phone_numbers p
        WHERE p.workspace_id = v.workspace_id AND p.status <> 'DELETED'
          AND p.business_account_id = (v.template->>'business_account_id')::bigint
        ORDER BY p.id = cv.phone_number_id DESC NULLS LAST, p.id LIMIT 1) AS number_id
     FROM ticket_stage_moves v
     JOIN ticket_stage_move_recipients r ON r.move_id = v.id
     JOIN contacts c ON c.id = r.contact_id
     LEFT JOIN conversations cv ON cv.contact_id = c.id
     WHERE v.workspace_id = $workspaceId AND v.id = $moveId AND r.contact_id = ANY($contactIds::bigint[])
     ORDER BY r.contact_id
     FOR UPDATE OF r`,
    { workspaceId: ctx.workspaceId, moveId, contactIds },
  );
}

/** A recipient who gets no message, and why. */
interface Refused {
  readonly contactId: number;
  readonly state: 'skipped' | 'failed';
  readonly reason: string;
}

/** Returns the message of a recipient, or why there is none. */
function noticeOf(moveId: number, loaded: Loaded): Notice | Omit<Refused, 'contactId'> {
  const { conversation_id: conversationId, number_id: numberId, template } = loaded;
  // Looked at again here: somebody may have opted out since the move was prepared.
  if (loaded.marketing_opt_out) return { state: 'skipped', reason: 'opted_out' };
  if (!loaded.exchanged || conversationId === null) return { state: 'skipped', reason: 'no_conversation' };
  if (loaded.phone === null && isAuthentication(template)) return { state: 'skipped', reason: 'phone_number_required' };
  if (numberId === null) return { state: 'failed', reason: 'no_phone_number' };

  const body = noticeBody(loaded, { ...loaded, ...loaded.frozen_values });
  if (typeof body === 'string') return { state: 'failed', reason: body };
  return {
    conversation_id: conversationId,
    phone_number_id: numberId,
    body,
    template_pk: loaded.template_pk,
    sent_by_member_id: loaded.actor_member_id,
    api_key_id: loaded.api_key_id,
    origin: 'stage',
    dedupe_key: `stage:${moveId}:${loaded.contact_id}`,
  };
}

/** Returns the message of a move for one recipient, or why the template cannot be filled by the mapping. */
export function noticeBody(
  { template, variables: mapping, ticket_values: values }: Wording,
  recipient: Recipient,
): Record<string, unknown> | string {
  const variables = parseVariables(mapping, ['static', 'field', 'ticket']);
  if (variables instanceof Fault) return variables.messages.join(' ');
  const components = componentsFromVariables(template, variables, (source) =>
    source.source === 'ticket' ? (values[source.field] ?? '') : resolveForRecipient(source, recipient),
  );
  try {
    checkComponents(template, components);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
  return {
    type: 'template',
    template: {
      name: template.name,
      language: { code: template.language },
      ...(components.length > 0 ? { components } : {}),
    },
  };
}

/** Links recipients of a move to their messages: contacts with the ids of messages. */
async function link(ctx: Ctx, moveId: number, stored: readonly (readonly [number, number])[]): Promise<void> {
  if (stored.length === 0) return;
  await ctx.runtime.db.rows(
    `UPDATE ticket_stage_move_recipients r SET message_id = s.message_id
     FROM unnest($contactIds::bigint[], $messageIds::bigint[]) AS s(contact_id, message_id)
     WHERE r.move_id = $moveId AND r.contact_id = s.contact_id`,
    { moveId, contactIds: stored.map(([contactId]) => contactId), messageIds: stored.map(([, id]) => id) },
  );
}

/** Ends recipients without a message, and says why in the ticket's activity. */
async function settle(ctx: Ctx, moveId: number, refused: readonly Refused[]): Promise<void> {
  if (refused.length === 0) return;
  await ctx.runtime.db.rows(
    `WITH settled AS (
       UPDATE ticket_stage_move_recipients r SET state = s.state, reason = left(s.reason, 255), settled_at = now()
       FROM unnest($contactIds::bigint[], $states::text[], $reasons::text[]) AS s(contact_id, state, reason)
       WHERE r.move_id = $moveId AND r.contact_id = s.contact_id AND r.state = 'pending'
       RETURNING r.contact_id, r.state, r.reason
     )
     ${recordSql(
       'ticket_stage_moves v, settled s WHERE v.workspace_id = $workspaceId AND v.id = $moveId',
       notificationEvent('s'),
     )}`,
    {
      workspaceId: ctx.workspaceId,
      moveId,
      contactIds: refused.map(({ contactId }) => contactId),
      states: refused.map(({ state }) => state),
      reasons: refused.map(({ reason }) => reason),
    },
  );
}
