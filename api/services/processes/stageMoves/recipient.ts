import type { RecipientOutcome } from '../../../../workflows/contract';
import type { ContactRow } from '../../../../models';
import type { Ctx } from '../../../core/context';
import { AppError } from '../../../core/errors';
import { recordSql } from '../../../core/events';
import { Fault } from '../../../core/fields';
import { deliverMessage } from '../../delivery/sends';
import { insertOutbound } from '../../resources/messages/rows/insert';
import { resolveForRecipient } from '../../resources/messages/templates';
import {
  checkComponents,
  componentsFromVariables,
  isAuthentication,
  type TemplateContent,
} from '../../resources/templates/parameters';
import { parseVariables, type TicketVariable } from '../../resources/templates/variables';
import { exchangedSql } from '../../resources/tickets/notifiable';
import { notificationEvent, reflectOutcomes } from './outcomes';

interface Target {
  readonly moveId: number;
  readonly contactId: number;
}

interface Loaded extends Pick<ContactRow, 'name' | 'phone' | 'bsuid' | 'email' | 'company' | 'marketing_opt_out'> {
  readonly state: RecipientOutcome['state'] | 'pending';
  readonly message_id: number | null;
  readonly ticket_id: number;
  readonly template_pk: number | null;
  readonly template: TemplateContent & {
    readonly name: string;
    readonly language: string;
    readonly business_account_id: number;
  };
  readonly variables: unknown;
  readonly ticket_values: Readonly<Record<TicketVariable, string>>;
  readonly actor_member_id: number | null;
  readonly api_key_id: number | null;
  readonly conversation_id: number | null;
  readonly exchanged: boolean;
  readonly number_id: number | null;
}

/**
 * Notifies one recipient of a move. The message row is unique to move and contact and is claimed before the one call
 * that is made for it, so this may run any number of times, and be cut off at any instant, without a second send
 * (contract 8). Throws while the message waits for another try.
 */
export async function notifyRecipient(ctx: Ctx, target: Target): Promise<RecipientOutcome> {
  const { runtime, workspaceId } = ctx;
  const prepared = await runtime.db.transaction(() => prepare(ctx, target));
  if ('state' in prepared) return prepared;
  const result = await deliverMessage(runtime, { workspaceId, messageId: prepared.messageId });
  if (result.kind === 'retry')
    throw new AppError('unavailable', 'The message waits for another try.', { retryAfter: result.waitMs / 1000 });
  if (result.kind === 'gone' || result.kind === 'held') return { state: result.kind };
  const [state] = await reflectOutcomes(runtime, [prepared.messageId]);
  if (state) return { state };
  // A webhook was faster, or an earlier attempt got this far.
  const row = await runtime.db.models.TicketStageMoveRecipient.findOne({
    attributes: ['state'],
    where: { move_id: target.moveId, contact_id: target.contactId },
    raw: true,
  });
  return { state: row && row.state !== 'pending' ? row.state : 'gone' };
}

/** Returns the recipient's message, stored now or before; or its outcome, where there is nothing to send. */
async function prepare(ctx: Ctx, target: Target): Promise<RecipientOutcome | { readonly messageId: number }> {
  const loaded = await ctx.runtime.db.row<Loaded>(
    `SELECT r.state, r.message_id, v.ticket_id, v.template_pk, v.template, v.variables, v.ticket_values,
       v.actor_member_id, v.api_key_id,
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
     WHERE v.workspace_id = $workspaceId AND v.id = $moveId AND r.contact_id = $contactId
     FOR UPDATE OF r`,
    { workspaceId: ctx.workspaceId, moveId: target.moveId, contactId: target.contactId },
  );
  if (!loaded) return { state: 'gone' };
  if (loaded.state !== 'pending') return { state: loaded.state };
  if (loaded.message_id !== null) return { messageId: loaded.message_id };

  const { conversation_id: conversationId, number_id: numberId } = loaded;
  // Looked at again here: somebody may have opted out since the move was prepared.
  if (loaded.marketing_opt_out) return settle(ctx, target, 'skipped', 'opted_out');
  if (!loaded.exchanged || conversationId === null) return settle(ctx, target, 'skipped', 'no_conversation');
  if (loaded.phone === null && isAuthentication(loaded.template))
    return settle(ctx, target, 'skipped', 'phone_number_required');
  if (numberId === null) return settle(ctx, target, 'failed', 'no_phone_number');

  const components = fill(loaded);
  if (typeof components === 'string') return settle(ctx, target, 'failed', components);
  return { messageId: await store(ctx, target, loaded, { conversationId, numberId, components }) };
}

/** Returns the template's components for this recipient, or why the template cannot be filled by a mapping. */
function fill(loaded: Loaded): readonly unknown[] | string {
  const variables = parseVariables(loaded.variables, ['static', 'field', 'ticket']);
  if (variables instanceof Fault) return variables.messages.join(' ');
  const components = componentsFromVariables(loaded.template, variables, (source) =>
    source.source === 'ticket' ? loaded.ticket_values[source.field] : resolveForRecipient(source, loaded),
  );
  try {
    checkComponents(loaded.template, components);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
  return components;
}

/** Stores the message as an automatic one, and links it to its recipient. */
async function store(
  ctx: Ctx,
  target: Target,
  loaded: Loaded,
  given: { conversationId: number; numberId: number; components: readonly unknown[] },
): Promise<number> {
  const { template } = loaded;
  const { id } = await insertOutbound(
    ctx,
    {
      conversation_id: given.conversationId,
      phone_number_id: given.numberId,
      type: 'template',
      body: {
        type: 'template',
        template: {
          name: template.name,
          language: { code: template.language },
          ...(given.components.length > 0 ? { components: given.components } : {}),
        },
      },
      template_pk: loaded.template_pk,
      sent_by_member_id: loaded.actor_member_id,
      api_key_id: loaded.api_key_id,
      origin: 'stage',
      dedupe_key: `stage:${target.moveId}:${target.contactId}`,
    },
    'notice',
  );
  await ctx.runtime.db.models.TicketStageMoveRecipient.update(
    { message_id: id },
    { where: { move_id: target.moveId, contact_id: target.contactId } },
  );
  return id;
}

/** Ends a recipient without a message, and says why in the ticket's activity. */
async function settle(
  ctx: Ctx,
  target: Target,
  state: 'skipped' | 'failed',
  reason: string,
): Promise<RecipientOutcome> {
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
    { workspaceId: ctx.workspaceId, moveId: target.moveId, contactId: target.contactId, state, reason },
  );
  return { state };
}
