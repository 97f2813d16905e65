import type { KeptKind } from '../../../core/config';
import type { Bind } from '../../../core/db/database';
import type { Runtime } from '../../../core/runtime';
import { maxSweptRows, never, runApart, sweepAll, type IsOver } from '../../../core/queue/sweep';
import { closeForgottenAnywhere } from '../../identity/oauth/connections';
import { purgeDeletedFieldsAnywhere } from '../../resources/customFields/service';
import { abandonStaleAnywhere } from '../../resources/macros/runs';
import { firstKeptDaySql, sumUpReports } from '../../resources/reports/dailySums';
import { isInUseSql } from '../../resources/files/rows';
import { removeFilesAnywhere } from '../files/remove';

/** What is kept for a while and then removed: table, condition. */
const expired: readonly (readonly [table: string, condition: string])[] = [
  ['rate_limits', "resets_at < now() - interval '1 minute'"],
  ['idempotency_keys', "claimed_at < now() - interval '24 hours'"],
  ['sessions', 'expires_at < now()'],
  ['member_links', 'expires_at < now()'],
  ['mails', 'expires_at < now()'],
  ['identity_moves', "created_at < now() - interval '2 days'"],
  ['parked_statuses', "created_at < now() - interval '2 days'"],
  ['flow_reads', "read_at < now() - interval '10 minutes'"],
  ['notices', "created_at < now() - interval '1 hour'"],
  ['presence', "seen_at < now() - interval '1 minute'"],
  ['outbox', "set_aside_at < now() - interval '30 days'"],
  ['oauth_requests', 'expires_at < now()'],
  // Used codes and rotated refresh tokens stay as long as a replay of them must be recognised.
  ['oauth_codes', "expires_at < now() - interval '1 day'"],
  ['oauth_access_tokens', 'expires_at < now()'],
  ['oauth_refresh_tokens', 'expires_at < now()'],
  // Notes of webhook entries that no signature vouches for are no customer's data.
  ['inbox_events', "kind = 'unverified' AND received_at < now() - interval '7 days'"],
];

/** SQL: that the days of a time are over. */
const over = (time: string): string => `${time} < now() - $days * interval '1 day'`;

/**
 * SQL: the oldest rows of a log whose time is over. By id, which rises with time: a BRIN index of times says less and
 * less once new rows have taken the places of removed ones.
 */
const oldestOf = (log: string, id = 'id', time = 'created_at'): string => `${id} = ANY(ARRAY(
  SELECT ${id} FROM (SELECT ${id}, ${time} FROM ${log} ORDER BY ${id} LIMIT ${maxSweptRows}) oldest
  WHERE ${over(time)}))`;

/** SQL: rows of whatever is over; each such thing is one step through their index. */
const rowsOf = (table: string, thing: string, things: string, order: string): string => `ctid = ANY(ARRAY(
  SELECT r.ctid FROM (${things}) o CROSS JOIN LATERAL (
    SELECT ctid FROM ${table} WHERE ${thing} = o.id ORDER BY ${order} LIMIT ${maxSweptRows}) r
  LIMIT ${maxSweptRows}))`;

/** SQL: the oldest moves of tickets whose time is over. */
const oldMoves = `SELECT id FROM (
    SELECT id, completed_at FROM ticket_stage_moves ORDER BY id LIMIT ${maxSweptRows}) oldest
  WHERE ${over('completed_at')}`;

/** SQL: of events to webhooks that go, the counts of subjects that are gone, too: they can never be told of again. */
const sequencesOfGone = `DELETE FROM webhook_sequences s USING gone g
  WHERE s.workspace_id = g.workspace_id AND s.subject_type = g.subject_type AND s.subject_id = g.subject_id
    AND s.last_sequence = g.sequence AND CASE g.subject_type
      WHEN 'contact' THEN NOT EXISTS (SELECT FROM contacts c WHERE c.id = g.subject_id)
      WHEN 'ticket' THEN NOT EXISTS (SELECT FROM tickets t WHERE t.id = g.subject_id)
      WHEN 'approval' THEN NOT EXISTS (SELECT FROM approvals a WHERE a.id = g.subject_id)
      ELSE false END`;

const retained: readonly (readonly [kind: KeptKind, table: string, condition: string, also?: string])[] = [
  ['parkedEvents', 'inbox_events', `state = 'parked' AND ${over('received_at')}`],
  ['parkedEvents', 'inbox_events', `state = 'ignored' AND ${over('received_at')}`],
  ['approvals', 'approvals', `status <> 'pending' AND ${over('decided_at')}`],
  ['audit', 'security_log', oldestOf('security_log')],
  ['audit', 'audit_log', oldestOf('audit_log')],
  ['activity', 'events', oldestOf('events')],
  ['activity', 'concerns', oldestOf('concerns')],
  ['activity', 'conversation_episodes', `ended_on < ${firstKeptDaySql} AND NOT unsummed`],
  ['activity', 'report_days', `kind = 'member' AND day < ${firstKeptDaySql}`],
  // What a rule was applied to stays where it may not be applied again.
  [
    'macroRuns',
    'rule_runs',
    `${over('ended_at')} AND (state <> 'applied' OR NOT EXISTS (
      SELECT FROM rules r WHERE r.id = rule_runs.rule_id AND r.repeat <> 'each'))`,
  ],
  ['macroRuns', 'macro_runs', `state <> 'pending' AND ${over('finished_at')}`],
  // With their deliveries; those that still wait are younger than four days.
  ['webhookEvents', 'webhook_events', oldestOf('webhook_events'), sequencesOfGone],
  // The figures of a broadcast stay: they are counted beside its recipients.
  [
    'broadcastRecipients',
    'broadcast_recipients',
    rowsOf(
      'broadcast_recipients',
      'broadcast_id',
      `SELECT id FROM broadcasts WHERE ${over('completed_at')}`,
      'broadcast_id, position',
    ),
  ],
  // First their recipients: a move has up to thousands.
  [
    'stageMoves',
    'ticket_stage_move_recipients',
    rowsOf('ticket_stage_move_recipients', 'move_id', oldMoves, 'move_id, place'),
  ],
  [
    'stageMoves',
    'ticket_stage_moves',
    `id = ANY(ARRAY(${oldMoves})) AND NOT EXISTS (
      SELECT FROM ticket_stage_move_recipients r WHERE r.move_id = ticket_stage_moves.id)`,
  ],
  ['usage', 'message_usage', oldestOf('message_usage', 'message_id', 'arrived_at')],
  // A number that is theirs, too, is no former one, and stays as the present one does; so does its user id.
  [
    'aliases',
    'contact_aliases',
    `${over('created_at')} AND bsuid IS NULL AND (kind <> 'phone' OR valid_until IS NOT NULL)`,
  ],
];

/**
 * Removes rows whose time is over, in batches, after what is to stay of them is summed up; returns how many. A step
 * that fails keeps no other one from being taken.
 */
export async function removeExpired(runtime: Runtime, isOver: IsOver = never): Promise<number> {
  const days = runtime.config.retainDays;
  return runApart([
    ...expired.map(
      ([table, condition]) =>
        () =>
          removeAll(runtime, table, condition, {}, isOver),
    ),
    () => sumUpReports(runtime, isOver),
    ...retained.map(
      ([kind, table, condition, also]) =>
        () =>
          removeAll(runtime, table, condition, { days: days[kind] }, isOver, also),
    ),
    () => removeMessages(runtime, isOver),
    () => closeForgottenAnywhere(runtime),
    () => purgeDeletedFieldsAnywhere(runtime, isOver),
    () => abandonStaleAnywhere(runtime),
    // Last: a file store that is away holds up nothing else.
    () => removeFilesAnywhere(runtime, isOver),
  ]);
}

async function removeAll(
  runtime: Runtime,
  table: string,
  condition: string,
  bind: Bind,
  isOver: IsOver,
  also?: string,
): Promise<number> {
  return sweepAll(isOver, async () => {
    const [row] = await runtime.db.rows<{ removed: number }>(
      `WITH gone AS (
         DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
           SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${maxSweptRows}))
         RETURNING ${also === undefined ? '1' : 'workspace_id, subject_type, subject_id, sequence'}
       )${also === undefined ? '' : `, forgotten AS (${also})`} SELECT count(*)::int AS removed FROM gone`,
      bind,
    );
    return row?.removed ?? 0;
  });
}

/**
 * Removes messages whose days are over, the oldest first, with what customers sent in them; none that may still be on
 * its way. Uploads go by themselves when nothing uses them any more. What was counted of them stays.
 */
async function removeMessages(runtime: Runtime, isOver: IsOver): Promise<number> {
  const days = runtime.config.retainDays.messages;
  if (days === 0) return 0;
  return sweepAll(isOver, async () => {
    const [row] = await runtime.db.rows<{ removed: number }>(
      `WITH gone AS MATERIALIZED (
         DELETE FROM messages WHERE ${oldestOf('messages')} AND delivery_state IN ('none', 'settled')
         RETURNING id, conversation_id, file_id
       ), shown AS (
         UPDATE conversations v SET last_message_id = NULL FROM gone g
         WHERE v.id = g.conversation_id AND v.last_message_id = g.id
       ), sent AS (
         DELETE FROM files f USING gone g WHERE f.id = g.file_id AND f.origin = 'customer' AND NOT (${isInUseSql})
           AND NOT EXISTS (SELECT FROM messages m WHERE m.file_id = f.id AND NOT EXISTS (
             SELECT FROM gone o WHERE o.id = m.id))
       )
       SELECT count(*)::int AS removed FROM gone`,
      { days },
    );
    return row?.removed ?? 0;
  });
}
