import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '../../../core/http/faults';
import { pushRequest } from '../../../core/http/webPush';
import { systemCtx, type Ctx } from '../../../core/context';
import type { Config } from '../../../core/config';
import { of } from '../../../core/db/scoped';
import { inTurnsSql } from '../../../core/db/workspaceTurnsSql';
import { kept, type Runtime } from '../../../core/runtime';
import { usableSession } from '../../identity/apiKeys/authenticate';
import { speakingTo } from '../../identity/members/speech';
import { isQuiet, notificationSettingsOf } from '../../identity/members/notifications';
import { getWorkspace } from '../../identity/workspaces/service';
import { pushedForSeconds } from './rows';
import { wordsOf, type NoticeRow } from './serializer';
import { noticesSql, openTarget } from './service';

/** Members of one look, at the same time. */
const membersTogether = 20;
/** So long a look waits for push services: one that is silent for its 15 seconds holds up its own workspace alone. */
const patienceMs = 1_000;
/** Workspaces that wait so: with all members of a look each has, a thousand connections. */
const workspacesTogether = 50;
const maxClaimed = 1_000;

const isDue = 'push_until > now() AND (claimed_until IS NULL OR claimed_until < now())';
const due = inTurnsSql({
  table: 'notices',
  where: 'push_until IS NOT NULL',
  served: (workspace) => `${workspace} <> ALL($busy::bigint[])`,
  due: isDue,
  order: 'member_id',
  columns: 'workspace_id, member_id',
  limit: membersTogether,
});

/** All that waits for the members of one look: they get one push each, which says how many notices there are. */
const claim = `WITH due AS MATERIALIZED (${due}), mine AS MATERIALIZED (
    SELECT n.member_id, n.id FROM notices n
    WHERE (n.workspace_id, n.member_id) IN (SELECT workspace_id, member_id FROM due) AND ${isDue}
    ORDER BY n.member_id, n.id LIMIT ${maxClaimed} FOR UPDATE SKIP LOCKED
  )
  UPDATE notices n SET claimed_until = now() + $claimMs * interval '1 millisecond' FROM mine
  WHERE n.member_id = mine.member_id AND n.id = mine.id
  RETURNING n.workspace_id, n.member_id, n.id`;

/** What is under way, by workspace. */
const underWay = kept(() => new Map<number, Promise<unknown>>());

/**
 * Pushes what waits, for some members at a time; returns whether there was something. What a push service does not
 * take now is tried again for as long as it is worth bringing; a browser that has taken it is not asked again.
 */
export async function sendPushes(runtime: Runtime): Promise<boolean> {
  const { vapid } = runtime.config;
  if (!vapid) return false;
  const busy = underWay(runtime);
  if (busy.size >= workspacesTogether) await Promise.race(busy.values());
  const claimed = await runtime.db.rows<{ workspace_id: number; member_id: number; id: number }>(claim, {
    claimMs: runtime.process.timing.pushClaimMs,
    busy: [...busy.keys()],
  });
  const byMember = new Map<number, typeof claimed>();
  for (const row of claimed) byMember.set(row.member_id, [...(byMember.get(row.member_id) ?? []), row]);
  const work = [...byMember].map(([memberId, rows]) => {
    const workspaceId = rows[0]?.workspace_id ?? 0;
    const ids = rows.map(({ id }) => id);
    return { workspaceId, done: pushAll(systemCtx(runtime, workspaceId, 'pushes'), vapid, memberId, ids) };
  });
  for (const id of new Set(work.map(({ workspaceId }) => workspaceId))) {
    const own = work.flatMap(({ workspaceId, done }) => (workspaceId === id ? [done] : []));
    busy.set(
      id,
      Promise.all(own).finally(() => busy.delete(id)),
    );
  }
  if (busy.size === 0) return false;
  await Promise.race([Promise.all(busy.values()), pause(patienceMs, undefined, { ref: false })]);
  return true;
}

/** Pushes some notices of a member; what goes wrong is tried again. */
async function pushAll(ctx: Ctx, vapid: Vapid, memberId: number, ids: readonly number[]): Promise<void> {
  try {
    if (await speakingTo(ctx, memberId, () => pushTo(ctx, vapid, memberId, ids))) await settle(ctx, memberId, ids);
  } catch (error) {
    ctx.logger.warn({ event: 'push.failed', memberId, reason: reasonOf(error) }, 'a push is tried again');
  }
}

async function settle(ctx: Ctx, memberId: number, ids: readonly number[]): Promise<void> {
  const notices = of(ctx, ctx.runtime.db.models.Notice);
  await notices.update({ push_until: null }, { where: { member_id: memberId, id: [...ids] } });
}

type Vapid = NonNullable<Config['vapid']>;
type Subscribed = Readonly<Record<'id', number>> & { readonly endpoint_hash: Buffer; readonly sealed: string };

type Pushed = NoticeRow & { readonly pushed_to: readonly number[] };

/** Pushes some notices of a member to their browsers; returns whether nothing is left to do. */
async function pushTo(ctx: Ctx, vapid: Vapid, memberId: number, ids: readonly number[]): Promise<boolean> {
  const { db, clock } = ctx.runtime;
  const bind = { workspaceId: ctx.workspaceId, memberId };
  const { timezone } = await getWorkspace(ctx);
  const quiet = isQuiet(await notificationSettingsOf(ctx, memberId), timezone, clock.now());
  // A theft is told at night, too.
  const which = `id = ANY($ids::bigint[])${quiet ? " AND kind = 'security'" : ''}`;
  const notices = await db.rows<Pushed>(noticesSql(which), { ...bind, ids });
  if (notices.length === 0) return true;
  const browsers = await db.rows<Subscribed>(
    `SELECT p.id, p.endpoint_hash, p.sealed FROM push_subscriptions p JOIN sessions x ON x.id = p.session_id
     WHERE p.workspace_id = $workspaceId AND p.member_id = $memberId AND ${usableSession}`,
    bind,
  );
  const done = await Promise.all(
    browsers.map(async (browser) => {
      // By notice, not by the newest one: a later notice may be taken, or committed, before an earlier one.
      const left = notices.filter(({ pushed_to: pushedTo }) => !pushedTo.includes(browser.id));
      const [newest] = left;
      if (!newest) return true;
      // The same tag for what is pushed twice: the browser shows it once.
      const text = JSON.stringify({ tag: `notice-${newest.id}`, ...wordsOf(newest, left.length - 1) });
      const isDone = await pushOnce(ctx, vapid, browser, text);
      if (isDone) await noteDone(ctx, memberId, browser, left);
      return isDone;
    }),
  );
  return done.every(Boolean);
}

/** Notes that a browser is not asked again for some notices, at once: another browser may be silent for long. */
async function noteDone(ctx: Ctx, memberId: number, browser: Subscribed, notices: readonly Pushed[]): Promise<void> {
  await ctx.runtime.db.rows(
    `UPDATE notices SET pushed_to = array_append(pushed_to, $browserId::bigint)
     WHERE workspace_id = $workspaceId AND member_id = $memberId AND id = ANY($ids::bigint[])`,
    { workspaceId: ctx.workspaceId, memberId, browserId: browser.id, ids: notices.map(({ id }) => id) },
  );
}

/** Returns whether a browser need not be asked again: it has taken the push, is gone, or never takes it. */
async function pushOnce(ctx: Ctx, vapid: Vapid, browser: Subscribed, text: string): Promise<boolean> {
  const subscriptions = of(ctx, ctx.runtime.db.models.PushSubscription);
  const where = { id: browser.id };
  const target = openTarget(ctx.runtime, browser);
  const { headers, body } = pushRequest(vapid, target, text, {
    now: ctx.runtime.clock.now(),
    ttlSeconds: pushedForSeconds,
  });
  const { status, error } = await ctx.runtime.webhooks.post(target.endpoint, headers, body);
  if (error === '') return true;
  if (status === 404 || status === 410) {
    await subscriptions.destroy({ where });
    return true;
  }
  // The address is the browser's secret.
  const subscriptionId = browser.id;
  ctx.logger.warn({ event: 'push.refused', subscriptionId, status }, 'a push service did not take a push');
  return status !== null && status < 500 && status !== 429;
}
