import type { Ctx } from '../../../core/context';
import type { EventKind } from '../../../core/queue/eventKinds';
import { recordEvent } from '../../../core/queue/events';
import { setMessagingLimit, setUsername } from '../../resources/accounts/announcedChanges';
import { requestSync } from '../../resources/accounts/stops';
import type { Handler } from './lookups';
import { eventTime, objectAt, objectsIn, textOf } from './read';
import type { StoredEvent } from './claim';

/** Events of numbers and accounts (upstream 2.9). */
export const accountHandlers: readonly (readonly [string, Handler])[] = [
  ['business_username_update', receiveUsername],
  ['phone_number_quality_update', receiveLimit],
  ['phone_number_name_update', readAgain],
  ['business_capability_update', readAgain],
  ...(['account_update', 'account_alerts', 'account_review_update', 'security'] as const).map(
    (kind) => [kind, (ctx: Ctx, event: StoredEvent) => receiveAlert(ctx, event, kind)] as const,
  ),
  ['messages_other', receiveErrors],
];

/** Reads the account again, for events that only say that something changed. */
async function readAgain(ctx: Ctx, event: StoredEvent): Promise<void> {
  await requestSync(ctx, event.business_account_id);
}

/** Returns the parts that all events about a number have: which number, and when. */
function announcedOf(ctx: Ctx, event: StoredEvent): { businessAccountPk: number; digits: string; at: Date } {
  const value = objectAt(event.payload, 'value');
  return {
    businessAccountPk: event.business_account_id,
    digits: textOf(value?.['display_phone_number'], 64).replace(/\D/g, ''),
    at: eventTime(event.payload['time'], ctx.runtime.clock.now()),
  };
}

/** Takes the business's own user name. */
async function receiveUsername(ctx: Ctx, event: StoredEvent): Promise<void> {
  const value = objectAt(event.payload, 'value');
  const status = textOf(value?.['status'], 32);
  const username = status === 'deleted' ? '' : textOf(value?.['username'], 64).replace(/^@/, '');
  await setUsername(ctx, { ...announcedOf(ctx, event), username, status });
}

/** Takes a new messaging limit; everything else, such as the quality, is read again. */
async function receiveLimit(ctx: Ctx, event: StoredEvent): Promise<void> {
  const limit = textOf(objectAt(event.payload, 'value')?.['current_limit'], 32);
  if (limit !== '') await setMessagingLimit(ctx, { ...announcedOf(ctx, event), limit });
  await requestSync(ctx, event.business_account_id);
}

/**
 * Processes violations, restrictions, bans and the like: operators are told, and they are recorded in the workspace's
 * activity trail.
 */
async function receiveAlert(ctx: Ctx, event: StoredEvent, kind: EventKind<'workspace'>): Promise<void> {
  const value = objectAt(event.payload, 'value') ?? {};
  const word = textOf(value['event'] ?? value['alert_type'] ?? value['decision'], 64);
  ctx.logger.error(
    {
      event: 'upstream.account_event',
      alert: 'upstream_account',
      workspaceId: ctx.workspaceId,
      businessAccountId: event.business_account_id,
      kind,
      reported: word,
    },
    'account event of the platform received',
  );

  await recordEvent(ctx, {
    subjectType: 'workspace',
    subjectId: ctx.workspaceId,
    kind,
    data: { event: word, business_account_id: event.business_account_id, value },
  });
  await requestSync(ctx, event.business_account_id);
}

/** Takes errors of the account that belong to no message. */
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
    'account errors of the platform received',
  );
  await recordEvent(ctx, {
    subjectType: 'workspace',
    subjectId: ctx.workspaceId,
    kind: 'upstream_errors',
    data: { codes, business_account_id: event.business_account_id },
  });
}
