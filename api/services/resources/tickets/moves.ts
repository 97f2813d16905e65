import { col, literal } from 'sequelize';
import { stageNotifyIntent } from '../../../../workflows/starts';
import type { TicketRow } from '../../../../models';
import { announceSend } from '../../../core/autonomy';
import type { Ctx } from '../../../core/context';
import { Fault } from '../../../core/http/fields';
import { takeApproved, type FrozenMove } from '../../../core/frozenSends';
import { joined, of, recordsOf } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';
import { headerFileSql } from '../files/rows';
import { parseVariables } from '../templates/variables';
import { reachedSql } from './notifiable';
import type { Stage } from './target';
import { shownColumns, ticketValues, type TicketFacts } from './values';

/**
 * Records a move into a notifying stage, frozen, and leaves the intent to notify, all in the surrounding transaction:
 * what changes afterwards changes nothing for this move (contract 8). A move that was approved is recorded as it was
 * frozen when it was shown.
 */
export async function recordMove(ctx: Ctx, ticketId: number, stage: Stage): Promise<void> {
  if (stage.notify_template_pk === null) return;
  const approved = takeApproved(ctx, 'stage_move', (move) => move.stage_id === stage.id);
  const move = approved ? await recordApproved(ctx, ticketId, approved) : await freezeMove(ctx, ticketId, stage);
  if (!move) return;

  await announceSend(ctx, () => frozenMove(ctx, move.id));
  if (move.recipients === 0) {
    const done = { prepared_at: dbNow, completed_at: dbNow };
    await of(ctx, ctx.runtime.db.models.TicketStageMove).update(done, { where: { id: move.id } });
    return;
  }
  await ctx.runtime.outbox.add(ctx, stageNotifyIntent(ctx.workspaceId, ticketId, move.id));
}

interface RecordedMove {
  readonly id: number;
  readonly recipients: number;
}

/** Copies template, mapping, ticket values and recipients, with what the mapping takes from them, as they are now. */
async function freezeMove(ctx: Ctx, ticketId: number, stage: Stage): Promise<RecordedMove | null> {
  const { db } = ctx.runtime;
  type Facts = Omit<TicketFacts, 'stage' | 'pipeline'> & { receiver_id: TicketRow['receiver_id'] };
  const [facts] = await recordsOf<Facts>(ctx, db.models.Ticket, {
    attributes: [
      ...shownColumns,
      'receiver_id',
      [literal("coalesce(nullif(assigned_to.name, ''), assigned_to.email, '')"), 'assignee'],
      [col('workspace.timezone'), 'timezone'],
    ],
    where: { id: ticketId },
    include: [joined('workspace', true), joined('assigned_to')],
  });
  if (!facts) throw new Error('the ticket vanished while it was moved');

  // SQL: template and recipients are copied as they are at one moment.
  return db.row<RecordedMove>(
    `INSERT INTO ticket_stage_moves (workspace_id, ticket_id, stage_id, stage_name, template_pk, template,
       variables, template_media_id, ticket_values, recipient_ids, recipient_values, actor_member_id, api_key_id)
     SELECT $workspaceId, $ticketId, $stageId, $stageName, t.id,
       jsonb_build_object('template_id', t.template_id, 'name', t.name, 'language', t.language, 'category', t.category,
         'components', t.components, 'parameter_format', t.parameter_format,
         'business_account_id', t.business_account_id),
       $variables::jsonb, $mediaId, $values::jsonb, r.ids,
       CASE WHEN cardinality($fields::text[]) = 0 THEN '{}' ELSE coalesce((
         SELECT jsonb_object_agg(c.id, (
           SELECT jsonb_object_agg(f.key, f.value)
           FROM jsonb_each(jsonb_build_object('name', c.name, 'phone', c.phone, 'bsuid', c.bsuid, 'email', c.email,
             'company', c.company)) AS f
           WHERE f.key = ANY($fields::text[])))
         FROM contacts c WHERE c.workspace_id = $workspaceId AND c.id = ANY(r.ids)), '{}') END,
       $memberId, $apiKeyId
     FROM templates t
     -- The primary contact first, then the affected ones in their order, everybody once.
     CROSS JOIN LATERAL (SELECT array_remove(ARRAY[$receiverId::bigint], NULL) || ARRAY(
         SELECT contact_id FROM ticket_contacts
         WHERE ticket_id = $ticketId AND contact_id IS DISTINCT FROM $receiverId::bigint
         ORDER BY position, contact_id) AS ids) r
     WHERE t.workspace_id = $workspaceId AND t.id = $templatePk
     RETURNING id, cardinality(recipient_ids) AS recipients`,
    {
      workspaceId: ctx.workspaceId,
      ticketId,
      stageId: stage.id,
      stageName: stage.name,
      templatePk: stage.notify_template_pk,
      variables: JSON.stringify(stage.notify_template_variables),
      mediaId: stage.notify_template_media_id,
      values: JSON.stringify(ticketValues({ ...facts, stage: stage.name, pipeline: stage.pipeline_name })),
      fields: contactFields(stage.notify_template_variables),
      receiverId: facts.receiver_id,
      memberId: ctx.actor.memberId,
      apiKeyId: ctx.actor.apiKeyId,
    },
  );
}

/** Returns the columns of a contact that a mapping takes values from. */
function contactFields(mapping: unknown): string[] {
  const variables = parseVariables(mapping, ['static', 'field', 'ticket']);
  if (variables instanceof Fault) return [];
  const sources = [variables.header, variables.body].flatMap((bindings) => Object.values(bindings ?? {}));
  const fields = sources.flatMap((source) => (source.source === 'field' ? [source.field] : []));
  // Who hides the phone number is named by the bsuid; the first name is a part of the name.
  const columns = { phone: ['phone', 'bsuid'], first_name: ['name'] } as const;
  return [...new Set(fields.flatMap((field) => (field in columns ? columns[field as keyof typeof columns] : [field])))];
}

/** Records a move with what a member has approved of it. */
async function recordApproved(ctx: Ctx, ticketId: number, approved: FrozenMove): Promise<RecordedMove> {
  const { recipients } = approved;
  const { id } = await ctx.runtime.db.models.TicketStageMove.create({
    workspace_id: ctx.workspaceId,
    ticket_id: ticketId,
    stage_id: approved.stage_id,
    stage_name: approved.stage_name,
    template_pk: approved.template.pk,
    template: { ...approved.template },
    variables: approved.variables,
    template_media_id: approved.header_file?.id ?? null,
    ticket_values: approved.ticket_values,
    recipient_ids: recipients.map((recipient) => recipient.id),
    recipient_values: Object.fromEntries(recipients.map((recipient) => [recipient.id, recipient.values])),
    actor_member_id: ctx.actor.memberId,
    api_key_id: ctx.actor.apiKeyId,
    prepared_at: null,
    completed_at: null,
  });
  return { id, recipients: recipients.length };
}

/** Reads a recorded move back, with those whom it would reach. */
async function frozenMove(ctx: Ctx, moveId: number): Promise<FrozenMove> {
  const row = await ctx.runtime.db.row<Omit<FrozenMove, 'kind'>>(
    // SQL: thousands of recipients, each judged, become one value.
    `SELECT v.stage_id, v.stage_name, v.template || jsonb_build_object('pk', v.template_pk) AS template, v.variables,
       ${headerFileSql('v.template_media_id')} AS header_file, v.ticket_values, (
         SELECT coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'receiver_id', c.receiver_id, 'name', c.name,
           'values', coalesce(v.recipient_values->(c.id::text), '{}')) ORDER BY w.place), '[]')
         FROM unnest(v.recipient_ids) WITH ORDINALITY AS w(contact_id, place)
         JOIN contacts c ON c.workspace_id = v.workspace_id AND c.id = w.contact_id
         WHERE ${reachedSql}) AS recipients
     FROM ticket_stage_moves v
     WHERE v.workspace_id = $workspaceId AND v.id = $moveId`,
    { workspaceId: ctx.workspaceId, moveId },
  );
  if (!row) throw new Error('the move vanished while it was recorded');
  return { kind: 'stage_move', ...row };
}
