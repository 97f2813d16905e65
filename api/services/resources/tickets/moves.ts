import { stageNotifyIntent } from '../../../../workflows/starts';
import type { TicketRow } from '../../../../models';
import { announceSend } from '../../../core/autonomy';
import type { Ctx } from '../../../core/context';
import { of } from '../../../core/scoped';
import { dbNow } from '../../../core/stored';
import { notifiesSomebody } from './notifiable';
import type { Stage } from './target';
import { ticketValues, type TicketFacts } from './values';

/**
 * Freezes a move into a notifying stage, with template, mapping, ticket values and recipients as they are now, and
 * leaves the intent to notify, all in the surrounding transaction: what changes afterwards changes nothing for this
 * move (contract 8).
 */
export async function recordMove(ctx: Ctx, ticketId: number, stage: Stage): Promise<void> {
  if (stage.notify_template_pk === null) return;
  const { db } = ctx.runtime;
  const facts = await db.row<Omit<TicketFacts, 'stage' | 'pipeline'> & { receiver_id: TicketRow['receiver_id'] }>(
    `SELECT t.id, t.title, t.type, t.priority, t.severity, t.outcome, t.created_at, t.due_at, t.receiver_id,
       coalesce(nullif(m.name, ''), m.email, '') AS assignee, w.timezone
     FROM tickets t
     JOIN workspaces w ON w.id = t.workspace_id
     LEFT JOIN members m ON m.id = t.assigned_to_id
     WHERE t.workspace_id = $workspaceId AND t.id = $ticketId`,
    { workspaceId: ctx.workspaceId, ticketId },
  );
  if (!facts) throw new Error('the ticket vanished while it was moved');

  // SQL: template and recipients are copied as they are at one moment.
  const move = await db.row<{ id: number; recipients: number }>(
    `INSERT INTO ticket_stage_moves (workspace_id, ticket_id, stage_id, stage_name, template_pk, template,
       variables, ticket_values, recipient_ids, actor_member_id, api_key_id)
     SELECT $workspaceId, $ticketId, $stageId, $stageName, t.id,
       jsonb_build_object('template_id', t.template_id, 'name', t.name, 'language', t.language, 'category', t.category,
         'components', t.components, 'parameter_format', t.parameter_format,
         'business_account_id', t.business_account_id),
       $variables::jsonb, $values::jsonb,
       -- The primary contact first, then the affected ones in their order, everybody once.
       array_remove(ARRAY[$receiverId::bigint], NULL) || ARRAY(
         SELECT contact_id FROM ticket_contacts
         WHERE ticket_id = $ticketId AND contact_id IS DISTINCT FROM $receiverId::bigint
         ORDER BY position, contact_id),
       $memberId, $apiKeyId
     FROM templates t
     WHERE t.workspace_id = $workspaceId AND t.id = $templatePk
     RETURNING id, cardinality(recipient_ids) AS recipients`,
    {
      workspaceId: ctx.workspaceId,
      ticketId,
      stageId: stage.id,
      stageName: stage.name,
      templatePk: stage.notify_template_pk,
      variables: JSON.stringify(stage.notify_template_variables),
      values: JSON.stringify(ticketValues({ ...facts, stage: stage.name, pipeline: stage.pipeline_name })),
      receiverId: facts.receiver_id,
      memberId: ctx.actor.memberId,
      apiKeyId: ctx.actor.apiKeyId,
    },
  );
  if (!move) return;

  await announceSend(ctx, () => notifiesSomebody(ctx, move.id));
  if (move.recipients === 0) {
    const done = { prepared_at: dbNow, completed_at: dbNow };
    await of(ctx, db.models.TicketStageMove).update(done, { where: { id: move.id } });
    return;
  }
  await ctx.runtime.outbox.add(ctx, stageNotifyIntent(ctx.workspaceId, ticketId, move.id));
}
