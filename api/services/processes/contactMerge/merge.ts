import type { Ctx } from '../../../core/context';
import { recordEvent } from '../../../core/queue/events';
import { of } from '../../../core/db/scoped';
import { sendAfterCommit } from '../../delivery/direct';
import { lineOf } from '../../../core/phones';
import { addAliases, keepOtherLine } from '../../resources/contacts/aliases';
import type { Identity } from '../../resources/contacts/identity';
import { passHistory, undeliveredSince } from '../../resources/contacts/histories';
import { mergeEpisodes } from '../../resources/conversations/episodes';
import { restartConversationSla } from '../../resources/conversations/sla';
import { setSnoozeTimer } from '../../resources/conversations/snooze';
import { mergeRuleRuns } from '../../resources/rules/waits';
import { isOneOfSql, reopeningStatuses } from '../../../core/conversationStates';
import { dropSecondRecipients, failSecondNotifications } from '../../resources/tickets/stageMoves/outcomes';
import { mergeBroadcastRecipients } from './broadcasts';

/** A column that points to a contact or a conversation and has to follow when two contacts become one. */
interface MergeHook {
  readonly table: string;
  readonly column: string;
  readonly to: 'contact' | 'conversation';
  /**
   * Columns that are unique together with `column`: a row of the vanishing contact that would be a second one is
   * removed.
   */
  readonly uniqueWith?: readonly string[];
}

/**
 * Everything that hangs on a contact or its conversation, beside what `mergeContacts` treats by itself. A table that
 * refers to either adds its columns here; a test compares the list with the database's foreign keys.
 */
export const mergeHooks: readonly MergeHook[] = [
  { table: 'conversation_notes', column: 'conversation_id', to: 'conversation' },
  { table: 'concerns', column: 'conversation_id', to: 'conversation' },
  { table: 'unread_marks', column: 'conversation_id', to: 'conversation', uniqueWith: ['member_id'] },
  { table: 'scheduled_messages', column: 'conversation_id', to: 'conversation' },
  { table: 'contact_aliases', column: 'contact_id', to: 'contact' },
  { table: 'flow_submissions', column: 'contact_id', to: 'contact' },
  { table: 'tickets', column: 'receiver_id', to: 'contact' },
  { table: 'ticket_contacts', column: 'contact_id', to: 'contact', uniqueWith: ['ticket_id'] },
  { table: 'ticket_stage_move_recipients', column: 'contact_id', to: 'contact', uniqueWith: ['move_id'] },
];

/** Columns with a treatment of their own below. */
export const mergedSeparately: readonly string[] = [
  'conversations.contact_id',
  'conversation_windows.conversation_id',
  'conversation_episodes.conversation_id',
  'left_histories.kept_id',
  'rule_runs.conversation_id',
];

interface Pair {
  id: number;
  phone: string | null;
  bsuid: string | null;
  last_inbound_at: Date | null;
  conversation_id: number;
  receiver_id: string;
  conv_status: string;
  snooze_version: number;
  send_seq: number;
}

/**
 * Makes two contacts one, in the surrounding transaction: `into`, or the older row, stays with all that hangs on both,
 * its values win, gaps are filled, an opt-out of either holds, and the other's handles keep answering. Where a person
 * has chosen `into`, both may have a number and a user id, which all lead to it. Returns the id of the row that stays.
 * SQL throughout: values move from row to row, each by a rule of its own.
 */
export async function mergeContacts(ctx: Ctx, first: number, second: number, into?: number): Promise<number> {
  const { db } = ctx.runtime;
  const rows = await db.rows<Pair>(
    `SELECT c.id, v.id AS conversation_id, c.receiver_id, c.phone, c.bsuid, v.conv_status, v.snooze_version,
       v.send_seq, v.last_inbound_at
     FROM contacts c JOIN conversations v ON v.workspace_id = c.workspace_id AND v.contact_id = c.id
     WHERE c.workspace_id = $workspaceId AND c.id = ANY($ids::bigint[])
     ORDER BY c.created_at, c.id
     FOR UPDATE`,
    { workspaceId: ctx.workspaceId, ids: [first, second] },
  );
  const [kept, gone] = into === undefined || rows[0]?.id === into ? rows : [...rows].reverse();
  if (!kept || !gone) throw new Error('a contact vanished while it was merged');
  const bind = {
    workspaceId: ctx.workspaceId,
    kept: kept.id,
    gone: gone.id,
    keptConversation: kept.conversation_id,
    goneConversation: gone.conversation_id,
  };

  await dropSecondRecipients(ctx, { kept: kept.id, gone: gone.id });
  for (const hook of mergeHooks)
    await repoint(ctx, hook, hook.to === 'contact' ? [kept.id, gone.id] : [kept.conversation_id, gone.conversation_id]);
  // Messages of both keep their order, those of the conversation that stays first.
  await passHistory(ctx, gone.conversation_id, { id: kept.conversation_id, places: kept.send_seq });

  await mergeBroadcastRecipients(ctx, kept.id, gone.id);
  await endSecondNotifications(ctx, kept.conversation_id);
  await mergeConversationRows(ctx, bind);
  await mergeEpisodes(ctx, kept.conversation_id, gone.conversation_id);
  await mergeRuleRuns(ctx, kept.conversation_id, gone.conversation_id);
  await mergeContactRows(ctx, bind, into === undefined ? null : linesOf(kept, gone));

  await addAliases(ctx, kept.id, [
    ['receiver_id', gone.receiver_id],
    ['id', String(gone.id)],
  ]);
  if (gone.conv_status === 'snoozed') await setSnoozeTimer(ctx, gone.conversation_id, null, gone.snooze_version + 1);
  await restartConversationSla(ctx, kept.conversation_id);
  await recordEvent(ctx, {
    subjectType: 'contact',
    subjectId: kept.id,
    kind: 'contacts_merged',
    data: { merged_contact_id: gone.id, merged_conversation_id: gone.conversation_id },
  });
  sendAfterCommit(ctx, kept.conversation_id);
  return kept.id;
}

/** Ends stage notifications that wait although their contact has another one of the same move now. */
async function endSecondNotifications(ctx: Ctx, conversationId: number): Promise<void> {
  const rows = await ctx.runtime.db.rows<{ id: number }>(
    `SELECT m.id FROM messages m
     WHERE m.workspace_id = $workspaceId AND m.conversation_id = $conversationId AND m.origin = 'stage'
       AND m.delivery_state = 'queued' AND m.created_at > ${undeliveredSince}
       AND NOT EXISTS (SELECT 1 FROM ticket_stage_move_recipients r WHERE r.message_id = m.id)`,
    { workspaceId: ctx.workspaceId, conversationId },
  );
  await failSecondNotifications(
    ctx,
    rows.map(({ id }) => id),
  );
}

async function repoint(ctx: Ctx, hook: MergeHook, [kept, gone]: readonly number[]): Promise<void> {
  const { table, column, uniqueWith } = hook;
  if (uniqueWith) {
    const same = uniqueWith.map((name) => `AND k.${name} IS NOT DISTINCT FROM t.${name}`).join(' ');
    await ctx.runtime.db.rows(
      `DELETE FROM ${table} t USING ${table} k WHERE t.${column} = $gone AND k.${column} = $kept ${same}`,
      { kept, gone },
    );
  }
  await ctx.runtime.db.rows(`UPDATE ${table} SET ${column} = $kept WHERE ${column} = $gone`, { kept, gone });
}

interface Ids {
  readonly [name: string]: number;
}

/** A clock goes over as a whole, where this conversation has none. */
const slaColumns = [
  'sla_policy_id',
  'sla_first_response_deadline',
  'sla_resolution_deadline',
  'sla_responded_at',
  'sla_stopped_at',
  'sla_breached',
  'sla_started_at',
] as const;

function withoutClock(column: string): string {
  return `${column} = CASE WHEN v.sla_started_at IS NULL THEN o.${column} ELSE v.${column} END`;
}

async function mergeConversationRows(ctx: Ctx, bind: Ids): Promise<void> {
  const { db } = ctx.runtime;
  const ids = { keptConversation: bind['keptConversation'], goneConversation: bind['goneConversation'] };
  await db.rows(
    `INSERT INTO conversation_windows AS w (conversation_id, phone_number_id, open_until)
     SELECT $keptConversation, phone_number_id, open_until
     FROM conversation_windows
     WHERE conversation_id = $goneConversation
     ON CONFLICT (conversation_id, phone_number_id)
       DO UPDATE SET open_until = greatest(w.open_until, excluded.open_until)`,
    ids,
  );

  // An unread message of the other row opens this one again, as a new one would.
  const reopens = `o.unread_count > 0 AND ${isOneOfSql('v.conv_status', reopeningStatuses)}`;
  const newer = "coalesce(o.last_message_at, 'epoch'::timestamptz) > coalesce(v.last_message_at, 'epoch'::timestamptz)";
  await db.rows(
    `UPDATE conversations v SET
       conv_status = CASE WHEN ${reopens} THEN 'open' ELSE v.conv_status END,
       resolved_at = CASE WHEN ${reopens} THEN NULL ELSE v.resolved_at END,
       assigned_member_id = coalesce(v.assigned_member_id, o.assigned_member_id),
       assigned_team_inbox_id = coalesce(v.assigned_team_inbox_id, o.assigned_team_inbox_id),
       calling_permission = v.calling_permission OR o.calling_permission,
       phone_number_id = CASE
         WHEN ${newer} THEN o.phone_number_id
         ELSE coalesce(v.phone_number_id, o.phone_number_id) END,
       last_message_id = CASE WHEN ${newer} THEN o.last_message_id ELSE v.last_message_id END,
       last_message_at = greatest(v.last_message_at, o.last_message_at),
       last_inbound_at = greatest(v.last_inbound_at, o.last_inbound_at),
       unanswered_since = CASE
         WHEN v.unanswered_since IS NULL AND v.last_exchange_at > o.last_exchange_at THEN NULL
         WHEN o.unanswered_since IS NULL AND o.last_exchange_at > v.last_exchange_at THEN NULL
         ELSE least(v.unanswered_since, o.unanswered_since) END,
       thread_owner = coalesce(nullif(v.thread_owner, ''), o.thread_owner),
       wrote_while_snoozed = v.conv_status = 'snoozed' AND (v.wrote_while_snoozed OR o.unread_count > 0),
       last_exchange_at = greatest(v.last_exchange_at, o.last_exchange_at),
       active_till = greatest(v.active_till, o.active_till),
       away_replied_at = greatest(v.away_replied_at, o.away_replied_at),
       first_response_at = least(v.first_response_at, o.first_response_at),
       pair_free_at = greatest(v.pair_free_at, o.pair_free_at),
       ${slaColumns.map(withoutClock).join(',\n       ')},
       unread_count = v.unread_count + o.unread_count,
       send_seq = v.send_seq + o.send_seq,
       updated_at = now()
     FROM conversations o WHERE v.id = $keptConversation AND o.id = $goneConversation`,
    ids,
  );
}

/** Returns whose number and user id are the present ones, of two rows that may have one of each. */
function linesOf(kept: Pair, gone: Pair): { present: Identity; other: Identity | null } {
  const [last, first] =
    (gone.last_inbound_at?.getTime() ?? 0) > (kept.last_inbound_at?.getTime() ?? 0) ? [gone, kept] : [kept, gone];
  const isApart = (left: string | null, right: string | null): boolean =>
    left !== null && right !== null && lineOf(left) !== lineOf(right);
  // A number and the user id that goes with it stay together: the platform knows no other pair.
  if (isApart(kept.phone, gone.phone) || isApart(kept.bsuid, gone.bsuid)) return { present: last, other: first };
  return { present: { phone: last.phone ?? first.phone, bsuid: last.bsuid ?? first.bsuid }, other: null };
}

async function mergeContactRows(ctx: Ctx, bind: Ids, lines: ReturnType<typeof linesOf> | null): Promise<void> {
  const { db } = ctx.runtime;
  const gone = await of(ctx, db.models.Contact).findOne({ where: { id: bind['gone'] }, raw: true });
  if (!gone) throw new Error('a contact vanished while it was merged');
  // The row goes first: phone and bsuid are unique.
  await of(ctx, db.models.Contact).destroy({ where: { id: bind['gone'] } });

  const referral = `o.ctwa_referral_at IS NOT NULL
    AND (c.ctwa_referral_at IS NULL OR o.ctwa_referral_at < c.ctwa_referral_at)`;
  const named = lines
    ? `c.name = ''`
    : `c.name = '' OR (c.profile_name_at IS NOT NULL
    AND (o.profile_name_at > c.profile_name_at OR (o.profile_name_at IS NULL AND o.name <> '')))`;
  // Where both have a phone or a user id (one person before and after a change), the newer word is the present one.
  const identified = 'o.identity_at IS NOT NULL AND (c.identity_at IS NULL OR o.identity_at > c.identity_at)';
  const optOut = 'o.marketing_opt_out AND NOT c.marketing_opt_out';
  const takeWhere = (condition: string, columns: readonly string[]): string =>
    columns
      .map((column) => `${column} = CASE WHEN ${condition} THEN o.${column} ELSE c.${column} END`)
      .join(',\n       ');
  const gaps = ['email', 'company', 'notes', 'profile_picture'].map((column) =>
    takeWhere(`c.${column} = ''`, [column]),
  );
  await db.rows(
    `UPDATE contacts c SET
       phone = CASE WHEN ${identified} THEN coalesce(o.phone, c.phone) ELSE coalesce(c.phone, o.phone) END,
       bsuid = CASE WHEN ${identified} THEN coalesce(o.bsuid, c.bsuid) ELSE coalesce(c.bsuid, o.bsuid) END,
       identity_at = greatest(c.identity_at, o.identity_at),
       ${takeWhere(named, ['name', 'profile_name_at'])},
       ${gaps.join(',\n       ')},
       ${takeWhere("c.tags IN ('[]', 'null')", ['tags'])},
       custom_fields = o.custom_fields || c.custom_fields,
       attributes = o.attributes || c.attributes,
       username = CASE
         WHEN c.username IS NULL OR o.username_at > c.username_at THEN coalesce(o.username, c.username)
         ELSE c.username END,
       username_at = greatest(c.username_at, o.username_at),
       ${takeWhere(referral, ['ctwa_clid', 'ctwa_source_id', 'ctwa_source_url', 'ctwa_headline'])},
       ctwa_referral_at = least(c.ctwa_referral_at, o.ctwa_referral_at),
       first_message_at = least(c.first_message_at, o.first_message_at),
       marketing_opt_out = c.marketing_opt_out OR o.marketing_opt_out,
       ${takeWhere(optOut, ['marketing_opt_out_at', 'marketing_opt_out_source'])},
       marketing_preference_at = greatest(c.marketing_preference_at, o.marketing_preference_at),
       updated_at = now()
     FROM jsonb_populate_record(NULL::contacts, $gone::jsonb) o
     WHERE c.workspace_id = $workspaceId AND c.id = $kept`,
    { workspaceId: ctx.workspaceId, kept: bind['kept'], gone: JSON.stringify(gone) },
  );
  if (!lines) return;
  const { phone, bsuid } = lines.present;
  await of(ctx, db.models.Contact).update({ phone, bsuid }, { where: { id: bind['kept'] } });
  if (lines.other) await keepOtherLine(ctx, Number(bind['kept']), lines.other);
}
