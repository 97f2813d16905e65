import type { RecipientOutcome, StageNotifySummary } from '../../../../../workflows/contract';
import type { ContactRow } from '../../../../../models';
import type { Ctx } from '../../../../core/context';
import { AppError } from '../../../../core/http/errors';
import { recordSql } from '../../../../core/queue/events';
import { Fault } from '../../../../core/http/fields';
import { headerFileSql } from '../../files/rows';
import { notificationBind, notificationSql, type StageNotification } from '../../messages/rows/insert';
import { resolveForRecipient } from '../../messages/templates';
import { isAuthentication, type TemplateContent } from '../../templates/requiredParts';
import { checkComponents, componentsFromVariables, type HeaderFile } from '../../templates/parameters';
import { parseVariables } from '../../templates/variables';
import { exchangedSql } from '../notifiable';
import { failSecondNotifications, notificationEvent } from './outcomes';

/** Columns of a contact that a mapping can take values from. */
type Recipient = Pick<ContactRow, 'name' | 'phone' | 'bsuid' | 'email' | 'company'>;

/** The data from which the message of a move is made. */
interface Wording {
  readonly template: TemplateContent & { readonly name: string; readonly language: string };
  readonly variables: unknown;
  readonly ticket_values: Readonly<Record<string, string>>;
  readonly header_file: HeaderFile | null;
}

interface Loaded extends Wording, Recipient, Pick<ContactRow, 'marketing_opt_out'> {
  readonly contact_id: number;
  readonly state: keyof StageNotifySummary | 'pending';
  readonly message_id: number | null;
  /** The phone number of the message, if the message exists. */
  readonly message_number_id: number | null;
  /** Another message of this move that was sent or is being sent to the same person: two contacts became one. */
  readonly other_message_id: number | null;
  readonly ticket_id: number;
  readonly template_pk: number | null;
  /** The contact's values that the mapping uses, frozen with the move. */
  readonly frozen_values: Partial<Recipient>;
  readonly actor_member_id: number | null;
  readonly api_key_id: number | null;
  readonly conversation_id: number | null;
  readonly exchanged: boolean;
  readonly number_id: number | null;
}

/** One recipient of one move. */
export interface NotifiedRecipient {
  readonly moveId: number;
  readonly contactId: number;
}

/** Returns the recipient's message, stored now or earlier, or the outcome when there is nothing to send. */
export async function prepareNotification(
  ctx: Ctx,
  target: NotifiedRecipient,
): Promise<{ readonly messageId: number; readonly numberPk: number | null } | RecipientOutcome> {
  const loaded = await load(ctx, target);
  if (loaded === null) return { state: 'gone' };
  if (loaded.state !== 'pending') return { state: loaded.state };
  if (loaded.other_message_id !== null && (await followOther(ctx, target, loaded.other_message_id)))
    return prepareNotification(ctx, target);
  if (loaded.message_id !== null) return { messageId: loaded.message_id, numberPk: loaded.message_number_id };

  const notification = notificationOf(target.moveId, loaded);
  if ('reason' in notification) {
    await settle(ctx, target, notification);
    return { state: notification.state };
  }
  const messageId = await store(ctx, target, notification);
  // Null: another attempt for the same recipient was faster.
  return messageId === null ? prepareNotification(ctx, target) : { messageId, numberPk: notification.phone_number_id };
}

/** Reads a recipient of a move with what the message is made of; null where either is gone. */
async function load(ctx: Ctx, { moveId, contactId }: NotifiedRecipient): Promise<Loaded | null> {
  return ctx.runtime.db.row<Loaded>(
    `SELECT r.contact_id, r.state, r.message_id, v.ticket_id, v.template_pk, v.template, v.variables, v.ticket_values,
       ${headerFileSql('v.template_media_id')} AS header_file,
       v.actor_member_id, v.api_key_id, r.frozen_values,
       (SELECT m.phone_number_id FROM messages m WHERE m.id = r.message_id) AS message_number_id,
       CASE WHEN r.message_id IS NOT NULL THEN (
         SELECT o.id FROM messages o
         WHERE o.workspace_id = v.workspace_id AND o.id <> r.message_id
           AND o.delivery_state <> 'queued' AND o.message_status <> 'failed'
           AND o.dedupe_key = ANY (ARRAY(
             SELECT 'stage:' || v.id || ':' || a.value FROM contact_aliases a
             WHERE a.workspace_id = v.workspace_id AND a.kind = 'id' AND a.contact_id = c.id
           ) || ('stage:' || v.id || ':' || c.id))
         LIMIT 1) END AS other_message_id,
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
     WHERE v.workspace_id = $workspaceId AND v.id = $moveId AND r.contact_id = $contactId`,
    { workspaceId: ctx.workspaceId, moveId, contactId },
  );
}

/**
 * Gives a recipient the other message of the same person in place of its own, where that one waits, and ends its own.
 * Returns whether it did.
 */
async function followOther(ctx: Ctx, { moveId, contactId }: NotifiedRecipient, otherId: number): Promise<boolean> {
  return ctx.runtime.db.transaction(async () => {
    // The lock keeps other attempts from claiming the message until it has ended.
    const row = await ctx.runtime.db.row<{ id: number }>(
      `WITH own AS MATERIALIZED (
         SELECT m.id FROM ticket_stage_move_recipients r JOIN messages m ON m.id = r.message_id
         WHERE r.move_id = $moveId AND r.contact_id = $contactId AND r.state = 'pending'
           AND m.workspace_id = $workspaceId AND m.delivery_state = 'queued'
         FOR UPDATE OF m
       )
       UPDATE ticket_stage_move_recipients r SET message_id = $otherId
       FROM own WHERE r.move_id = $moveId AND r.message_id = own.id
       RETURNING own.id`,
      { workspaceId: ctx.workspaceId, moveId, contactId, otherId },
    );
    if (row) await failSecondNotifications(ctx, [row.id]);
    return row !== null;
  });
}

/** The outcome of a recipient who gets no message, and its reason. */
interface Refused {
  readonly state: 'skipped' | 'failed';
  readonly reason: string;
}

/** Returns the message of a recipient, or why there is none. */
function notificationOf(moveId: number, loaded: Loaded): StageNotification | Refused {
  const { conversation_id: conversationId, number_id: numberId, template } = loaded;
  // Checked again here: the contact may have opted out since the move was prepared.
  if (loaded.marketing_opt_out) return { state: 'skipped', reason: 'opted_out' };
  if (!loaded.exchanged || conversationId === null) return { state: 'skipped', reason: 'no_conversation' };
  if (loaded.phone === null && isAuthentication(template)) return { state: 'skipped', reason: 'phone_number_required' };
  if (numberId === null) return { state: 'failed', reason: 'no_phone_number' };

  const body = notificationBody(loaded, { ...loaded, ...loaded.frozen_values });
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
    media_id: loaded.header_file?.id ?? null,
  };
}

/** Returns the message of a move for one recipient, or why the template cannot be filled by the mapping. */
export function notificationBody(
  { template, variables: mapping, ticket_values: values, header_file: file }: Wording,
  recipient: Recipient,
): Record<string, unknown> | string {
  const variables = parseVariables(mapping, ['static', 'field', 'ticket']);
  if (variables instanceof Fault) return variables.messages.join(' ');
  const components = componentsFromVariables(
    template,
    variables,
    (source) => resolveForRecipient(source, recipient, values),
    file,
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

/** Stores the message of a recipient; null where there is one already, or an outcome. */
async function store(
  ctx: Ctx,
  { moveId, contactId }: NotifiedRecipient,
  notification: StageNotification,
): Promise<number | null> {
  // One statement, so that the message and the link to it are stored together even if the process dies. The deadline
  // counts from the move, so that recipients who wait for a stop are not told of it days later.
  const row = await ctx.runtime.db.row<{ message_id: number }>(
    `WITH mine AS MATERIALIZED (
       SELECT move_id, contact_id, (SELECT created_at FROM ticket_stage_moves WHERE id = $moveId) AS asked_at
       FROM ticket_stage_move_recipients
       WHERE move_id = $moveId AND contact_id = $contactId AND state = 'pending' AND message_id IS NULL
       FOR UPDATE
     ), ${notificationSql('mine')}
     UPDATE ticket_stage_move_recipients r SET message_id = stored.id
     FROM mine, stored
     WHERE r.move_id = mine.move_id AND r.contact_id = mine.contact_id
     RETURNING r.message_id`,
    { moveId, contactId, ...notificationBind(ctx, notification) },
  );
  return row?.message_id ?? null;
}

/** Ends a recipient without a message, and says why in the ticket's activity. */
async function settle(ctx: Ctx, { moveId, contactId }: NotifiedRecipient, { state, reason }: Refused): Promise<void> {
  await ctx.runtime.db.rows(
    `WITH settled AS (
       UPDATE ticket_stage_move_recipients SET state = $state, reason = left($reason, 255), settled_at = now()
       WHERE move_id = $moveId AND contact_id = $contactId AND state = 'pending'
       RETURNING contact_id, state, reason
     )
     ${recordSql(
       'ticket_stage_moves v, settled s WHERE v.workspace_id = $workspaceId AND v.id = $moveId',
       notificationEvent('s'),
     )}`,
    { workspaceId: ctx.workspaceId, moveId, contactId, state, reason },
  );
}
