import type { Ctx } from '../../../core/context';
import { disconnectGrant } from '../../identity/oauth/connections';
import { disableClient } from '../../identity/oauth/clients';
import { dropLink } from '../../identity/members/links';
import { endSession } from '../../identity/members/sessions';
import { removeBrowser } from '../../resources/notices/service';
import { findWebhook } from '../../resources/webhooks/service';
import { discardIfWaiting } from '../outbound/sendLater';
import { updateRule } from '../ruleSettings/service';
import { madeBy, stop } from './ownedByMember';
import { revokeKey } from './service';

export const rescueKinds = [
  'session',
  'browser',
  'link',
  'api_key',
  'agent',
  'oauth_client',
  'webhook',
  'broadcast',
  'message',
  'rule',
] as const;
export type RescueKind = (typeof rescueKinds)[number];

/** Something that works on for a member, or by what they made. */
export interface RescueItem {
  readonly kind: RescueKind;
  readonly id: number;
  readonly name: string;
  /** From where it was used, as far as is known: networks, separated by commas. */
  readonly places: string;
  /** How often it was used: actions, calls, deliveries, agents, runs. */
  readonly uses: number;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

/** SQL: the ids of what the member did an action to. */
const doneTo = (...actions: string[]): string => `(SELECT s.subject_id FROM security_log s
  WHERE s.workspace_id = $workspaceId AND s.member_id = $memberId AND s.created_at > $since
    AND s.action IN (${actions.map((action) => `'${action}'`).join(', ')}))`;
/**
 * SQL: how often each of the member's sessions and the workspace's connections was used since then, and from where: at
 * most five networks. Each log is read once, whatever the number of connections.
 */
const usedSql = `
  SELECT kind, id, count(*)::int AS uses,
    coalesce(array_to_string((array_agg(DISTINCT address) FILTER (WHERE address <> ''))[1:5], ', '), '') AS places
  FROM (
    SELECT CASE WHEN s.api_key_id IS NULL THEN 'session' ELSE 'api_key' END AS kind,
      coalesce(s.api_key_id, s.session_id) AS id, s.address
    FROM security_log s WHERE s.workspace_id = $workspaceId AND s.created_at > $since
      AND (s.api_key_id IS NOT NULL OR s.session_id IS NOT NULL)
    UNION ALL
    SELECT CASE a.connection_kind WHEN 'oauth' THEN 'agent' ELSE 'api_key' END, a.connection_id, a.address
    FROM audit_log a WHERE a.workspace_id = $workspaceId AND a.created_at > $since
  ) u
  GROUP BY kind, id`;

const itemsSql = `
  WITH used AS MATERIALIZED (${usedSql})
  SELECT 'session' AS kind, x.id, x.user_agent AS name, x.address AS places, coalesce(u.uses, 0) AS uses,
    x.created_at, x.last_used_at
  FROM sessions x JOIN members m ON m.id = x.member_id AND m.workspace_id = $workspaceId
    LEFT JOIN used u ON u.kind = 'session' AND u.id = x.id
  WHERE x.member_id = $memberId AND x.id <> $sessionId AND x.expires_at > now()
  UNION ALL
  SELECT 'browser', p.id, x.user_agent, x.address, 0, p.created_at, NULL
  FROM push_subscriptions p JOIN sessions x ON x.id = p.session_id
  WHERE p.workspace_id = $workspaceId AND p.member_id = $memberId AND p.created_at > $since
  UNION ALL
  SELECT 'link', m.id, m.email, '', 0, l.created_at, NULL
  FROM members m JOIN LATERAL (
    SELECT max(created_at) AS created_at FROM member_links WHERE member_id = m.id AND expires_at > now()
  ) l ON l.created_at IS NOT NULL
  WHERE m.workspace_id = $workspaceId
    AND (m.id = $memberId OR m.id IN ${doneTo('teamMembers.create', 'teamMembers.makeLink')})
  UNION ALL
  SELECT 'api_key', k.id, k.name, coalesce(u.places, ''), coalesce(u.uses, 0), k.created_at, k.last_used_at
  FROM api_keys k LEFT JOIN used u ON u.kind = 'api_key' AND u.id = k.id
  WHERE k.workspace_id = $workspaceId AND k.member_id = $memberId AND k.revoked_at IS NULL AND k.created_at > $since
  UNION ALL
  SELECT 'agent', g.id, c.name, coalesce(u.places, ''), coalesce(u.uses, 0), g.created_at, g.last_used_at
  FROM oauth_grants g JOIN oauth_clients c ON c.id = g.client_pk
    LEFT JOIN used u ON u.kind = 'agent' AND u.id = g.id
  WHERE g.workspace_id = $workspaceId AND g.member_id = $memberId AND g.revoked_at IS NULL
    AND (g.created_at > $since OR g.id IN ${doneTo('connectedAgents.connect', 'connectedAgents.update')})
  UNION ALL
  SELECT 'oauth_client', c.id, c.name, '',
    (SELECT count(*) FROM oauth_grants g WHERE g.workspace_id = $workspaceId AND g.client_pk = c.id)::int,
    c.created_at, NULL
  FROM oauth_clients c
  WHERE c.workspace_id = $workspaceId AND c.disabled_at IS NULL AND c.id IN ${doneTo('oauthClients.create')}
  UNION ALL
  SELECT 'webhook', w.id, w.url, '', (SELECT count(*) FROM webhook_deliveries d
      WHERE d.workspace_id = $workspaceId AND d.subscription_id = w.id AND d.state = 'delivered')::int,
    w.created_at, NULL
  FROM webhook_subscriptions w
  WHERE w.workspace_id = $workspaceId AND w.is_active
    AND ((w.created_by_id = $memberId AND w.created_at > $since)
      OR w.id IN ${doneTo('webhooks.opened', 'webhooks.rotateSecret')})
  UNION ALL
  SELECT 'broadcast', b.id, b.name, '', 0, b.created_at, NULL
  FROM broadcasts b
  WHERE b.workspace_id = $workspaceId AND b.status = 'scheduled' AND b.created_by_member_id = $memberId
    AND greatest(b.created_at, b.confirmed_at) > $since
  UNION ALL
  SELECT 'message', s.id, 'To ' || coalesce(nullif(c.name, ''), c.receiver_id), '', 0, s.created_at, NULL
  FROM scheduled_messages s JOIN contacts c ON c.id = s.conversation_id AND c.workspace_id = $workspaceId
  WHERE s.workspace_id = $workspaceId AND s.state = 'scheduled' AND s.sent_by_member_id = $memberId
    AND greatest(s.created_at, s.updated_at) > $since
  UNION ALL
  SELECT 'rule', r.id, r.name, '', (SELECT count(*) FROM rule_runs n
      WHERE n.workspace_id = $workspaceId AND n.rule_id = r.id AND n.state = 'applied')::int,
    r.created_at, NULL
  FROM rules r
  WHERE r.workspace_id = $workspaceId AND r.state <> 'off'
    AND ((r.created_by_id = $memberId AND r.created_at > $since)
      -- Whoever saves a rule lends it their rights.
      OR (r.runs_as_id = $memberId AND r.updated_at > $since) OR r.id IN ${doneTo('rules.opened')})
  ORDER BY created_at DESC, kind, id DESC`;

/** Returns what goes on for the acting member: their other sessions, and what they made in the last days. */
export async function listRescue(ctx: Ctx, days: number): Promise<RescueItem[]> {
  // SQL: one list of ten tables.
  return ctx.runtime.db.rows<RescueItem>(itemsSql, {
    workspaceId: ctx.workspaceId,
    memberId: ctx.actor.memberId,
    sessionId: ctx.actor.sessionId ?? 0,
    since: new Date(ctx.runtime.clock.now().getTime() - days * 86_400_000),
  });
}

/** Returns by which word an item is kept. */
export function wordOf({ kind, id }: Pick<RescueItem, 'kind' | 'id'>): string {
  return `${kind}:${id}`;
}

/** Ends it, in the surrounding transaction: what is gone meanwhile is ended, too. */
async function endItem(ctx: Ctx, { kind, id }: RescueItem): Promise<void> {
  switch (kind) {
    case 'session':
      return endSession(ctx, id);
    case 'browser':
      return removeBrowser(ctx, id);
    case 'link':
      return dropLink(ctx, id);
    case 'api_key':
      // What was made with it stands on the list by itself.
      return void (await revokeKey(ctx, id, { keepWebhooks: true, keepBroadcasts: true }));
    case 'agent':
      return disconnectGrant(ctx, id);
    case 'oauth_client':
      return void (await disableClient(ctx, id));
    case 'webhook':
    case 'broadcast':
      return endMade(ctx, kind, id);
    case 'message':
      return discardIfWaiting(ctx, id);
    case 'rule':
      return void (await updateRule(ctx, id, { state: 'off' }));
  }
}

async function endMade(ctx: Ctx, kind: 'webhook' | 'broadcast', id: number): Promise<void> {
  const why = 'Its maker said that it was not them.';
  const kept = { keepWebhooks: false, keepBroadcasts: false };
  if (kind === 'webhook')
    return void (await stop(ctx, { webhooks: [await findWebhook(ctx, id)], broadcasts: [] }, kept, why));
  const { broadcasts } = await madeBy(ctx, { memberId: ctx.actor.memberId ?? 0 });
  await stop(ctx, { webhooks: [], broadcasts: broadcasts.filter((one) => one.id === id) }, kept, why);
}

/** Ends what goes on for the acting member, but for what is kept; returns what it ended. */
export async function rescue(ctx: Ctx, days: number, keep: readonly string[]): Promise<RescueItem[]> {
  return ctx.runtime.db.transaction(async () => {
    // Ends also what was made after the page was shown.
    const ended = (await listRescue(ctx, days)).filter((item) => !keep.includes(wordOf(item)));
    // A session takes its browsers along.
    const order = (item: RescueItem): number => Number(item.kind === 'session');
    for (const item of ended.toSorted((a, b) => order(a) - order(b))) await endItem(ctx, item);
    return ended;
  });
}
