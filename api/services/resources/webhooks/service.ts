import { cut } from '../../../core/text/cut';
import type { WebhookSubscriptionRow } from '../../../../models';
import { webhookIntent } from '../../../../workflows/starts';
import { isScope, requireScope, type Scope, autonomyLevels, type Autonomy } from '../../../core/http/access';
import type { Ctx, Maker } from '../../../core/context';
import { AppError, conflict, invalidField, missingScope, notFound } from '../../../core/http/errors';
import { recordEvent } from '../../../core/queue/events';
import { of } from '../../../core/db/scoped';
import { dbNow } from '../../../core/db/columnValues';
import { webhookUrlProblem } from '../../../core/http/webhookClient';
import { requireRecent } from '../../identity/apiKeys/authenticate';
import { recordSecurity } from '../../identity/securityLog/service';
import { refuseAboveCeiling } from '../../identity/workspaces/objectLimits';
import { cancelPending } from './deliveries';
import { allEvents, eventScopes, secretOverlapMs, viewScopeOf } from './eventTypes';
import { newSecret, sealReplaced, sealSecret } from './secrets';
import { reason } from '../reasons';

interface WebhookInput {
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  readonly is_active?: boolean | undefined;
}

const models = (ctx: Ctx) => ctx.runtime.db.models;

/** Returns all subscriptions of the workspace, the oldest first. */
export async function listWebhooks(ctx: Ctx): Promise<WebhookSubscriptionRow[]> {
  return of(ctx, models(ctx).WebhookSubscription).findAll({ order: ['id'] });
}

/** Returns one subscription. Throws 404. */
export async function findWebhook(ctx: Ctx, id: number): Promise<WebhookSubscriptionRow> {
  const row = await of(ctx, models(ctx).WebhookSubscription).findOne({ where: { id } });
  if (!row) throw notFound();
  return row;
}

/** Makes a subscription; its secret is in the answer and nowhere else. */
export async function createWebhook(
  ctx: Ctx,
  values: WebhookInput,
): Promise<{ row: WebhookSubscriptionRow; secret: string }> {
  const { runtime } = ctx;
  const url = checkedUrl(ctx, values.url);
  const events = checkedEvents(ctx, values.events);
  const scopes = grantable(ctx, values.scopes ?? []);
  return runtime.db.transaction(async () => {
    await refuseAboveCeiling(ctx, 'subscriptions', () => of(ctx, models(ctx).WebhookSubscription).count());
    // The id comes first: the secret is sealed for its row.
    const next = await runtime.db.row<{ id: number; now: Date }>(
      `SELECT nextval(pg_get_serial_sequence('webhook_subscriptions', 'id')) AS id, now() AS now`,
    );
    if (!next) throw new Error('no id for the subscription');
    const secret = newSecret();
    const row = await models(ctx).WebhookSubscription.create({
      id: next.id,
      workspace_id: ctx.workspaceId,
      url,
      events,
      view_scopes: visible(ctx),
      description: values.description ?? '',
      scopes,
      autonomy: ctx.autonomy ?? 'autonomous',
      is_active: values.is_active ?? true,
      active_since: next.now,
      created_by_id: ctx.actor.memberId,
      api_key_id: ctx.actor.apiKeyId,
      sealed_secret: sealSecret(runtime.config, next.id, secret),
      previous_secret: null,
      previous_until: null,
      failing_since: null,
      paused_until: null,
      disabled_at: null,
    });
    return { row: await row.reload(), secret };
  });
}

/** Locks a subscription that things are to be sent to again. Throws 404, and 409 where it is not active. */
export async function requireActive(ctx: Ctx, id: number): Promise<void> {
  const row = await of(ctx, models(ctx).WebhookSubscription).findOne({ where: { id }, lock: true });
  if (!row) throw notFound();
  if (!row.is_active) throw conflict(reason('webhookOff'));
}

/** Changes a subscription. Throws 404, 400, and 403 where it holds more than the credential does. */
export async function updateWebhook(
  ctx: Ctx,
  id: number,
  values: Partial<WebhookInput>,
): Promise<WebhookSubscriptionRow> {
  await ctx.runtime.db.transaction(async () => {
    const row = await lockWebhook(ctx, id);
    // What is stored already is not judged again.
    if (values.url !== undefined && values.url !== row.url) row.set('url', checkedUrl(ctx, values.url));
    if (values.events !== undefined && values.events.join() !== row.events.join())
      row.set({ events: checkedEvents(ctx, values.events), view_scopes: visible(ctx) });
    if (values.scopes !== undefined) row.set('scopes', grantable(ctx, values.scopes));
    if (values.description !== undefined) row.set('description', values.description);
    const wasActive = row.is_active;
    if (values.is_active !== undefined) row.set('is_active', values.is_active);
    if (!row.changed()) return;
    const isActivated = row.is_active && !wasActive;
    const opens = isActivated || (['url', 'events', 'scopes'] as const).some((name) => row.changed(name));
    if (opens) requireRecent(ctx.actor);
    if (isActivated) {
      row.set({
        active_since: await databaseNow(ctx),
        failing_since: null,
        consecutive_failures: 0,
        paused_until: null,
        disabled_at: null,
        disabled_reason: '',
      });
    }
    // A new address is tried at once, however long the old one was silent.
    if (row.changed('url')) row.set('paused_until', null);
    const moved = row.changed('url');
    row.set('updated_at', await databaseNow(ctx));
    await row.save();
    if (opens) await recordSecurity(ctx, { action: 'webhooks.opened', subjectId: id, given: { url: row.url } });
    if (!row.is_active && wasActive) await cancelPending(ctx, id, 'The subscription was deactivated.');
    if (row.is_active && moved) await wakeDelivery(ctx, id);
  });
  return findWebhook(ctx, id);
}

/** Returns the active subscriptions that a member made, by whatever credential, or that keys made. */
export async function activeMadeBy(ctx: Ctx, maker: Maker): Promise<WebhookSubscriptionRow[]> {
  const by = 'memberId' in maker ? { created_by_id: maker.memberId } : { api_key_id: [...maker.keyIds] };
  return of(ctx, models(ctx).WebhookSubscription).findAll({
    where: { ...by, is_active: true },
    order: ['id'],
    raw: true,
  });
}

/**
 * Returns the scopes that creating a subscription needed: managing webhooks, and viewing the objects that its events
 * show.
 */
export function madeWithScopes(row: Pick<WebhookSubscriptionRow, 'events' | 'view_scopes'>): Scope[] {
  return ['webhook.manage', ...seenBy(row)];
}

/** Deactivates a subscription by the service's own decision, and tells the members why. */
export async function deactivate(
  ctx: Ctx,
  { id, url }: Pick<WebhookSubscriptionRow, 'id' | 'url'>,
  why: string,
): Promise<void> {
  const reason = cut(why, 500);
  await of(ctx, models(ctx).WebhookSubscription).update(
    { is_active: false, paused_until: null, disabled_at: dbNow, disabled_reason: reason, updated_at: dbNow },
    { where: { id } },
  );
  await recordEvent(ctx, {
    subjectType: 'workspace',
    subjectId: ctx.workspaceId,
    kind: 'webhook_disabled',
    data: { subscription_id: id, url, reason },
  });
  ctx.logger.warn(
    { event: 'webhook.deactivated', workspaceId: ctx.workspaceId, subscriptionId: id, reason },
    'webhook subscription deactivated',
  );
}

/** Removes a subscription with the log of its deliveries. Throws 404 and 403. */
export async function deleteWebhook(ctx: Ctx, id: number): Promise<void> {
  await ctx.runtime.db.transaction(async () => {
    const row = await lockWebhook(ctx, id);
    await row.destroy();
  });
}

/** Makes a new secret; all that signed until now go on signing beside it for a day. Throws 404 and 403. */
export async function rotateSecret(ctx: Ctx, id: number): Promise<{ row: WebhookSubscriptionRow; secret: string }> {
  const secret = newSecret();
  await ctx.runtime.db.transaction(async () => {
    const row = await lockWebhook(ctx, id);
    const now = await databaseNow(ctx);
    await row.update({
      previous_secret: sealReplaced(ctx.runtime.config, row, now),
      previous_until: new Date(now.getTime() + secretOverlapMs),
      sealed_secret: sealSecret(ctx.runtime.config, id, secret),
      updated_at: now,
    });
  });
  return { row: await findWebhook(ctx, id), secret };
}

/** Lets the subscription's deliveries be looked at once the surrounding transaction has committed. */
export async function wakeDelivery(ctx: Ctx, id: number): Promise<void> {
  await ctx.runtime.outbox.add(ctx, webhookIntent(ctx.workspaceId, id));
}

async function lockWebhook(ctx: Ctx, id: number) {
  const row = await of(ctx, models(ctx).WebhookSubscription).findOne({ where: { id }, lock: true });
  if (!row) throw notFound();
  requireAsMuch(ctx, row);
  return row;
}

/** Throws the 403 of a credential that holds less than the subscription does: changing it would lend it the rest. */
function requireAsMuch(
  ctx: Ctx,
  row: Pick<WebhookSubscriptionRow, 'scopes' | 'autonomy' | 'events' | 'view_scopes'>,
): void {
  for (const scope of [...row.scopes, ...seenBy(row)] as Scope[]) if (!ctx.scopes.has(scope)) throw missingScope(scope);
  if (rank(ctx.autonomy ?? 'autonomous') < rank(row.autonomy) && row.scopes.length > 0)
    throw new AppError('forbidden', reason('webhookFreer'));
}

function seenBy({ events, view_scopes: all }: Pick<WebhookSubscriptionRow, 'events' | 'view_scopes'>): Scope[] {
  return events.includes(allEvents) ? all.filter(isScope) : events.map(viewScopeOf);
}

const rank = (level: Autonomy): number => autonomyLevels.indexOf(level);

function grantable(ctx: Ctx, wanted: readonly Scope[]): Scope[] {
  for (const scope of wanted) if (!ctx.scopes.has(scope)) throw missingScope(scope);
  return [...new Set(wanted)];
}

function checkedUrl(ctx: Ctx, url: string): string {
  const problem = webhookUrlProblem(url, ctx.runtime.config.webhookAllowPrivate);
  if (problem !== null) throw invalidField('url', problem);
  return url;
}

/** Returns what a credential may see of events. */
function visible(ctx: Ctx): Scope[] {
  return eventScopes.filter((scope) => ctx.scopes.has(scope));
}

function checkedEvents(ctx: Ctx, events: readonly string[]): string[] {
  if (events.includes(allEvents) && events.length > 1) throw invalidField('events', reason('everyType'));
  for (const type of events) if (type !== allEvents) requireScope(ctx, viewScopeOf(type));
  return [...new Set(events)];
}

async function databaseNow(ctx: Ctx): Promise<Date> {
  const row = await ctx.runtime.db.row<{ now: Date }>('SELECT now() AS now');
  if (!row) throw new Error('the database has no time');
  return row.now;
}
