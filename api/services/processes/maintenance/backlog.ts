import { isKnownSql } from '../../../core/queue/outboxRows';
import type { Runtime } from '../../../core/runtime';
import { broadcastsWaitSql } from '../../resources/accounts/stops';
import { queuedBehindSql, sinceSql, waitsSql } from '../../resources/broadcasts/sendingTurns';
import { hasRoomSql } from '../../resources/inboxes/memberCapacity';
import { canGoOnSql } from '../../resources/tickets/stageMoves/service';
import { trialOverSql } from '../webhookDelivery/deliver';

/** Counting stops here: what is beyond is too much anyway, and a scrape must stay cheap in a bad hour. */
const maxCounted = 100_000;

/** One kind of work that waits: how much of it, and how long the oldest has waited. */
interface Backlog {
  readonly name: string;
  readonly rows: number;
  readonly oldestSeconds: number;
}

interface Source {
  readonly name: string;
  readonly from: string;
  /** Since when a row waits. */
  readonly since: string;
  /** Whose it is; `workspace_id` unless said. */
  readonly workspace?: string;
}

/** Each reads a partial index, whose size is the backlog's own. */
const sources: readonly Source[] = [
  { name: 'outbox', from: `outbox WHERE set_aside_at IS NULL AND ${isKnownSql}`, since: 'created_at' },
  { name: 'outbox_newer', from: `outbox WHERE set_aside_at IS NULL AND NOT ${isKnownSql}`, since: 'created_at' },
  { name: 'inbox_messages', from: "inbox_events WHERE state = 'new' AND kind <> 'status'", since: 'received_at' },
  { name: 'inbox_statuses', from: "inbox_events WHERE state = 'new' AND kind = 'status'", since: 'received_at' },
  { name: 'inbox_parked', from: "inbox_events WHERE state = 'parked'", since: 'received_at' },
  {
    name: 'messages_queued',
    from: "messages WHERE delivery_state IN ('queued', 'sending') AND send_seq IS NOT NULL",
    since: 'created_at',
  },
  {
    name: 'messages_waiting',
    from: `messages m JOIN phone_numbers p ON p.id = m.phone_number_id
      JOIN business_accounts a ON a.id = p.business_account_id
      WHERE m.delivery_state IN ('queued', 'sending') AND m.send_seq IS NOT NULL
        AND p.stopped_at IS NULL AND a.stopped_at IS NULL`,
    since: 'm.created_at',
    workspace: 'm.workspace_id',
  },
  { name: 'files_pending', from: 'files WHERE next_attempt_at IS NOT NULL', since: 'created_at' },
  // The time since which a running broadcast whose turn it is has sent nothing.
  {
    name: 'broadcasts_quiet',
    from: "broadcasts WHERE status = 'running' AND resolved_at IS NOT NULL",
    since: 'coalesce(moved_at, resolved_at)',
  },
  // Those that are due, with nothing ahead of them and no stop in their way.
  {
    name: 'broadcasts_overdue',
    from: `broadcasts b WHERE b.status IN ('scheduled', 'running') AND ${waitsSql('now()')}
      AND NOT ${broadcastsWaitSql('b.phone_number_id')} AND (${queuedBehindSql('now()')}) IS NULL`,
    since: sinceSql('b'),
    workspace: 'b.workspace_id',
  },
  {
    name: 'stage_moves',
    from: `ticket_stage_moves v WHERE v.completed_at IS NULL AND ${canGoOnSql}`,
    since: 'v.created_at',
    workspace: 'v.workspace_id',
  },
  // OFFSET: the room is looked for once for each inbox, not for each of its conversations.
  {
    name: 'conversations_queued',
    from: `(SELECT i.id FROM team_inboxes i WHERE ${hasRoomSql} OFFSET 0) i
      JOIN conversations v ON v.assigned_team_inbox_id = i.id
      WHERE v.conv_status = 'open' AND v.queued_at IS NOT NULL`,
    since: 'v.queued_at',
    workspace: 'v.workspace_id',
  },
  { name: 'macro_runs', from: "macro_runs WHERE state = 'pending'", since: 'created_at' },
  {
    name: 'mails',
    from: 'mails WHERE expires_at > now()',
    since: 'created_at',
    workspace: '(SELECT m.workspace_id FROM members m WHERE m.id = member_id)',
  },
  {
    name: 'messages_held',
    from: `messages m JOIN phone_numbers p ON p.id = m.phone_number_id
      JOIN business_accounts a ON a.id = p.business_account_id
      WHERE m.delivery_state = 'queued' AND m.next_attempt_at IS NOT NULL
        AND (p.stopped_at IS NOT NULL OR a.stopped_at IS NOT NULL)`,
    since: 'm.created_at',
    workspace: 'm.workspace_id',
  },
  {
    name: 'messages_unknown',
    from: 'messages WHERE unknown_intake_ms IS NOT NULL AND failed_at IS NULL',
    since: 'updated_at',
  },
  {
    name: 'claims_stale',
    from: "messages WHERE delivery_state = 'sending' AND claim_expires_at < now()",
    since: 'claim_expires_at',
  },
  {
    name: 'snoozes_overdue',
    from: "conversations WHERE conv_status = 'snoozed' AND snoozed_until < now()",
    since: 'snoozed_until',
  },
  {
    name: 'webhook_events',
    from: 'webhook_events WHERE fanned_out_at IS NULL AND set_aside_at IS NULL',
    since: 'created_at',
  },
  { name: 'webhook_events_set_aside', from: 'webhook_events WHERE set_aside_at IS NOT NULL', since: 'set_aside_at' },
  // Most wait because their receivers are away; an expired trial, which may stay so for ever, is nobody's failure.
  {
    name: 'webhook_deliveries',
    from: `webhook_deliveries d JOIN workspaces w ON w.id = d.workspace_id
      WHERE d.state = 'pending' AND NOT ${trialOverSql('w')}`,
    since: 'd.created_at',
    workspace: 'd.workspace_id',
  },
  // Nothing holds these up but us.
  {
    name: 'webhook_deliveries_overdue',
    from: `webhook_deliveries d JOIN webhook_subscriptions s ON s.id = d.subscription_id
      JOIN workspaces w ON w.id = d.workspace_id
      WHERE d.state = 'pending' AND d.next_attempt_at <= now() AND s.consecutive_failures = 0
        AND coalesce(s.paused_until <= now(), true) AND NOT ${trialOverSql('w')}`,
    since: 'd.next_attempt_at',
    workspace: 'd.workspace_id',
  },
];

const statement = sources
  .map(
    ({ name, from, since }) =>
      `SELECT '${name}' AS name, count(*)::int AS rows,
         coalesce(extract(epoch FROM clock_timestamp() - min(since)), 0)::float8 AS "oldestSeconds"
       FROM (SELECT ${since} AS since FROM ${from} LIMIT ${maxCounted}) AS waiting`,
  )
  .join('\nUNION ALL ');

/** Counts what waits in the whole installation; it crosses workspaces on purpose, and names none. */
export async function readBacklog(runtime: Runtime): Promise<Backlog[]> {
  return runtime.db.rows<Backlog>(statement);
}

const statementByWorkspace = sources
  .map(
    ({ name, from, workspace = 'workspace_id' }) =>
      `SELECT '${name}' AS name, "workspaceId", count(*)::int AS rows
       FROM (SELECT ${workspace} AS "workspaceId" FROM ${from} LIMIT ${maxCounted}) AS waiting
       GROUP BY "workspaceId"`,
  )
  .join('\nUNION ALL ');

/** Counts what waits by kind and workspace, the same rows as `readBacklog`: for who operates the installation. */
export async function readBacklogByWorkspace(
  runtime: Runtime,
): Promise<{ name: string; workspaceId: number; rows: number }[]> {
  return runtime.db.rows(statementByWorkspace);
}
