import type { Ctx } from '../../../core/context';
import { recordEvent } from '../../../core/events';
import { requestSync } from '../../resources/accounts/stops';
import type { Handler } from './process';
import { eventTime, objectAt, objectsIn, textOf } from './read';
import type { StoredEvent } from './service';

/** Events of numbers and accounts (upstream 2.9). */
export const accountHandlers: readonly (readonly [string, Handler])[] = [
  ['business_username_update', receiveUsername],
  ['phone_number_quality_update', receiveLimit],
  ['phone_number_name_update', readAgain],
  ['business_capability_update', readAgain],
  ...['account_update', 'account_alerts', 'account_review_update', 'security'].map(
    (kind) => [kind, receiveAlert] as const,
  ),
  ['messages_other', receiveErrors],
];

/** For events that only say that something changed. */
async function readAgain(ctx: Ctx, event: StoredEvent): Promise<void> {
  await requestSync(ctx, event.business_account_id);
}

/** SQL: the account's number that an event names by its digits. */
const thisNumber = `workspace_id = $workspaceId AND business_account_id = $account AND regexp_replace(display_phone_number, '\\D', '', 'g') = $digits`;

function numberBind(ctx: Ctx, event: StoredEvent): Record<string, unknown> {
  const value = objectAt(event.payload, 'value');
  return {
    workspaceId: ctx.workspaceId,
    account: event.business_account_id,
    digits: textOf(value?.['display_phone_number'], 64).replace(/\D/g, ''),
  };
}

/** The business's own user name; the newest word counts (contract 6). */
async function receiveUsername(ctx: Ctx, event: StoredEvent): Promise<void> {
  const value = objectAt(event.payload, 'value');
  const status = textOf(value?.['status'], 32);
  await ctx.runtime.db.rows(
    `UPDATE phone_numbers SET business_username = $username, business_username_status = $status, username_at = $at, updated_at = now()
     WHERE ${thisNumber} AND (username_at IS NULL OR username_at < $at OR (username_at = $at AND (business_username_status, business_username) < ($status::text, $username::text)))`,
    {
      ...numberBind(ctx, event),
      username: status === 'deleted' ? '' : textOf(value?.['username'], 64).replace(/^@/, ''),
      status,
      at: eventTime(event.payload['time'], ctx.runtime.clock.now()),
    },
  );
}

/** A new messaging limit or quality; the rest is read again. */
async function receiveLimit(ctx: Ctx, event: StoredEvent): Promise<void> {
  const value = objectAt(event.payload, 'value');
  const limit = textOf(value?.['current_limit'], 32);
  if (limit !== '') {
    await ctx.runtime.db.rows(
      `UPDATE phone_numbers SET messaging_limit_tier = $limit, limit_at = $at, updated_at = now()
       WHERE ${thisNumber} AND (limit_at IS NULL OR limit_at < $at OR (limit_at = $at AND messaging_limit_tier < $limit::text))`,
      { ...numberBind(ctx, event), limit, at: eventTime(event.payload['time'], ctx.runtime.clock.now()) },
    );
  }
  await requestSync(ctx, event.business_account_id);
}

/** Violations, restrictions, bans and the like: told to operators, kept in the workspace's trail. */
async function receiveAlert(ctx: Ctx, event: StoredEvent): Promise<void> {
  const value = objectAt(event.payload, 'value') ?? {};
  const word = textOf(value['event'] ?? value['alert_type'] ?? value['decision'], 64);
  ctx.logger.error(
    {
      event: 'upstream.account_event',
      alert: 'upstream_account',
      workspaceId: ctx.workspaceId,
      businessAccountId: event.business_account_id,
      kind: event.kind,
      reported: word,
    },
    'upstream account event received',
  );
  await recordEvent(ctx, {
    subjectType: 'workspace',
    subjectId: ctx.workspaceId,
    kind: event.kind,
    data: { event: word, business_account_id: event.business_account_id, value },
  });
  await requestSync(ctx, event.business_account_id);
}

/** Errors of the account that belong to no message. */
async function receiveErrors(ctx: Ctx, event: StoredEvent): Promise<void> {
  const errors = objectsIn(objectAt(event.payload, 'value')?.['errors']);
  if (errors.length === 0) return;
  const codes = errors.map((error) => error['code']).filter((code) => typeof code === 'number');
  ctx.logger.error(
    {
      event: 'upstream.account_errors',
      alert: 'upstream_errors',
      workspaceId: ctx.workspaceId,
      businessAccountId: event.business_account_id,
      codes,
    },
    'upstream account errors received',
  );
  await recordEvent(ctx, {
    subjectType: 'workspace',
    subjectId: ctx.workspaceId,
    kind: 'upstream_errors',
    data: { codes, business_account_id: event.business_account_id },
  });
}
