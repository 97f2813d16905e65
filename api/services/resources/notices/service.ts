import { Op } from 'sequelize';
import { pushKeysProblem, type PushTarget } from '../../../core/http/webPush';
import type { Ctx } from '../../../core/context';
import { ofWorkspace } from '../../../core/db/database';
import { of } from '../../../core/db/scoped';
import { invalidField, notFound } from '../../../core/http/errors';
import type { InputOf } from '../../../core/http/fields';
import { webhookUrlProblem } from '../../../core/http/webhookClient';
import type { Runtime } from '../../../core/runtime';
import { decryptSecret, encryptSecret, sha256 } from '../../../core/secrets';
import { requireRecent, usableSession } from '../../identity/apiKeys/authenticate';
import { isQuiet, notificationSettingsOf } from '../../identity/members/notifications';
import { recordSecurity } from '../../identity/securityLog/service';
import { refuseAboveCeiling } from '../../identity/workspaces/objectLimits';
import { getWorkspace } from '../../identity/workspaces/service';
import type { pushSubscriptionInput } from './schema';
import type { BrowserRecord, NoticeRow, NoticeView } from './serializer';

/** A page shows no more at once. */
const maxListed = 50;

/** SQL: notices of a member with their customers, the newest first; `which` chooses them before anything is joined. */
export const noticesSql = (which: string): string => `
  SELECT n.id, n.kind, n.created_at, n.pushed_to, c.receiver_id, c.username, c.phone, s.action, s.address,
    n.rule_id, r.attention->>'reason' AS attention, n.ticket_id,
    coalesce(c.name, t.title, r.name, nullif(m.name, ''), m.email, '') AS name
  FROM (SELECT id, kind, created_at, pushed_to, conversation_id, ticket_id, security_id, rule_id FROM notices
        WHERE workspace_id = $workspaceId AND member_id = $memberId AND ${which}) n
  LEFT JOIN contacts c ON c.id = n.conversation_id AND ${ofWorkspace('c.workspace_id')}
  LEFT JOIN security_log s ON s.id = n.security_id AND ${ofWorkspace('s.workspace_id')}
  LEFT JOIN members m ON m.id = s.member_id
  LEFT JOIN rules r ON r.id = n.rule_id AND ${ofWorkspace('r.workspace_id')}
  LEFT JOIN tickets t ON t.id = n.ticket_id AND ${ofWorkspace('t.workspace_id')}
  WHERE c.id IS NOT NULL OR s.id IS NOT NULL OR r.id IS NOT NULL OR t.id IS NOT NULL
  ORDER BY n.id DESC`;

/** Returns the acting member's notices of the last ten minutes, the newest first. */
export async function listNotices(ctx: Ctx): Promise<NoticeView[]> {
  const { memberId } = ctx.actor;
  const settings = await notificationSettingsOf(ctx, memberId ?? 0);
  const { timezone } = await getWorkspace(ctx);
  const quiet = isQuiet(settings, timezone, ctx.runtime.clock.now());
  const rows = await ctx.runtime.db.rows<NoticeRow>(
    noticesSql(`created_at > now() - interval '10 minutes' ORDER BY id DESC LIMIT ${maxListed}`),
    { workspaceId: ctx.workspaceId, memberId },
  );
  return rows.map((row) => ({ ...row, is_quiet: quiet, sounds: settings.notify_sound && !quiet }));
}

const placeOf = (hash: Buffer): string => `push_subscriptions/${hash.toString('hex')}`;

/** Returns the address and the keys of a browser. */
export function openTarget(
  { config }: Runtime,
  { endpoint_hash: hash, sealed }: { readonly endpoint_hash: Buffer; readonly sealed: string },
): PushTarget {
  return JSON.parse(decryptSecret(config.secretsKeys, sealed, placeOf(hash))) as PushTarget;
}

/** Returns the browsers in which the acting member has turned web push on; a list with its join. */
export async function listBrowsers(ctx: Ctx): Promise<BrowserRecord[]> {
  return ctx.runtime.db.rows<BrowserRecord>(
    `SELECT p.id, x.user_agent, p.created_at, p.session_id = $current AS is_current
     FROM push_subscriptions p JOIN sessions x ON x.id = p.session_id
     WHERE p.workspace_id = $workspaceId AND p.member_id = $memberId AND ${usableSession}
     ORDER BY p.id`,
    { workspaceId: ctx.workspaceId, memberId: ctx.actor.memberId, current: ctx.actor.sessionId ?? 0 },
  );
}

/**
 * Lets a browser take web push for as long as the acting session lasts; the same browser takes the place of itself.
 * Throws 400 for an address or keys that cannot be used.
 */
export async function addBrowser(
  ctx: Ctx,
  { endpoint, keys: { p256dh, auth } }: InputOf<typeof pushSubscriptionInput>,
): Promise<BrowserRecord> {
  const { config, db } = ctx.runtime;
  const { memberId, sessionId } = ctx.actor;
  if (memberId === null || sessionId === undefined) throw notFound();
  const problem = webhookUrlProblem(endpoint, config.webhookAllowPrivate);
  if (problem !== null) throw invalidField('endpoint', problem);
  const wrong = pushKeysProblem({ p256dh, auth });
  if (wrong !== null) throw invalidField('keys', wrong);
  const hash = sha256(endpoint);
  const target: PushTarget = { endpoint, p256dh, auth };
  return db.transaction(async () => {
    // A page tells the same browser again from time to time.
    const own = { member_id: memberId, session_id: sessionId, endpoint_hash: hash };
    const isNew = (await of(ctx, db.models.PushSubscription).count({ where: own })) === 0;
    if (isNew) requireRecent(ctx.actor);
    await refuseAboveCeiling(ctx, 'browsers', () =>
      of(ctx, db.models.PushSubscription).count({
        where: { member_id: memberId, endpoint_hash: { [Op.ne]: hash } },
      }),
    );
    // SQL: whoever used this browser before. It is one browser, and knows its own secret address.
    const row = await db.row<{ id: number }>(
      `INSERT INTO push_subscriptions (workspace_id, member_id, session_id, endpoint_hash, sealed)
       VALUES ($workspaceId, $memberId, $sessionId, $hash, $sealed)
       ON CONFLICT (endpoint_hash) DO UPDATE SET workspace_id = excluded.workspace_id, member_id = excluded.member_id,
         session_id = excluded.session_id, sealed = excluded.sealed, created_at = now()
       RETURNING id`,
      {
        workspaceId: ctx.workspaceId,
        memberId,
        sessionId,
        hash,
        sealed: encryptSecret(config.secretsKeys, JSON.stringify(target), placeOf(hash)),
      },
    );
    const added = (await listBrowsers(ctx)).find((browser) => browser.id === row?.id);
    if (!added) throw notFound();
    if (isNew) await recordSecurity(ctx, { action: 'pushSubscriptions.create', subjectId: added.id });
    return added;
  });
}

/** Lets a browser of the acting member take no web push any more. Throws 404. */
export async function removeBrowser(ctx: Ctx, id: number): Promise<void> {
  const { PushSubscription } = ctx.runtime.db.models;
  const removed = await of(ctx, PushSubscription).destroy({ where: { id, member_id: ctx.actor.memberId ?? 0 } });
  if (removed === 0) throw notFound();
}

/** Encrypts the addresses of browsers again with the current key. Returns how many it changed. */
export async function resealBrowsersAnywhere(runtime: Runtime): Promise<number> {
  const { PushSubscription } = runtime.db.models;
  let resealed = 0;
  // The installation's own key: all workspaces at once, like the operator who changes it.
  for (const row of await PushSubscription.findAll({ order: ['id'], raw: true })) {
    const text = JSON.stringify(openTarget(runtime, row));
    const sealed = encryptSecret(runtime.config.secretsKeys, text, placeOf(row.endpoint_hash));
    resealed += (await PushSubscription.update({ sealed }, { where: { id: row.id } }))[0];
  }
  return resealed;
}
